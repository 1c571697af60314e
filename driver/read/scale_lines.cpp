#include "driver/read/scale_lines.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "driver/read/fields.hpp"

namespace bisectd::driver::read {
namespace {

/// Words with which a framework tells its loss scale when it changes it; the number stands behind them. Any trainer's log
/// may have such lines, whatever the format of the loss.
struct ScaleWords {
  std::string_view words;
  /// Stands between the words and the number, which is then the first one behind it on the line; empty: nothing does.
  std::string_view then;
};
constexpr std::array<ScaleWords, 6> kScaleWords{{
    // Found inf or nan, current scale is: 65536.0, decrease to: 65536.0*0.5
    // PaddlePaddle python/paddle/amp/grad_scaler.py, AmpScaler._update
    {.words = "Found inf or nan, current scale is:"},
    // optimizer not run, scale_before: 65536.0, scale_after: 32768.0
    // PaddleNLP paddlenlp/trainer/trainer.py
    {.words = "optimizer not run, scale_before:", .then = "scale_after:"},
    // Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to 32768.0
    // NVIDIA/apex apex/amp/handle.py; without a number of the scaler: apex/fp16_utils and what was made of it
    // Loss scaler reducing loss scale to 32768.0
    // Loss scaler increasing loss scale to 131072.0
    // Ascend/pytorch torch_npu/npu/amp/grad_scaler.py, GradScaler._npu_update_scale
    // gradient overflow detected, ignoring gradient, setting loss scale to: 64.0
    // facebookresearch/fairseq fairseq/trainer.py
    {.words = "loss scale to"},
    // overflow, still update, loss scale adjust to 1024.0
    // mindspore-lab/mindyolo mindyolo/utils/trainer_factory.py
    {.words = "loss scale adjust to"},
    // [deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: 65536, reducing to 32768
    // [deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: 65536, but hysteresis is 2. Reducing hysteresis to
    // 1
    // deepspeedai/DeepSpeed deepspeed/runtime/fp16/loss_scaler.py, fused_optimizer.py
    {.words = "Attempted loss scale:", .then = "reducing to"},
    {.words = "Attempted loss scale:"},
}};

/// What follows the first place of `words`.
std::optional<std::string_view> behind(std::string_view text, std::string_view words) {
  const std::size_t at = text.find(words);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + words.size());
  text.remove_prefix(std::min(text.find_first_not_of(" :"), text.size()));
  return text;
}

}  // namespace

std::optional<double> told_scale(const Line& line) {
  for (const ScaleWords& scale : kScaleWords) {
    auto rest = behind(line.text, scale.words);
    if (rest && !scale.then.empty()) rest = behind(*rest, scale.then);
    if (!rest || line.cut_short(first_word(*rest))) continue;
    if (const auto value = leading_number(*rest); value && std::isfinite(*value) && *value > 0) return value;
  }
  return std::nullopt;
}

Needed needed_for_scale() {
  Needed needed;
  for (const ScaleWords& scale : kScaleWords) needed.literals.push_back({.text = std::string(scale.words)});
  return needed;
}

}  // namespace bisectd::driver::read
