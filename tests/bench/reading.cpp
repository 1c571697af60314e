// How fast logs are read, beside `grep -c` for a fixed string on the same file, and how much memory that takes.
//
//     bench_reading [MiB per log: 1024] [rounds: 3] [seed: 1]
//
// Writes its logs to the temporary folder and removes them. Each round runs grep, then the reader, each in a process of
// its own; medians of their processor time are printed, because the machine may have other things to do.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "driver/read/attempt_log.hpp"

namespace {

namespace fs = std::filesystem;
using namespace bisectd;
using driver::read::AttemptLog;

constexpr double kTargetRatio = 0.5, kTargetRatioOfPattern = 0.25;
constexpr double kTargetMib = 64;

/// Appends what `make` makes, again and again, until the file has the size.
void write_log(const fs::path& path, std::size_t bytes, const std::function<void(std::string&)>& make) {
  std::ofstream file(path, std::ios::binary);
  std::string text;
  for (std::size_t written = 0; written < bytes; written += text.size()) {
    text.clear();
    while (text.size() < (1u << 20)) make(text);
    file << text;
  }
}

/// One operator call as GLOG_v=3 shows it: a call of the API, its tensors over many short lines, and now and then a
/// kernel that fell back. Shape and line lengths are those of paddlepaddle 3.3.1.
void add_operator_call(std::string& text, std::mt19937_64& random) {
  static const std::vector<std::string> kOperators{"conv2d", "batch_norm", "relu",   "flatten", "linear",
                                                   "pad3d",  "softmax",    "matmul", "adam_",   "mean"};
  const std::string& name = kOperators[random() % kOperators.size()];
  const auto prefix = [&](const char* where) {
    return fmt::format("I1121 14:01:16.{:06} 19146 {}] ", random() % 1000000, where);
  };
  text += prefix("dygraph_functions.cc:42696") + "\n";
  text += fmt::format("{0:=<26}Running_AD_API: {1}{0:=<26}\n", "", name);
  text += prefix("dygraph_functions.cc:42881") + fmt::format("\nForward Debug Info {{\nAPI_Name: {} \n", name);
  for (const char* tensor : {"x", "weight", "bias", "moment1", "out"})
    text += fmt::format(
        "( {} , {{\n\tName: {}_{}.w_0, \n\tType: DenseTensor,\n\tDtype: float32,\n"
        "\tPlace: Place(npu:0),\n\tShape: 8, 3, 16, 16,\n\tDistAttr: Unknown\n}}),  \n",
        tensor, name, random() % 100);
  text += prefix("multiary.cc:190") + "dims of Beta1Pow : [1]\n";
  text += prefix("accumulation_node.cc:200") + "Move Tensor ptr: 0x7f0a2c0b1e40\n";
  if (random() % 20 == 0)
    text += prefix("kernel_factory.cc:289") +
            fmt::format(
                "missing npu kernel: {}, expected_kernel_key:(npu, Undefined(AnyLayout), float32), "
                "fallbacking to CPU one!\n",
                name);
}

void add_training_line(std::string& text, std::mt19937_64& random, std::size_t& step) {
  ++step;
  text += fmt::format(
      "[2025/11/27 16:48:27] ppocr INFO: epoch: [1/1200], global_step: {}, lr: 0.000160, acc: "
      "0.000000, norm_edit_dis: 0.039063, CTCLoss: 16.448103, NRTRLoss: 1.988418, loss: {:.6f}, "
      "avg_reader_cost: 0.00096 s, avg_batch_cost: 0.02094 s, avg_samples: 256.0, ips: 12223.64893 "
      "samples/s, eta: 14:08:30\n",
      step, 20.0 + static_cast<double>(random() % 1000000) * 1e-6);
}

struct Measured {
  double seconds = 0;  ///< of processor time
  double mib = 0;      ///< greatest resident set
};

/// Runs `work` in a process of its own.
Measured measure(const std::function<void()>& work) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    work();
    _exit(0);
  }
  int status = 0;
  rusage usage{};
  if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0) {
    fmt::print(stderr, "the measured process failed\n");
    std::exit(1);
  }
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return {seconds(usage.ru_utime) + seconds(usage.ru_stime), static_cast<double>(usage.ru_maxrss) / 1024};
}

void run_grep(const std::string& text, const fs::path& log) {
  // Not /dev/null: grep knows it, and stops at the first match.
  if (std::freopen((log.string() + ".count").c_str(), "w", stdout) == nullptr) _exit(1);
  execlp("grep", "grep", "-c", text.c_str(), log.c_str(), nullptr);
  _exit(1);
}

struct Case {
  std::string name;
  fs::path log;
  std::string fixed_text;  ///< for grep
  std::function<void(const fs::path&)> read;
  std::optional<double> most_mib;  ///< target; absent where the curve itself is most of the memory
  double target_ratio = kTargetRatio;
};

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

void report(const Case& each, int rounds) {
  std::vector<double> grep;
  std::vector<double> ours;
  double mib = 0;
  measure([&] { run_grep(each.fixed_text, each.log); });  // brings the file into memory
  for (int round = 0; round < rounds; ++round) {
    grep.push_back(measure([&] { run_grep(each.fixed_text, each.log); }).seconds);
    const Measured here = measure([&] { each.read(each.log); });
    ours.push_back(here.seconds);
    mib = std::max(mib, here.mib);
  }
  const double ratio = median(grep) / median(ours);
  fmt::print("{:<34} {:>7.3f} {:>7.3f}   {:>6} {:>6.2f} {:<6} {:>6} {:>6.1f} {}\n", each.name, median(grep), median(ours),
             fmt::format(">={}", each.target_ratio), ratio, ratio >= each.target_ratio ? "ok" : "MISSED",
             each.most_mib ? fmt::format("<={:.0f}", *each.most_mib) : "-", mib,
             !each.most_mib          ? ""
             : mib <= *each.most_mib ? "ok"
                                     : "MISSED");
}

configs::Metric paddleocr_loss() {
  configs::Metric metric;
  metric.name = "loss";
  metric.format.value = "paddleocr";
  return metric;
}

configs::Metric pattern_loss() {
  configs::Metric metric;
  metric.name = "loss";
  metric.pattern = configs::Placed<std::string>{R"(global_step: (?P<step>\d+),.* loss: (?P<value>\S+),)", {}};
  return metric;
}

void read_whole(const fs::path& log, const configs::Metric& metric, const std::vector<driver::read::NamePattern>& watched) {
  AttemptLog attempt({.stdout_file = log, .stderr_file = {}, .folder = {}}, {metric}, watched);
  attempt.poll();
  attempt.finish();
  if (!attempt.errors().empty()) _exit(1);
}

}  // namespace

int main(int count, char** arguments) {
  const std::size_t mib = count > 1 ? std::stoul(arguments[1]) : 1024;
  const int rounds = count > 2 ? std::stoi(arguments[2]) : 3;
  std::mt19937_64 random(count > 3 ? std::stoul(arguments[3]) : 1);

  const fs::path folder = fs::temp_directory_path() / fmt::format("bisectd-bench-{}", getpid());
  fs::create_directories(folder);
  const fs::path glog = folder / "glog.log";
  const fs::path training = folder / "training.log";
  std::size_t step = 0;
  write_log(glog, mib << 20, [&](std::string& text) { add_operator_call(text, random); });
  write_log(training, mib << 20, [&](std::string& text) { add_training_line(text, random, step); });

  const std::vector<driver::read::NamePattern> names{
      {R"(^(?P<name>\w+) kernel run finish\.)"},
      {R"(missing npu kernel: (?P<name>\w+), expected_kernel_key:\(npu, .*fall[a-z]* ?(?:back|backing) to CPU)"},
      {R"(missing npu kernel: (?P<name>\w+), expected_kernel_key:\(npu, .+, (?P<detail>\w+)\), )"
       R"(fall[a-z]* ?(?:back|backing) to CPU)"},
      {R"(of kernel `(?P<name>\w+)` is not registered and fail to fallback to CPU one)"}};
  const std::vector<driver::read::NamePattern> dense{{R"(Running_AD_API: (?P<name>\w+))"}};

  fmt::print("{} MiB per log, median of {}\n", mib, rounds);
  fmt::print("{:<34} {:>7} {:>7}   {:>6} {:>6} {:<6} {:>6} {:>6}\n", "log and what is read of it", "grep s", "ours s",
             "target", "ratio", "", "target", "MiB");
  report({"GLOG_v=3: loss, fall-backs, refused", glog, "missing npu kernel",
          [&](const fs::path& log) { read_whole(log, paddleocr_loss(), names); }, kTargetMib},
         rounds);
  report({"GLOG_v=3: each API call", glog, "Running_AD_API",
          [&](const fs::path& log) { read_whole(log, paddleocr_loss(), dense); }, kTargetMib},
         rounds);
  report({"training log: PaddleOCR's loss",
          training,
          "loss: ",
          [&](const fs::path& log) { read_whole(log, paddleocr_loss(), {}); },
          {}},
         rounds);
  report({"training log: a user's pattern",
          training,
          "loss: ",
          [&](const fs::path& log) { read_whole(log, pattern_loss(), {}); },
          {},
          kTargetRatioOfPattern},
         rounds);
  fs::remove_all(folder);
}
