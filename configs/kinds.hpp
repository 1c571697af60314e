// The kinds of values that keys have. What may hold a secret (commands, variables, shell text) is written without it.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>

#include "configs/declare.hpp"

namespace bisectd::configs {

Value word_value(std::string text);  ///< as it is written
Value text_value(std::string text);  ///< in quotes, so that no reader takes it for a number or a truth value
Value list_value(const std::vector<Placed<std::string>>& texts);
/// Names and texts; those of secrets as a digest.
Value variables_value(const std::map<std::string, Placed<std::string>>& variables);
/// 32 bits that show a change.
std::string digest_of(const std::string& text);

/// What the scalar readers make of one value, as a kind.
template <class T, class Parse>
Kind<T> parsed(Parse parse, std::function<Value(const T&)> write, std::string json) {
  return {.read =
              [parse](const Value& value, const Where& where, T& to) {
                auto result = parse(value);
                if (result) to = std::move(*result);
                else where.add(value, result.error().message, result.error().hint);
                return result.has_value();
              },
          .write = [write](const T& it, const Folder&) { return write(it); },
          .shape = {.json = std::move(json)}};
}

Kind<std::string> text();
Kind<std::string> word();  ///< written without quotes
/// The name of an environment variable.
Kind<std::string> variable();
/// A path relative to the file that says it.
Kind<std::string> path();
/// A file in the attempt's own folder; `message` is a format of {what}.
Kind<std::string> attempt_file(const char* message);
/// Shell text.
Kind<std::string> script();
Kind<bool> boolean();
Kind<std::int64_t> whole(std::int64_t least, std::int64_t most);
Kind<double> number(double least, double most);
/// Of a percentage.
Kind<double> share();
/// +10%
Kind<double> increase();
Kind<std::chrono::milliseconds> duration();
Kind<std::chrono::milliseconds> longer_than_0();

/// One of the words, with the nearest if it is none; `what` names the sort.
bool check_word(const Value& word, const std::string& what, const std::vector<std::string>& right, Problems& problems);
template <class E>
Kind<E> choice(std::vector<std::pair<std::string, E>> words, const std::string& what) {
  std::vector<std::string> names;
  for (const auto& [name, meaning] : words) names.push_back(name);
  const auto written = [words](const E& it, const Folder&) {
    const auto word = std::ranges::find(words, it, &std::pair<std::string, E>::second);
    return word == words.end() ? Value{} : word_value(word->first);
  };
  return {.read =
              [words, names, what, read = text().read](const Value& value, const Where& where, E& to) {
                std::string text;
                if (!read(value, where, text) || !check_word(value, what, names, where.problems)) return false;
                to = std::ranges::find(words, text, &std::pair<std::string, E>::first)->second;
                return true;
              },
          .write = written,
          .shape = {.json = words_json(names)}};
}

Kind<Texts> texts();
/// At least one name, none of them twice.
Kind<Texts> member_names();
/// Options, written without their secrets.
Kind<Texts> arguments();
/// A command that is not empty, with these placeholders.
Kind<Texts> command(std::span<const char* const> placeholders);
/// RE2 with a named group; empty: none.
Kind<std::string> pattern(const std::string& group, const std::vector<std::string>& optional = {});
/// One such pattern with the group `value`, or several.
Kind<Texts> patterns();
/// Environment variables, whose values may hold these placeholders.
Kind<Variables> variables(std::vector<std::string> placeholders);
/// Those of a family: `kFamilyPlaceholders`, and further ones.
Kind<Variables> family_variables(const std::vector<std::string>& further = {});

/// NAME: value pairs of environment variables; values are scalars, kept exactly as written.
Variables read_environment(const Value& block, const Where& where);
/// A problem if the text is no name for an environment variable, or one of bisectd's own.
void check_variable_name(const std::string& name, const Place& place, Problems& problems);

}  // namespace bisectd::configs
