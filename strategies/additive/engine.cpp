// Screens with random halves, fits, and asks for the proof once one fit stands out.
#include "strategies/additive/engine.hpp"

#include <algorithm>
#include <cmath>

#include "strategies/asking_again.hpp"
#include "strategies/certificate.hpp"
#include "strategies/fix.hpp"
#include "strategies/logarithm.hpp"
#include "strategies/random.hpp"

namespace bisectd::strategies::additive {
namespace {

// Halved and doubled: docs/search.md, "How much the other constants matter".
constexpr std::size_t kMostCulprits = 16;
constexpr double kLeastError = 1e-3;           // of the largest difference: effects never add to the last bit
constexpr double kNats = 0.69314718055994531;  // in a bit
// Between the noises that are tried. Twelve games where effects add up less exactly than runs round (additive_test.cpp) take
// 169 trials with 4 and with 2, 173 with 16, and 549 with the least noise alone.
constexpr double kNoiseStep = 4;
constexpr double kSurplusNats = 6;
constexpr double kStandsOut = 2;         // an effect, in noise of one trial
constexpr double kSurplusBits = 10;      // by which the spare trials must pay for the choice of a set
constexpr double kPatienceWithFits = 8;  // times as many rows that fit without a clear best: one search took 911 and went on
constexpr std::size_t kPatience = 24;    // trials beyond what a set of the most culprits could need
constexpr int kCandidates = 12;          // random halves, of which the one that tells the fits apart most is run

double log2_choose(std::size_t n, std::size_t k) {
  double bits = 0;
  for (std::size_t i = 0; i < k; ++i) bits += portable_log2(static_cast<double>(n - i) / static_cast<double>(i + 1));
  return bits;
}

}  // namespace

Engine::Engine(const Problem& problem, const Relations& relations, Active always_active, const EvidenceLog& log)
    : problem_(problem),
      relations_(relations),
      searched_(relations, std::move(always_active)),
      log_(log),
      sums_(searched_.size()) {
  hear();
}

void Engine::hear() {
  if (misfit_) return;
  const std::size_t before = rows_.size();
  take_rows();
  if (rows_.size() > before) {
    explain();
    const double patience = 3 * portable_log2(static_cast<double>(searched_.size() + 1)) + kPatience;
    // Where noise explains every row, rows tell nothing.
    const bool any = std::ranges::any_of(fits_, [](const auto& fit) { return !fit.support.empty(); });
    misfit_ = static_cast<double>(rows_.size()) > (any ? kPatienceWithFits * patience : patience);
  }
  review();
  // Of few suspects every set may have been measured.
  misfit_ = misfit_ || (!finding_.proved && ask(1, {}).empty());
}

void Engine::take_rows() {
  for (; heard_ < log_.told().size(); ++heard_) {
    const Told& told = log_.told()[heard_];
    if (!told.measured() || !searched_.is_comparable(told.active)) continue;
    rows_.push_back({searched_.places(told.active), *told.evidence.delta, told.evidence.standard_error});
  }
}

// All rows are of the same devices, which round as the row says that the judge is surest of: what a fault does to the first
// steps looks to the judge like coarser rounding. But effects may add up less exactly than runs round, and the least noise
// under which few suspects explain everything is taken.
void Engine::explain() {
  double largest = 0, least_error = HUGE_VAL, largest_error = 0;
  for (const Row& row : rows_) {
    largest = std::max(largest, std::abs(row.difference));
    if (!row.error) continue;
    least_error = std::min(least_error, *row.error);
    largest_error = std::max(largest_error, *row.error);
  }
  const double floor = std::max(kLeastError * largest, 1e-12);
  const bool same_rounding = log_.exact() && least_error < largest_error;
  double most = same_rounding ? std::max(least_error, floor) : largest_error;
  for (;; most *= kNoiseStep) {
    sums_ = Regression(searched_.size());
    // A run that was ended early has no error: it is not exact for that.
    for (const Row& row : rows_)
      sums_.add(row.active, row.difference, std::max(std::min(row.error.value_or(largest_error), most), floor));
    fits_ = sums_.explain(std::min(kMostCulprits, sums_.size() / 2));
    if (most >= largest_error || clear_best()) return;
  }
}

// The best fit is worth proving when it leads its rivals clearly, each effect stands out of the noise, and the trials
// beyond one per effect carry more bits than it takes to name the set (minimum description length).
bool Engine::clear_best() const {
  if (fits_.empty()) return false;
  const Regression::Fit& best = fits_.front();
  // a rival is one of about n; a difference of chi2 is twice a log likelihood ratio
  const double need = 2 * kNats * portable_log2(static_cast<double>(searched_.size())) + kSurplusNats;
  if (fits_.size() > 1 && fits_[1].chi2 - best.chi2 < need) return false;
  const std::size_t k = best.support.size();
  if (k == 0 || sums_.size() < k + 3) return false;
  double smallest = std::abs(best.effect.front());
  for (double effect : best.effect) smallest = std::min(smallest, std::abs(effect));
  const double noise = sums_.typical_error();
  if (smallest < kStandsOut * noise) return false;
  const double spare = static_cast<double>(sums_.size() - k - 1);
  return spare * portable_log2(smallest / noise) > log2_choose(searched_.size(), k) + kSurplusBits;
}

void Engine::review() {
  checks_.clear();
  finding_ = {};
  if (!clear_best()) return;
  SuspectSet guilty(problem_.suspects.size());
  for (std::size_t place : fits_.front().support) guilty.set(searched_.id(place));
  for (const SuspectId suspect : members_of(guilty)) {
    // Where what it needs is guilty as well, it is not a cause by itself.
    const std::vector<SuspectId> whole = relations_.with_needs(std::span(&suspect, 1));
    if (std::count_if(whole.begin(), whole.end(), [&](SuspectId s) { return guilty.test(s); }) == 1)
      finding_.causes.push_back({suspect});
  }
  finding_.culprit_set = cheapest_fix(finding_.causes, problem_.suspects, relations_, searched_.always_active());
  finding_.mass = 0.5;
  finding_.proved = true;
  for (const Claim& claim :
       certificate(log_, relations_, searched_.always_active(), finding_.culprit_set, finding_.causes)) {
    if (claim.proved) continue;
    finding_.proved = false;
    if (claim.kind == Claim::Kind::member_needed && !claim.own_trial) continue;  // each member failing alone shows it
    checks_.push_back(active_beside(claim.neutralised));
    const LogEntry* entry = log_.find(checks_.back());
    const bool refuted = entry && entry->verdict == (claim.expected == Verdict::pass ? Verdict::fail : Verdict::pass);
    const bool open = entry && !decided(entry->verdict);
    misfit_ = misfit_ || refuted || (open && !worth_asking(log_, entry));
  }
}

std::vector<Question> Engine::ask(std::size_t count, std::span<const Active> pending) const {
  std::vector<Question> questions;
  if (misfit_ || finding_.proved) return questions;
  const auto known = [&](const Active& set) {
    return std::find(pending.begin(), pending.end(), set) != pending.end() ||
           std::ranges::count(questions, set, &Question::active) > 0;
  };
  for (const Active& check : checks_)
    if (questions.size() < count && !known(check)) {
      const LogEntry* entry = log_.find(check);
      if (!entry || !log_.exact() || entry->judged() == 0)
        questions.push_back({check, Purpose::certificate, "checks a claim of the likeliest answer"});
    }
  Random random(problem_.seed + 17 * sums_.size() + 1009 * pending.size());
  while (questions.size() < count && checks_.empty()) {
    Active best;
    double most = -1;
    for (int candidate = 0; candidate < kCandidates; ++candidate) {
      Active active = searched_.always_active();
      for (SuspectId suspect : searched_.ids())
        if (random.below(2)) active.set(suspect);
      active = relations_.effective(std::move(active));
      if (known(active) || log_.find(active)) continue;
      double sum = 0, squares = 0;
      for (const Regression::Fit& fit : fits_) {
        double predicted = fit.offset;
        for (std::size_t i = 0; i < fit.support.size(); ++i)
          if (active.test(searched_.id(fit.support[i]))) predicted += fit.effect[i];
        sum += predicted;
        squares += predicted * predicted;
      }
      const double spread = fits_.empty() ? 0 : squares - sum * sum / static_cast<double>(fits_.size());
      if (spread > most) most = spread, best = active;
      if (fits_.size() < 2) break;
    }
    if (most < 0) break;
    questions.push_back({std::move(best), Purpose::measurement, "measures a random half of the suspects"});
  }
  return questions;
}

std::vector<double> Engine::guilt() const {
  std::vector<double> guilt(problem_.suspects.size(), 0.0);
  for (SuspectId suspect : finding_.culprit_set) guilt[suspect] = finding_.proved ? 1.0 : finding_.mass;
  return guilt;
}

}  // namespace bisectd::strategies::additive
