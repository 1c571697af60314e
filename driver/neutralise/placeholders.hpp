// Words in braces put into a text. Pure.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bisectd::driver::neutralise {

using Words = std::vector<std::pair<std::string_view, std::string_view>>;

/// The text with each {word} of `words` replaced by its value, and {{ }} by braces. What is put in is not looked at
/// again. Unknown words stay: the loader has refused them.
std::string filled(std::string_view text, const Words& words);

}  // namespace bisectd::driver::neutralise
