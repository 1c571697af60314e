#include "driver/loop/descent.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "driver/loop/inquiry.hpp"
#include "driver/loop/problem.hpp"

namespace bisectd::driver {

using strategies::Answer;
using strategies::State;
using strategies::SuspectId;

namespace {

/// The family that has `then`, and the one of the parts.
struct Step {
  std::string from, to;
};

std::optional<Step> step_of(const configs::Experiment& experiment) {
  for (const auto& [name, selection] : experiment.suspects)
    if (selection.then) return Step{name, selection.then->value};
  return std::nullopt;
}

Scope members_where(const neutralise::Catalogue& catalogue, auto fits) {
  Scope scope;
  for (SuspectId id = 0; id < catalogue.size(); ++id)
    if (fits(catalogue[id])) scope.push_back(id);
  return scope;
}

Answer answer_to(const configs::Experiment& experiment, const History& history, const strategies::Problem& problem,
                 Scope scope, int number) {
  Inquiry inquiry(problem, engine_of(experiment.search.engine), std::move(scope));
  const auto as_is = std::ranges::find(history.trials, Role::as_is, &PastTrial::role);  // none beside trials by hand
  if (as_is != history.trials.end() && as_is->judgement && !as_is->failed)
    inquiry.learn(judged_run(*as_is, experiment.accept.target));
  inquiry.retell(history, number, experiment.accept.target);
  return inquiry.answer();
}

}  // namespace

Scope parts_in(const configs::Experiment& experiment, const neutralise::Catalogue& catalogue) {
  const auto step = step_of(experiment);
  return members_where(catalogue, [&](const neutralise::Member& member) { return step && member.family == step->to; });
}

Scope first_scope(const configs::Experiment& experiment, const neutralise::Catalogue& catalogue) {
  const auto step = step_of(experiment);
  return members_where(catalogue, [&](const neutralise::Member& member) { return !step || member.family != step->to; });
}

// Everything that a cause holds stays a suspect: parts may fail only together with a flag that was found beside their
// member.
std::optional<reports::Descent> descent_after(const configs::Experiment& experiment, const neutralise::Catalogue& catalogue,
                                              const Answer& first) {
  const auto step = step_of(experiment);
  if (!step || first.state != State::proved) return std::nullopt;
  std::set<SuspectId> found(first.culprit_set.begin(), first.culprit_set.end());
  for (const auto& cause : first.causes) found.insert(cause.begin(), cause.end());
  reports::Descent descent;
  std::set<SuspectId> scope;
  for (const SuspectId id : found)
    if (catalogue[id].family == step->from) descent.opened.push_back(id);
    else scope.insert(id);
  if (descent.opened.empty()) return std::nullopt;
  const Scope parts = members_where(catalogue, [&](const neutralise::Member& member) {
    return member.family == step->to && std::ranges::any_of(descent.opened, [&](SuspectId opened) {
             return member.name.starts_with(catalogue[opened].name + "/");
           });
  });
  if (parts.empty()) return descent;
  scope.insert(parts.begin(), parts.end());
  descent.suspects.assign(scope.begin(), scope.end());
  return descent;
}

std::string why_it_stayed(const Answer& second) {
  switch (second.state) {
    case State::outside_suspects:
      return "with all these parts neutralised it still fails, so they do not carry the guilt: it may lie in what cannot "
             "be neutralised alone, or between them";
    case State::aligned: return "the subject as it is passed this time";
    case State::searching: return "the budget was spent before this search was done";
    default: return "this search came to no proof: " + second.explanation;
  }
}

std::string why_no_parts(const neutralise::Catalogue& catalogue, const Scope& opened) {
  return fmt::format("the discovery run showed no part of {} on the device",
                     catalogue.labels(catalogue.set_of(opened), opened.size()));
}

RetoldAnswers retold(const configs::Experiment& experiment, const History& history, const strategies::Problem& problem) {
  RetoldAnswers answers{.first = answer_to(experiment, history, problem, first_scope(experiment, *history.catalogue), 1)};
  if (const auto& descent = history.descent; descent && descent->stayed.empty())
    answers.second = answer_to(experiment, history, problem, descent->suspects, 2);
  return answers;
}

}  // namespace bisectd::driver
