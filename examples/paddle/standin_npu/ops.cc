#include "ops.hpp"

#include "paddle/phi/core/compat/convert_utils.h"

namespace standin {

Ops& Ops::instance() {
  static Ops ops;
  return ops;
}

Op& Ops::add(const std::string& phi_name) {
  for (auto& op : all_)
    if (op->phi_name == phi_name) return *op;
  auto op = std::make_unique<Op>();
  op->phi_name = phi_name;
  op->fluid_name = phi::TransToFluidOpName(phi_name);
  all_.push_back(std::move(op));
  return *all_.back();
}

Op* Ops::find(const std::string& name) {
  for (auto& op : all_)
    if (op->fluid_name == name) return op.get();
  for (auto& op : all_)
    if (op->phi_name == name) return op.get();
  return nullptr;
}

std::vector<std::string> Ops::names() const {
  std::vector<std::string> names;
  for (const auto& op : all_) names.push_back(op->fluid_name);
  return names;
}

}  // namespace standin
