#include "configs/kinds.hpp"

#include <fmt/format.h>
#include <re2/re2.h>
#include <xxhash.h>

#include "configs/placeholders.hpp"
#include "configs/printable.hpp"
#include "configs/secret.hpp"
#include "configs/suggest.hpp"
#include "configs/words.hpp"

namespace bisectd::configs {
namespace {

constexpr const char* kTextShape = R"({"$ref": "#/definitions/text"})";
constexpr const char* kTextsShape = R"({"$ref": "#/definitions/texts"})";
constexpr const char* kPatternShape = R"({"type": "string"})";

std::string hidden(const std::string& secret) { return fmt::format("(secret, digest {})", digest_of(secret)); }

Value without_secrets(const Texts& command) {
  Texts words;
  std::string before;
  for (const auto& [word, place] : command) {
    const auto begin = secret_begin(before, word);
    words.push_back({begin ? word.substr(0, *begin) + hidden(word.substr(*begin)) : word, {}});
    before = word;
  }
  return list_value(words);
}

/// The largest unit that it is a whole number of.
std::string in_words(std::chrono::milliseconds duration) {
  for (const auto& [unit, ms] : {std::pair{"h", 3'600'000}, {"m", 60'000}, {"s", 1000}})
    if (duration.count() % ms == 0 && duration.count() > ms) return fmt::format("\"{}{}\"", duration.count() / ms, unit);
  return fmt::format("\"{}ms\"", duration.count());
}

bool lies_in_folder(const std::string& path) {
  const std::filesystem::path relative(path);
  return !relative.empty() && !relative.is_absolute() && std::ranges::count(relative, "..") == 0;
}

/// The most memory one compiled pattern may take; readers use the same limit.
constexpr long kPatternMemory_bytes = 8 * 1024 * 1024;

/// A pattern in RE2 syntax, so that none can fail in the night. A problem if it does not compile, lacks the group `required`
/// (empty: none), or names a group that is neither that nor one of `optional`.
Placed<std::string> read_pattern(const Value& value, const std::string& what, const std::string& required,
                                 const std::vector<std::string>& optional, Problems& problems) {
  const auto text = placed_text_of(value);
  if (!text) {
    problems.add(value.place, fmt::format("`{}`: {}", what, text.error().message), text.error().hint);
    return {};
  }
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kPatternMemory_bytes);
  const RE2 pattern(text->value, options);
  if (!pattern.ok()) {
    problems.add(value.place, fmt::format("`{}` is no regular expression: {}", what, pattern.error()),
                 "RE2 syntax: no look-around, no back-references; groups are named (?P<name>...)");
    return *text;
  }
  std::vector<std::string> known;
  if (!required.empty()) known.push_back(required);
  known.insert(known.end(), optional.begin(), optional.end());
  const auto& groups = pattern.NamedCapturingGroups();
  for (const auto& [name, index] : groups) {
    if (std::ranges::count(known, name)) continue;
    const auto right = nearest(name, known);
    problems.add(value.place, fmt::format("`{}`: unknown group {}", what, in_quotes(name)),
                 right           ? fmt::format("did you mean `(?P<{}>...)`?", *right)
                 : known.empty() ? std::string("no group is used here; write (?:...)")
                                 : fmt::format("groups used here: {}; write (?:...) for others", fmt::join(known, ", ")));
  }
  if (!required.empty() && !groups.contains(required))
    problems.add(value.place, fmt::format("`{}` lacks the group `{}`", what, required),
                 fmt::format("put `(?P<{}>...)` around the part that is meant", required));
  return *text;
}

}  // namespace

std::string digest_of(const std::string& text) {
  return fmt::format("{:08x}", static_cast<std::uint32_t>(XXH3_64bits(text.data(), text.size())));
}

Value word_value(std::string text) { return {.kind = Value::Kind::scalar, .text = std::move(text)}; }
Value text_value(std::string text) { return {.kind = Value::Kind::scalar, .text = std::move(text), .quoted = true}; }

Value list_value(const Texts& texts) {
  Value list{.kind = Value::Kind::list};
  for (const auto& text : texts) list.items.push_back(text_value(text.value));
  return list;
}

Value variables_value(const Variables& variables) {
  Value map{.kind = Value::Kind::map};
  for (const auto& [name, value] : variables) {
    const bool hide = is_secret(name) || holds_password(value.value);
    map.entries.push_back({name, {}, text_value(hide ? hidden(value.value) : value.value)});
  }
  return map;
}

Kind<std::string> text() { return parsed<std::string>(text_of, text_value, kTextShape); }
Kind<std::string> word() { return parsed<std::string>(text_of, word_value, kTextShape); }

Kind<std::string> variable() {
  return text().checked([](const Value& value, const Where& where, const std::string& name) {
    check_variable_name(name, value.place, where.problems);
  });
}

Kind<std::string> path() {
  Kind<std::string> kind = text();
  kind.read = [before = kind.read](const Value& value, const Where& where, std::string& to) {
    if (!before(value, where, to)) return false;
    to = path_of({to, value.place});
    return true;
  };
  kind.write = [](const std::string& it, const Folder& folder) {
    return text_value((std::filesystem::current_path() / it).lexically_normal().lexically_relative(folder).string());
  };
  return kind;
}

Kind<std::string> attempt_file(const char* message) {
  return text().checked([message](const Value& value, const Where& where, const std::string& file) {
    if (!lies_in_folder(file))
      where.tell(value, fmt::format(fmt::runtime(message), fmt::arg("what", where.what)),
                 "let the training write to {attempt}, and name the file relative to it");
  });
}

Kind<std::string> script() {
  return parsed<std::string>(
      text_of, [](const std::string& it) { return text_value(without_secrets_in(it, hidden)); }, kTextShape);
}

Kind<bool> boolean() {
  return parsed<bool>(
      boolean_of, [](bool it) { return word_value(it ? "true" : "false"); }, R"({"type": "boolean"})");
}

Kind<std::int64_t> whole(std::int64_t least, std::int64_t most) {
  const std::string maximum = most == INT64_MAX ? "" : fmt::format(R"(, "maximum": {})", most);
  return parsed<std::int64_t>([=](const Value& value) { return whole_number_of(value, least, most); },
                              [](std::int64_t it) { return word_value(std::to_string(it)); },
                              fmt::format(R"({{"type": "integer", "minimum": {}{}}})", least, maximum));
}

Kind<double> number(double least, double most) {
  const std::string maximum = most >= 1e300 ? "" : fmt::format(R"(, "maximum": {})", most);
  return parsed<double>([=](const Value& value) { return number_of(value, least, most); },
                        [](double it) { return word_value(fmt::format("{}", it)); },
                        fmt::format(R"({{"type": "number", "minimum": {}{}}})", least, maximum));
}

Kind<double> share() {
  return parsed<double>(
      share_of, [](double it) { return word_value(fmt::format("{:.12g}%", it * 100)); },
      R"({"$ref": "#/definitions/percentage"})");
}

Kind<double> increase() {
  return parsed<double>(
      increase_of, [](double it) { return word_value(fmt::format("+{:.12g}%", it * 100)); },
      R"({"type": "string", "pattern": "^\\+[0-9.eE+-]+ ?%$"})");
}

Kind<std::chrono::milliseconds> duration() {
  using std::chrono::milliseconds;
  auto kind = parsed<milliseconds>(
      duration_of, [](milliseconds it) { return word_value(fmt::format("{}ms", it.count())); },
      R"({"$ref": "#/definitions/duration"})");
  kind.shown = in_words;
  return kind;
}

Kind<std::chrono::milliseconds> longer_than_0() {
  return duration()
      .checked([](const Value& value, const Where& where, std::chrono::milliseconds it) {
        if (it.count() == 0) where.tell(value, fmt::format("`{}` must be longer than 0", where.key()));
      })
      .shaped(R"({"$ref": "#/definitions/longer_than_0"})");
}

bool check_word(const Value& word, const std::string& what, const std::vector<std::string>& right, Problems& problems) {
  if (std::ranges::count(right, word.text)) return true;
  const auto near = nearest(word.text, right);
  problems.add(word.place, fmt::format("unknown {} {}", what, in_quotes(word.text)),
               near ? fmt::format("did you mean `{}`?", *near) : fmt::format("known: {}", fmt::join(right, ", ")));
  return false;
}

Kind<Texts> texts() {
  return {.read =
              [](const Value& value, const Where& where, Texts& to) {
                to = texts_of(value, where.what, where.problems);
                return value.kind == Value::Kind::list;
              },
          .write = [](const Texts& it, const Folder&) { return list_value(it); },
          .shape = {.json = kTextsShape}};
}

Kind<Texts> member_names() {
  return texts()
      .checked([](const Value& value, const Where& where, const Texts& names) {
        for (auto name = names.begin(); name != names.end(); ++name)
          if (std::ranges::find(names.begin(), name, name->value, &Placed<std::string>::value) != name)
            where.tell(name->place, fmt::format("{} is named twice", in_quotes(name->value)));
        if (value.items.empty()) where.tell(value, fmt::format("`{}` is empty", where.what));
      })
      .shaped(R"({"$ref": "#/definitions/names"})");
}

Kind<Texts> arguments() {
  Kind<Texts> kind = texts();
  kind.write = [](const Texts& it, const Folder&) { return without_secrets(it); };
  return kind;
}

Kind<Texts> command(std::span<const char* const> placeholders) {
  const std::vector<std::string> known(placeholders.begin(), placeholders.end());
  return arguments()
      .checked([known](const Value& value, const Where& where, const Texts& words) {
        if (value.items.empty()) where.tell(value, fmt::format("`{}` is empty", where.what));
        for (const auto& word : words)
          if (!known.empty()) placeholders_in(word, known, where.problems);
      })
      .shaped(R"({"$ref": "#/definitions/command"})");
}

Kind<std::string> pattern(const std::string& group, const std::vector<std::string>& optional) {
  return {.read =
              [=](const Value& value, const Where& where, std::string& to) {
                to = read_pattern(value, where.what, group, optional, where.problems).value;
                return true;
              },
          .write = [](const std::string& it, const Folder&) { return text_value(it); },
          .shape = {.json = kPatternShape}};
}

Kind<Texts> patterns() {
  Kind<Texts> kind =
      texts().shaped(R"({"anyOf": [{"type": "string"}, {"type": "array", "minItems": 1, "items": {"type": "string"}}]})");
  kind.read = [](const Value& value, const Where& where, Texts& to) {
    const bool several = value.kind == Value::Kind::list;
    if (several && value.items.empty()) where.tell(value, fmt::format("`{}` is empty", where.what));
    for (const Value& item : several ? std::span(value.items) : std::span(&value, 1))
      to.push_back(read_pattern(item, where.what, "value", {}, where.problems));
    return true;
  };
  return kind;
}

Kind<Variables> variables(std::vector<std::string> placeholders) {
  return {.read =
              [known = std::move(placeholders)](const Value& value, const Where& where, Variables& to) {
                to = read_environment(value, where);
                const bool in_command = std::ranges::count(known, "arguments") > 0;
                for (const auto& [name, text] : to)
                  for (const std::string& word : placeholders_in(text, known, where.problems))
                    if (in_command && word == "arguments") where.tell(text, "`{arguments}` can only stand in a command");
                return true;
              },
          .write = [](const Variables& it, const Folder&) { return variables_value(it); },
          .shape = {.json = R"({"$ref": "#/definitions/variables"})"}};
}

Kind<Variables> family_variables(const std::vector<std::string>& further) {
  std::vector<std::string> known = further;
  known.insert(known.end(), kFamilyPlaceholders.begin(), kFamilyPlaceholders.end());
  return variables(known);
}

Variables read_environment(const Value& block, const Where& where) {
  Variables environment;
  MapReader reader(block, where.what, where.problems);
  for (const Value::Entry& entry : block.entries) {
    check_variable_name(entry.key, entry.place, where.problems);
    if (entry.value.kind == Value::Kind::null)
      where.tell(entry, in_quotes(entry.key) + " has no value", "write \"\" for an empty one, or list it in `unset`");
    else reader.read(entry.key, placed_text_of, environment[entry.key]);
  }
  return environment;
}

void check_variable_name(const std::string& name, const Place& place, Problems& problems) {
  if (!is_identifier(name))
    problems.add(place, in_quotes(name) + " is no name for an environment variable", "letters, digits and _ only");
  if (name == "BISECTD_ATTEMPT") problems.add(place, "`BISECTD_ATTEMPT` belongs to bisectd, which finds strays by it");
  if (name == "BISECTD_ATTEMPT_FOLDER" || name == "BISECTD_METRICS_FILE")
    problems.add(place, fmt::format("{} is set by bisectd for every attempt", in_quotes(name)));
}

}  // namespace bisectd::configs
