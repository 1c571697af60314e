#include "strategies/simulate/truth.hpp"

#include <algorithm>
#include <cmath>

#include "strategies/finding.hpp"

namespace bisectd::strategies {
namespace {

constexpr double kHealthySpread = 2e-6;  // two healthy runs, relative: the unit of signatures, whose rounding is half of it
constexpr double kClaimedDoubt = 1e-4;   // of a judge that knows nothing of the flips
constexpr double kHintedInnocents = 0.05;

// Sum of twelve uniform numbers: close enough to normal for a yardstick, and the same on every machine.
double normal(Random& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += random.unit();
  return sum;
}

bool is_active(const std::vector<SuspectId>& cause, const Active& active) {
  return std::ranges::all_of(cause, [&](SuspectId member) { return active.test(member); });
}

}  // namespace

PlantedTruth::PlantedTruth(const Problem& problem, const Plant& plant, std::uint64_t seed)
    : plant_(plant), random_(seed * 7919 + 17), salt_(random_.next()), culprits_(problem.suspects.size()) {
  draw_causes();
  std::ranges::sort(causes_);
  for (std::size_t i = 0; i < causes_.size(); ++i) {
    const double sign = plant.mixed_signs && random_.below(2) == 0 ? -1 : 1;
    effects_.push_back(sign * std::exp(0.5 * normal(random_)));
  }
}

void PlantedTruth::draw_causes() {
  for (std::size_t wanted : plant_.cause_sizes) {
    std::vector<SuspectId> cause;
    while (cause.size() < wanted && !culprits_.all()) {
      const SuspectId suspect = random_.below(culprits_.size());
      if (culprits_.test(suspect)) continue;
      culprits_.set(suspect);
      cause.push_back(suspect);
    }
    whole_ = whole_ && cause.size() == wanted;
    if (cause.empty()) continue;
    std::ranges::sort(cause);
    causes_.push_back(std::move(cause));
  }
}

void PlantedTruth::hint(std::vector<Suspect>& suspects) {
  if (plant_.hint_quality < 0) return;
  for (SuspectId i = 0; i < suspects.size(); ++i)
    if (random_.unit() < (culprits_.test(i) ? plant_.hint_quality : kHintedInnocents)) suspects[i].odds *= plant_.hint_odds;
}

bool PlantedTruth::fails(const Active& active) const { return any_within(causes_, active); }

bool PlantedTruth::is_minimal_fix(const std::vector<SuspectId>& culprit_set) const {
  Active active = as_it_is(culprits_.size());
  for (SuspectId suspect : culprit_set) active.reset(suspect);
  return !fails(active) && std::ranges::all_of(culprit_set, [&](SuspectId suspect) {
    Active more = active;
    more.set(suspect);
    return fails(more);
  });
}

Evidence PlantedTruth::run(const Neutralised& neutralised) {
  Evidence evidence{.neutralised = neutralised, .verdict = Verdict::unresolved, .delta = {}};
  if (breaks(neutralised)) return evidence;
  const Active active = active_beside(neutralised);
  evidence.signature = signature(active);
  bool bad = fails(active);
  if (plant_.effect_noise > 0) {
    const double sigma = plant_.effect_noise * smallest_effect();
    double delta = sigma * normal(random_);
    for (std::size_t i = 0; i < causes_.size(); ++i)
      if (is_active(causes_[i], active)) delta += effects_[i];
    evidence.delta = delta;
    evidence.standard_error = sigma;
    bad = std::abs(delta) > 0.5 * smallest_effect();
  }
  if (random_.unit() < plant_.flip) bad = !bad;
  evidence.verdict = bad ? Verdict::fail : Verdict::pass;
  const double doubt = plant_.flip > 0 ? kClaimedDoubt : 0.0;
  evidence.p_bad = bad ? 1 - doubt : doubt;
  return evidence;
}

double PlantedTruth::smallest_effect() const {
  double least = std::abs(effects_.front());
  for (double effect : effects_) least = std::min(least, std::abs(effect));
  return least;
}

// The same set breaks every time. The ends, the causes alone and a fix never do.
bool PlantedTruth::breaks(const Neutralised& neutralised) const {
  if (plant_.crash <= 0 || neutralised.all() || neutralised.is_subset_of(culprits_)) return false;
  const Active active = active_beside(neutralised);
  for (const std::vector<SuspectId>& cause : causes_)
    if (active.count() == cause.size() && is_active(cause, active)) return false;
  Random hash(salt_);
  for (SuspectId i : members_of(neutralised)) hash = Random(hash.next() ^ (i + 1));
  return hash.unit() < plant_.crash;
}

// As the driver would make them: differences over the healthy spread.
PlantedTruth::Steps PlantedTruth::signature(const Active& active) {
  Steps values(plant_.signature_steps, 0.0);
  if (values.empty()) return values;
  if (signatures_.empty()) draw_signatures();
  const auto add = [&](const Steps& other) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] += other[i] / kHealthySpread;
  };
  std::vector<std::size_t> on;
  for (std::size_t i = 0; i < causes_.size(); ++i)
    if (is_active(causes_[i], active)) on.push_back(i);
  for (std::size_t a = 0; a < on.size(); ++a) {
    add(signatures_[on[a]]);
    for (std::size_t b = 0; b < a; ++b) add(together_[on[a] * causes_.size() + on[b]]);
  }
  for (SuspectId suspect : members_of(active)) add(benign_[suspect]);
  add(offset_);
  for (double& value : values) value += plant_.rounding / kHealthySpread * normal(random_);
  return values;
}

void PlantedTruth::draw_signatures() {
  std::vector<double> sizes;
  for (std::size_t i = 0; i < causes_.size(); ++i) {
    sizes.push_back(log_uniform(plant_.least_size, plant_.most_size));
    signatures_.push_back(direction(sizes.back()));
  }
  together_.resize(causes_.size() * causes_.size());
  for (std::size_t a = 0; a < causes_.size(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      together_[a * causes_.size() + b] = direction(plant_.interaction * std::min(sizes[a], sizes[b]));
  for (SuspectId i = 0; i < culprits_.size(); ++i)
    benign_.push_back(direction(log_uniform(plant_.least_benign, plant_.most_benign)));
  offset_ = direction(plant_.offset);
}

double PlantedTruth::log_uniform(double least, double most) {
  return std::exp(std::log(least) + random_.unit() * (std::log(most) - std::log(least)));
}

// Its steps are independent and normal.
PlantedTruth::Steps PlantedTruth::direction(double size) {
  Steps steps;
  for (std::size_t i = 0; i < plant_.signature_steps; ++i) steps.push_back(size * normal(random_));
  return steps;
}

}  // namespace bisectd::strategies
