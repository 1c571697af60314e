// Reads `deliver` of a list or ladder and what a switch says of its delivery, generated files included.
#include "configs/read_delivery.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/split.hpp>
#include <nlohmann/json.hpp>

#include "configs/blocks.hpp"
#include "configs/placeholders.hpp"
#include "configs/printable.hpp"
#include "configs/read_config_key.hpp"
#include "configs/words.hpp"

namespace bisectd::configs {
namespace {

using Json = nlohmann::ordered_json;

/// Names of the driver's own files in an attempt's folder.
constexpr std::array<std::string_view, 5> kTaken{"stdout.log", "stderr.log", "command.sh", "environment.txt", "ended.txt"};

/// YAML's plain true, 12 or null are JSON's; everything else is a text. `off` is one: this is no YAML 1.1.
Json scalar_of(const Value& value) {
  if (value.quoted) return value.text;
  const Json parsed = Json::parse(value.text, nullptr, false);
  return parsed.is_primitive() && !parsed.is_discarded() ? parsed : Json(value.text);
}

/// A tree of the experiment file as JSON, each text checked for its placeholders.
class JsonTemplate {
 public:
  JsonTemplate(std::vector<std::string> known, Problems& problems) : known_(std::move(known)), problems_(problems) {}

  Json of(const Value& value, bool repeated) {
    Json result;
    switch (value.kind) {
      case Value::Kind::null: return nullptr;
      case Value::Kind::scalar: check({value.text, value.place}, repeated); return scalar_of(value);
      case Value::Kind::list:
        result = Json::array();
        for (const Value& item : value.items) result.push_back(of(item, true));
        return result;
      case Value::Kind::map:
        result = Json::object();
        for (const Value::Entry& entry : value.entries) {
          const bool repeats = check({entry.key, entry.place}, true);
          result[entry.key] = of(entry.value, repeated || repeats);
        }
        return result;
    }
    return result;
  }
  bool uses_one() const { return uses_one_; }

 private:
  /// True if {name} is in it.
  bool check(const Placed<std::string>& text, bool repeated) {
    const std::vector<std::string> used = placeholders_in(text, known_, problems_);
    uses_one_ = uses_one_ || !used.empty();
    const bool has_name = std::ranges::count(used, "name") > 0;
    if (has_name && !repeated)
      problems_.add(text.place, "`{name}` stands neither in a key nor in an item of a list: nothing can be repeated",
                    "write `{names}` for all of them in one text");
    return has_name;
  }

  std::vector<std::string> known_;
  Problems& problems_;
  bool uses_one_ = false;
};

void check_file_name(const MapReader& reader, const Placed<std::string>& name, Problems& problems) {
  if (!is_plain_name(name.value))
    problems.add(name.place, in_quotes(name.value) + " is no plain file name", "letters, digits, `.`, `_` and `-`");
  if (std::ranges::count(kTaken, name.value))
    problems.add(name.place, fmt::format("`{}.name`: {} belongs to bisectd", reader.what(), in_quotes(name.value)));
}

FileTemplate read_file(const Value& block, const std::string& what, const std::vector<std::string>& known,
                       Problems& problems) {
  FileTemplate file;
  MapReader reader(block, what, problems);
  Placed<std::string> name, text;
  reader.require("name", "of the file in the attempt's folder");
  if (reader.read("name", placed_text_of, name)) check_file_name(reader, name, problems);
  file.name = name.value;
  const Value* json = reader.find("json");
  const Value* written = reader.find("text");
  bool uses_one = true;
  if (reader.is_map() && (json != nullptr) == (written != nullptr))
    problems.add(json ? written->place : block.place, fmt::format("`{}` needs either `text` or `json`", what));
  if (json) {
    JsonTemplate tree(known, problems);
    file.is_json = true;
    file.content = tree.of(*json, false).dump();
    uses_one = tree.uses_one();
  } else if (written && reader.read("text", placed_text_of, text)) {
    uses_one = !placeholders_in(text, known, problems).empty();
    file.content = text.value;
  }
  if (!uses_one && problems.empty())
    problems.add(block.place,
                 fmt::format("`{}` holds none of {{{}}}: nothing would be delivered", what, fmt::join(known, "}, {")));
  reader.refuse_other_keys();
  return file;
}

void require_placeholder(const Value& value, const std::string& text, const std::string& word, const std::string& what,
                         Problems& problems) {
  if (text.find("{" + word + "}") == std::string::npos)
    problems.add(value.place, fmt::format("`{}` lacks {{{}}}", what, word), fmt::format("for example --off={{{}}}", word));
}

/// One element of the command, or a list of those that belong together.
std::vector<std::string> read_argument(const Value& value, const std::string& what, Problems& problems) {
  Value list{.kind = Value::Kind::list, .place = value.place, .items = {value}};
  std::vector<std::string> argument;
  for (const auto& text : texts_of(value.kind == Value::Kind::list ? value : list, what, problems))
    argument.push_back(text.value);
  return argument;
}

}  // namespace

Delivery read_delivery(MapReader& reader, Carries carries, Problems& problems) {
  Delivery deliver;
  const bool names = carries == Carries::names;
  const std::string& what = reader.what();
  const Value* environment = reader.find("environment");
  const Value* argument = reader.find("argument");
  deliver.config = read_config_key(reader, problems);
  const bool by_key = reader.find("config") || reader.find("key");
  if (reader.is_map() && (environment != nullptr) + (argument != nullptr) + by_key != 1)
    problems.add(argument ? argument->place : reader.place(),
                 fmt::format("`{}` needs one of `environment`, `argument` and `config`", what),
                 "a variable's name, an element of the command, or the training's own configuration file and a `key` of it");
  for (const char* other : {"file", "value", "each"})
    if (const Value* unused = by_key ? reader.find(other) : nullptr)
      problems.add(unused->place, fmt::format("`{}.{}` has no use beside `config`", what, other), "remove it");
  if (const Value* file = reader.find("file"))
    deliver.file =
        read_file(*file, what + ".file",
                  names ? std::vector<std::string>{"name", "names"} : std::vector<std::string>{"value"}, problems);
  const std::string word = deliver.file ? "file" : names ? "names" : "value";
  if (environment && reader.read("environment", text_of, deliver.environment.emplace()))
    check_variable_name(*deliver.environment, environment->place, problems);
  if (argument) {
    deliver.argument = read_argument(*argument, what + ".argument", problems);
    require_placeholder(*argument, fmt::format("{}", fmt::join(deliver.argument, " ")), word, what + ".argument", problems);
  }
  if (const Value* value = reader.find("value"); value && reader.read("value", text_of, deliver.value)) {
    require_placeholder(*value, deliver.value, word, what + ".value", problems);
    if (!environment) problems.add(value->place, fmt::format("`{}.value` is only for `environment`", what));
  }
  if (!names) return deliver;
  if (const Value* each = reader.find("each"); each && reader.read("each", text_of, deliver.each))
    require_placeholder(*each, deliver.each, "name", what + ".each", problems);
  if (reader.read("separator", text_of, deliver.separator) &&
      (deliver.separator.empty() ||
       std::ranges::any_of(deliver.separator, [](char c) { return is_letter(c) || is_digit(c); })))
    problems.add(reader.find("separator")->place, "a separator is punctuation, such as `,` or `;`");
  return deliver;
}

std::vector<std::string> name_enders(const Delivery& deliver) {
  std::vector<std::string> enders;
  const auto after_name = [&](const std::string& text) {
    for (std::size_t at = text.find("{name}"); at != std::string::npos; at = text.find("{name}", at + 1))
      if (at + 6 < text.size() && text[at + 6] != '\n') enders.emplace_back(1, text[at + 6]);
  };
  const bool joined = !deliver.file || deliver.file->content.find("{names}") != std::string::npos;
  if (joined) enders.push_back(deliver.separator);
  if (joined) after_name(deliver.each);
  if (deliver.file && !deliver.file->is_json) after_name(deliver.file->content);
  return enders;
}

}  // namespace bisectd::configs
