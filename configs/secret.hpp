// What holds a secret: environment variables and arguments, judged by their names and by the shape of their values.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bisectd::configs {

/// True if a word of the name is password, secret or credential, or its last word token or key (upper or lower case, words
/// apart by _ - . or by an upper-case letter). So HF_TOKEN and apiKey are secrets; TOKENIZERS_PARALLELISM, MONKEY_PATCH and
/// MOE_TOKEN_PERMUTE_FUSED are not. The value is never written to a report, a resolved experiment or an attempt's files.
bool is_secret(std::string_view name);

/// True for an address with a password: `scheme://user:password@host`.
bool holds_password(std::string_view value);

/// Where a secret begins in an argument that stands behind the argument `before`, if it holds one: X of --token=X, token=X
/// and --export=ALL,TOKEN=X, X behind --token, all of an address with a password.
std::optional<std::size_t> secret_begin(std::string_view before, std::string_view argument);

/// The value as it may be written: not that of a secret, and without the passwords in its addresses.
std::string without_secrets(std::string_view name, const std::string& value);
/// A text, a script or a line of output, as it may be written: without the values of its settings (TOKEN=X) whose names are
/// secrets, and without the passwords of its addresses. `instead`: what is written for each of them.
std::string without_secrets_in(const std::string& text, const std::function<std::string(const std::string&)>& instead);
std::string without_secrets_in(const std::string& text);
/// The words of a command as they may be written.
std::vector<std::string> without_secrets(std::vector<std::string> command);

}  // namespace bisectd::configs
