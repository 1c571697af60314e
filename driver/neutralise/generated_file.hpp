// The content of a file that carries names or a value to the training, from its template. Pure.
#pragma once

#include <string>
#include <vector>

#include "configs/delivery.hpp"

namespace bisectd::driver::neutralise {

/// The text of the names as one: each as `deliver.each` says, with the separator between them.
std::string joined_names(const configs::Delivery& deliver, const std::vector<std::string>& names);

/// The file's content for a list; `deliver.file` is set. The loader has checked the template.
std::string file_of_names(const configs::Delivery& deliver, const std::vector<std::string>& names);
/// The file's content for a switch or a ladder.
std::string file_of_value(const configs::Delivery& deliver, const std::string& value);

}  // namespace bisectd::driver::neutralise
