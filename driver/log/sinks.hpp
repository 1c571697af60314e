// The two places that the log goes to, as sinks of spdlog. Both make safe what they are given. Only this room includes it.
#pragma once

#include <spdlog/details/null_mutex.h>
#include <spdlog/sinks/base_sink.h>

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "driver/keep/descriptor.hpp"

namespace bisectd::driver::log {

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

}  // namespace bisectd::driver::log
