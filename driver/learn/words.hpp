// What the name of a number in a log says: whether it is a loss, a step, an epoch, or the number of a process. Knows
// words only, no trainer and no numbers.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bisectd::driver::learn {

/// In lower case and English: "CTCLoss" is {"ctc", "loss"}, "train_loss" {"train", "loss"}, "损失" {"loss"}.
using Words = std::vector<std::string>;
Words words_of(std::string_view key);

/// How much a name is that of the training's loss. Less is better.
struct LossRank {
  enum Kind { named, mean, part, side, other_word, nothing };
  Kind kind = nothing;
  int preference = 0;  ///< among those of a kind

  auto operator<=>(const LossRank&) const = default;
};
/// Absent: no loss by its name ("loss_scale", "grad_norm").
std::optional<LossRank> loss_rank(std::string_view key);

/// How much the name of a whole number is that of a step. Less is better.
enum class StepRank { step = 0, bar = 1, counted = 2, batch = 3, nameless = 5, other = 6, epoch = 7 };
/// `counted`: it stands as one of a number of them, as in 5/1000. `in_bar`: in a progress bar. Absent: surely no step
/// ("seconds", "rank").
std::optional<StepRank> step_rank(std::string_view key, bool counted, bool in_bar);

bool says_validation(const Words& words);
bool says_training(const Words& words);
bool says_step_batch_or_epoch(const Words& words);  ///< the last word
bool only_training_or_validation(const Words& words);
bool only_epoch_or_training(const Words& words);
bool only_process(const Words& words);  ///< "rank", "local_rank", "npu id"

/// Words of `a` and `b` are the same at the end: "actor/pg_loss" is what "pg_loss" asks for.
bool ends_with_words(const Words& words, const Words& end);

}  // namespace bisectd::driver::learn
