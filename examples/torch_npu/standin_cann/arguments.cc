#include "arguments.hpp"

#include "operator.hpp"

STANDIN_API aclTensor* aclCreateTensor(const std::int64_t* sizes, std::uint64_t dimensions, aclDataType type,
                                       const std::int64_t* strides, std::int64_t offset, aclFormat, const std::int64_t*,
                                       std::uint64_t, void* data) {
  return new aclTensor{Ints(sizes, sizes + dimensions), Ints(strides, strides + dimensions), offset, type,
                       static_cast<char*>(data)};
}
STANDIN_API aclScalar* aclCreateScalar(void* value, aclDataType type) {
  return new aclScalar{at::from_blob(value, {}, at::TensorOptions().dtype(standin_cann::scalar_type(type))).item()};
}
STANDIN_API aclIntArray* aclCreateIntArray(const std::int64_t* values, std::uint64_t count) {
  return new aclIntArray{Ints(values, values + count)};
}
STANDIN_API aclFloatArray* aclCreateFloatArray(const float* values, std::uint64_t count) {
  return new aclFloatArray{{values, values + count}};
}
STANDIN_API aclBoolArray* aclCreateBoolArray(const bool* values, std::uint64_t count) {
  return new aclBoolArray{std::vector<bool>(values, values + count)};
}
STANDIN_API aclTensorList* aclCreateTensorList(const aclTensor* const* tensors, std::uint64_t count) {
  return new aclTensorList{{tensors, tensors + count}};
}
STANDIN_API aclScalarList* aclCreateScalarList(const aclScalar* const* scalars, std::uint64_t count) {
  auto* list = new aclScalarList;
  for (std::uint64_t i = 0; i < count; ++i) list->values.push_back(scalars[i]->value);
  return list;
}

STANDIN_API int aclDestroyTensor(const aclTensor* tensor) { return delete tensor, 0; }
STANDIN_API int aclDestroyScalar(const aclScalar* scalar) { return delete scalar, 0; }
STANDIN_API int aclDestroyIntArray(const aclIntArray* array) { return delete array, 0; }
STANDIN_API int aclDestroyFloatArray(const aclFloatArray* array) { return delete array, 0; }
STANDIN_API int aclDestroyBoolArray(const aclBoolArray* array) { return delete array, 0; }
STANDIN_API int aclDestroyScalarList(const aclScalarList* list) { return delete list, 0; }
STANDIN_API int aclDestroyTensorList(const aclTensorList* list) {
  for (const aclTensor* tensor : list->tensors) delete tensor;
  return delete list, 0;
}
STANDIN_API int aclGetViewShape(const aclTensor* tensor, std::int64_t** sizes, std::uint64_t* dimensions) {
  *dimensions = tensor->sizes.size();
  *sizes = new std::int64_t[*dimensions + 1];  // torch_npu deletes it
  std::copy(tensor->sizes.begin(), tensor->sizes.end(), *sizes);
  return 0;
}

namespace standin_cann {
namespace {

at::Tensor view(const aclTensor& tensor) {
  const auto options = at::TensorOptions().dtype(scalar_type(tensor.type));
  if (!tensor.data) return at::empty(tensor.sizes, options);  // nothing is allocated for a tensor without elements
  const auto offset = tensor.offset * static_cast<std::int64_t>(options.dtype().itemsize());
  return at::from_blob(tensor.data + offset, tensor.sizes, tensor.strides, options);
}

}  // namespace

at::ScalarType scalar_type(aclDataType type) {
  switch (type) {
    case ACL_FLOAT: return at::kFloat;
    case ACL_FLOAT16: return at::kHalf;
    case ACL_BF16: return at::kBFloat16;
    case ACL_DOUBLE: return at::kDouble;
    case ACL_INT8: return at::kChar;
    case ACL_UINT8: return at::kByte;
    case ACL_INT16: return at::kShort;
    case ACL_INT32: return at::kInt;
    case ACL_INT64: return at::kLong;
    case ACL_BOOL: return at::kBool;
    case ACL_COMPLEX64: return at::kComplexFloat;
    case ACL_COMPLEX128: return at::kComplexDouble;
    default: TORCH_CHECK(false, "data type ", static_cast<int>(type));
  }
}

Traffic& traffic() {
  static thread_local Traffic traffic;
  return traffic;
}

at::Tensor T::operator*() const {
  TORCH_CHECK(tensor, "a tensor is missing");
  return traffic().read.emplace_back(view(*tensor));
}

T::operator c10::optional<at::Tensor>() const { return tensor ? c10::make_optional(**this) : c10::nullopt; }

at::ScalarType T::type() const {
  TORCH_CHECK(tensor, "a tensor is missing");
  return scalar_type(tensor->type);
}

at::Tensor T::written() const {
  TORCH_CHECK(tensor, "a tensor to write to is missing");
  Written one{view(*tensor), {}};
  for (const at::Tensor& read : traffic().read)
    if (read.data_ptr() == one.tensor.data_ptr() && !one.before) one.before = one.tensor.clone();
  return traffic().written.emplace_back(std::move(one)).tensor;
}

const T& T::operator<<(const at::Tensor& result) const {
  if (!tensor) return *this;
  // For a number torch_npu 2.1 has places of one element.
  const bool is_number = result.dim() == 0 && at::IntArrayRef(tensor->sizes) == at::IntArrayRef(1);
  TORCH_CHECK(is_number || result.sizes() == at::IntArrayRef(tensor->sizes), "the result is of shape ", result.sizes(),
              ", and its place of ", tensor->sizes);
  written().copy_(result);
  return *this;
}

at::Scalar S::operator*() const {
  TORCH_CHECK(scalar, "a number is missing");
  return scalar->value;
}

std::vector<at::Tensor> L::operator*() const {
  std::vector<at::Tensor> tensors;
  for (const aclTensor* tensor : list->tensors) tensors.push_back(*T{tensor});
  return tensors;
}

const L& L::operator<<(const std::vector<at::Tensor>& results) const {
  TORCH_CHECK(results.size() == list->tensors.size(), "there are ", results.size(), " results for ", list->tensors.size(),
              " places");
  for (std::size_t i = 0; i < results.size(); ++i) T{list->tensors[i]} << results[i];
  return *this;
}

}  // namespace standin_cann
