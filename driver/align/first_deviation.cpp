#include "driver/align/first_deviation.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <numeric>

namespace bisectd::driver::align {
namespace {

/// An error that begins below the bound grows beyond it in some later module: what is a quarter of that began it.
constexpr double kShareThatBegins = 0.25;

/// A module got the error from elsewhere if its input has at least this share of it.
constexpr double kShareInherited = 0.5;

/// One direction's view of a row.
struct Step {
  const Row* row;
  Error given;  ///< to the module
  Error made;   ///< what it makes of that
};

Step forward_step(const Row& row) { return {&row, row.input, row.output}; }

Step backward_step(const Row& row) {
  const bool input_is_worse = row.input_gradient.error > row.parameter_gradient.error;
  const Error made = row.input_gradient.off == row.parameter_gradient.off
                         ? (input_is_worse ? row.input_gradient : row.parameter_gradient)
                         : (row.input_gradient.off ? row.input_gradient : row.parameter_gradient);
  return {&row, row.gradient, made};
}

bool inherits(const Step& step) {
  return step.given.off ||
         (step.given.error > kBeyondHealthy * step.given.healthy && step.given.error > kShareInherited * step.made.error);
}

bool begins(const Step& step, double beyond) {
  return step.made.error > kBeyondHealthy * step.made.healthy && step.made.error > kShareThatBegins * beyond;
}

/// The call that this one was made from.
const Step* enclosing(const std::vector<Step>& steps, const Step& inner) {
  const auto found = std::ranges::find_if(steps, [&](const Step& step) { return step.row->module == inner.row->inside; });
  return inner.row->inside.empty() || found == steps.end() ? nullptr : &*found;
}

std::optional<Deviation> first_of(const std::vector<Step>& steps) {
  const auto beyond = std::ranges::find_if(steps, [](const Step& step) { return step.made.off || step.given.off; });
  if (beyond == steps.end()) return std::nullopt;
  const double size = std::max(beyond->made.error, beyond->given.error);
  const Step& first = *std::find_if(steps.begin(), beyond, [&](const Step& step) { return begins(step, size); });
  // Where its input is off already, although no module returned that, whoever calls it computed that between its modules.
  const Step* who = &first;
  std::set<const Step*> seen;  // a module may call itself
  while (inherits(*who) && seen.insert(who).second) {
    const Step* caller = enclosing(steps, *who);
    if (!caller) break;
    who = caller;
  }
  return Deviation{.module = who->row->module,
                   .number = who->row->number,
                   .class_name = who->row->class_name,
                   .caller = who->row->function ? who->row->inside : "",
                   .at = first.row->module,
                   .error = first.made.known ? first.made : first.given,
                   .draws = who->row->draws,
                   .inherited = inherits(*who)};
}

}  // namespace

std::vector<std::size_t> backward_order(const Recording& run, std::span<const Row> rows) {
  std::map<std::pair<std::string, int>, const Call*> calls;
  for (const Call& call : run.calls) calls[{call.module, call.number}] = &call;
  std::map<std::string, double> last_within;
  std::vector<double> ended(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Call& call = *calls.at({rows[i].module, rows[i].number});
    double last = 0;
    for (const std::size_t value : call.in) last = std::max(last, static_cast<double>(run.values.at(value).arrived));
    // Data have no gradient: it ended some time after it began.
    if (last == 0)
      for (const std::size_t value : call.out)
        last = std::max(last, static_cast<double>(run.values.at(value).arrived) + 0.5);
    ended[i] = std::max(last, last_within[call.module]);
    last_within[call.inside] = std::max(last_within[call.inside], ended[i]);
  }
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return ended[i]; });
  return order;
}

std::optional<Deviation> first_forward(std::span<const Row> rows) {
  std::vector<Step> steps;
  for (const Row& row : rows) steps.push_back(forward_step(row));
  return first_of(steps);
}

std::optional<Deviation> first_backward(std::span<const Row> rows, std::span<const std::size_t> order) {
  std::vector<Step> steps;
  for (const std::size_t i : order) steps.push_back(backward_step(rows[i]));
  return first_of(steps);
}

}  // namespace bisectd::driver::align
