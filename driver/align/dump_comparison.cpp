#include "driver/align/dump_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/join.hpp>
#include <boost/algorithm/string/split.hpp>
#include <cctype>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>

#include "driver/align/hint_odds.hpp"
#include "driver/read/csv_rule.hpp"
#include "driver/read/fields.hpp"

namespace bisectd::driver::align {
namespace {

constexpr double kSuspiciousCosine = 0.99, kSuspiciousError = 0.001, kBadCosine = 0.9, kBadError = 1.0;

/// Functional.gelu.0.forward.output.0, Module.conv.Conv2d.backward.0.input.0, Functional_gelu_0_forward_output.0
struct TensorName {
  std::string call;  ///< all rows of one call have it
  std::string name;  ///< gelu, conv
  bool is_module = false, backward = false, output = false;
};

bool is_number(const std::string& text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

/// ptdbg writes underscores where msprobe writes points; module names may hold both.
std::string with_points(std::string text) {
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

std::optional<TensorName> tensor_name(const std::string& written) {
  std::vector<std::string> parts;
  const std::string text = with_points(written);
  boost::split(parts, text, boost::is_any_of("."));
  const auto direction =
      std::ranges::find_if(parts, [](const std::string& part) { return part == "forward" || part == "backward"; });
  const auto gradient = std::ranges::find(parts, "parameters_grad");
  const auto at = direction != parts.end() ? direction : gradient;
  if (at == parts.end() || at - parts.begin() < 3) return std::nullopt;
  TensorName name{.call = {}, .name = {}};
  name.is_module = parts.front() == "Module" || parts.front() == "Cell";
  name.backward = *at != "forward";
  name.output = at == gradient || std::find(at, parts.end(), "output") != parts.end();
  // A module: its name, its class, in older versions the number; a function: its name, the number.
  auto end = at - 1;
  if (name.is_module && is_number(*end)) --end;
  name.name = boost::algorithm::join(std::vector(parts.begin() + 1, end), ".");
  const auto number = at + 1 != parts.end() && is_number(*(at + 1)) && name.is_module ? at + 1 : at - 1;
  name.call = fmt::format("{}.{}.{}.{}", parts.front(), name.name, *number, name.backward ? "backward" : "forward");
  return name;
}

/// One call on both sides.
struct DumpedCall {
  TensorName name;
  bool input_off = false, output_off = false;
};

class Table {
 public:
  explicit Table(const std::vector<std::string>& header) {
    name_ = column(header, {"NPU Name"});
    cosine_ = column(header, {"Cosine"});
    error_ = column(header, {"MaxAbsErr"});
    verdict_ = column(header, {"Result", "Accuracy Reached or Not"});
    if (!name_ || !cosine_ || !error_)
      throw std::invalid_argument(
          "line 1: this is no comparison of dumps: it has no columns `NPU Name`, `Cosine` and `MaxAbsErr`");
  }

  void take(const std::vector<std::string>& row) {
    const std::optional<TensorName> name = tensor_name(cell(row, name_));
    if (!name) return;
    const auto [place, is_new] = places_.try_emplace(name->call, calls_.size());
    if (is_new) calls_.push_back({.name = *name});
    (name->output ? calls_[place->second].output_off : calls_[place->second].input_off) |= is_off(row);
  }

  const std::vector<DumpedCall>& calls() const { return calls_; }

 private:
  static std::optional<std::size_t> column(const std::vector<std::string>& header, const std::vector<std::string>& names) {
    for (const std::string& name : names)
      if (const auto found = std::ranges::find(header, name); found != header.end())
        return static_cast<std::size_t>(found - header.begin());
    return std::nullopt;
  }

  static std::string cell(const std::vector<std::string>& row, std::optional<std::size_t> column) {
    return column && *column < row.size() ? row[*column] : std::string();
  }

  bool is_off(const std::vector<std::string>& row) const {
    const std::string verdict = cell(row, verdict_);
    if (verdict == "error" || verdict == "No") return true;
    const auto cosine = read::number(cell(row, cosine_)),
               error = read::number(cell(row, error_));  // or "unsupported", "N/A"
    return (error && *error > kBadError) || (cosine && *cosine < kBadCosine) ||
           (cosine && *cosine < kSuspiciousCosine && error && *error > kSuspiciousError);
  }

  std::optional<std::size_t> name_, cosine_, error_, verdict_;
  std::map<std::string, std::size_t> places_;
  std::vector<DumpedCall> calls_;
};

Table table_in(const std::string& csv) {
  std::istringstream lines(csv);
  std::optional<Table> table;
  std::string record;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    record += record.empty() ? line : "\n" + line;
    if (!table && record.starts_with("\xef\xbb\xbf")) record.erase(0, 3);
    const auto fields = read::csv_fields(record);
    if (!fields) continue;  // a quoted cell goes on in the next line
    record.clear();
    if (table) table->take(*fields);
    else table.emplace(*fields);
  }
  if (!table) throw std::invalid_argument("line 1: this is no comparison of dumps: there is no header");
  return std::move(*table);
}

}  // namespace

std::vector<configs::Hint> hints_in_dump_comparison(const std::string& csv) {
  std::vector<configs::Hint> hints;
  const Table table = table_in(csv);
  for (const bool modules : {true, false}) {
    bool first = true;
    for (const bool backward : {false, true})  // what the forward differs by, gradients differ by, too
      for (const DumpedCall& call : table.calls()) {
        if (call.name.is_module != modules || call.name.backward != backward || !call.output_off) continue;
        if (!first && call.input_off) continue;
        hints.push_back({.name = call.name.name,
                         .computes = !modules,
                         .backward = backward,
                         .odds = first ? kOddsOfFirst : kOddsOfOthers});
        first = false;
      }
  }
  return hints;
}

}  // namespace bisectd::driver::align
