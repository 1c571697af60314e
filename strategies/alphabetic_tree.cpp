// Garsia and Wachs, "A new algorithm for minimum total cost binary trees" (SIAM J. Comput. 6, 1977), as in Knuth, TAOCP
// 6.2.2: neighbours that are the lightest around are joined, and the pair moves left past all that is lighter. The tree
// so built mixes the order up, but its leaves have the depths of an optimal tree that keeps it.
#include "strategies/alphabetic_tree.hpp"

#include <cstdint>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace bisectd::strategies {
namespace {

using Weight = std::uint64_t;

struct Node {
  Weight weight;
  std::size_t id;  // leaves first, then the pairs as they are made; the last one is the root
};

class JoinedPairs {
 public:
  explicit JoinedPairs(std::span<const Weight> weight) : next_(weight.size()), parent_(2 * weight.size() - 1) {
    for (std::size_t leaf = 0; leaf < weight.size(); ++leaf) {
      while (line_[line_.size() - 2].weight <= weight[leaf]) join(line_.size() - 1);
      line_.push_back({weight[leaf], leaf});
    }
    while (line_.size() > kWalls + 1) join(line_.size() - 1);
  }

  std::vector<std::size_t> depths() const {
    std::vector<std::size_t> depth(parent_.size(), 0);
    for (std::size_t node = depth.size() - 1; node-- > 0;) depth[node] = depth[parent_[node]] + 1;
    return depth;
  }

 private:
  // Those at `right` - 1 and `right`. Everywhere else in the line a node weighs more than the second one after it, and
  // does so when this returns.
  void join(std::size_t right) {
    const Node pair{line_[right - 1].weight + line_[right].weight, next_++};
    parent_[line_[right - 1].id] = parent_[line_[right].id] = pair.id;
    line_.erase(line_.begin() + static_cast<std::ptrdiff_t>(right));
    std::size_t at = right - 1;
    for (; line_[at - 1].weight < pair.weight; --at) line_[at] = line_[at - 1];
    line_[at] = pair;
    const std::size_t behind = line_.size() - at;
    while (line_[line_.size() - behind - 2].weight <= pair.weight) join(line_.size() - behind - 1);
  }

  static constexpr std::size_t kWalls = 2;  // too heavy to be joined or moved past
  std::vector<Node> line_{kWalls, {std::numeric_limits<Weight>::max(), 0}};
  std::size_t next_;
  std::vector<std::size_t> parent_;
};

// In units of 2^-40 of their sum: with sums that are rounded, weights that nearly tie give depths that no tree has.
std::vector<Weight> whole_numbers(std::span<const double> weight) {
  const double sum = std::accumulate(weight.begin(), weight.end(), 0.0);
  const double unit = sum > 0 ? sum * 0x1p-40 : 1.0;
  std::vector<Weight> whole;
  whole.reserve(weight.size());
  for (double w : weight) whole.push_back(static_cast<Weight>(std::llround(w / unit)));
  return whole;
}

}  // namespace

// Read from left to right, two neighbours of one depth are the halves of a tree one step higher.
std::size_t optimal_split(std::span<const double> weight) {
  const std::vector<std::size_t> depths = JoinedPairs(whole_numbers(weight)).depths();
  std::vector<std::size_t> open;  // depths of the subtrees that wait for their right half
  std::size_t leaf = 0;
  do {
    std::size_t depth = depths[leaf++];
    while (!open.empty() && open.back() == depth) {
      open.pop_back();
      --depth;
    }
    open.push_back(depth);
  } while (open.size() != 1 || open.front() != 1);
  return leaf;
}

}  // namespace bisectd::strategies
