#include "driver/record/setup_files.hpp"

#include <fmt/format.h>
#include <re2/re2.h>
#include <xxhash.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string_view>

#include "driver/keep/run_directory.hpp"

namespace bisectd::driver {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMost_bytes = 1 << 20;

void add(std::map<std::string, std::string>& files, const configs::Side& side, const fs::path& folder) {
  if (!side.setup) return;
  std::string words = side.setup->value;
  static const RE2 written(R"(\d*(>>|>\||>&|&>|>)\s*[^\s;&|()<>]+)");  // what the setup writes itself changes with each run
  RE2::GlobalReplace(&words, written, " ");
  std::ranges::replace_if(
      words, [](char c) { return std::string_view(";&|()<>\"'`").find(c) != std::string_view::npos; }, ' ');
  std::istringstream stream(words);
  for (std::string word; stream >> word;) {
    const fs::path file = (side.directory ? fs::path(side.directory->value) : folder) / word;
    std::error_code none;
    if (!fs::is_regular_file(file, none) || fs::file_size(file, none) > kMost_bytes || none) continue;
    const std::string text = keep::read_file(file);
    files[word] = fmt::format("{:016x}", XXH3_64bits(text.data(), text.size()));
  }
}

}  // namespace

std::map<std::string, std::string> setup_files(const configs::Experiment& experiment) {
  const fs::path folder = fs::path(experiment.file).parent_path();
  std::map<std::string, std::string> files;
  add(files, experiment.reference, folder);
  add(files, experiment.subject, folder);
  return files;
}

}  // namespace bisectd::driver
