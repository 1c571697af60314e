#include "driver/neutralise/generated_file.hpp"

#include <boost/algorithm/string/replace.hpp>
#include <nlohmann/json.hpp>
#include <set>

#include "driver/neutralise/placeholders.hpp"

namespace bisectd::driver::neutralise {
namespace {

using Json = nlohmann::ordered_json;  // a file in the order of its template is easier to read

constexpr std::string_view kName = "{name}";

bool holds_name(const Json& json) {
  if (json.is_string()) return json.get_ref<const std::string&>().find(kName) != std::string::npos;
  for (const auto& [key, value] : json.items())
    if ((json.is_object() && key.find(kName) != std::string::npos) || holds_name(value)) return true;
  return false;
}

/// `words` for what stands outside the repeated parts, which get {name} in addition.
class Filler {
 public:
  Filler(Words words, const std::vector<std::string>* names) : words_(std::move(words)), names_(names) {}

  Json of(const Json& part) const {
    if (part.is_string()) return text_or_value(part.get_ref<const std::string&>());
    if (!part.is_structured()) return part;
    Json result = part.is_array() ? Json::array() : Json::object();
    const std::set<std::string> own = part.is_object() ? keys_of_names(part) : std::set<std::string>{};
    for (const auto& [key, value] : part.items()) {
      if (is_repeated(part, key, value)) {
        for (const std::string& name : *names_) add(result, key, value, with_name(name));
      } else if (!own.contains(key)) {
        add(result, key, value, *this);
      }
    }
    return result;
  }

 private:
  /// A value alone is what it says, a number, a truth value or null: in quotes false would be true.
  Json text_or_value(const std::string& text) const {
    std::string result = filled(text, words_);
    if (text != "{value}") return result;
    const Json value = Json::parse(result, nullptr, false);
    return value.is_number() || value.is_boolean() || value.is_null() ? value : Json(std::move(result));
  }
  bool is_repeated(const Json& part, const std::string& key, const Json& value) const {
    return names_ && (part.is_array() ? holds_name(value) : key.find(kName) != std::string::npos);
  }
  /// Keys that names get. A fixed entry of the same key gives way to them: readers take the last one, or the first.
  std::set<std::string> keys_of_names(const Json& object) const {
    std::set<std::string> keys;
    for (const auto& [key, value] : object.items())
      if (is_repeated(object, key, value) && object.size() > 1)
        for (const std::string& name : *names_) keys.insert(filled(key, with_name(name).words_));
    return keys;
  }
  static void add(Json& to, const std::string& key, const Json& value, const Filler& filler) {
    if (to.is_array()) to.push_back(filler.of(value));
    else  // an ordered object looks keys up one by one; names are never equal, so their keys need no look
      to.get_ref<Json::object_t&>().Container::emplace_back(filled(key, filler.words_), filler.of(value));
  }
  /// Inside its own part a name is not repeated again.
  Filler with_name(const std::string& name) const {
    Words words = words_;
    words.emplace_back("name", name);
    return {std::move(words), nullptr};
  }

  Words words_;
  const std::vector<std::string>* names_;  // null inside the part of one of them
};

std::string lines_of(std::string_view text, const Words& words, const std::vector<std::string>& names) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end == std::string_view::npos ? text.size() : end + 1);
    text.remove_prefix(line.size());
    if (line.find(kName) == std::string_view::npos) {
      result += filled(line, words);
      continue;
    }
    Words with_name = words;
    with_name.emplace_back("name", "");
    for (const std::string& name : names) {
      with_name.back().second = name;
      result += filled(line, with_name);
      if (!line.ends_with('\n')) result += '\n';
    }
  }
  return result;
}

std::string content(const configs::FileTemplate& file, Words words, const std::vector<std::string>& names) {
  if (!file.is_json) return lines_of(file.content, words, names);
  return Filler(std::move(words), &names).of(Json::parse(file.content)).dump(2) + "\n";
}

}  // namespace

std::string joined_names(const configs::Delivery& deliver, const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    if (!text.empty()) text += deliver.separator;
    text += deliver.each.empty() ? name : boost::replace_all_copy(deliver.each, kName, name);
  }
  return text;
}

std::string file_of_names(const configs::Delivery& deliver, const std::vector<std::string>& names) {
  const std::string joined = joined_names(deliver, names);
  return content(*deliver.file, {{"names", joined}}, names);
}

std::string file_of_value(const configs::Delivery& deliver, const std::string& value) {
  return content(*deliver.file, {{"value", value}}, {});
}

}  // namespace bisectd::driver::neutralise
