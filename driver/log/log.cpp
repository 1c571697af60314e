#include "driver/log/log.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/logger.h>

#include <cstdio>
#include <memory>

#include "configs/secret.hpp"
#include "configs/shell_word.hpp"
#include "driver/log/sinks.hpp"

namespace bisectd::driver::log {
namespace {

struct Outputs {
  std::shared_ptr<StderrSink> people = std::make_shared<StderrSink>();
  std::shared_ptr<FileSink> file = std::make_shared<FileSink>();
  spdlog::logger logger{"bisectd", {people, file}};

  Outputs() {
    logger.set_level(spdlog::level::debug);
    logger.flush_on(spdlog::level::warn);
    logger.set_error_handler([](const std::string&) {});  // spdlog's own prints to stderr, over the live lines
    people->set_level(spdlog::level::info);
  }
};

Outputs& outputs() {
  static Outputs one;
  return one;
}

spdlog::level::level_enum in_spdlog(Level level) {
  switch (level) {
    case Level::debug: return spdlog::level::debug;
    case Level::info: return spdlog::level::info;
    case Level::warning: return spdlog::level::warn;
    case Level::error: return spdlog::level::err;
  }
  return spdlog::level::err;
}

}  // namespace

void debug(std::string_view text) { outputs().logger.log(spdlog::level::debug, text); }
void info(std::string_view text) { outputs().logger.log(spdlog::level::info, text); }
void warning(std::string_view text) { outputs().logger.log(spdlog::level::warn, text); }
void error(std::string_view text) { outputs().logger.log(spdlog::level::err, text); }

void show_on_stderr(Level least) { outputs().people->set_level(in_spdlog(least)); }
bool is_shown_on_stderr(Level level) { return outputs().people->should_log(in_spdlog(level)); }
void before_lines_on_stderr(std::function<void()> call) { outputs().people->before_lines(std::move(call)); }

void open_file(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "bisectd.log";
  if (const std::string problem = outputs().file->open(file); !problem.empty())
    warning(fmt::format("warning: {} is not written: {}", file.string(), problem));
}

void close_file() {
  outputs().logger.flush();
  outputs().file->close();
}

std::string command_text(const std::vector<std::string>& argv) {
  std::vector<std::string> words = configs::without_secrets(argv);
  for (std::string& word : words) word = configs::shell_quoted(word);
  return fmt::format("{}", fmt::join(words, " "));
}

}  // namespace bisectd::driver::log
