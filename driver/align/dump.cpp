#include "driver/align/dump.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/join.hpp>
#include <boost/algorithm/string/split.hpp>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "configs/printable.hpp"
#include "driver/keep/run_directory.hpp"
#include "driver/read/fields.hpp"
#include "driver/read/json_fault.hpp"

namespace bisectd::driver::align {

namespace {

using nlohmann::json;

constexpr int kDeepest = 64;  ///< of lists within lists of arguments
constexpr std::array<std::string_view, 3> kWords{"NaN", "Infinity", "-Infinity"};

/// Python writes what is not finite as words, which are no JSON.
std::string with_words_quoted(std::string_view text) {
  std::string quoted;
  quoted.reserve(text.size());
  bool inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (inside && text[i] == '\\') quoted += text[i++];
    else if (text[i] == '"') inside = !inside;
    if (i == text.size()) break;
    const std::string_view rest = text.substr(i);
    const auto word = std::ranges::find_if(kWords, [&](std::string_view one) { return !inside && rest.starts_with(one); });
    if (word == kWords.end()) {
      quoted += text[i];
      continue;
    }
    quoted += fmt::format("\"{}\"", *word);
    i += word->size() - 1;
  }
  return quoted;
}

/// Nothing where msprobe has no figure: null, and the words that it has of booleans. Throws std::invalid_argument for what
/// is none: left out, it would be compared as nought.
std::optional<double> figure(const json& tensor, const char* key) {
  const auto found = tensor.find(key);
  if (found == tensor.end() || found->is_null() || found->is_boolean()) return std::nullopt;
  if (found->is_number()) return found->get<double>();
  const auto value = found->is_string() ? read::number(found->get_ref<const std::string&>()) : std::nullopt;
  if (!value)
    throw std::invalid_argument(
        fmt::format("`{}` is {}, which is no number", key,
                    configs::in_quotes(found->dump(-1, ' ', false, json::error_handler_t::replace))));
  return value;
}

std::vector<std::int64_t> shape_of(const json& tensor) {
  std::vector<std::int64_t> shape;
  const auto found = tensor.find("shape");
  if (found == tensor.end() || !found->is_array()) return shape;
  for (const json& size : *found)
    if (size.is_number_integer()) shape.push_back(size.get<std::int64_t>());
  return shape;
}

/// Functions that draw random numbers, by name: a dump does not say it.
bool draws(const DumpName& name) {
  static constexpr std::array<std::string_view, 6> kDraw{"bernoulli", "multinomial", "normal",
                                                         "normal_",   "uniform_",    "bernoulli_"};
  std::string small = name.class_name;
  std::ranges::transform(small, small.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return small.find("dropout") != std::string::npos || small.starts_with("rand") || std::ranges::count(kDraw, small) > 0;
}

class DumpReader {
 public:
  explicit DumpReader(Recording& run) : run_(run) {}

  void take(const std::string& key, const json& entry) {
    const std::optional<DumpName> name = dump_name(key);
    if (!name || !entry.is_object()) return;
    using Part = DumpName::Part;
    try {
      if (name->part == Part::forward) take_forward(*name, entry);
      else if (name->part == Part::backward) take_backward(*name, entry);
      else take_gradients(*name, entry);
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(fmt::format("{}: {}", configs::printable(key), error.what()));
    }
  }

  bool has_statistics() const { return has_statistics_; }
  bool has_tensors() const { return has_tensors_; }

 private:
  static std::string row_name(const DumpName& name) { return name.is_module ? name.name : name.kind + "." + name.name; }

  /// All tensors in a value, however deep in lists and maps.
  void collect(const json& value, std::vector<Described>& tensors, int depth = 0) {
    if (depth > kDeepest) throw std::invalid_argument("its arguments are nested too deeply");
    if (value.is_object() && value.contains("shape")) {
      has_tensors_ = true;
      const json dtype = value.value("dtype", json());
      const auto tensor = described({.shape = shape_of(value),
                                     .dtype = dtype.is_string() ? dtype.get<std::string>() : std::string(),
                                     .max = figure(value, "Max"),
                                     .min = figure(value, "Min"),
                                     .mean = figure(value, "Mean"),
                                     .norm = figure(value, "Norm")});
      has_statistics_ |= tensor.has_value();
      tensors.push_back(tensor.value_or(Described{}));
    } else if (value.is_array() || (value.is_object() && !value.contains("type"))) {
      for (const json& one : value) collect(one, tensors, depth + 1);
    }
  }

  std::vector<Described> tensors_of(const json& value) {
    std::vector<Described> tensors;
    collect(value, tensors);
    return tensors;
  }

  std::vector<Described> tensors_in(const json& entry, std::initializer_list<const char*> keys) {
    std::vector<Described> tensors;
    for (const char* key : keys)
      if (entry.contains(key)) collect(entry.at(key), tensors);
    return tensors;
  }

  std::vector<std::size_t> values_of(const std::vector<Described>& tensors) {
    std::vector<std::size_t> indices;
    for (const Described& tensor : tensors) {
      indices.push_back(run_.values.size());
      run_.values.push_back({.value = tensor, .gradient = std::nullopt});
    }
    return indices;
  }

  void take_forward(const DumpName& name, const json& entry) {
    if (arrived_ > 0) return;
    Call call{.module = row_name(name),
              .number = name.number + 1,
              .class_name = name.class_name,
              .inside = {},
              .function = !name.is_module,
              .draws = draws(name),
              .in = values_of(tensors_in(entry, {"input", "input_args", "input_kwargs"})),
              .out = values_of(tensors_in(entry, {"output"}))};
    places_.try_emplace({call.module, call.number}, run_.calls.size());
    run_.calls.push_back(std::move(call));
    const auto parameters = entry.find("parameters");
    if (!name.is_module || parameters == entry.end() || !parameters->is_object()) return;
    for (const auto& [parameter, value] : parameters->items())
      if (const auto tensors = tensors_of(value); !tensors.empty()) known_parameter(name, parameter).value = tensors.front();
  }

  void take_backward(const DumpName& name, const json& entry) {
    const std::vector<Described> to_output = tensors_in(entry, {"input"}), to_input = tensors_in(entry, {"output"});
    ++arrived_;
    const auto place = places_.find({row_name(name), name.number + 1});
    if (place == places_.end()) return;
    Call& call = run_.calls[place->second];
    for (std::size_t i = 0; i < std::min(to_output.size(), call.out.size()); ++i) {
      Value& value = run_.values[call.out[i]];
      value.gradient = to_output[i];
      value.arrived = arrived_;
    }
    // They stand in autograd's order, not in that of the arguments.
    for (const Described& gradient : to_input) {
      call.in.push_back(run_.values.size());
      run_.values.push_back({.value = {}, .gradient = gradient, .arrived = arrived_});
    }
  }

  void take_gradients(const DumpName& name, const json& entry) {
    ++arrived_;
    for (const auto& [parameter, value] : entry.items())
      if (const auto tensors = tensors_of(value); !tensors.empty())
        known_parameter(name, parameter).gradient = tensors.front();
  }

  Parameter& known_parameter(const DumpName& module, const std::string& parameter) {
    const auto [place, is_new] = parameters_.try_emplace(module.name + "." + parameter, run_.parameters.size());
    if (is_new)
      run_.parameters.push_back({.name = place->first, .module = module.name, .value = {}, .gradient = std::nullopt});
    return run_.parameters[place->second];
  }

  Recording& run_;
  std::map<std::pair<std::string, int>, std::size_t> places_;  ///< of calls
  std::map<std::string, std::size_t> parameters_;
  std::size_t arrived_ = 0;
  bool has_statistics_ = false, has_tensors_ = false;
};

/// Entries one at a time, in the file's order: of a large model the whole would not fit into memory.
json parse_entries(const std::string& text, DumpReader& reader) {
  std::array<std::string, 3> keys;  // of the outer levels
  return json::parse(text, [&](int depth, json::parse_event_t event, json& parsed) {
    if (event == json::parse_event_t::key && depth < 3) keys[static_cast<std::size_t>(depth)] = parsed;
    if (event != json::parse_event_t::object_end || depth != 2 || keys[1] != "data") return true;
    reader.take(keys[2], parsed);
    return false;
  });
}

void add_callers(Recording& run, const std::string& construct_text) {
  const json construct = json::parse(construct_text);
  std::map<std::pair<std::string, int>, std::string> callers;
  for (const auto& [child, parent] : construct.items()) {
    if (!parent.is_string()) continue;
    const auto called = dump_name(child), caller = dump_name(parent.get<std::string>());
    if (called && caller && called->part == DumpName::Part::forward && caller->is_module)
      callers[{called->is_module ? called->name : called->kind + "." + called->name, called->number + 1}] = caller->name;
  }
  for (Call& call : run.calls)
    if (const auto found = callers.find({call.module, call.number}); found != callers.end()) call.inside = found->second;
}

}  // namespace

Recording read_dump(const std::filesystem::path& dump_json) {
  Recording run;
  const auto refuse = [](const std::filesystem::path& file, const std::string& why) {
    throw std::runtime_error(fmt::format("{}: {}", file.string(), why));
  };
  DumpReader reader(run);
  const std::string text = with_words_quoted(keep::read_file(dump_json));
  try {
    const json rest = parse_entries(text, reader);
    if (!rest.is_object() || !rest.contains("data")) refuse(dump_json, "this is no dump of msprobe: it has no `data`");
    if (rest.contains("framework") && rest.at("framework").is_string()) rest.at("framework").get_to(run.framework);
  } catch (const json::exception& error) {
    refuse(dump_json, "this is no whole dump of msprobe: " + read::json_fault(text, error));
  } catch (const std::invalid_argument& error) {
    refuse(dump_json, error.what());
  }
  if (run.calls.empty()) refuse(dump_json, "it holds no call of a module or function");
  if (!reader.has_statistics() && reader.has_tensors())
    refuse(dump_json, "it holds no statistics of tensors; dump again with `task: statistics`, `summary_mode: statistics`");
  const std::filesystem::path construct_json = dump_json.parent_path() / "construct.json";
  std::error_code unknown;
  if (!std::filesystem::exists(construct_json, unknown)) return run;
  const std::string construct_text = keep::read_file(construct_json);
  try {
    add_callers(run, construct_text);
  } catch (const json::exception& error) {
    refuse(construct_json, "this is no whole construct.json of msprobe: " + read::json_fault(construct_text, error));
  }
  return run;
}

std::optional<Described> described(const Statistics& statistics) {
  if (!statistics.max && !statistics.min && !statistics.mean && !statistics.norm) return std::nullopt;
  Described tensor{.shape = statistics.shape, .dtype = statistics.dtype};
  const auto finite = [&tensor](const std::optional<double>& figure) {
    if (figure && !std::isfinite(*figure)) tensor.nonfinite = 1;
    return figure && std::isfinite(*figure) ? *figure : 0.0;
  };
  tensor.max = finite(statistics.max);
  tensor.min = finite(statistics.min);
  tensor.mean = finite(statistics.mean);
  tensor.norm = finite(statistics.norm);
  for (const auto& extreme : {statistics.max, statistics.min})
    if (extreme) tensor.sample.push_back(*extreme);
  if (tensor.sample.empty() && !statistics.norm) tensor.sample.push_back(*statistics.mean);
  return tensor;
}

namespace {

bool is_number(const std::string& text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

/// ptdbg writes underscores where msprobe writes points; module names may hold both: feed_forward_norm.
std::string with_points(std::string text) {
  for (const char* part : {".forward", ".backward", ".parameters_grad"})
    if (text.find(part) != std::string::npos) return text;
  for (const std::string direction : {"forward", "backward"}) {
    const std::size_t at = text.find("_" + direction + "_");
    if (at == std::string::npos) continue;
    text.replace(at, direction.size() + 2, "." + direction + ".");
    const std::size_t number = text.rfind('_', at - 1);
    if (number != std::string::npos && is_number(text.substr(number + 1, at - number - 1))) {
      text[number] = '.';
      // Before the number of a module's call stands its class.
      const std::size_t class_at = text.starts_with("Module_") ? text.rfind('_', number - 1) : std::string::npos;
      if (class_at != std::string::npos) text[class_at] = '.';
    }
    if (const std::size_t kind = text.find('_'); kind != std::string::npos && kind < at) text[kind] = '.';
  }
  return text;
}

}  // namespace

std::optional<DumpName> dump_name(const std::string& written) {
  std::vector<std::string> parts;
  const std::string text = with_points(written);
  boost::split(parts, text, boost::is_any_of("."));
  const auto direction =
      std::ranges::find_if(parts, [](const std::string& part) { return part == "forward" || part == "backward"; });
  const auto at = direction != parts.end() ? direction : std::ranges::find(parts, "parameters_grad");
  if (at == parts.end() || at - parts.begin() < 3) return std::nullopt;
  using Part = DumpName::Part;
  DumpName name{.kind = parts.front(), .name = {}, .class_name = {}};
  name.is_module = name.kind == "Module" || name.kind == "Cell";
  name.part = *at == "forward" ? Part::forward : *at == "backward" ? Part::backward : Part::parameter_gradient;
  name.output = std::find(at, parts.end(), "output") != parts.end();
  // A module: its name, its class, in older versions the number; a function: its name, the number.
  auto end = at - 1;
  if (name.is_module && is_number(*end)) --end;
  name.name = boost::algorithm::join(std::vector(parts.begin() + 1, end), ".");
  name.class_name = name.is_module ? *end : name.name;
  const std::string& number = at + 1 != parts.end() && is_number(*(at + 1)) && name.is_module ? *(at + 1) : *(at - 1);
  std::from_chars(number.data(), number.data() + number.size(), name.number);
  name.number = std::min(name.number, std::numeric_limits<int>::max() - 1);  // calls are counted from 1
  return name;
}

}  // namespace bisectd::driver::align
