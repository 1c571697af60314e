// Whether each of some steps in a row stands in two kinds of lines ("[generator] step 5 loss 1.2", then "[discriminator]
// step 5 loss 0.3"): only the last value of a step would be compared. Ranks that write one line each are of one kind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bisectd::driver::read {

/// The words of a text, without digits: they tell kinds of lines apart.
std::string words_of(std::string_view text);

class StepsInTwoKinds {
 public:
  /// Takes in the next value. `words`: of its line. A problem once, at the third such step.
  std::optional<std::string> look(std::string words, double value, std::int64_t step);

 private:
  std::optional<std::int64_t> last_step_;
  std::string last_words_;
  double last_value_ = 0;
  std::size_t in_a_row_ = 0;
  bool this_step_counted_ = false;
};

}  // namespace bisectd::driver::read
