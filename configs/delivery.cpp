// Declares `deliver` of a list or ladder and what a switch says of its delivery, generated files included.
#include "configs/blocks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <boost/algorithm/string/erase.hpp>
#include <nlohmann/json.hpp>

#include "configs/kinds.hpp"
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

 private:
  /// True if {name} is in it.
  bool check(const Placed<std::string>& text, bool repeated) {
    const std::vector<std::string> used = placeholders_in(text, known_, problems_);
    const bool has_name = std::ranges::count(used, "name") > 0;
    if (has_name && !repeated)
      problems_.add(text.place, "`{name}` stands neither in a key nor in an item of a list: nothing can be repeated",
                    "write `{names}` for all of them in one text");
    return has_name;
  }

  std::vector<std::string> known_;
  Problems& problems_;
};

Kind<std::string> file_name() {
  return text().checked([](const Value& value, const Where& where, const std::string& name) {
    if (!is_plain_name(name))
      where.tell(value, in_quotes(name) + " is no plain file name", "letters, digits, `.`, `_` and `-`");
    if (std::ranges::count(kTaken, name)) where.add(value, in_quotes(name) + " belongs to bisectd");
  });
}

std::vector<std::string> words_of(Carries carries) {
  return carries == Carries::names ? std::vector<std::string>{"name", "names"} : std::vector<std::string>{"value"};
}

Block<FileTemplate> file_block(Carries carries) {
  using F = FileTemplate;
  const std::vector<std::string> known = words_of(carries);
  const auto content_of = [](bool json) {
    return [json](const F& it, const Folder&) { return it.is_json == json ? text_value(it.content) : Value{}; };
  };
  const auto read_text = [known](const Value& value, const Where& where, F& file) {
    if (!text().read(value, where, file.content)) return false;
    placeholders_in({file.content, value.place}, known, where.problems);
    return true;
  };
  const auto read_json = [known](const Value& value, const Where& where, F& file) {
    file.content = JsonTemplate(known, where.problems).of(value, false).dump();
    file.is_json = true;
    return true;
  };
  const auto settle = [known](MapReader& reader, const F& file) {
    std::string bare = boost::erase_all_copy(file.content, "{{");
    const auto is_used = [&](const std::string& word) { return bare.find("{" + word + "}") != std::string::npos; };
    if (!file.content.empty() && reader.problems().empty() && std::ranges::none_of(known, is_used))
      reader.problems().add(reader.place(), fmt::format("`{}` holds none of {{{}}}: nothing would be delivered",
                                                        reader.what(), fmt::join(known, "}, {")));
  };
  return {{.name = "file",
           .title = "`file` of what is delivered",
           .keys = {key("name", &F::name, file_name(), "In the attempt's folder.")
                        .require("of the file in the attempt's folder"),
                    special<F>("text", {R"({"type": "string"})"}, read_text, content_of(false),
                               "Its lines; one with {name} stands once for every name."),
                    special<F>("json", {R"({"type": ["object", "array"]})"}, read_json, content_of(true),
                               "Or: its JSON; a key or an item with {name} stands once for every name.")},
           .one_of = {.ways = {"text", "json"}, .at_second = true},
           .whole = true},
          settle};
}

const Block<FileTemplate>& file_of_names_block() {
  static const Block<FileTemplate> block = file_block(Carries::names);
  return block;
}

const Block<FileTemplate>& file_of_value_block() {
  static const Block<FileTemplate> block = file_block(Carries::value);
  return block;
}

/// One element of the command, or a list of those that belong together.
Kind<Texts> elements() {
  return {
      .read =
          [](const Value& value, const Where& where, Texts& to) {
            const Value list{.kind = Value::Kind::list, .place = value.place, .items = {value}};
            to = texts_of(value.kind == Value::Kind::list ? value : list, where.what, where.problems);
            return true;
          },
      .write = [](const Texts& it, const Folder&) { return it.size() == 1 ? text_value(it.front().value) : list_value(it); },
      .shape =
          {R"({"anyOf": [{"type": "string", "pattern": "\\{(names|value|file)\\}"}, {"$ref": "#/definitions/texts"}]})"}};
}

Value written_value(const Delivery& deliver) {
  return map_value(deliver.config ? deliver.config->written : std::map<std::string, std::string>{}, text_value);
}

void require_placeholder(MapReader& reader, const std::string& key, const std::string& text, const std::string& word) {
  const Value* value = reader.find(key);
  const bool is_right = value && (key == "argument" || value->kind == Value::Kind::scalar);
  if (is_right && text.find("{" + word + "}") == std::string::npos)
    reader.problems().add(value->place, fmt::format("`{}` lacks {{{}}}", reader.path_to(key), word),
                          fmt::format("for example --off={{{}}}", word));
}

Kind<std::string> separator() {
  return text()
      .checked([](const Value& value, const Where& where, const std::string& separator) {
        if (separator.empty() || std::ranges::any_of(separator, [](char c) { return is_letter(c) || is_digit(c); }))
          where.tell(value, "a separator is punctuation, such as `,` or `;`");
      })
      .shaped(R"({"type": "string", "minLength": 1})");
}

Block<Delivery> made_block(Carries carries) {
  const bool names = carries == Carries::names;
  return {{.name = names ? "deliver" : "deliver_value",
           .title = names ? "`deliver` of a family" : "",
           .keys = delivery_keys(carries),
           .one_of = kWays,
           .one_line = true},
          [carries](MapReader& reader, Delivery& deliver) { settle_delivery(reader, carries, deliver); }};
}

}  // namespace

const OneOf kWays{
    .ways = {"environment", "argument", "config"},
    .hint = "a variable's name, an element of the command, or the training's own configuration file and a `key` of it",
    .with = {"config", "key"},
    .at_second = true};

std::vector<Key> delivery_keys(Carries carries) {
  using D = Delivery;
  const bool names = carries == Carries::names;
  std::vector<Key> keys{
      key("environment", &D::environment, variable(), "Variable that holds the names, the value, or the path of the file."),
      key("argument", &D::argument, elements(),
          "Or: an element of the command, or a list of those that belong together, in the place of {arguments}."),
      later("config", text().shape,
            "Or: the training's own configuration file (.yaml, .json, .toml), relative to its working directory. Every "
            "attempt gets a copy, which the command names as {config:FILE}.")
          .written<D>([](const D& it) { return it.config ? text_value(it.config->file.value) : Value{}; }),
      later("key", text().shape, "Of that file, its words joined by dots: what holds the names or the value.")
          .written<D>([](const D& it) { return it.config ? text_value(it.config->key) : Value{}; }),
      only_written<D>("written", written_value),
      key("value", &D::value, text().shaped(R"({"type": "string", "pattern": "\\{(names|value|file)\\}"})"),
          "Text of the variable with {names}, {value} or {file}; absent: that alone."),
      key("file", &D::file, block(names ? file_of_names_block : file_of_value_block),
          "A file that holds the names or the value.")};
  if (!names) return keys;
  return joined(keys, {key("each", &D::each, text().shaped(R"({"type": "string", "pattern": "\\{name\\}"})"),
                           "How one name is written; absent: as it is."),
                       key("separator", &D::separator, separator(), "Between two names.")});
}

void settle_delivery(MapReader& reader, Carries carries, Delivery& deliver) {
  const std::string word = reader.find("file") ? "file" : words_of(carries).back();
  deliver.config = read_config_key(reader, reader.problems());
  if (reader.find("config") || reader.find("key"))
    reader.refuse({"file", "value", "each"}, "`{what}.{key}` has no use beside `config`", "remove it");
  require_placeholder(reader, "argument", fmt::format("{}", fmt::join(deliver.argument, " ")), word);
  require_placeholder(reader, "value", deliver.value, word);
  if (carries == Carries::names) require_placeholder(reader, "each", deliver.each, "name");
  if (!reader.find("environment")) reader.refuse({"value"}, "`{what}.{key}` is only for `environment`");
}

const Block<Delivery>& delivery_block(Carries carries) {
  static const Block<Delivery> names = made_block(Carries::names), value = made_block(Carries::value);
  return carries == Carries::names ? names : value;
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
