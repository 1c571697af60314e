#include "configs/yaml_tree.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <cctype>
#include <exception>
#include <map>
#include <sstream>

#include "configs/file_bytes.hpp"
#include "configs/printable.hpp"

namespace bisectd::configs {
namespace {

constexpr std::size_t kDeepest = 64;
constexpr std::size_t kMostValues = 20'000;

/// True if the quoted scalar that starts at `text` (properties such as an anchor may come first) has an end. yaml-cpp
/// takes everything up to the end of the file for the text of a quote that is never closed.
bool is_closed(std::string_view text) {
  while (text.starts_with('&') || text.starts_with('!')) {
    text.remove_prefix(std::min(text.find_first_of(" \t\r\n"), text.size()));
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  }
  if (!text.starts_with('"') && !text.starts_with('\'')) return true;  // a block scalar
  const char quote = text[0];
  const std::string_view quote_inside = quote == '"' ? "\\" : "''";  // `\"` between double quotes, `''` between single ones
  for (std::size_t at = 1; at < text.size(); ++at) {
    if (text.substr(at).starts_with(quote_inside)) ++at;
    else if (text[at] == quote) return true;
  }
  return false;
}

/// Thrown out of the parser when going on makes no sense; the problem has been added.
struct GiveUp : std::exception {};

/// Builds the tree from yaml-cpp's events rather than from its nodes: repeated keys, aliases and tags are seen here as
/// they were written, and nothing is expanded that we did not expand ourselves.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(std::string_view bytes, const std::string& file, Problems& problems)
      : bytes_(bytes), file_(file), problems_(problems) {}

  std::optional<Value> take_root() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (!root_) return;
    const std::string_view rest = bytes_.substr(std::min(static_cast<std::size_t>(mark.pos), bytes_.size()));
    if (rest.starts_with("---"))
      give_up(place_of(mark), "a second document starts here; a file holds one experiment", "remove the `---`");
    give_up(place_of(mark), "this line does not belong to what stands above it", "begin both in the same column");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Value value;
    const std::string_view written = bytes_.substr(std::min(static_cast<std::size_t>(mark.pos), bytes_.size()));
    if (written.starts_with('~') || written.starts_with("null") || written.starts_with("Null") ||
        written.starts_with("NULL"))
      value.text = "null";
    // The mark of a value that is not there points at whatever follows; its key is the better place.
    value.place = awaits_value() ? open_.back().key_place : place_of(mark);
    finish(std::move(value), anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchored_.find(anchor);
    if (found == anchored_.end()) give_up(place_of(mark), "this alias stands inside what it refers to", "");
    Value copy = found->second;
    count(copy);
    add(std::move(copy));
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, const std::string& text) override {
    Value value;
    value.kind = Value::Kind::scalar;
    value.text = text;
    value.quoted = tag != "?";
    value.place = place_of(mark);
    check_tag(tag, value.place);
    if (value.quoted && !is_closed(bytes_.substr(std::min(static_cast<std::size_t>(mark.pos), bytes_.size()))))
      give_up(value.place, "this quote is never closed", "");
    if (text.find('\0') != std::string::npos) problems_.add(value.place, "a text must not hold a NUL character");
    finish(std::move(value), anchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(Value::Kind::list, mark, tag, anchor);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(Value::Kind::map, mark, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    Value value;
    YAML::anchor_t anchor = YAML::NullAnchor;
    bool has_key = false;  ///< of a map: the next event is the value of `key`
    bool keep = true;      ///< of a map: false while the value belongs to a key that was refused
    std::string key;
    Place key_place;
  };

  Place place_of(const YAML::Mark& mark) const {
    return mark.is_null() ? Place{file_, 0, 0} : Place{file_, mark.line + 1, mark.column + 1};
  }
  [[noreturn]] void give_up(const Place& place, std::string message, std::string hint) {
    problems_.add(place, std::move(message), std::move(hint));
    throw GiveUp{};
  }
  bool awaits_value() const { return !open_.empty() && open_.back().has_key; }

  void check_tag(const std::string& tag, const Place& place) {
    if (tag.empty() || tag == "?" || tag == "!") return;
    problems_.add(place, "YAML tags such as " + in_quotes(tag) + " are not used here", "remove the tag");
  }
  void count(const Value& value) {
    if (++values_ > kMostValues) give_up(value.place, fmt::format("more than {} values, aliases included", kMostValues), "");
    for (const Value& item : value.items) count(item);
    for (const Value::Entry& entry : value.entries) count(entry.value);
  }
  void open(Value::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    Open next;
    next.value.kind = kind;
    next.value.place = place_of(mark);
    next.anchor = anchor;
    check_tag(tag, next.value.place);
    if (open_.size() >= kDeepest) give_up(next.value.place, fmt::format("nested deeper than {} levels", kDeepest), "");
    open_.push_back(std::move(next));
  }
  void close() {
    Open closed = std::move(open_.back());
    open_.pop_back();
    finish(std::move(closed.value), closed.anchor);
  }
  void finish(Value value, YAML::anchor_t anchor) {
    if (++values_ > kMostValues) give_up(value.place, fmt::format("more than {} values", kMostValues), "");
    if (anchor != YAML::NullAnchor) anchored_[anchor] = value;
    add(std::move(value));
  }
  void add(Value value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return;
    }
    Open& parent = open_.back();
    if (parent.value.kind == Value::Kind::list) {
      parent.value.items.push_back(std::move(value));
    } else if (!parent.has_key) {
      parent.has_key = true;
      parent.keep = accept_key(parent.value, value);
      parent.key = std::move(value.text);
      parent.key_place = std::move(value.place);
    } else {
      parent.has_key = false;
      if (parent.keep) parent.value.entries.push_back({std::move(parent.key), parent.key_place, std::move(value)});
    }
  }
  bool accept_key(const Value& map, const Value& key) {
    if (key.kind != Value::Kind::scalar || key.text.empty()) {
      problems_.add(key.place, "a key must be a word");
      return false;
    }
    if (key.text == "<<" && !key.quoted) {
      problems_.add(key.place, "merge keys (`<<`) are not supported", "share settings between files with `extends:`");
      return false;
    }
    const auto first = std::ranges::find(map.entries, key.text, &Value::Entry::key);
    if (first == map.entries.end()) return true;
    problems_.add(key.place, "key " + in_quotes(key.text) + " appears twice",
                  fmt::format("it is first set in line {}, column {}", first->place.line, first->place.column));
    return false;
  }

  std::string_view bytes_;
  const std::string& file_;
  Problems& problems_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Value> anchored_;
  std::optional<Value> root_;
  std::size_t values_ = 0;
};

/// Adds a problem for the first byte that no text file holds. yaml-cpp would replace or keep such bytes silently.
bool is_text(std::string_view bytes, const std::string& file, Problems& problems) {
  Place place{file, 1, 1};
  for (std::size_t at = 0; at < bytes.size();) {
    const auto character = first_character(bytes.substr(at));
    const bool control = character && (character->code < 0x20 || character->code == 0x7F) && bytes[at] != '\t' &&
                         bytes[at] != '\n' && bytes[at] != '\r';
    if (!character || control) {
      problems.add(place, fmt::format("byte 0x{:02x} does not belong in a text file", static_cast<unsigned char>(bytes[at])),
                   "an experiment file is YAML in UTF-8");
      return false;
    }
    const bool line_ends = bytes[at] == '\n';
    place.line += line_ends ? 1 : 0;
    place.column = line_ends ? 1 : place.column + static_cast<int>(character->bytes);
    at += character->bytes;
  }
  return true;
}

/// True if the line starts with white space that holds a tab.
bool is_indented_by_tab(std::string_view bytes, int line) {
  for (int i = 1; i < line; ++i) bytes.remove_prefix(std::min(bytes.find('\n'), bytes.size() - 1) + 1);
  const std::string_view indent = bytes.substr(0, bytes.find_first_not_of(" \t"));
  return indent.find('\t') != std::string_view::npos;
}

}  // namespace

std::optional<Value> parse_yaml(std::string_view bytes, const std::string& file, Problems& problems) {
  if (bytes.size() > kLargestFile_bytes) {
    problems.add({file, 0, 0}, "the file is larger than 1 MiB; this is no experiment file");
    return std::nullopt;
  }
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  if (!is_text(bytes, file, problems)) return std::nullopt;
  TreeBuilder builder(bytes, file, problems);
  try {
    std::istringstream stream{std::string(bytes)};
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const GiveUp&) {
    return std::nullopt;
  } catch (const YAML::Exception& error) {
    const bool known = !error.mark.is_null();
    const Place place = known ? Place{file, error.mark.line + 1, error.mark.column + 1} : Place{file, 0, 0};
    problems.add(place, "not valid YAML: " + error.msg,
                 known && is_indented_by_tab(bytes, place.line) ? "the line is indented by a tab; use spaces" : "");
    return std::nullopt;
  }
  std::optional<Value> root = builder.take_root();
  if (root && root->kind == Value::Kind::map) return root;
  if (!root || root->kind == Value::Kind::null) problems.add({file, 0, 0}, "the file is empty");
  else problems.add(root->place, "expected keys and values, such as `version: 1`");
  return std::nullopt;
}

}  // namespace bisectd::configs
