// A folder for one test, gone afterwards, and what loading a file in it says.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "configs/loader.hpp"

namespace bisectd::configs {

class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "bisectd-configs-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::filesystem::path write(const std::string& name, std::string_view bytes) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return path_ / name;
  }
  const std::filesystem::path& path() const { return path_; }

  /// Every problem with the file as "line:col: message"; other files than this one by their name in front. Empty: it is
  /// good.
  std::string problems_of(std::string_view bytes) const {
    const auto file = write("experiment.yaml", bytes);
    try {
      load_experiment(file);
    } catch (const ConfigError& error) {
      std::string text;
      for (const Problem& problem : error.problems()) {
        if (problem.place.file != file) text += std::filesystem::path(problem.place.file).filename().string() + ":";
        text += std::to_string(problem.place.line) + ":" + std::to_string(problem.place.column) + ": " + problem.message;
        text += (problem.hint.empty() ? "" : " | " + problem.hint) + "\n";
      }
      return text;
    }
    return {};
  }
  /// The first of problems_of.
  std::string problem_of(std::string_view bytes) const {
    const std::string all = problems_of(bytes);
    return all.substr(0, all.find('\n'));
  }

 private:
  std::filesystem::path path_;
};

/// A good experiment, line by line.
inline constexpr std::string_view kGood = R"(version: 1
name: trial
reference:
  command: [python, train.py, cpu]
subject:
  command: [python, train.py, npu]
  devices: {kind: npu, ids: [0, 1]}
metric: {loss: {format: paddleocr}}
families:
  ops: {kind: list, deliver: {environment: OFF}}
suspects: {ops: [relu, gelu]}
)";

/// The same for a preset.
inline constexpr std::string_view kGoodPaddle = R"(version: 1
name: trial
extends: paddle-npu
reference:
  command: [python, train.py, cpu]
subject:
  command: [python, train.py, npu]
  devices: {ids: [0, 1]}
metric: {loss: {format: paddleocr}}
suspects:
  ops: {discover: true}
)";

/// The first problem of an experiment, as LINE:COLUMN: text.
inline std::string problem(const std::string& text) {
  const Folder folder;
  return folder.problem_of(text);
}

/// `text` with its line `number` (1-based) replaced; a number beyond the last one appends.
inline std::string with_line(std::string_view text, int number, std::string_view line) {
  std::string result;
  for (int i = 1; !text.empty(); ++i) {
    const std::size_t end = text.find('\n') + 1;
    result += i == number ? std::string(line) + "\n" : std::string(text.substr(0, end));
    text.remove_prefix(end);
    if (text.empty() && i < number) result += std::string(line) + "\n";
  }
  return result;
}

}  // namespace bisectd::configs
