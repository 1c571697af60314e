#include "driver/log/log.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <functional>
#include <memory>
#include <spdlog/details/null_mutex.h>
#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "configs/printable.hpp"
#include "configs/secret.hpp"
#include "configs/shell_word.hpp"
#include "driver/keep/descriptor.hpp"

namespace bisectd::driver::log {

namespace {

/// bisectd has one thread.
using Sink = spdlog::sinks::base_sink<spdlog::details::null_mutex>;

class StderrSink final : public Sink {
 public:
  StderrSink();
  void before_lines(std::function<void()> call) { before_lines_ = std::move(call); }

 private:
  void sink_it_(const spdlog::details::log_msg& message) override;
  void flush_() override;

  std::function<void()> before_lines_;
};

class FileSink final : public Sink {
 public:
  FileSink();
  /// Why it cannot be opened; empty if it is. No process that is started has it.
  std::string open(const std::filesystem::path& file);
  void close();

 private:
  void sink_it_(const spdlog::details::log_msg& message) override;
  void flush_() override;
  void write(std::string_view line);

  keep::Descriptor descriptor_;
  std::vector<std::string> early_;  ///< what was told before there was a file
  std::size_t lost_lines_ = 0;      ///< since the last that could be written
};

/// A command may name a thousand suspects; it is whole in the attempt's command.sh.
constexpr std::size_t kLongestLine_bytes = 4096;
constexpr std::size_t kMostEarlyLines = 1000;

std::string clipped(std::string text) {
  if (text.size() <= kLongestLine_bytes) return text;
  std::size_t end = kLongestLine_bytes;
  while ((static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;  // not inside a character
  return fmt::format("{}... ({} bytes)", std::string_view(text).substr(0, end), text.size());
}

std::string_view text_of(const spdlog::details::log_msg& message) {
  return {message.payload.data(), message.payload.size()};
}

/// The text of a message as one line: whatever is in it, no line of the file can be mistaken for another one's.
class OneLine final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& to) override {
    const std::string text = clipped(configs::without_secrets("", configs::printable(text_of(message))));
    to.append(text.data(), text.data() + text.size());
  }
  std::unique_ptr<spdlog::custom_flag_formatter> clone() const override { return std::make_unique<OneLine>(); }
};

class ManyLines final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& to) override {
    const std::string text = (message.level == spdlog::level::debug ? "debug: " : "") +
                             configs::without_secrets("", configs::printable_lines(text_of(message)));
    to.append(text.data(), text.data() + text.size());
  }
  std::unique_ptr<spdlog::custom_flag_formatter> clone() const override { return std::make_unique<ManyLines>(); }
};

/// `%*` of the pattern is the text.
template <class Text>
std::unique_ptr<spdlog::formatter> layout(const std::string& pattern) {
  auto formatter = std::make_unique<spdlog::pattern_formatter>(spdlog::pattern_time_type::utc, "\n");
  formatter->add_flag<Text>('*').set_pattern(pattern);
  return formatter;
}

StderrSink::StderrSink() { set_formatter(layout<ManyLines>("%*")); }

void StderrSink::sink_it_(const spdlog::details::log_msg& message) {
  spdlog::memory_buf_t line;
  formatter_->format(message, line);
  if (before_lines_) before_lines_();
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void StderrSink::flush_() { std::fflush(stderr); }

FileSink::FileSink() { set_formatter(layout<OneLine>("%Y-%m-%dT%H:%M:%S.%eZ %L %*")); }

std::string FileSink::open(const std::filesystem::path& file) {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  keep::Descriptor opened(::open(file.c_str(), kFlags, 0600));
  if (opened && opened.get() <= STDERR_FILENO)  // a stderr that is closed must not become this file
    opened = keep::Descriptor(::fcntl(opened.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  if (!opened) return std::strerror(errno);
  struct stat about {};
  if (::fstat(opened.get(), &about) != 0 || !S_ISREG(about.st_mode)) return "it is no file";
  descriptor_ = std::move(opened);
  for (const std::string& line : std::exchange(early_, {})) write(line);
  return {};
}

void FileSink::close() { descriptor_ = keep::Descriptor(); }

void FileSink::sink_it_(const spdlog::details::log_msg& message) {
  spdlog::memory_buf_t buffer;
  formatter_->format(message, buffer);
  const std::string_view line(buffer.data(), buffer.size());
  if (descriptor_) write(line);
  else if (early_.size() < kMostEarlyLines) early_.emplace_back(line);
}

void FileSink::write(std::string_view line) {
  std::string text(line);
  if (lost_lines_ > 0)  // the last may be cut off
    text = fmt::format("\n({} lines could not be written)\n{}", lost_lines_, line);
  const ssize_t written = ::write(descriptor_.get(), text.data(), text.size());
  lost_lines_ = written == static_cast<ssize_t>(text.size()) ? 0 : lost_lines_ + 1;
}

void FileSink::flush_() {
  if (descriptor_) ::fdatasync(descriptor_.get());
}

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
