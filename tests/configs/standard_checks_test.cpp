// `checks: standard`: which checks an experiment gets, and what their patterns find in lines of real logs.
#include <re2/re2.h>

#include <algorithm>

#include "configs/meaning.hpp"
#include "tests/catch.hpp"
#include "tests/configs/folder.hpp"

namespace bisectd::configs {
namespace {

Experiment with_checks(const std::string& checks, const std::string& preset = "paddle-npu") {
  const Folder folder;
  return load_experiment(folder.write(
      "e.yaml", with_line(with_line(kGoodPaddle, 3, "extends: " + preset + "\nchecks: " + checks), 12, "  ops: [relu]")));
}

/// What the first pattern of a check that finds anything finds first in a log.
std::string found(const std::string& name, const std::vector<std::string>& log) {
  const Experiment experiment = with_checks("standard");
  const auto check = std::ranges::find(experiment.checks, name, &Check::name);
  REQUIRE(check != experiment.checks.end());
  for (const auto& pattern : check->patterns) {
    const RE2 regex(pattern.value);
    std::string value;
    bool open = !check->after;
    for (const std::string& line : log) {
      if (open && value.empty() && RE2::PartialMatch(line, regex, &value)) break;
      open = open || RE2::PartialMatch(line, check->after->value);
    }
    if (!value.empty()) return value;
  }
  return "";
}

void check(const std::vector<std::string>& log, const std::vector<std::pair<const char*, const char*>>& settings) {
  for (const auto& [name, value] : settings) {
    CAPTURE(name);
    CHECK(found(name, log) == value);
  }
}

/// Warnings about what the commands say.
std::string warned(const std::string& reference, const std::string& subject, const std::string& checks = "standard",
                   const std::string& preset = "paddle-npu") {
  const Folder folder;
  const Experiment experiment =
      load_experiment(folder.write("e.yaml", "version: 1\nname: x\nextends: " + preset + "\nchecks: " + checks + R"(
reference: {command: [)" + reference + R"(], devices: {kind: gpu, ids: [0]}}
subject: {command: [)" + subject + R"(], devices: {kind: npu, ids: [0, 1], per_trial: 2}}
metric: {loss: {format: paddleocr}}
suspects: {flags: all}
)"));
  std::string text;
  for (const auto& warning : experiment.warnings)
    if (warning.value.find("device") != std::string::npos || warning.value.find("checks.") == 0)
      text += warning.value + "\n";
  return text;
}

}  // namespace

TEST_CASE("the standard checks are a preset's, and one may be left out or replaced") {
  const auto all = with_checks("standard").checks;
  CHECK(std::ranges::all_of(all, &Check::standard));
  for (const char* preset : {"torch-npu", "torch-cuda", "tensorflow-ge", "mindspore", "generic", "cann"}) {
    CAPTURE(preset);
    const Folder folder;
    CHECK(load_experiment(folder.write("e.yaml", "version: 1\nname: x\nextends: " + std::string(preset) + R"(
checks: standard
reference: {command: [a]}
subject: {command: [b], devices: {kind: npu, ids: [0]}}
metric: {loss: {format: paddleocr}}
families: {own: {kind: list, deliver: {environment: OWN}}}
suspects: {own: [x]}
)"))
              .checks.size() == all.size());
  }
  CHECK(with_checks("{standard: true, seed: none}").checks.size() == all.size() - 1);
  CHECK(with_checks("{standard: false, data: {command: [x]}}").checks.size() == 1);
  const auto own = with_checks("{standard: true, seed: {pattern: 'SEED=(?P<value>1)'}}").checks;
  CHECK(own.size() == all.size());
  CHECK_FALSE(own.front().standard);
  const Folder folder;
  CHECK(folder.problem_of(with_line(kGoodPaddle, 3, "extends: paddle-npu\nchecks: {standard: true, sed: none}")) ==
        "4:26: `sed` is none of the standard checks | did you mean `seed`?");
}

TEST_CASE("settings in the log of PaddleOCR, those of the training and not of the evaluation") {
  const std::string head = "[2024/12/09 16:00:51] ppocr INFO: ";
  const std::vector<std::string> log{head + "Eval : ",
                                     head + "    loader : ",
                                     head + "        batch_size_per_card : 1",
                                     head + "        shuffle : False",
                                     head + "Global : ",
                                     head + "    amp_level : O1",
                                     head + "    scale_loss : 1024.0",
                                     head + "    seed : 1024",
                                     head + "    use_amp : True",
                                     head + "Optimizer : ",
                                     head + "    lr : ",
                                     head + "        learning_rate : 0.001",
                                     head + "Train : ",
                                     head + "    loader : ",
                                     head + "        batch_size_per_card : 128",
                                     head + "        shuffle : True",
                                     head + "    sampler : ",
                                     head + "        first_bs : 64",
                                     head + "        name : MultiScaleSampler",
                                     head + "train dataloader has 21 iters"};
  check(log, {{"mixed_precision", "True"},
              {"amp_level", "O1"},
              {"loss_scale", "1024.0"},
              {"seed", "1024"},
              {"learning_rate", "0.001"},
              {"batch_of_all_devices", "64"},
              {"sampler", "MultiScaleSampler"},
              {"shuffle", "True"}});
}

TEST_CASE("settings in the logs of other trainers") {
  const std::vector<std::string> seg{"2021-08-11 20:53:20 [INFO]\t",
                                     "---------------Config Information---------------",
                                     "batch_size: 4",
                                     "lr_scheduler:",
                                     "  learning_rate: 0.01",
                                     "2021-08-11 20:53:21 [INFO]\tuse AMP to train. AMP level = O1"};
  check(seg, {{"batch_of_all_devices", "4"}, {"learning_rate", "0.01"}, {"mixed_precision", "O1"}});
  const std::string nlp = "[2023-12-08 00:37:28,510] [    INFO] - ";
  const std::vector<std::string> paddlenlp{
      nlp + "scale_loss                    :32768",
      nlp + "seed                          :42",
      nlp + "  Num examples = 6,400",
      nlp + "  Total train batch size (w. parallel, distributed & accumulation) = 64",
      "[2025-09-27 09:32:23,876] [   DEBUG] -   Number of trainable parameters = 360,748,032 (per device)",
      "[2025-09-27 09:32:22,841] [   DEBUG] - bf16                          : True"};
  check(paddlenlp, {{"loss_scale", "32768"},
                    {"seed", "42"},
                    {"dataset_size", "6,400"},
                    {"global_batch", "64"},
                    {"parameters", "360,748,032"},
                    {"dtype", "True"}});
  const std::vector<std::string> huggingface{"fp16=False,",
                                             "    fp16_opt_level=O1,",
                                             "group_by_length=False,",
                                             "learning_rate=5e-05,",
                                             "data_seed=None,",
                                             "seed=42,",
                                             "bf16=True,"};
  check(huggingface, {{"mixed_precision", "False"}, {"seed", "42"}, {"learning_rate", "5e-05"}, {"data_order", "False"}});
  const std::vector<std::string> megatron{
      "  fp16 ............................................ True",
      "  fp16_lm_cross_entropy ........................... False",
      "  global_batch_size ............................... 8",
      "  initial_loss_scale .............................. 4294967296",
      "  lr .............................................. 0.00015",
      "  main_params_dtype ............................... torch.float32",
      "  params_dtype .................................... torch.float16",
      "  seed ............................................ 1234",
      " > number of parameters on (tensor, pipeline) model parallel rank (0, 0): 354871296"};
  check(megatron, {{"mixed_precision", "True"},
                   {"global_batch", "8"},
                   {"initial_loss_scale", "4294967296"},
                   {"learning_rate", "0.00015"},
                   {"dtype", "torch.float16"},
                   {"seed", "1234"},
                   {"parameters", "354871296"}});
}

TEST_CASE("settings in the logs of trainers of PyTorch") {
  const std::string ds = "[2023-08-02 00:41:17,457] [INFO] [config.py:964:print]   ";
  const std::vector<std::string> deepspeed{ds + "bfloat16_enabled ............. False",
                                           ds + "fp16_enabled ................. True",
                                           ds + "gradient_accumulation_steps .. 1",
                                           ds + "loss_scale ................... 0",
                                           ds + "optimizer_params ............. {'betas': [0.9, 0.95], 'lr': 0.0001}",
                                           ds + "train_batch_size ............. 8",
                                           ds + "train_micro_batch_size_per_gpu  8"};
  check(deepspeed, {{"mixed_precision", "True"}, {"dtype", "False"}, {"global_batch", "8"}, {"learning_rate", "0.0001"}});
  const std::vector<std::string> mmengine{"Runtime environment:",
                                          "    seed: 2145455135",
                                          "12/09 17:26:46 - mmengine - INFO - Config:",
                                          "optim_wrapper = dict(",
                                          "    optimizer=dict(momentum=0.9, lr=0.0025, type='SGD', weight_decay=0.0001),",
                                          "    type='AmpOptimWrapper')",
                                          "test_dataloader = dict(",
                                          "    batch_size=1,",
                                          "train_dataloader = dict(",
                                          "    batch_sampler=None,",
                                          "    batch_size=2,"};
  check(mmengine, {{"seed", "2145455135"},
                   {"learning_rate", "0.0025"},
                   {"batch_of_all_devices", "2"},
                   {"mixed_precision", "AmpOptimWrapper"}});
  const std::vector<std::string> ultralytics{
      "engine/trainer: task=detect, mode=train, model=yolov8n.pt, data=coco8.yaml, epochs=100, time=None, patience=100, "
      "batch=16, imgsz=640, save=True, seed=0, deterministic=True, amp=True, lr0=0.01, lrf=0.01"};
  check(ultralytics, {{"global_batch", "16"}, {"learning_rate", "0.01"}, {"seed", "0"}, {"mixed_precision", "True"}});
  const std::vector<std::string> huggingface{"gradient_accumulation_steps=2,", "per_device_eval_batch_size=64,",
                                             "per_device_train_batch_size=8,"};
  CHECK(found("batch_and_accumulation", huggingface) == "8");
  const std::vector<std::string> accelerate{"Mixed precision type: bf16", "  Instantaneous batch size per device = 4"};
  check(accelerate, {{"batch_and_accumulation", "4"}, {"mixed_precision", "bf16"}});
  CHECK(found("seed", {"Global seed set to 42"}) == "42");  // Lightning
  CHECK(found("mixed_precision", {"Using 16bit Automatic Mixed Precision (AMP)"}) == "16bit");
}

TEST_CASE("commands of every trainer that train otherwise are named before anything runs") {
  const auto differ = [](const char* reference, const char* subject) {
    const std::string text = warned(reference, subject, "standard", "torch-npu");
    return text.substr(0, text.find(": the command"));
  };
  CHECK(warned("a, --per_device_train_batch_size, '16'", "a, --per_device_train_batch_size, '8'").empty());  // two devices
  CHECK(warned("a, --per_device_train_batch_size, '16', --gradient_accumulation_steps=2",
               "a, --per_device_train_batch_size=8, --gradient_accumulation_steps, '4'") ==
        "checks.batch_and_accumulation: the command of the reference says 1 device x 16 x 2 = 32, that of the subject "
        "2 devices x 8 x 4 = 64: these are two different trainings\n");
  const std::string lr = "checks.learning_rate", precision = "checks.mixed_precision";
  CHECK(differ("a, --learning_rate, '5e-4'", "a, --learning_rate, '4e-4'") == lr);
  CHECK(differ("a, --min-lr, '1e-5', --lr, '1e-4'", "a, --min-lr, '1e-5', --lr, '2e-4'") == lr);
  CHECK(differ("yolo, train, lr0=0.01", "yolo, train, lr0=0.02") == lr);
  CHECK(differ("a, --cfg-options, optim_wrapper.optimizer.lr=0.01", "a, --cfg-options, optim_wrapper.optimizer.lr=0.02") ==
        lr);
  CHECK(differ("a, --bf16", "a, --fp16, --x") == precision);
  CHECK(differ("a, --fp16, 'False', --bf16, 'True'", "a, --fp16, 'True', --bf16, 'False'") == precision);
  CHECK(differ("accelerate, launch, --mixed_precision, bf16, a", "accelerate, launch, --mixed_precision=no, a") ==
        precision);
  CHECK(differ("a, --trainer.precision=16-mixed", "a, --trainer.precision=32") == precision);
  CHECK(differ("a, --seed, '1'", "a, --seed, '2'") == "checks.seed");
  CHECK(differ("a, --seed_everything=1", "a, --seed_everything=2") == "checks.seed");
  CHECK(differ("yolo, batch=16", "yolo, batch=8") == "checks.global_batch");
  CHECK(differ("a, train_dataloader.batch_size=2", "a, train_dataloader.batch_size=2") == "checks.batch_of_all_devices");
}

TEST_CASE("commands that train on another global batch are named before anything runs") {
  const std::string card = "train, Train.loader.batch_size_per_card=";
  CHECK(warned(card + "128", card + "64").empty());
  CHECK(warned(card + "128", card + "128") ==
        "checks.batch_of_all_devices: the command of the reference says 1 device x 128 = 128, that of the subject 2 devices "
        "x 128 = 256: "
        "these are two different trainings\n");
  CHECK(warned("train, --batch_size, '8'", "train, --batch_size, '4'").empty());
  CHECK(warned("train, --global-batch-size=8", "train, --global-batch-size=8").empty());
  CHECK(warned("train", "train") ==
        "an attempt of the reference trains on 1 device, one of the subject on 2 devices; what all of them train "
        "on in one step must be the same on both sides\n");
  CHECK(warned(card + "128", card + "128", "{data: {command: [x]}}").empty());  // nobody asked
}

TEST_CASE("settings are compared by what they mean") {
  CHECK(meaning("1e-3") == meaning("0.0010"));
  CHECK(meaning("6,400") == meaning("6400"));
  CHECK(meaning("True") == meaning("true"));
  CHECK(meaning("128, 64") == "128, 64");
  CHECK(meaning("128, 64") != meaning("12864"));
  CHECK(meaning("O1") != meaning("O2"));
}

}  // namespace bisectd::configs
