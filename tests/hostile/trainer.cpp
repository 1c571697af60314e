// A stand-in training for end-to-end tests: logs like PaddleOCR, takes a few milliseconds, and misbehaves on demand.
// What it can do is in options.cpp (--help). It knows nothing of bisectd but two environment variables.
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>

#include "tests/hostile/model.hpp"
#include "tests/hostile/options.hpp"

namespace {

using namespace hostile;

void sleep_ms(double ms) { std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(ms)); }

[[noreturn]] void hang() {
  std::fflush(nullptr);
  for (;;) ::pause();
}

[[noreturn]] void die(int signal_number) {
  std::fflush(nullptr);
  std::signal(signal_number, SIG_DFL);
  std::raise(signal_number);
  std::abort();
}

std::optional<std::string> variable(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  return value ? std::optional<std::string>(value) : std::nullopt;
}

std::string attempt() { return variable("BISECTD_ATTEMPT").value_or("-"); }

std::uint64_t seed_of(const Options& options) {
  if (!options.seed)
    return static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count()) ^
           static_cast<std::uint64_t>(::getpid()) << 40U;
  const std::string tag = attempt();
  std::uint64_t hash = 0xcbf29ce484222325ULL ^ *options.seed;  // FNV-1a
  for (const char c : tag.substr(tag.rfind('/') + 1)) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

std::set<std::string> names_off(const Options& options) {
  std::set<std::string> names;
  std::istringstream list(variable(options.list_variable).value_or(""));
  for (std::string name; std::getline(list, name, ',');) names.insert(name);
  return names;
}

void count(const Options& options, const std::string& what) {
  if (options.count_file.empty()) return;
  const std::string line = what + " " + attempt() + "\n";
  const int fd = ::open(options.count_file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (fd < 0 || ::write(fd, line.data(), line.size()) != static_cast<ssize_t>(line.size())) std::perror("--count");
  if (fd >= 0) ::close(fd);
}

void leave_strays(std::int64_t strays) {
  for (std::int64_t i = 0; i < strays; ++i) {
    const pid_t child = ::fork();
    if (child != 0) continue;
    if (::fork() == 0) {  // twice, so that it loses its parent too
      ::setsid();
      std::signal(SIGTERM, SIG_IGN);
      hang();
    }
    ::_exit(0);
  }
}

void log_kernels(const Options& options, const Model& model) {
  for (const std::string& name : options.suspects) {
    if (model.is_off(name) || options.on_cpu.contains(name))
      std::fprintf(stderr,
                   "W1127 16:48:27.000000 %d kernel_factory.cc:289] missing npu kernel: %s, expected_kernel_key:(npu, "
                   "Undefined(AnyLayout), float32), fallbacking to CPU one!\n",
                   ::getpid(), name.c_str());
    if (options.discover) std::printf("%s kernel run finish.\n", name.c_str());
  }
}

void spam(std::int64_t megabytes) {
  std::string block;
  while (block.size() < (1U << 20U)) block += "I1127 16:48:27.000000 1 operator.cc:777] nothing of interest here\n";
  for (std::int64_t i = 0; i < megabytes; ++i) std::fwrite(block.data(), 1, block.size(), stderr);
}

void log_step(const Options& options, std::int64_t step, double loss) {
  char line[400];
  const int size = std::snprintf(
      line, sizeof line,
      "[2025/11/27 16:48:27] ppocr INFO: epoch: [1/1], global_step: %lld, lr: 0.000160, acc: 0.000000, "
      "norm_edit_dis: 0.039063, loss: %.*f, avg_reader_cost: 0.00096 s, avg_batch_cost: 0.02094 s, avg_samples: 256.0, "
      "ips: 12223.64893 samples/s, eta: 0:00:01\n",
      static_cast<long long>(step), options.side_channel ? 2 : 6, loss);
  const std::string_view text(line, static_cast<std::size_t>(size));
  static constexpr std::string_view kGarbage("\x1b[31m\0\xff\xfe\x80<script>\r\n", 19);
  if (options.garbage) std::fwrite(kGarbage.data(), 1, kGarbage.size(), stdout);
  if (options.torn) {
    for (std::size_t at = 0; at < text.size(); at += 50) {
      const auto piece = text.substr(at, 50);
      std::fwrite(piece.data(), 1, piece.size(), stdout);
      std::fflush(stdout);
    }
    return;
  }
  std::fwrite(text.data(), 1, text.size(), stdout);
}

void log_aside(std::int64_t step, double loss) {
  static std::FILE* const file = std::fopen(variable("BISECTD_METRICS_FILE").value_or("/dev/null").c_str(), "a");
  if (file) std::fprintf(file, "{\"step\": %lld, \"loss\": %.17g}\n", static_cast<long long>(step), loss);
}

/// What happens in the middle of the run, whichever step that is.
void middle(const Options& options, const Model& model) {
  for (const auto& names : options.crash_off)
    if (model.all_off(names)) die(SIGABRT);
  for (const auto& names : options.hang_off)
    if (model.all_off(names)) hang();
  if (options.crash_perturbed && model.is_perturbed()) die(SIGABRT);
  if (options.spam_mb > 0) spam(options.spam_mb);
  if (options.long_line) std::puts(std::string(1U << 20U, 'x').c_str());
}

int train(const Options& options) {
  if (options.ignore_term) std::signal(SIGTERM, SIG_IGN);
  if (options.leave_on_term) std::signal(SIGTERM, [](int) { ::_exit(0); });
  count(options, "start");
  leave_strays(options.strays);
  const Lookup lookup = [&](const std::string& name) {
    const auto setting = options.settings.find(name);
    return setting != options.settings.end() ? std::optional(setting->second) : variable(name);
  };
  Model model(options, names_off(options), lookup, seed_of(options));
  if (model.random().uniform() * 100 < options.crash_percent) die(SIGABRT);
  log_kernels(options, model);
  if (model.is_perturbed()) std::fputs("hostile: perturbed 3 parameters\n", stderr);
  double step_ms = options.step_ms;
  for (const auto& [name, ms] : options.slow_ms) step_ms += model.is_off(name) ? ms : 0;
  for (std::int64_t step = 1; step <= options.steps; ++step) {
    if (step == options.crash_at) die(SIGSEGV);
    if (step == options.hang_at) hang();
    if (step == (options.steps + 1) / 2) middle(options, model);
    const double loss = model.loss(step);
    if (!options.truncate_at || step <= *options.truncate_at) log_step(options, step, loss);
    if (options.side_channel) log_aside(step, loss);
    if (options.score_every > 0 && step % options.score_every == 0)
      std::printf("[2025/11/27 16:48:27] ppocr INFO: cur metric, acc: %.6f, fps: 1200.0\n", model.score(step));
    if (step_ms > 0) {
      std::fflush(stdout);
      sleep_ms(step_ms);
    }
  }
  if (options.hang_at_exit) hang();
  std::fflush(stdout);
  count(options, "end");
  return options.exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 1 && words[0] == "--help") {
    std::fputs(kHelp, stdout);
    return 0;
  }
  try {
    return train(parse(words));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "hostile_trainer: %s\n", error.what());
    return 2;
  }
}
