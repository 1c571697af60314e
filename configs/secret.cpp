#include "configs/secret.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace bisectd::configs {
namespace {

constexpr const char* kHidden = "(secret, not written)";

const RE2& address_with_password() {
  static const RE2 pattern(R"((://[^/@:\s]*:)[^/@\s]+@)");
  return pattern;
}

bool is(int (*kind)(int), char c) { return kind(static_cast<unsigned char>(c)) != 0; }

/// Upper-case words, without those that are numbers.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words{""};
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool hump = i > 0 && is(std::isupper, name[i]) && is(std::islower, name[i - 1]);
    if (hump || !is(std::isalpha, name[i])) words.emplace_back();
    if (is(std::isalpha, name[i])) words.back() += static_cast<char>(std::toupper(static_cast<unsigned char>(name[i])));
  }
  std::erase(words, "");
  return words;
}

template <std::size_t N>
bool ends_in(const std::string& word, const std::array<const char*, N>& endings) {
  return std::ranges::any_of(endings, [&](const char* ending) { return word.ends_with(ending); });
}

}  // namespace

bool is_secret(std::string_view name) {
  constexpr std::array kAnywhere{"PASSWORD", "PASSWD",     "PASSPHRASE",  "SECRET",
                                 "SECRETS",  "CREDENTIAL", "CREDENTIALS", "APIKEY"};
  constexpr std::array kWholeSecret{"TOKEN", "APIKEY", "ACCESSKEY", "SECRETKEY", "PRIVATEKEY"};
  constexpr std::array kOwners{"API", "ACCESS", "AUTH", "PRIVATE"};  // AUTH_TOKEN_OF_HUB, API_KEY_2_FILE
  const std::vector<std::string> words = words_of(name);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (ends_in(words[i], kAnywhere)) return true;
    const bool owned = i > 0 && std::ranges::count(kOwners, words[i - 1]) > 0;
    const bool last = i + 1 == words.size();
    if ((owned || last) && (words[i] == "KEY" || words[i] == "TOKEN")) return true;
    if (last && ends_in(words[i], kWholeSecret)) return true;
  }
  return false;
}

bool holds_password(std::string_view value) { return RE2::PartialMatch(value, address_with_password()); }

std::optional<std::size_t> secret_begin(std::string_view before, std::string_view argument) {
  for (std::size_t equals = argument.find('='); equals != std::string_view::npos; equals = argument.find('=', equals + 1)) {
    const std::size_t comma = argument.substr(0, equals).find_last_of(",&?");  // --export=ALL,HF_TOKEN=x
    if (is_secret(argument.substr(comma + 1, equals - comma - 1))) return equals + 1;
  }
  const bool is_value = before.starts_with("--") && before.find('=') == std::string_view::npos && !argument.starts_with('-');
  if ((is_value && is_secret(before)) || holds_password(argument)) return 0;
  return std::nullopt;
}

std::string without_secrets(std::string_view name, const std::string& value) {
  if (is_secret(name)) return kHidden;
  std::string text = value;
  RE2::GlobalReplace(&text, address_with_password(), R"(\1***@)");
  return text;
}

std::string without_secrets_in(const std::string& text, const std::function<std::string(const std::string&)>& instead) {
  static const RE2 setting(R"re(([A-Za-z_][\w.-]*)=("[^"]*"|'[^']*'|[^\s;&|,)]+)|(\w+://[^/@:\s]*:)([^/@\s]+)@)re");
  std::string result;
  re2::StringPiece rest(text), parts[5];
  while (setting.Match(rest, 0, rest.size(), RE2::UNANCHORED, parts, 5)) {
    const bool address = parts[4].data() != nullptr;
    const re2::StringPiece secret = parts[address ? 4 : 2];
    const bool hide = address || is_secret(std::string_view(parts[1].data(), parts[1].size()));
    const char* end = hide ? secret.data() + secret.size() : secret.data();
    result.append(rest.data(), secret.data());
    if (hide) result += instead(std::string(secret));
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  }
  return result.append(rest.data(), rest.size());
}

std::string without_secrets_in(const std::string& text) {
  return without_secrets_in(text, [](const std::string&) { return kHidden; });
}

std::vector<std::string> without_secrets(std::vector<std::string> command) {
  for (std::size_t i = command.size(); i-- > 0;)  // a word is judged by the one before it, as that is
    if (const auto begin = secret_begin(i > 0 ? command[i - 1] : "", command[i]))
      command[i] = command[i].substr(0, *begin) + kHidden;
  return command;
}

}  // namespace bisectd::configs
