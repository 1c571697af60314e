#include "driver/loop/trial_judging.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "driver/judge/running.hpp"
#include "driver/judge/soak.hpp"

namespace bisectd::driver {

judge::Judgement TrialJudge::whole(const TrialPlan& plan, std::span<const judge::Curve> curves) const {
  if (plan.role == Role::soak)
    return judge::judge_soak(metrics(), {*input_.experiment.steps, *plan.steps}, input_.experiment.accept, curves.back());
  if (input_.must_only_run()) return judge::judge_running(metrics(), *input_.experiment.steps, curves);
  if (plan.role == Role::as_is) {
    judge::Jury taught = *state_.jury;  // by these very repeats, which show what the references cannot
    taught.learn_subject(curves, judge::AlreadyLearnt::no);
    taught.set_signature_steps(static_cast<std::size_t>(input_.experiment.search.signature_steps));
    const bool by_chance = std::ranges::any_of(taught.panels(), &judge::Panel::by_chance);
    std::vector<judge::Curve> plain;
    for (const judge::Curve& curve : curves)
      if (by_chance || curve.perturbed.value_or(0) == 0) plain.push_back(curve);
    // Moved runs are no repeats of what trials are; where the run as it is does not decide, they are further samples of it.
    judge::Judgement judgement = taught.judge_as_is(plain.empty() ? curves : plain);
    if (judgement.verdict == strategies::Verdict::inconclusive && plain.size() < curves.size())
      judgement = taught.judge_as_is(curves);
    judgement.signature = taught.signature(curves.front());
    return judgement;
  }
  const judge::Jury& jury = *state_.jury;
  judge::Judgement judgement;
  if (plan.role == Role::signature) judgement = {{.verdict = strategies::Verdict::inconclusive, .reason = kMeasured}};
  else if (plan.role == Role::proof) judgement = jury.judge_proof(curves);
  else judgement = jury.judge(curves);
  judgement.signature = jury.signature(curves.front());
  if (!plan.shortened) judgement.beside_as_is = beside_as_is(judgement, curves);
  return judgement;
}

/// Sizes are compared and summed over one part of the run only, and each verdict rests on its own.
std::optional<strategies::Size> TrialJudge::beside_as_is(const judge::Judgement& judgement,
                                                         std::span<const judge::Curve> curves) const {
  const PastTrial* subject = as_is();
  if (!subject || !subject->judgement->window || !judgement.delta) return std::nullopt;
  strategies::Size there = state_.jury->first_panel().size_in(curves.front(), *subject->judgement->window);
  if (!there.delta || there.delta == judgement.delta) return std::nullopt;
  there.standard_error = judgement.standard_error;
  return there;
}

judge::Judgement TrialJudge::ended_early(const judge::Curve& curve) const {
  if (input_.must_only_run()) return judge::judge_running(metrics(), *input_.experiment.steps, std::span(&curve, 1));
  auto certain = state_.jury->watch().look(curve);
  if (!certain)
    return {{.verdict = strategies::Verdict::inconclusive,
             .reason = "ended-early",
             .text = "ended early, but what was learnt of the noise meanwhile makes it less certain"}};
  certain->beside_as_is = beside_as_is(*certain, std::span(&curve, 1));
  return *std::move(certain);
}

std::optional<judge::Judgement> TrialJudge::broken(const TrialPlan& plan, const AttemptOutcome& last) const {
  if (!input_.must_only_run() || !is(plan.role, reports::kJudged) || !broke(last.ending) || !last.errors.empty())
    return std::nullopt;
  if (last.ending == Ending::timed_out && plan.role != Role::as_is && !as_is_timed_out()) return std::nullopt;
  for (const strategies::SuspectId id : input_.watch.refused(state_.catalogue, last.names))
    if (plan.neutralised.test(id)) return std::nullopt;
  const std::string where = last.last_step ? fmt::format(" after step {}", *last.last_step) : " before the first step";
  std::string text = last.text;  // "exited 1: ImportError: ...": how, and what its log says of it
  text.insert(last.ending == Ending::crashed ? std::min(text.find(": "), text.size()) : text.size(), where);
  return judge::broke(name_of(*last.ending), std::move(text));
}

/// The trial that the search began with; nothing until it is judged.
const PastTrial* TrialJudge::as_is() const {
  const auto first = std::ranges::find_if(
      state_.history.trials, [](const PastTrial& trial) { return trial.role == Role::as_is && trial.judgement; });
  return first == state_.history.trials.end() ? nullptr : &*first;
}

/// One that only takes too long with suspects neutralised shows nothing of what broke the subject as it is.
bool TrialJudge::as_is_timed_out() const {
  const PastTrial* subject = as_is();
  return subject && subject->judgement->reason == name_of(Ending::timed_out);
}

bool TrialJudge::is_certain(const AttemptRequest& request, const judge::Curve& so_far) {
  if (!request.may_end_early) return false;
  if (input_.must_only_run()) return judge::first_not_finite(metrics(), so_far).has_value();
  if (!state_.jury) return false;
  const std::string folder = request.folder.string();
  auto watch = watches_.find(folder);
  if (watch == watches_.end()) watch = watches_.emplace(folder, state_.jury->watch()).first;
  return watch->second.look(so_far).has_value();
}

}  // namespace bisectd::driver
