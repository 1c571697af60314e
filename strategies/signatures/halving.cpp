// See halving.hpp. Sets are drawn at random and improved by moving one suspect at a time.
#include "strategies/signatures/halving.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "strategies/logarithm.hpp"

namespace bisectd::strategies::signatures {
namespace {

constexpr std::array kDensities{0.5, 0.5, 0.6, 0.7, 0.8};  // a pair is split in half where 0.7 of all are active
constexpr std::size_t kDraws = 10, kFewDraws = 2;
constexpr std::size_t kLargeBatch = 16;  // of which each set need not be the best: docs/search_figures.md
constexpr std::size_t kMoved = 400;      // suspects that are tried on the other side, heaviest first
constexpr int kSweeps = 2;

double entropy(double share) {
  return share <= 0 || share >= 1 ? 0 : -share * portable_log2(share) - (1 - share) * portable_log2(1 - share);
}

/// Hypotheses of one cause that no set so far tells apart.
struct Cell {
  double mass = 0, inside = 0;  // inside: of those whose members are all in the set
  double bits = 0;              // that the set tells of them
  std::size_t size = 0;

  void fill(double weight) {
    inside = weight;
    bits = mass > 0 ? mass * entropy(inside / mass) : 0;
  }
};

class Split {
 public:
  Split(const std::vector<Cause>& causes, const SuspectSet& quiet) : of_(quiet.size()) {
    std::vector<double> weight(quiet.size());
    for (const Cause& cause : causes) {
      cells_.emplace_back();
      for (const Hypothesis& hypothesis : cause.hypotheses) {
        for (SuspectId member : hypothesis.members) weight[member] += hypothesis.weight;
        put(hypotheses_.emplace_back(&hypothesis, cells_.size() - 1));
      }
    }
    for (SuspectId suspect = 0; suspect < quiet.size(); ++suspect)
      if (weight[suspect] > 0 && !quiet.test(suspect)) heavy_.push_back(suspect);
    std::ranges::stable_sort(heavy_, std::ranges::greater{}, [&](SuspectId s) { return weight[s]; });
    if (heavy_.size() > kMoved) heavy_.resize(kMoved);
    index();
  }

  /// This set will be run: what it tells apart is known.
  void take(const SuspectSet& set) {
    if (hypotheses_.empty()) return;
    std::vector<std::array<std::optional<std::size_t>, 2>> parts(cells_.size());  // of each cell, outside and inside
    cells_.clear();
    for (Placed& placed : hypotheses_) {
      std::optional<std::size_t>& part = parts[placed.cell][outside(*placed.hypothesis, set) == 0];
      if (!part) {
        part = cells_.size();
        cells_.emplace_back();
      }
      placed.cell = *part;
      put(placed);
    }
    std::erase_if(hypotheses_, [&](const Placed& placed) { return cells_[placed.cell].size == 1; });
    std::ranges::stable_sort(hypotheses_, {}, &Placed::cell);
    index();
  }

  /// In bits.
  double improve(SuspectSet& set) {
    for (Cell& cell : cells_) cell.inside = 0;
    for (Placed& placed : hypotheses_) {
      placed.outside = outside(*placed.hypothesis, set);
      if (placed.outside == 0) cells_[placed.cell].inside += placed.hypothesis->weight;
    }
    for (Cell& cell : cells_) cell.fill(cell.inside);
    for (int sweep = 0; sweep < kSweeps; ++sweep)
      for (SuspectId suspect : heavy_) move_if_better(set, suspect);
    double bits = 0;
    for (const Cell& cell : cells_) bits += cell.bits;
    return bits;
  }

 private:
  struct Placed {
    const Hypothesis* hypothesis;
    std::size_t cell;
    std::size_t outside = 0;  // members that are not in the set
  };

  static std::size_t outside(const Hypothesis& hypothesis, const SuspectSet& set) {
    return static_cast<std::size_t>(
        std::ranges::count_if(hypothesis.members, [&](SuspectId member) { return !set.test(member); }));
  }

  void put(const Placed& placed) {
    cells_[placed.cell].mass += placed.hypothesis->weight;
    ++cells_[placed.cell].size;
  }

  void index() {
    for (std::vector<std::size_t>& of : of_) of.clear();
    for (std::size_t i = 0; i < hypotheses_.size(); ++i)
      for (SuspectId member : hypotheses_[i].hypothesis->members) of_[member].push_back(i);
  }

  // To the other side, unless that tells less.
  void move_if_better(SuspectSet& set, SuspectId suspect) {
    const std::vector<std::size_t>& of = of_[suspect];
    const bool in = set.test(suspect);
    double gain = 0;
    before_.clear();
    for (auto each = of.begin(); each != of.end();) {
      const std::size_t at = hypotheses_[*each].cell;
      double moved = 0;
      for (; each != of.end() && hypotheses_[*each].cell == at; ++each)
        if (hypotheses_[*each].outside == (in ? 0 : 1)) moved += hypotheses_[*each].hypothesis->weight;
      if (moved == 0) continue;  // other members are outside, too
      Cell& cell = cells_[at];
      before_.emplace_back(at, cell);
      cell.fill(cell.inside + (in ? -moved : moved));
      gain += cell.bits - before_.back().second.bits;
    }
    if (gain < 0) {
      for (const auto& [at, cell] : before_) cells_[at] = cell;
      return;
    }
    set.set(suspect, !in);
    for (std::size_t i : of) hypotheses_[i].outside += in ? 1 : -1;
  }

  std::vector<Cell> cells_;
  std::vector<Placed> hypotheses_;                    // by cell: those that share their cell with others
  std::vector<std::vector<std::size_t>> of_;          // by suspect: hypotheses that it is in
  std::vector<SuspectId> heavy_;                      // heaviest first
  std::vector<std::pair<std::size_t, Cell>> before_;  // of a move
};

}  // namespace

void split(const std::vector<Cause>& causes, const SuspectSet& quiet, std::size_t count, std::span<const SuspectSet> known,
           std::vector<SuspectSet>& batch, Random& random) {
  constexpr int kTries = 4;  // in vain, before it gives up
  const std::size_t suspects = quiet.size();
  const std::size_t draws = count < kLargeBatch ? kDraws : kFewDraws;
  Split problem(causes, quiet);
  for (const SuspectSet& set : batch) problem.take(set);
  for (int vain = 0; batch.size() < count && vain < kTries;) {
    SuspectSet best;
    double most = -1;
    for (std::size_t draw = 0; draw < draws; ++draw) {
      const double density = kDensities[(draws == kDraws ? draw : batch.size() + draw) % kDensities.size()];
      SuspectSet set(suspects);
      for (SuspectId suspect = 0; suspect < suspects; ++suspect)
        if (random.unit() < density) set.set(suspect);
      set -= quiet;
      const double bits = problem.improve(set);
      const bool asked = std::ranges::count(known, set) + std::ranges::count(batch, set) > 0;
      if (!asked && bits > most) most = bits, best = std::move(set);
    }
    if (most < 0) {
      ++vain;
      continue;
    }
    problem.take(best);
    batch.push_back(std::move(best));
  }
}

}  // namespace bisectd::strategies::signatures
