// Which of many sets hold a set or lie within it, without a look at each of them. For every member and sixty-four sets at a
// time it knows which of these have it; after a few members none is left, mostly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "strategies/suspect.hpp"

namespace bisectd::strategies {

/// Some of the sets of an index, by their numbers.
class Marks {
 public:
  void set(std::size_t number, bool marked);
  std::uint64_t block(std::size_t at) const { return at < blocks_.size() ? blocks_[at] : 0; }

 private:
  std::vector<std::uint64_t> blocks_;
};

class SetIndex {
 public:
  explicit SetIndex(std::size_t suspects) : suspects_(suspects) {}

  /// Its number is how many were added before.
  void add(const SuspectSet& set);
  /// Of the marked sets those that hold all of `set`; ascending numbers.
  std::vector<std::size_t> holding(const SuspectSet& set, const Marks& marked) const;
  /// Of the marked sets those of which `set` holds all; ascending numbers.
  std::vector<std::size_t> within(const SuspectSet& set, const Marks& marked) const;

 private:
  template <class Step>
  std::vector<std::size_t> left_by(const std::vector<SuspectId>& members, const Marks& marked, Step step) const;

  std::size_t suspects_, size_ = 0;
  std::vector<std::uint64_t> having_;  // of block b those that have suspect s: at b * suspects_ + s
};

}  // namespace bisectd::strategies
