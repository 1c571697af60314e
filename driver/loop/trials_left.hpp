// What people are shown of the trials to come. The search's own forecast goes up and down with what it believes; what is
// shown shrinks with every trial, or says why it grew.
#pragma once

#include <string>
#include <vector>

#include "driver/trial/past_trial.hpp"
#include "strategies/answer.hpp"

namespace bisectd::driver {

class TrialsLeft {
 public:
  /// The search begins, or begins anew after so many judged trials: nothing was shown of it.
  void begin(const strategies::Answer& answer, std::size_t judged);
  /// `told`, judged trials, made `before` into `now`, after so many judged trials. As long as what is expected now lies
  /// within the range that was shown, that one goes on.
  void revise(const strategies::Answer& before, const strategies::Answer& now, std::size_t judged,
              const std::vector<const PastTrial*>& told);
  /// Puts the range to be shown after so many judged trials, some of which the search was not told yet, into the answer.
  void count_down(strategies::Answer& answer, std::size_t judged) const;
  /// "trial 7 gave no verdict"; empty unless the last revision made the range grow. Said until the next one: trials that end
  /// together are shown together.
  const std::string& why_more() const { return why_more_; }

 private:
  double low_ = 0, middle_ = 0, high_ = 0;  // of the trials at the end, those judged so far among them; 0: not known
  std::string why_more_;
};

}  // namespace bisectd::driver
