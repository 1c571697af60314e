// Lines in which frameworks tell that they change the loss scale, as they really print them; whatever the trainer.
#include <string>

#include "tests/catch.hpp"
#include "tests/read/sample.hpp"

using namespace bisectd;
using namespace bisectd::driver::read;
using driver::read::test::metric;
using driver::read::test::pattern_metric;
using driver::read::test::Read;

namespace {

/// Among the lines of a trainer of the user's own.
Read among_steps(const std::string& line) {
  return Read(pattern_metric(R"(step (?P<step>\d+) loss (?P<value>\S+))"),
              "step 3 loss 2.5\n" + line + "\nstep 4 loss 2.4\n");
}

}  // namespace

TEST_CASE("a loss scale is read from the lines of its framework, at the last step logged") {
  const std::vector<std::pair<const char*, double>> lines{
      // PaddlePaddle 3.3.1 python/paddle/amp/grad_scaler.py
      {"Found inf or nan, current scale is: 65536.0, decrease to: 65536.0*0.5", 65536},
      // PaddleNLP paddlenlp/trainer/trainer.py
      {"[2024-05-01 10:00:00,123] [ WARNING] - optimizer not run, scale_before: 65536.0, scale_after: 32768.0", 32768},
      // NVIDIA/apex apex/amp/handle.py, from users' logs: behind a progress bar, behind mpirun's prefix, with a full stop
      {"Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to 32768.0", 32768},
      {"    66%|######   | 893/1352 [05:32<00:57,  7.92it/s]Gradient overflow.  Skipping step, loss scaler 0 reducing loss "
       "scale to 16384.0",
       16384},
      {"[1,0]<stdout>:Gradient overflow.  Skipping step, loss scaler 1 reducing loss scale to 4096.0", 4096},
      {"Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to 1048576.0. ", 1048576},
      // apex/fp16_utils and what was made of it
      {"Gradient overflow.  Skipping step, reducing loss scale to 128.0", 128},
      {"Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to 6.103515625e-05", 6.103515625e-05},
      // Ascend/pytorch torch_npu/npu/amp/grad_scaler.py
      {"Loss scaler reducing loss scale to 32768.0", 32768},
      {"Loss scaler increasing loss scale to 131072.0", 131072},
      // facebookresearch/fairseq, from users' logs
      {"2023-06-13 17:37:40 | INFO | fairseq.trainer | NOTE: gradient overflow detected, setting loss scale to: 16384.0",
       16384},
      // mindspore-lab/mindyolo
      {"2024-12-25 09:58:42,787 [WARNING] overflow, still update, loss scale adjust to 1024.0", 1024},
      {"overflow, loss scale adjust to  512.0", 512},
      // deepspeedai/DeepSpeed deepspeed/runtime/fp16, from users' logs; the older ones too
      {"[2023-10-31 07:15:50,880] [INFO] [loss_scaler.py:183:update_scale] [deepspeed] OVERFLOW! Rank 0 Skipping step. "
       "Attempted loss "
       "scale: 16384, reducing to 8192",
       8192},
      {"[2023-10-31 07:15:56,229] [INFO] [loss_scaler.py:190:update_scale] [deepspeed] OVERFLOW! Rank 0 Skipping step. "
       "Attempted loss "
       "scale: 16384, but hysteresis is 2. Reducing hysteresis to 1",
       16384},
      {"[INFO] [unfused_optimizer.py:207:step] [deepspeed] fp16 dynamic loss scale overflow! Skipping step. Attempted loss "
       "scale: "
       "65536.0, reducing to 32768.0",
       32768},
      {" [deepscale] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: 262144, reducing to 131072.0", 131072},
  };
  for (const auto& [line, scale] : lines) {
    CAPTURE(line);
    Read log = among_steps(line);
    CHECK(log.values("loss_scale") == std::vector<double>{scale});
    CHECK(log.steps("loss_scale") == std::vector<std::int64_t>{3});
    CHECK(log.values() == std::vector<double>{2.5, 2.4});
    CHECK(log.reader.wrong_line_count() == 0);
  }
}

TEST_CASE("lines that only look like it, and numbers that are no scale, say nothing") {
  for (const char* line :
       {"Gradient overflow. Skipping step", "reducing loss scale to", "reducing loss scale to nan",
        "reducing loss scale to -1", "reducing loss scale to 0", "reducing loss scale to inf",
        "reducing loss scale to 1e999", "loss scale is high", "Attempted loss scale: many, reducing to few",
        "optimizer not run, scale_before: 2.0", "\x1b[31m reducing loss scale to x"}) {
    CAPTURE(line);
    CHECK(among_steps(line).values("loss_scale").empty());
  }
}

TEST_CASE("a scale that the end of the file cuts short is none") {
  Read log(pattern_metric(R"(loss (?P<value>\S+))"), "loss 2\nLoss scaler reducing loss scale to 327");
  CHECK(log.values("loss_scale").empty());
}

TEST_CASE("steps that are only counted count for the scale, too") {
  Read log(metric("loss", "huggingface"),
           "{'loss': 0.7, 'learning_rate': 1e-05, 'epoch': 0.65}\n"
           "Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to 32768.0\n"
           "{'loss': 0.6, 'learning_rate': 1e-05, 'epoch': 0.66}\n"
           "Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to 16384.0\n");
  CHECK(log.steps("loss_scale") == std::vector<std::int64_t>{1, 2});
  CHECK(log.values("loss_scale") == std::vector<double>{32768, 16384});
}
