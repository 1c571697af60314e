#include "configs/formats.hpp"

#include <algorithm>

namespace bisectd::configs {

namespace {

// iteration       10/     100 | ... | lm loss: 1.046E+01 | loss scale: 1.0 | grad norm: 3.1 |
MetricFormat megatron(std::string_view name) {
  return {.name = name,
          .marker = "iteration",
          .loss_key = "lm loss",
          .step_keys = {"iteration"},
          .watched = {{"loss_scale", "loss scale"}, {"grad_norm", "grad norm"}, {"learning_rate", "learning rate"}},
          .smoothing = "Megatron prints the mean of the last log-interval steps",
          .smooths_since_last_line = true};
}

}  // namespace

std::span<const MetricFormat> metric_formats() {
  static const std::vector<MetricFormat> table{
      // epoch: [1/1200], global_step: 640, lr: 0.000160, acc: 0.0, CTCLoss: 16.4, loss: 26.935681, avg_reader_cost: ...
      {.name = "paddleocr",
       .marker = "epoch: [",
       .step_keys = {"global_step", "iter"},  // "iter" up to release 2.4
       .watched = {{"learning_rate", "lr"}},
       .smoothing = "PaddleOCR prints the median of the last Global.log_smooth_window steps",
       .smoothing_setting = "log_smooth_window"},
      // cur metric, acc: 0.5, norm_edit_dis: 0.7, fps: 1200.0
      {.name = "paddleocr-eval", .marker = "cur metric", .step_keys = {"global_step", "iter"}, .takes_last_step = true},
      // [TRAIN] epoch: 1, iter: 20/500, loss: 2.0859, lr: 0.009657, batch_cost: 0.5344, ...
      {.name = "paddleseg",
       .marker = "[TRAIN]",
       .step_keys = {"iter"},
       .watched = {{"learning_rate", "lr"}},
       .smoothing = "PaddleSeg prints the mean of the last log_iters steps",
       .smooths_since_last_line = true},
      // [EVAL] #Images: 500, mIoU: 0.7812, Acc: 0.9612, Kappa: 0.9513, Dice: 0.8723
      {.name = "paddleseg-eval", .marker = "[EVAL]", .step_keys = {"iter"}, .takes_last_step = true},
      // Epoch: [0] [2087/7312] learning_rate: 0.000029 loss: 4.504654 loss_cls: 1.374781 ... batch_cost: 0.1664
      {.name = "paddledetection",
       .marker = "Epoch: [",
       .step_keys = {""},
       .epoch_key = "Epoch",
       .watched = {{"learning_rate", "learning_rate"}},
       .smoothing = "PaddleDetection prints the median of the last log_iter steps",
       .smooths_since_last_line = true},
      // [Train][Epoch 24/120][Iter: 10/304]lr(PiecewiseDecay): 0.001, top1: 0.97159, CELoss: 0.05098, loss: 0.05098
      {.name = "paddleclas",
       .marker = "[Train]",
       .step_keys = {"Iter"},
       .epoch_key = "Epoch",
       .first_epoch = 1,
       .smoothing = "PaddleClas prints the running mean of the epoch"},
      // loss: 3.25806541, learning_rate: 2.999e-05, global_step: 10, interval_runtime: 2.2591, ...
      {.name = "paddlenlp",
       .marker = "global_step",
       .step_keys = {"global_step"},
       .watched = {{"loss_scale", "loss_scale"}, {"grad_norm", "global_norm"}, {"learning_rate", "learning_rate"}},
       .smoothing = "PaddleNLP prints the mean of the last logging_steps steps",
       .smooths_since_last_line = true},
      megatron("megatron"),
      megatron("mindspeed"),  // MindSpeed-LLM trains with Megatron's loop
      // { Epoch:[  1/  2], step:[    2/  100], loss: 10.6, per_step_time: 2ms, ..., loss_scale: 1.0, global_norm: 3.1 }
      {.name = "mindformers",
       .marker = "Epoch:[",
       .step_keys = {"step"},
       .epoch_key = "Epoch",
       .first_epoch = 1,
       .watched = {{"loss_scale", "loss_scale"}, {"grad_norm", "global_norm"}, {"learning_rate", "lr"}}},
      // {'loss': 0.5123, 'grad_norm': 1.27, 'learning_rate': 5e-05, 'epoch': 0.02}
      {.name = "huggingface",
       .marker = "'epoch'",
       .watched = {{"grad_norm", "grad_norm"}, {"learning_rate", "learning_rate"}},
       .smoothing = "the Hugging Face Trainer prints the mean of the last logging_steps steps",
       .smooths_since_last_line = true},
      {.name = "jsonl", .kind = FormatKind::json_lines},
      {.name = "csv", .kind = FormatKind::csv},
      {.name = "tfevents", .kind = FormatKind::tensorboard},
      {.name = "vdlrecords", .kind = FormatKind::visualdl},
  };
  return table;
}

const MetricFormat* find_format(std::string_view name) {
  const auto found = std::ranges::find(metric_formats(), name, &MetricFormat::name);
  return found == metric_formats().end() ? nullptr : &*found;
}

}  // namespace bisectd::configs
