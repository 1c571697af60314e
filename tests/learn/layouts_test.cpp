// Lines as trainers print them, each retyped with invented values: the loss and its step are found in all of them.
#include <fmt/args.h>
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "driver/learn/reading.hpp"
#include "tests/learn/sample_log.hpp"

using namespace bisectd::driver::learn;

namespace {

constexpr int kValues = 60;
double value_at(int i) { return 2 + 5 * std::exp(-i / 20.0) + 0.05 * std::sin(7.0 * i); }

/// `line` for each value; {n}: 1, 2, ...; {i}: one less; {h}: 10, 20, ...; {e}, {b}, {b0}: epoch 1 or 2 and the batch in it,
/// from 1 or 0; {v}: the value, {w}: another one; {r}: its mean so far.
struct Layout {
  std::string name, line;
  std::int64_t first_step = 1, stride = 1;
  std::string head = "", after = "";  ///< after every twentieth line
};

std::string log_of(const Layout& layout, const std::string& nan = "") {
  std::string text = layout.head;
  double sum = 0;
  for (int i = 0; i < kValues; ++i) {
    sum += value_at(i);
    const bool bad = !nan.empty() && i >= 30;
    text += fmt::format(fmt::runtime(layout.line), fmt::arg("n", i + 1), fmt::arg("i", i), fmt::arg("h", 10 * (i + 1)),
                        fmt::arg("e", i / 30 + 1), fmt::arg("b", i % 30 + 1), fmt::arg("b0", i % 30),
                        fmt::arg("v", bad ? nan : fmt::format("{:.4f}", value_at(i))),
                        fmt::arg("w", fmt::format("{:.4f}", 1.1 * value_at(i))),
                        fmt::arg("r", fmt::format("{:.4f}", sum / (i + 1))));
    if (i % 20 == 19) text += layout.after;
  }
  return text;
}

const std::vector<Layout> kLayouts{
    {"plain", "step {n} loss {v}\n"},
    {"plain of all", "Step {n}/60 - loss: {v} - lr: 0.001\n"},
    {"from zero", "iter {i}: loss {v}, time 148.74ms, mfu 12.01%\n", 0},
    {"loss is", "epoch: 1 step: {n}, loss is {v}\n"},
    {"full-width signs", "训练次数：{n}，损失：{v}\n"},
    {"tensor", "[{n}] loss: tensor({v}, device='npu:0', grad_fn=<NllLossBackward0>)\n"},
    {"in brackets", "Iteration {n}, loss = [{v}]\n"},
    {"quoted", "{{\"step\": \"{n}\", \"loss\": \"{v}\"}}\n"},
    {"JSON lines", "{{\"lr\": 0.002, \"loss\": {v}, \"epoch\": 1, \"iter\": {n}}}\n", 1, 1, "{\"env\": \"x\"}\n",
     "{\"mode\": \"val\", \"epoch\": 1, \"loss\": 9.25}\n"},
    {"columns", "{n},{v},0.001\n", 1, 1, "step,loss,lr\n"},
    {"spaced table", "   {n}   {v}   0.01\n", 1, 1, "  iter   loss   lr\n"},
    {"a column of names", "loss,{v},{n}\nlr,0.001,{n}\n", 1, 1, "name,value,step\n"},
    {"a printed tuple", "step {n} ('loss', {v})\n"},
    {"train_loss_step", "Epoch 0: {n}/60 train_loss_step={v}\n"},
    {"PyTorch's tutorial", "[{e}, {b:5}] loss: {v}\n"},
    {"Keras' guide", "Training loss (for one batch) at step {n}: {v}\n"},
    {"one word", "iter {n} trainloss {v}\n"},
    {"torchrun's tags", "[default0]:step {n} loss {v}\n[default1]:step {n} loss {w}\n"},
    {"name and value", "{{\"name\": \"loss\", \"step\": {n}, \"value\": {v}}}\n"},
    {"mean in brackets", "Epoch: [0]  [{n:4}/1251]  eta: 0:10:00  loss: {v} ({r})  acc1: 1.5 (1.2)\n"},
    {"epoch and batch", "[Epoch {e}/2][Iter: {b0}/30] lr: 0.1, top1: 0.5, loss: {v}, batch_cost: 0.2s\n", 0, 1, "",
     "[Epoch 1/2][Avg] top1: 0.5, loss: 4.5\n"},
    {"begins again", "[{b:4}/30] loss: {v}\n"},
    {"step in a bar", "  {n}%|█   | {n}/60 [08:13<28:44, 7.9s/it]\r{{'loss': {v}, 'grad_norm': 1.27, 'epoch': 0.01}}\n"},
    {"in a bar", "\rSteps:   2%|          | {n}/82400 [31:29<30:59:03,  1.38s/it, lr=1e-5, loss={v}]"},
    {"refreshed bar",
     "\rStep:   2%|#         | {n}/824 [31:29<30:59, 1s/it, loss={v}]"
     "\rStep:   2%|#         | {n}/824 [31:30<30:59, 1s/it, loss={v}]"},
    {"ranks", "[rank0] step {n} loss {v}\n[rank1] step {n} loss {w}\n"},
    {"gpu as rank", "gpu: 1 step: {n} loss: {w}\ngpu: 0 step: {n} loss: {v}\n"},
    {"evaluations between", "global step {n}, loss: {v}, speed: 2.88 steps/s\n", 1, 1, "", "valid step 7, loss: 3.25\n"},
    {"key of its step", "step:{n} - actor/entropy_loss:0.31 - actor/pg_loss:{v} - perf/mfu:0.2\n"},
    {"coloured", "\x1b[32mstep {n} loss {v}\x1b[0m\n"},
    {"wrapped by a container", "{{\"log\": \"step {n} loss {v}\\n\", \"stream\": \"stdout\"}}\n"},
    {"pipes",
     " [2025-03-01 10:00:00] iteration {n:8}/  250000 | consumed samples: 8 | lm loss: {v} | loss scale: 65536.0 |\n"},
    {"prefixed",
     "2025-03-01 10:00:00,123 - trainer[callback.py:519] - INFO - {{ Epoch:[  1/  2], step:[{n:5}/ 6500], loss: {v}, }}\n"},
    {"every tenth", "step {h}: loss={v}\n", 10, 10},
    {"cross entropy by its name", "Epoch[0] Batch [{n}]\tSpeed: 90.5 samples/sec\tcross-entropy={v}\tlr=0.1\n"},
    {"cross entropy in short", "[INFO] Step {n}/100; acc: 3.5; ppl: 12000.1; xent: {v}; lr: 0.00001; 20 sec;\n"},
    {"backspaces", "{n}/60 [==>...] - loss: {v}\b\b\b\b\b\b\b\b\b\b\b\b\b\b\b\b\b\b\b\b\b\b\b\b\b\b\b\b"},
};

}  // namespace

TEST_CASE("the loss and its step are found in what trainers print") {
  for (const Layout& layout : kLayouts) {
    CAPTURE(layout.name, log_of(layout).substr(0, 200));
    const Found found = learnt(log_of(layout));
    CAPTURE(said(found));
    REQUIRE(found.points.size() == kValues);
    for (int i = 0; i < kValues; ++i) {
      CHECK(std::abs(found.points[static_cast<std::size_t>(i)].value.number - value_at(i)) < 1e-4);
      CHECK(found.points[static_cast<std::size_t>(i)].step == layout.first_step + i * layout.stride);
    }
  }
}

TEST_CASE("a loss that is no longer finite is read on, by itself and as its like taught") {
  for (const Layout& layout : kLayouts)
    for (const std::string nan : {"nan", "nanxxx"}) {
      CAPTURE(layout.name, nan);
      const auto log = kinds_of(log_of(layout, nan));
      for (const Found& found : {learn(log, "loss"), follow(learnt(log_of(layout)).reading, log)}) {
        CAPTURE(said(found));
        REQUIRE(found.points.size() == kValues);
        CHECK(std::isfinite(found.points[29].value.number));
        CHECK(std::isnan(found.points[30].value.number));
        CHECK(found.points[30].step == layout.first_step + 30 * layout.stride);
      }
    }
}

TEST_CASE("a JSON document of columns is read row by row") {
  const Found found = learnt(R"({"loss": [7.5, 7.25, 7.125, 7.0], "step": [10, 20, 30, 40]})");
  REQUIRE(found.points.size() == 4);
  CHECK(found.points[3].value.number == 7);
  CHECK(found.points[3].step == 40);
}

TEST_CASE("a log that is short is read as its like taught") {
  for (const Layout& layout : kLayouts) {
    CAPTURE(layout.name);
    const std::string whole = log_of(layout);
    const Found found = follow(learnt(whole).reading, kinds_of(whole.substr(0, whole.find('\n', whole.size() / 5) + 1)));
    for (std::size_t i = 0; i < found.points.size(); ++i)
      CHECK(found.points[i].step == layout.first_step + static_cast<int>(i) * layout.stride);
  }
}

TEST_CASE("where two readings are as likely, both are named and neither is taken") {
  struct Refused {
    std::string name, line, why;
  };
  const std::vector<Refused> logs{
      {"two losses", "step {n} D loss: {v} G loss: {w}\n", "D loss, G loss"},
      {"parts without a total", "step {n} box_loss {v} cls_loss {w}\n", "none of them is a total"},
      {"ranks that no word tells apart", "step {n} loss {v}\nstep {n} loss {w}\n", "different values"},
      {"two kinds of lines", "gen step {n} loss {v}\nother {n} words here step {n} loss {w}\n", ""},
      {"only validation", "step {n} val_loss {v}\n", "validation"},
      {"no loss", "step {n} accuracy {v}\n", "no line has a number called loss; there are accuracy, step"},
  };
  for (const Refused& refused : logs) {
    CAPTURE(refused.name);
    try {
      const Found found = learnt(log_of({refused.name, refused.line}));
      FAIL(said(found));
    } catch (const Refusal& refusal) {
      CAPTURE(refusal.what());
      CHECK(std::string(refusal.what()).find(refused.why) != std::string::npos);
    }
  }
}

TEST_CASE("a part is read where it is asked for by its name") {
  const std::string log = log_of({"parts", "step {n} train/box_loss {v} train/cls_loss {w}\n"});
  for (const char* name : {"box_loss", "train/box_loss"}) CHECK(learnt(log, name).points.size() == kValues);
  CHECK_THROWS_AS(learnt(log, "dfl_loss"), Refusal);
}

TEST_CASE("what is left out is counted, and a number that is cut is none") {
  const Found found = learnt(log_of({"evaluations", "step {n} loss {v}\n", 1, 1, "", "Validation step 3 loss 2.5\n"}));
  REQUIRE(found.left_out.size() == 1);
  CHECK(found.left_out[0] == std::pair<std::size_t, std::string>(3, "of validation"));
  std::string cut = log_of({"plain", "step {n} loss {v}\n"});
  cut.resize(cut.size() - 3);
  CHECK(learnt(cut).points.size() == kValues - 1);
}

TEST_CASE("values that came before a bar of something else are counted with the others") {
  std::string log = "{'loss': 3.5}\n{'loss': 3.25}\n";
  for (int i = 1; i < 4; ++i) log += fmt::format("\rSteps: 2%|#   | {}/82400 [31:29<30:59:03, 1.38s/it]", i);
  const Found found = learnt(log + "\n{'loss': 3.125}\n");
  CHECK(found.reading.step.empty());
  CHECK(found.points.size() == 3);
}

TEST_CASE("numbers beside the loss are read at its steps") {
  const std::string log = log_of({"beside", "step {n} loss {v} grad_norm nan loss scale 1024.0\n"});
  const auto kinds = kinds_of(log);
  const Found found = learn(kinds, "loss");
  const auto norms = beside(found.reading, kinds, {"grad norm"});
  REQUIRE(norms.size() == kValues);
  CHECK(std::isnan(norms[3].value.number));
  CHECK(norms[3].step == 4);
  CHECK(beside(found.reading, kinds, {"loss scale"})[0].value.number == 1024);
}
