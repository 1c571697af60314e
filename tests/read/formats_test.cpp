// Every format of the table against lines that its trainer really printed.
#include "tests/catch.hpp"

#include <cmath>

#include "configs/formats.hpp"
#include "tests/read/sample.hpp"

using namespace bisectd;
using namespace bisectd::driver::read;
using driver::read::test::metric;
using driver::read::test::Read;

TEST_CASE("PaddleOCR's lines give global step and loss, wherever the loss stands") {
  Read log(metric("loss", "paddleocr"),
           "[2025/11/27 16:48:27] ppocr INFO: epoch: [1/1200], global_step: 640, lr: 0.000160, acc: 0.000000, "
           "norm_edit_dis: 0.039063, loss: 26.935681, avg_reader_cost: 0.00096 s, avg_batch_cost: 0.02094 s, "
           "avg_samples: 256.0, ips: 12223.64893 samples/s, eta: 14:08:30, max_mem_reserved: 1886 MB\n"
           "[2022/10/10 14:37:01] ppocr INFO: epoch: [1/50], global_step: 6200, lr: 0.000025, acc: 0.499998, "
           "dml_ctc_0: 0.978203, loss: 8.447063, dml_sar_0: 1.805554, avg_reader_cost: 0.1 s\n");
  CHECK(log.steps() == std::vector<std::int64_t>{640, 6200});
  CHECK(log.values() == std::vector<double>{26.935681, 8.447063});
  CHECK(log.reader.last_step() == 6200);
  CHECK(log.reader.wrong_line_count() == 0);
}

TEST_CASE("PaddleOCR's loss is not one of its parts") {
  const char* line =
      "[2024/10/27 17:54:51] ppocr INFO: epoch: [1/10], global_step: 140, lr: 0.000033, acc: 0.250000, "
      "norm_edit_dis: 0.693706, CTCLoss: 16.448103, NRTRLoss: 1.988418, loss: 18.198385, avg_reader_cost: 0.1 s\n";
  CHECK(Read(metric("loss", "paddleocr"), line).values() == std::vector<double>{18.198385});
  CHECK(Read(metric("NRTRLoss", "paddleocr"), line).values("NRTRLoss") == std::vector<double>{1.988418});
  CHECK(Read(metric("acc", "paddleocr"), line).values("acc") == std::vector<double>{0.25});
}

TEST_CASE("PaddleOCR up to 2.4 called the step iter") {
  Read log(metric("loss", "paddleocr"),
           "[2021/03/20 11:44:20] root INFO: epoch: [0/10], iter: 1, lr: 0.001000, loss: 1.405968, acc: 0.285156, "
           "reader_cost: 139.90010 s, batch_cost: 140.10088 s, samples: 512, ips: 3.65451\n");
  CHECK(log.steps() == std::vector<std::int64_t>{1});
  CHECK(log.values() == std::vector<double>{1.405968});
}

TEST_CASE("PaddleOCR's window of smoothing is read from the configuration it prints") {
  Read log(metric("loss", "paddleocr"),
           "[2025/11/27 16:48:27] ppocr INFO:     log_smooth_window : 20\n"
           "[2025/11/27 16:48:27] ppocr INFO: epoch: [1/1200], global_step: 640, loss: 26.935681, avg_samples: 256.0\n");
  CHECK(log.curve.smoothing.at("loss").window == 20);
  CHECK(log.curve.smoothing.at("loss").text != "");
}

TEST_CASE("PaddleOCR's evaluation belongs to the last step trained") {
  Read log(metric("acc", "paddleocr-eval"),
           "[2025/11/27 16:48:27] ppocr INFO: epoch: [1/2], global_step: 500, acc: 0.1, loss: 2.0, avg_samples: 1\n"
           "[2025/11/27 16:48:29] ppocr INFO: cur metric, acc: 0.75, norm_edit_dis: 0.9, fps: 1200.0\n"
           "[2025/11/27 16:48:29] ppocr INFO: best metric, acc: 0.80, best_epoch: 1\n");
  CHECK(log.steps("acc") == std::vector<std::int64_t>{500});
  CHECK(log.values("acc") == std::vector<double>{0.75});
}

TEST_CASE("a loss scale that AMP lowers is watched, at the last step logged") {
  Read log(metric("loss", "paddleocr"),
           "epoch: [1/2], global_step: 7, loss: 2.5, avg_samples: 1\n"
           "Found inf or nan, current scale is: 6.310887241768095e-30, decrease to: 6.310887241768095e-30*0.5\n");
  CHECK(log.steps("loss_scale") == std::vector<std::int64_t>{7});
  CHECK(log.values("loss_scale") == std::vector<double>{6.310887241768095e-30});
  CHECK(log.steps() == std::vector<std::int64_t>{7});
}

TEST_CASE("PaddleSeg's lines") {
  Read log(metric("loss", "paddleseg"),
           "2021-03-30 06:55:57 [INFO]\t[TRAIN] epoch: 1, iter: 20/500, loss: 2.0859, lr: 0.009657, batch_cost: 0.5344, "
           "reader_cost: 0.07273, ips: 3.7425 samples/sec | ETA 00:04:16\n");
  CHECK(log.steps() == std::vector<std::int64_t>{20});
  CHECK(log.values() == std::vector<double>{2.0859});
}

TEST_CASE("PaddleDetection's steps start anew in each epoch and are made to run on") {
  Read log(metric("loss", "paddledetection"),
           "[02/04 22:46:24] ppdet.engine.callbacks INFO: Epoch: [0] [2087/7312] learning_rate: 0.000029 loss: 4.504654 "
           "loss_cls: 1.374781 loss_iou: 0.142509 eta: 67 days, 10:28:48 batch_cost: 0.1664 data_cost: 0.0034 ips: "
           "96.1758 images/s, max_mem_reserved: 42653 MB\n"
           "[02/04 22:50:24] ppdet.engine INFO: Epoch: [1] [   0/7312] learning_rate: 0.000029 loss_cls: 1.3 loss: nan\n");
  CHECK(log.steps() == std::vector<std::int64_t>{2087, 7312});
  CHECK(log.values()[0] == 4.504654);
  CHECK(std::isnan(log.values()[1]));
}

TEST_CASE("a loss that is padded is read, and an epoch's summary is no value") {
  Read log(metric("loss", "paddleclas"),
           "[Train][Epoch 1/2][Iter: 0/30]lr: 0.1, loss: nanxxx, batch_cost: 0.2s\n"
           "[Train][Epoch 1/2][Avg]top1: 0.1, CELoss: 3.9, loss: 3.91247\n");
  REQUIRE(log.values().size() == 1);
  CHECK(std::isnan(log.values()[0]));
  CHECK(log.reader.wrong_line_count() == 0);
}

TEST_CASE("PaddleClas counts epochs from one") {
  Read log(metric("loss", "paddleclas"),
           "[2024/07/31 20:24:38] ppcls INFO: [Train][Epoch 24/120][Iter: 10/304]lr(PiecewiseDecay): 0.00100000, top1: "
           "0.97159, CELoss: 0.05098, loss: 0.05099, batch_cost: 0.62808s, reader_cost: 0.12837, ips: 25.47451 "
           "samples/s, eta: 5:08:34\n");
  CHECK(log.steps() == std::vector<std::int64_t>{23 * 304 + 10});
  CHECK(log.values() == std::vector<double>{0.05099});
}

TEST_CASE("PaddleNLP's lines, old, new and as a dictionary") {
  Read log(metric("loss", "paddlenlp"),
           "[2022-08-31 16:19:16,008] [    INFO] - loss: 3.25806541, learning_rate: 2.999e-05, global_step: 10, "
           "interval_runtime: 2.2591, interval_samples_per_second: 3.541, interval_steps_per_second: 4.427, epoch: 0.0265\n"
           "{'loss': 0.1856, 'learning_rate': 4.5e-05, 'global_step': 150, 'epoch': 2.0}\n"
           "loss: 1.5, learning_rate: 3e-05, global_step: 160, global_norm: 2.25, progress_or_epoch: 0.0\n");
  CHECK(log.steps() == std::vector<std::int64_t>{10, 150, 160});
  CHECK(log.values() == std::vector<double>{3.25806541, 0.1856, 1.5});
  CHECK(log.values("grad_norm") == std::vector<double>{2.25});
}

TEST_CASE("Megatron's and MindSpeed's lines") {
  const char* line =
      " [2025-03-01 10:00:00] iteration       10/     100 | consumed samples:          160 | elapsed time per iteration "
      "(ms): 1234.5 | learning rate: 1.500000E-04 | global batch size:    16 | lm loss: 1.046E+01 | loss scale: 65536.0 "
      "| grad norm: 3.125 | number of skipped iterations:   0 | number of nan iterations:   0 |\n";
  for (const char* format : {"megatron", "mindspeed"}) {
    Read log(metric("loss", format), line);
    CHECK(log.steps() == std::vector<std::int64_t>{10});
    CHECK(log.values() == std::vector<double>{10.46});
    CHECK(log.values("loss_scale") == std::vector<double>{65536});
    CHECK(log.values("grad_norm") == std::vector<double>{3.125});
  }
}

TEST_CASE("MindFormers' lines") {
  Read log(metric("loss", "mindformers"),
           "2024-05-06 11:22:33,444 - mindformers[mindformers/core/callback/callback.py:316] - INFO - { Epoch:[  2/  3], "
           "step:[    2/  100], loss: 10.644, per_step_time: 250ms, lr: 1e-05, overflow cond: False, loss_scale: 1.0, "
           "global_norm: [4.5], train_throughput_per_npu: 1.0T\n");
  CHECK(log.steps() == std::vector<std::int64_t>{102});
  CHECK(log.values() == std::vector<double>{10.644});
  CHECK(log.values("loss_scale") == std::vector<double>{1});
  CHECK(log.values("grad_norm") == std::vector<double>{4.5});
}

TEST_CASE("a torn line whose step is cut or still to come is left out") {
  const std::string whole = "loss: 2.5, learning_rate: 1e-05, global_step: 435, interval_runtime: 2.2\n";
  for (const char* torn :
       {"loss: 2.4, learning_rate: 1e-05, global_step: 4", "loss: 2.4, learning_rate: 1e-05, global_step"}) {
    Read log(metric("loss", "paddlenlp"), whole + torn);
    CHECK(log.steps() == std::vector<std::int64_t>{435});
    CHECK(log.reader.wrong_line_count() == 0);
  }
  Read log(metric("loss", "paddlenlp"), whole + "loss: 2.4, learning_rate: 1e-05, global_step: 436, int");
  CHECK(log.steps() == std::vector<std::int64_t>{435, 436});
}

TEST_CASE("the Hugging Face Trainer prints no step: its values are counted") {
  Read log(metric("loss", "huggingface"),
           "{'loss': 0.5123, 'grad_norm': 1.27, 'learning_rate': 5e-05, 'epoch': 0.02}\n"
           "{'eval_loss': 0.9, 'epoch': 0.02}\n"
           "{'loss': '0.5', 'learning_rate': '5e-05', 'epoch': '0.04'}\n"
           "{'train_runtime': 12.0, 'train_loss': 0.7, 'epoch': 1.0}\n");
  CHECK(log.steps() == std::vector<std::int64_t>{1, 2});
  CHECK(log.values() == std::vector<double>{0.5123, 0.5});
  CHECK(log.values("grad_norm") == std::vector<double>{1.27});
}

TEST_CASE("an unknown format is refused") {
  CHECK_THROWS_WITH(Read(metric("loss", "paddelocr"), ""), Catch::Contains("unknown format 'paddelocr'"));
}
