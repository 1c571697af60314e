#include "driver/loop/scope.hpp"

#include <optional>

#include "strategies/suspect_numbers.hpp"

namespace bisectd::driver {

using strategies::Neutralised;
using strategies::Problem;
using strategies::SuspectId;
using strategies::SuspectSet;

namespace {

void widen(std::vector<SuspectId>& ids, const Scope& scope) {
  for (SuspectId& id : ids) id = scope[id];
}

}  // namespace

Problem narrowed(Problem problem, const Scope& scope) {
  std::vector<strategies::Suspect> inside;
  for (const SuspectId id : scope) inside.push_back(problem.suspects[id]);
  problem.suspects = std::move(inside);
  return problem;
}

Neutralised narrowed(const Neutralised& set, const Scope& scope) {
  Neutralised inside(SuspectSet(scope.size()));
  for (SuspectId place = 0; place < scope.size(); ++place)
    if (set.test(scope[place])) inside.set(place);
  return inside;
}

Neutralised widened(const Neutralised& set, const Scope& scope, std::size_t size) {
  Neutralised whole{SuspectSet(size)};
  for (const SuspectId place : strategies::members_of(set)) whole.set(scope[place]);
  return whole;
}

strategies::Answer widened(strategies::Answer answer, const Scope& scope, std::size_t size) {
  for (std::vector<SuspectId>* ids : {&answer.culprit_set, &answer.not_neutralisable, &answer.excluded}) widen(*ids, scope);
  for (std::vector<SuspectId>& cause : answer.causes) widen(cause, scope);
  for (strategies::Deviation& one : answer.harmless_deviations) one.suspect = scope[one.suspect];
  for (strategies::Claim& claim : answer.certificate) {
    widen(claim.subject, scope);
    claim.neutralised = widened(claim.neutralised, scope, size);
  }
  if (answer.hidden) answer.hidden->neutralised = widened(answer.hidden->neutralised, scope, size);
  std::vector<double> guilt(size, 0.0);
  for (SuspectId place = 0; place < answer.guilt.size(); ++place) guilt[scope[place]] = answer.guilt[place];
  answer.guilt = std::move(guilt);
  answer.explanation = renumbered(answer.explanation, scope);
  return answer;
}

std::string renumbered(const std::string& text, const Scope& scope) {
  return strategies::with_names(text, [&](SuspectId place) {
    return place < scope.size() ? std::optional("#" + std::to_string(scope[place])) : std::nullopt;
  });
}

}  // namespace bisectd::driver
