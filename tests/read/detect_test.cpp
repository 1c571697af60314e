#include "driver/read/detect.hpp"

#include <unistd.h>

#include <fstream>

#include "tests/catch.hpp"

namespace fs = std::filesystem;
using namespace bisectd::driver::read;

namespace {

std::optional<std::string> format_of(const std::string& text, const std::string& metric = "loss") {
  const fs::path file = fs::temp_directory_path() / ("bisectd-detect-" + std::to_string(::getpid()));
  std::ofstream(file, std::ios::binary) << text;
  auto format = detect_format(file, metric, "step");
  fs::remove(file);
  return format;
}

}  // namespace

TEST_CASE("the format of a log is guessed from its lines") {
  CHECK(format_of("some banner\nepoch: [1/2], global_step: 1, loss: 2.5, avg_samples: 1\n") == "paddleocr");
  CHECK(format_of("[TRAIN] epoch: 1, iter: 20/500, loss: 2.0859, lr: 0.009657\n") == "paddleseg");
  CHECK(format_of("Epoch: [0] [2087/7312] learning_rate: 0.000029 loss: 4.504654\n") == "paddledetection");
  CHECK(format_of("[Train][Epoch 24/120][Iter: 10/304]lr: 0.001, CELoss: 0.05098, loss: 0.05098\n") == "paddleclas");
  CHECK(format_of(" iteration 10/ 100 | lm loss: 1.046E+01 | loss scale: 1.0 | grad norm: 3.1 |\n") == "megatron");
  CHECK(format_of("{'loss': 0.5123, 'grad_norm': 1.27, 'epoch': 0.02}\n") == "huggingface");
  CHECK(format_of("{\"step\": 1, \"loss\": 0.5}\n") == "jsonl");
  CHECK(format_of("step,loss\n1,0.5\n") == "csv");
  CHECK(format_of("epoch: [1/2], global_step: 1, acc: 0.5, loss: 2.5\n", "acc") == "paddleocr");
}

TEST_CASE("a wrong line does not hide which format it is wrong in") {
  CHECK(format_of(
            "epoch: [1/2], global_step: 1, loss: 2.5, avg_samples: 1\nepoch: [1/2], global_step: 2, loss: NaN., a: 1\n") ==
        "paddleocr");
  CHECK(format_of("step,loss\n1,0.5\n2,#NUM!\n") == "csv");
}

TEST_CASE("what no format reads is not guessed") {
  CHECK_FALSE(format_of(""));
  CHECK_FALSE(format_of("nothing of interest\n"));
  CHECK_FALSE(format_of("{\"step\": 1, \"loss\": 0.5}\n", "acc"));
  CHECK_FALSE(format_of(std::string("\0\xff\r\x1b[31m", 8)));
}

TEST_CASE("event files are known by their name, wherever they lie in a folder") {
  const fs::path fixtures = fs::path(BISECTD_SOURCE_FOLDER) / "tests/read/fixtures";
  CHECK(detect_format(fixtures / "tensorboardx", "loss", "step") == "tfevents");
  CHECK(detect_format(fixtures / "visualdl" / "vdlrecords.1000.named.log", "loss", "step") == "vdlrecords");
  CHECK_THROWS_AS(detect_format(fixtures / "nothing", "loss", "step"), std::system_error);
}
