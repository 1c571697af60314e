// What torch_npu makes the arguments of aclnn operators of, and how the operators here see them: each as a struct of one
// pointer, which C++ passes as it passes the pointer. The device's memory is the host's, so a tensor is a view for ATen's
// CPU kernels.
#pragma once

#include <ATen/ATen.h>
#include <acl/acl_base.h>

#include <optional>
#include <vector>

using Ints = std::vector<std::int64_t>;

struct aclTensor {
  Ints sizes, strides;
  std::int64_t offset;  // in elements
  aclDataType type;
  char* data;
};
struct aclScalar {
  at::Scalar value;
};
struct aclIntArray {
  Ints values;
};
struct aclFloatArray {
  std::vector<float> values;
};
struct aclBoolArray {
  std::vector<bool> values;
};
struct aclTensorList {
  std::vector<const aclTensor*> tensors;
};
struct aclScalarList {
  std::vector<at::Scalar> values;
};

namespace standin_cann {

at::ScalarType scalar_type(aclDataType type);  // throws for one that no CPU kernel knows

struct Written {
  at::Tensor tensor;
  c10::optional<at::Tensor> before;  // what it was, where the operator also read it: the error is then that of the change
};

// Of the operator under way in this thread.
struct Traffic {
  std::vector<at::Tensor> read;
  std::vector<Written> written;
};
Traffic& traffic();

struct T {
  const aclTensor* tensor;

  at::Tensor operator*() const;                         // to read it; throws if there is none
  operator c10::optional<at::Tensor>() const;           // to read it if there is one
  at::Tensor written() const;                           // to write to it, which ATen's operators with _ do
  const T& operator<<(const at::Tensor& result) const;  // writes a result of its shape; does nothing if there is no tensor
  at::ScalarType type() const;                          // without reading it: what stands in a new output is chance
  explicit operator bool() const { return tensor != nullptr; }
};

struct S {
  const aclScalar* scalar;

  at::Scalar operator*() const;
  operator c10::optional<at::Scalar>() const { return scalar ? c10::make_optional(scalar->value) : c10::nullopt; }
};

struct I {
  const aclIntArray* array;

  operator at::IntArrayRef() const { return array ? at::IntArrayRef(array->values) : at::IntArrayRef(); }
  operator at::OptionalIntArrayRef() const { return array ? at::OptionalIntArrayRef(array->values) : c10::nullopt; }
  // Where none means all
  at::OptionalIntArrayRef if_any() const {
    return array && !array->values.empty() ? at::OptionalIntArrayRef(array->values) : c10::nullopt;
  }
};

struct B {
  const aclBoolArray* array;

  bool operator[](std::size_t index) const { return array->values.at(index); }
  operator std::array<bool, 3>() const { return {(*this)[0], (*this)[1], (*this)[2]}; }
};

struct L {
  const aclTensorList* list;

  std::vector<at::Tensor> operator*() const;
  const L& operator<<(const std::vector<at::Tensor>& results) const;
};

struct SL {
  const aclScalarList* list;

  at::ArrayRef<at::Scalar> operator*() const { return list->values; }
};

}  // namespace standin_cann
