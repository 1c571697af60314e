// Reads `values` of a ladder: numbers, `dynamic`, and phases such as 0:65536,1000:4096.
#include <fmt/format.h>

#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/split.hpp>

#include "configs/blocks.hpp"
#include "configs/printable.hpp"
#include "configs/read_config_key.hpp"
#include "configs/kinds.hpp"
#include "configs/suggest.hpp"
#include "configs/words.hpp"

namespace bisectd::configs {
namespace {

constexpr double kLargest = 1e300;
constexpr std::int64_t kLastStep = 1'000'000'000'000;

Value bare(const std::string& text) { return {.kind = Value::Kind::scalar, .text = text}; }

/// `0:65536,1000:4096`: from step 0 on 65536, from step 1000 on 4096. What is wrong with it, or nothing.
std::string fault_of_phases(const std::string& text) {
  std::vector<std::string> phases;
  boost::split(phases, text, boost::is_any_of(","));
  std::int64_t before = -1;
  for (const std::string& phase : phases) {
    const std::size_t colon = phase.find(':');
    if (colon == std::string::npos) return in_quotes(phase) + " has no colon between a step and a value";
    const auto step = whole_number_of(bare(phase.substr(0, colon)), 0, kLastStep);
    if (!step) return "the step in " + in_quotes(phase) + ": " + step.error().message;
    if (*step <= before) return "the step in " + in_quotes(phase) + " does not ascend";
    before = *step;
    if (const auto value = number_of(bare(phase.substr(colon + 1)), -kLargest, kLargest); !value)
      return "the value in " + in_quotes(phase) + ": " + value.error().message;
  }
  return {};
}

/// `dynamic` and phases; whatever else is no number is a slip of the pen.
void check_ladder_word(const Value& item, const std::string& what, Problems& problems) {
  if (item.text == "dynamic") return;
  const auto as_number = number_of(item, -kLargest, kLargest);
  if (item.text.find(':') != std::string::npos) {
    if (const std::string fault = fault_of_phases(item.text); !fault.empty())
      problems.add(item.place, fmt::format("`{}`: {}", what, fault),
                   "phases are steps and values, ascending: \"0:65536,1000:4096\"");
    return;
  }
  const auto right = nearest(item.text, std::vector<std::string>{"dynamic"});
  problems.add(item.place, fmt::format("`{}`: {}", what, as_number.error().message),
               right ? fmt::format("did you mean `{}`?", *right) : as_number.error().hint);
}

void read_ladder_list(const Value& values, const std::string& what, Family& family, Problems& problems) {
  double before = -std::numeric_limits<double>::infinity();
  bool words_began = false;
  if (values.kind == Value::Kind::list && values.items.size() < 2)
    problems.add(values.place, fmt::format("`{}`: a ladder has two values or more", what));
  texts_of(values, what, problems);
  for (const Value& item : values.items) {
    const auto number = number_of(item, -kLargest, kLargest);
    if (!number && std::ranges::count(family.ladder.values, item.text))
      problems.add(item.place, fmt::format("`{}`: {} stands there twice", what, in_quotes(item.text)));
    else if (!number) check_ladder_word(item, what, problems);
    else if (words_began)
      problems.add(item.place, fmt::format("`{}`: {} stands behind a value that is no number", what, in_quotes(item.text)),
                   "numbers first, ascending; then `dynamic` and phases");
    else if (*number <= before)
      problems.add(item.place, fmt::format("`{}`: {} does not ascend", what, in_quotes(item.text)));
    words_began = words_began || !number;
    if (number) before = *number;
    note_written(item, what, family.deliver, problems);
    family.ladder.values.push_back(item.text);
  }
}

void read_delivered_as(const Value& block, const std::string& what, const Value* values, Family& family,
                       Problems& problems) {
  const MapReader reader(block, what, problems);
  for (const Value::Entry& entry : block.entries) {
    std::string text;
    MapReader in(block, what, problems);
    if (in.read_value(entry.value, text_of, text)) family.ladder.delivered_as[entry.key] = text;
    note_written(entry.value, what, family.deliver, problems);
    // Values of a preset may have been replaced by others.
    const bool beside = values && values->place.file == entry.place.file;
    if (beside && std::ranges::count(values->items, entry.key, &Value::text) == 0) {
      std::vector<std::string> known;
      for (const Value& item : values->items) known.push_back(item.text);
      const auto right = nearest(entry.key, known);
      problems.add(entry.place, fmt::format("`{}`: {} is not among the values", what, in_quotes(entry.key)),
                   right ? fmt::format("did you mean `{}`?", *right) : "");
    }
  }
}

}  // namespace

bool Ladder::is_number(const std::string& value) { return number_of(bare(value), -kLargest, kLargest).has_value(); }

/// Reads `values` and `delivered_as` from a ladder's block; needs its `deliver`.
void read_ladder_values(MapReader& reader, Family& family, Problems& problems) {
  const Value* values = reader.require("values", "two or more numbers, ascending");
  if (const Value* block = reader.find("delivered_as"))
    read_delivered_as(*block, reader.what() + ".delivered_as", values, family, problems);
  if (values) read_ladder_list(*values, reader.what() + ".values", family, problems);
}

void check_ladder_suspect(const Value& suspect, const std::string& what, const Ladder& ladder, Problems& problems) {
  auto words = ladder.values;
  words.emplace_back("dynamic");
  std::erase_if(words, [](const std::string& value) { return Ladder::is_number(value); });
  const auto right = nearest(suspect.text, words);
  if (right && *right != suspect.text)
    problems.add(suspect.place, fmt::format("`{}`: {} is not among the values", what, in_quotes(suspect.text)),
                 fmt::format("did you mean `{}`?", *right));
}

}  // namespace bisectd::configs
