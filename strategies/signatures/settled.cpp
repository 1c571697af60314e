#include "strategies/signatures/settled.hpp"

#include <algorithm>

namespace bisectd::strategies::signatures {
namespace {

bool is_among(const std::vector<Settled::Members>& causes, const Settled::Members& cause) {
  return std::ranges::count(causes, cause) > 0;
}

}  // namespace

void Settled::keep_neutralised(const Accused& guilty, std::size_t told) {
  guilty_ = guilty.causes;
  told_at_off_ = told;
  off_.reset();
  for (SuspectId member : guilty.culprit_set) off_.set(member);
}

void Settled::acquit(const Members& cause) {
  harmless_.push_back(cause);
  std::erase(guilty_, cause);
}

void Settled::set_aside(SuspectId needless, const Accused& finding) {
  for (const Members& cause : finding.causes)
    if (std::ranges::count(cause, needless) > 0 && !is_among(only_beside_others_, cause)) {
      only_beside_others_.push_back(cause);
      std::erase(guilty_, cause);
    }
}

void Settled::note_failure(const Members& cause) {
  if (!is_among(failed_alone_, cause) && !is_among(only_beside_others_, cause)) failed_alone_.push_back(cause);
}

void Settled::set_aside(const Members& cause) {
  only_beside_others_.push_back(cause);
  std::erase(failed_alone_, cause);
}

void Settled::note_fix(const Members& fix) {
  if (fix_.empty() || fix.size() < fix_.size()) fix_ = fix;
}

bool Settled::clears(const Members& cause) const {
  const bool mended_without_it = !fix_.empty() && std::ranges::none_of(cause, [&](SuspectId member) {
    return std::ranges::binary_search(fix_, member);
  });
  return is_among(harmless_, cause) || is_among(only_beside_others_, cause) || mended_without_it;
}

}  // namespace bisectd::strategies::signatures
