// What is wrong with a JSON file that another program or machine wrote, in words for people.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace bisectd::driver::read {

/// "line 3, column 17: no JSON from here on" or "it ends in the middle of line 40, as if cut off" of an error in parsing
/// `text`; of any other the library's sentence without its codes, such as "key 'points' not found". Columns are bytes,
/// 1-based.
std::string json_fault(std::string_view text, const nlohmann::json::exception& error);

}  // namespace bisectd::driver::read
