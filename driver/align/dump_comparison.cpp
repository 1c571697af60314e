#include "driver/align/dump_comparison.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>

#include "driver/align/comparison.hpp"
#include "driver/align/dump.hpp"
#include "driver/align/odds_file.hpp"
#include "driver/align/spreadsheet.hpp"
#include "driver/read/fields.hpp"
#include "driver/read/rules.hpp"

namespace bisectd::driver::align {
namespace {

constexpr double kSuspiciousCosine = 0.99, kSuspiciousError = 0.001, kBadCosine = 0.9, kBadError = 1.0;
constexpr std::size_t kMostStrangers = 5;  ///< named in a remark

/// "[8, 4, 6, 6]"
std::vector<std::int64_t> shape_in(const std::string& text) {
  std::vector<std::int64_t> shape;
  for (const char* at = text.data(); at != text.data() + text.size();) {
    std::int64_t size = 0;
    const auto [end, error] = std::from_chars(at, text.data() + text.size(), size);
    if (error == std::errc()) shape.push_back(size);
    at = end == at ? at + 1 : end;
  }
  return shape;
}

bool is_backward(const DumpName& name) { return name.part != DumpName::Part::forward; }
bool is_output(const DumpName& name) { return name.output || name.part == DumpName::Part::parameter_gradient; }

/// All rows of one call have it.
std::string call_key(const DumpName& name) {
  return fmt::format("{}.{}.{}.{}", name.kind, name.name, name.number, is_backward(name));
}

/// One call on both sides.
struct DumpedCall {
  DumpName name;
  bool input_off = false, output_off = false;
  bool matched = false;  ///< the other side has it, too
};

class Table {
 public:
  explicit Table(const std::vector<std::string>& header) : header_(header) {
    if (has({"NPU Name", "Cosine", "MaxAbsErr"}) || has({"NPU Name", "NPU max", "NPU l2norm", "Bench max", "Bench l2norm"}))
      return;
    if (has({"NPU Name", "NPU MD5"}))
      throw std::invalid_argument(
          "line 1: it compares checksums, which rounding changes; dump again with `summary_mode: statistics`");
    throw std::invalid_argument(
        "line 1: this is no comparison of dumps: it has no column `NPU Name` with `Cosine` and `MaxAbsErr`, or with `NPU "
        "max`, `NPU l2norm`, `Bench max` and `Bench l2norm`");
  }

  void take(const std::vector<std::string>& row) {
    row_ = &row;
    const std::optional<DumpName> name = dump_name(cell("NPU Name"));
    if (!name) return;
    const auto [place, is_new] = places_.try_emplace(call_key(*name), calls_.size());
    if (is_new) calls_.push_back({.name = *name});
    DumpedCall& call = calls_[place->second];
    (is_output(*name) ? call.output_off : call.input_off) |= is_off();
    call.matched |= cell("Bench Name") != "N/A";
  }

  const std::vector<DumpedCall>& calls() const { return calls_; }

 private:
  bool has(const std::vector<std::string>& names) const {
    return std::ranges::all_of(names, [&](const std::string& name) { return std::ranges::count(header_, name) > 0; });
  }

  /// Empty where the table or the row is too narrow.
  std::string cell(const std::string& column) const {
    const auto at = static_cast<std::size_t>(std::ranges::find(header_, column) - header_.begin());
    return at < header_.size() && at < row_->size() ? (*row_)[at] : std::string();
  }

  /// Nothing where it is "unsupported", "N/A" or the like.
  std::optional<double> number(const std::string& column) const { return read::number(cell(column)); }

  bool is_off() const {
    if (cell("Result") == "error" || cell("Accuracy Reached or Not") == "No") return true;
    const std::optional<Described> bench = statistics("Bench"), npu = statistics("NPU");
    if (bench && npu && relative_error(*bench, *npu) > kDumpBound) return true;
    const auto cosine = number("Cosine"), error = number("MaxAbsErr"), relative = number("MaxRelativeErr");
    if (relative && *relative <= kDumpBound) return false;  // a large error of large numbers is none
    return (error && *error > kBadError) || (cosine && *cosine < kBadCosine) ||
           (cosine && *cosine < kSuspiciousCosine && error && *error > kSuspiciousError);
  }

  std::optional<Described> statistics(const std::string& side) const {
    return described({.shape = shape_in(cell(side + " Tensor Shape")),
                      .dtype = {},
                      .max = number(side + " max"),
                      .min = number(side + " min"),
                      .mean = number(side + " mean"),
                      .norm = number(side + " l2norm")});
  }

  std::vector<std::string> header_;
  const std::vector<std::string>* row_ = nullptr;
  std::map<std::string, std::size_t> places_;
  std::vector<DumpedCall> calls_;
};

/// A table whose first row is its header.
void take_row(std::optional<Table>& table, const std::vector<std::string>& row) {
  if (table) table->take(row);
  else table.emplace(row);
}

std::optional<Table> table_in_csv(const std::string& csv) {
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
    take_row(table, *fields);
  }
  return table;
}

std::optional<Table> table_in_spreadsheet(const std::filesystem::path& xlsx) {
  std::optional<Table> table;
  read_spreadsheet(xlsx, [&](const std::vector<std::string>& row) { take_row(table, row); });
  return table;
}

bool counts(const DumpedCall& call, bool modules, bool backward) {
  return call.name.is_module == modules && is_backward(call.name) == backward;
}

/// Where the first call that is off got a wrong input, although nothing before it returned one, what was compared with
/// nothing made it.
double odds_of_unmatched(const DumpedCall* first) { return first && first->input_off ? kOddsOfFirst : kOddsOfOthers; }

void add_hints(std::vector<configs::Hint>& hints, const std::vector<DumpedCall>& calls, bool modules) {
  const auto add = [&](const DumpedCall& call, double odds) {
    hints.push_back({.name = call.name.name, .computes = !modules, .backward = is_backward(call.name), .odds = odds});
  };
  const DumpedCall* first = nullptr;
  for (const bool backward : {false, true}) {  // what the forward differs by, gradients differ by, too
    std::vector<const DumpedCall*> unmatched;
    for (const DumpedCall& call : calls) {
      if (!counts(call, modules, backward)) continue;
      if (!first && !call.matched && !call.output_off) unmatched.push_back(&call);
      if (!call.output_off || (first && call.input_off)) continue;
      if (!first) {
        first = &call;
        for (const DumpedCall* one : unmatched) add(*one, odds_of_unmatched(first));
        unmatched.clear();
        add(call, kOddsOfFirst);
      } else {
        add(call, kOddsOfOthers);
      }
    }
    for (const DumpedCall* one : unmatched) add(*one, kOddsOfOthers);
  }
}

std::string remark_on(const std::vector<DumpedCall>& calls) {
  std::vector<std::string> names;
  for (const DumpedCall& call : calls)
    if (!call.matched && std::ranges::count(names, call.name.name) == 0) names.push_back(call.name.name);
  if (names.empty()) return {};
  const std::size_t more = names.size() - std::min(names.size(), kMostStrangers);
  names.resize(names.size() - more);
  return fmt::format("only the subject calls {}{}; this was compared with nothing", fmt::join(names, ", "),
                     more ? fmt::format(" and {} more", more) : "");
}

DumpFindings findings_of(const std::optional<Table>& table) {
  if (!table) throw std::invalid_argument("line 1: this is no comparison of dumps: there is no header");
  DumpFindings findings{.hints = {}, .remark = remark_on(table->calls())};
  for (const bool modules : {true, false}) add_hints(findings.hints, table->calls(), modules);
  return findings;
}

}  // namespace

DumpFindings findings_in_dump_comparison(const std::string& csv) { return findings_of(table_in_csv(csv)); }

DumpFindings findings_in_dump_spreadsheet(const std::filesystem::path& xlsx) {
  return findings_of(table_in_spreadsheet(xlsx));
}

}  // namespace bisectd::driver::align
