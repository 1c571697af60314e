// Quoting for a POSIX shell.
#pragma once

#include <string>
#include <string_view>

namespace bisectd::configs {

/// One word, as any POSIX shell reads it back byte for byte. `text` holds no NUL.
std::string shell_word(std::string_view text);

/// The same, but without quotes where no shell needs them: for people.
std::string shell_quoted(const std::string& word);

}  // namespace bisectd::configs
