// The evidence is told to a search again; what it then answers is explained with the trials that show it.
#include "driver/commands/commands.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <optional>

#include "configs/suggest.hpp"
#include "driver/commands/arguments.hpp"
#include "driver/commands/seen_run.hpp"
#include "driver/launch/device_pool.hpp"
#include "driver/loop/descent.hpp"
#include "driver/loop/inquiry.hpp"
#include "driver/loop/problem.hpp"
#include "driver/record/history.hpp"
#include "reports/words.hpp"
#include "strategies/certificate.hpp"

namespace bisectd::driver::commands {
namespace {

using strategies::Claim;
using strategies::SuspectId;
using strategies::SuspectSet;
using strategies::Verdict;

constexpr std::size_t kShown = 3;  ///< trials for one statement
constexpr std::size_t kNamed = 6;  ///< suspects in one line

struct ExplainOptions {
  std::string folder, suspect;
};

/// A finished or unfinished search, told again from its journal.
class Retold {
 public:
  /// `first`: its first search, whatever the second one came to.
  Retold(const configs::Experiment& experiment, History history, bool first)
      : history_(std::move(history)),
        catalogue_(*history_.catalogue),
        problem_(problem_of(experiment, catalogue_, launch::DevicePool(experiment.subject).size(), history_.exact)) {
    const RetoldAnswers answers = retold(experiment, history_, problem_);
    of_second_ = !first && answers.second && (history_.finished || &answers.standing() == &*answers.second);
    answer_ = of_second_ ? *answers.second : answers.first;
    first_ = answers.first;
    scope_ = catalogue_.set_of(of_second_ ? history_.descent->suspects : first_scope(experiment, catalogue_));
    for (const std::size_t index : history_.order_judged) {
      const PastTrial& trial = history_.trials[index];
      if (!trial.judgement || !is(trial.role, reports::kEvidence)) continue;
      if (trial.role != Role::as_is && trial.search != (of_second_ ? 2 : 1)) continue;
      if (trial.role == Role::signature) ++short_ones_;  // which have no verdict
      else trials_.push_back(&trial);
      if (!trial.judgement->signature.empty()) signed_.push_back(&trial);
    }
    // What was concluded says more than the search: that full runs did not prove an answer, or that a later trial took none
    // back.
    const bool has_answer = of_second_ == (history_.descent && history_.descent->stayed.empty());
    if (has_answer && history_.finished && history_.conclusion->answer.state != strategies::State::searching)
      answer_ = history_.conclusion->answer;
  }

  const neutralise::Catalogue& catalogue() const { return catalogue_; }
  const strategies::Answer& answer() const { return answer_; }
  bool searched(SuspectId id) const { return scope_.test(id); }
  std::vector<SuspectId> searched() const { return strategies::members_of(scope_); }
  /// The members whose parts were, or would have been, searched after the first search.
  const std::optional<reports::Descent>& descent() const { return history_.descent; }
  const strategies::Answer& first() const { return first_; }
  const std::vector<const PastTrial*>& trials() const { return trials_; }
  bool is_finished() const { return history_.finished; }
  /// "13 trials", and how many there were beside them of which only the first steps were looked at.
  std::string trials_text() const {
    return fmt::format("{} trials{}", trials_.size(),
                       short_ones_ == 0 ? "" : fmt::format(" and the first steps of {} more", short_ones_));
  }

  std::string labels(const std::vector<SuspectId>& ids, const char* between) const {
    std::string text;
    for (const SuspectId id : ids) text += (text.empty() ? "" : between) + catalogue_.label(id);
    return text;
  }

  std::string neutralised_text(const SuspectSet& set) const {
    if (set.none()) return "nothing neutralised";
    const char* parts = of_second_ ? " parts" : "";
    if (set == scope_) return of_second_ ? "all parts neutralised" : "everything neutralised";
    return set.count() * 2 <= scope_.count()
               ? catalogue_.labels(set, kNamed) + " neutralised"
               : fmt::format("all{} but {} neutralised", parts, catalogue_.labels(scope_ - set, kNamed));
  }

  void print(const PastTrial& trial) const {
    fmt::print("  trial {}: {} -> {}{}\n", trial.number, neutralised_text(trial.neutralised),
               reports::verdict_word(trial.judgement->verdict),
               trial.judgement->delta ? fmt::format(" ({})", reports::percent_text(trial.judgement->delta)) : "");
  }

  /// Two trials that differ in this cause and in nothing else show what it does to the first steps: in others, what replaces
  /// a suspect may be wrong, too, and change them as well.
  void print_signature(const std::vector<SuspectId>& cause) const {
    std::map<SuspectSet, std::size_t> first;  // trial, by what matters of the suspects that are active in it
    for (const PastTrial* trial : signed_) first.emplace(active_beside(trial->neutralised), trial->number);
    for (const auto& [active, with] : first) {
      SuspectSet others = active;
      for (const SuspectId member : cause) others.reset(member);
      if (active.count() - others.count() != cause.size()) continue;
      const auto without = first.find(others);
      if (without == first.end()) continue;
      fmt::print("its signature is the difference between the first steps of trials {} and {}\n", with, without->second);
      return;
    }
  }

  void print_claim(const Claim& claim) const {
    fmt::print("{}{}\n", words_of(claim), claim.proved ? ":" : ": not proved");
    std::size_t shown = 0;
    for (const PastTrial* trial : trials_)
      if (strategies::shows(claim, answer_, trial->neutralised, trial->judgement->verdict) &&
          (!claim.proved || trial->neutralised == claim.neutralised) && shown++ < kShown)
        print(*trial);
  }

 private:
  std::string words_of(const Claim& claim) const {
    std::vector<SuspectId> rest = claim.subject;
    if (!rest.empty()) rest.pop_back();
    switch (claim.kind) {
      case Claim::Kind::fix_passes: return fmt::format("with {} neutralised it passes", labels(claim.subject, ", "));
      case Claim::Kind::member_needed:
        return fmt::format("with the rest of the culprit set neutralised, but not {}, it fails",
                           labels(claim.subject, ", "));
      case Claim::Kind::cause_fails:
        return fmt::format("with {} active and {} neutralised it fails", labels(claim.subject, " and "),
                           of_second_ ? "all other parts"
                           : answer_.excluded.empty() && answer_.not_neutralisable.empty()
                               ? "everything else"
                               : "all others that were searched");
      case Claim::Kind::cause_minimal:
        return fmt::format("with {} active, but not {}, it passes", labels(rest, " and "),
                           catalogue_.label(claim.subject.back()));
    }
    return {};
  }

  History history_;
  neutralise::Catalogue catalogue_;
  strategies::Problem problem_;
  strategies::Answer answer_, first_;
  bool of_second_ = false;                // the trials and the answer are those of the second search
  SuspectSet scope_;                      // what it was among
  std::vector<const PastTrial*> trials_;  // judged
  std::vector<const PastTrial*> signed_;  // with a signature
  std::size_t short_ones_ = 0;            // of which only the first steps were looked at
};

const char* state_text(strategies::State state) {
  switch (state) {
    case strategies::State::searching: return "the search has not ended";
    case strategies::State::aligned: return "the subject as it is passes";
    case strategies::State::outside_suspects: return "it fails even with everything neutralised";
    case strategies::State::proved: return "culprits found and proved";
    case strategies::State::contradictory: return "the verdicts contradict each other";
    case strategies::State::stuck: return "nothing left to ask, yet nothing proved";
  }
  return "";
}

void explain_all(const Retold& retold) {
  const strategies::Answer& answer = retold.answer();
  const bool uncontrolled = answer.state == strategies::State::proved && !retold.is_finished();
  fmt::print("{}{}, from {}\n", state_text(answer.state),
             uncontrolled ? " by the search, but not yet tried once more at the end of the run" : "", retold.trials_text());
  if (!answer.explanation.empty()) fmt::print("{}\n", retold.catalogue().with_labels(answer.explanation));
  for (const strategies::Deviation& one : answer.harmless_deviations)
    if (answer.state == strategies::State::proved)
      fmt::print("{}\n", reports::deviation_text(retold.labels({one.suspect}, ""), one.size));
  if (const auto& descent = retold.descent()) {
    for (const auto& cause : retold.first().causes)
      fmt::print("first search: {}{}\n", retold.labels(cause, " and "), cause.size() > 1 ? " only together" : " alone");
    if (!descent->stayed.empty())
      fmt::print("second search, among parts of {}: {}\n", retold.labels(descent->opened, ", "), descent->stayed);
  }
  if (answer.state == strategies::State::proved) {
    for (const auto& cause : answer.causes)
      fmt::print("cause: {}{}\n", retold.labels(cause, " and "), cause.size() > 1 ? " only together" : " alone");
    for (const Claim& claim : answer.certificate) retold.print_claim(claim);
    return;
  }
  if (answer.state != strategies::State::searching) {
    for (const PastTrial* trial : retold.trials()) retold.print(*trial);
    return;
  }
  std::vector<SuspectId> order = retold.searched();
  std::stable_sort(order.begin(), order.end(), [&](SuspectId a, SuspectId b) { return answer.guilt[a] > answer.guilt[b]; });
  fmt::print("likeliest so far:\n");
  for (std::size_t i = 0; i < std::min(kNamed, order.size()); ++i)
    fmt::print("  {:5.1f} %  {}\n", 100 * answer.guilt[order[i]], retold.catalogue().label(order[i]));
}

/// The trials in which the suspect took part and the subject passed, the most telling (fewest neutralised) first.
void explain_acquittal(const Retold& retold, SuspectId id) {
  std::vector<const PastTrial*> passed;
  for (const PastTrial* trial : retold.trials())
    if (trial->judgement->verdict == Verdict::pass && !trial->neutralised.test(id)) passed.push_back(trial);
  std::stable_sort(passed.begin(), passed.end(),
                   [](const PastTrial* a, const PastTrial* b) { return a->neutralised.count() < b->neutralised.count(); });
  const std::string name = retold.catalogue().label(id);
  const double guilt = retold.answer().guilt.empty() ? 0.0 : retold.answer().guilt[id];
  if (passed.empty()) {
    fmt::print("{} is not cleared: no trial passed while it was active.", name);
    if (guilt > 0) fmt::print(" It is guilty with a probability of {:.1f} %.", 100 * guilt);
    fmt::print("\n");
    return;
  }
  const bool proved = retold.answer().state == strategies::State::proved;
  fmt::print("{} {}: it was active and the subject passed in\n", name, proved ? "is cleared" : "does no harm by itself");
  for (std::size_t i = 0; i < std::min(kShown, passed.size()); ++i) retold.print(*passed[i]);
  if (!proved) fmt::print("Together with others it is guilty with a probability of {:.1f} %.\n", 100 * guilt);
}

void explain_one(const Retold& retold, SuspectId id) {
  const strategies::Answer& answer = retold.answer();
  const auto holds = [&](const std::vector<SuspectId>& ids) { return std::ranges::count(ids, id) > 0; };
  const std::string name = retold.catalogue().label(id);
  if (holds(answer.not_neutralisable)) {
    fmt::print("{} cannot be neutralised: runs without it give no verdict. It stayed active and may hide a cause.\n", name);
    for (const PastTrial* trial : retold.trials())
      if (trial->judgement->verdict == Verdict::unresolved && trial->neutralised.test(id)) retold.print(*trial);
    return;
  }
  if (holds(answer.excluded)) {
    fmt::print("{} stayed active in every trial that the answer rests on, and may hide a cause.\n", name);
    return;
  }
  const auto cause = std::ranges::find_if(answer.causes, holds);
  if (answer.state != strategies::State::proved || (cause == answer.causes.end() && !holds(answer.culprit_set)))
    return explain_acquittal(retold, id);
  if (holds(answer.culprit_set)) {
    const bool alone = cause != answer.causes.end() && cause->size() == 1;
    fmt::print("{} is guilty{}\n", name, alone ? ", by itself" : "");
  } else if (cause->size() == 1) {
    fmt::print("{} is guilty, by itself; the culprit set neutralises others instead\n", name);
  } else {
    fmt::print("{} is guilty only together with others, of which the culprit set neutralises another one\n", name);
  }
  for (const auto& each : answer.causes)
    if (holds(each) && each.size() > 1) fmt::print("{} fail only together\n", retold.labels(each, " and "));
  if (cause != answer.causes.end()) retold.print_signature(*cause);
  for (const Claim& claim : answer.certificate)
    if (holds(claim.subject) || claim.kind == Claim::Kind::fix_passes) retold.print_claim(claim);
}

SuspectId find_suspect(const neutralise::Catalogue& catalogue, const std::string& word) {
  std::vector<std::string> names;
  std::vector<SuspectId> found;
  for (SuspectId id = 0; id < catalogue.size(); ++id) {
    const std::string whole = catalogue[id].family + ":" + catalogue[id].name;
    names.push_back(word.find(':') == std::string::npos ? catalogue[id].name : whole);
    if (word == catalogue[id].name || word == whole) found.push_back(id);
  }
  if (found.size() == 1) return found.front();
  if (!found.empty())
    throw UsageError(fmt::format("{} names several suspects: write {}", word, catalogue.label(found.front())));
  const auto near = configs::nearest(word, names);
  throw UsageError(fmt::format("{} was no suspect of this run{}", word,
                               near ? fmt::format("; did you mean {}?", *near)
                                    : ": it was excluded, neutralised already, or not seen on the device"));
}

ExitCode explain(const ExplainOptions& options) {
  SeenRun run = see_run(options.folder);
  if (run.history.by_hand)
    throw UsageError(fmt::format("{} holds what was tried by hand: no search is there to be explained", options.folder));
  if (!run.history.catalogue) {
    const bool aligned = run.history.finished && run.history.conclusion->outcome == reports::Outcome::aligned;
    throw UsageError(fmt::format("{} holds no search that could be explained: {}", options.folder,
                                 aligned                ? "the subject agrees with its reference"
                                 : run.history.finished ? run.history.conclusion->advice
                                                        : "it ended before its suspects were known"));
  }
  const configs::Experiment experiment = experiment_of(run, false);
  const Retold retold(experiment, run.history, false);
  if (options.suspect.empty()) {
    explain_all(retold);
    return ExitCode::success;
  }
  const SuspectId id = find_suspect(retold.catalogue(), options.suspect);
  const Retold first(experiment, std::move(run.history), true);
  if (retold.searched(id) || first.searched(id)) explain_one(retold.searched(id) ? retold : first, id);
  else fmt::print("{} is a part of another suspect, and was not searched\n", retold.catalogue().label(id));
  return ExitCode::success;
}

}  // namespace

void add_explain(CLI::App& app, Action& action) {
  const auto [command, options] =
      add_command(app, action, "explain", "say why a suspect is guilty or not, with the trials that show it", explain);
  command.add_option("DIR", options.folder, "the run directory")->required();
  command.add_option("SUSPECT", options.suspect, "one suspect; without it, the whole proof");
}

}  // namespace bisectd::driver::commands
