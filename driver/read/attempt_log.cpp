#include "driver/read/attempt_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "driver/read/clean.hpp"

namespace bisectd::driver::read {
namespace {

constexpr std::size_t kShownLine = 200;

/// The last line of a block that is not empty.
std::string_view last_line_of(std::string_view text) {
  constexpr std::string_view kEnds = "\n\r";
  text = text.substr(0, text.find_last_not_of(kEnds) + 1);
  return text.substr(text.find_last_of(kEnds) + 1);
}

}  // namespace

AttemptLog::AttemptLog(const AttemptFiles& files, const std::vector<configs::Metric>& metrics,
                       const std::vector<NamePattern>& watched)
    : names_(watched) {
  for (const auto& path : {files.stdout_file, files.stderr_file}) {
    if (path.empty()) continue;
    File& file = add_file(path);
    file.counts_names = true;
    for (const Needed& needed : names_.needed()) file.sieve.add(needed);
  }
  const std::size_t outputs = files_.size();
  for (const configs::Metric& metric : metrics) {
    const std::size_t reader = readers_.size();
    readers_.emplace_back(metric);
    const auto attach = [&](File& file) {
      file.readers.push_back(reader);
      file.sieve.add(readers_.back().needed());
    };
    if (metric.file)
      attach(add_file(files.folder / *metric.file));
    else
      for (std::size_t i = 0; i < outputs; ++i) attach(files_[i]);
  }
}

AttemptLog::File& AttemptLog::add_file(const std::filesystem::path& path) {
  const auto known = std::ranges::find(files_, path, [](const File& file) { return file.follower.path(); });
  return known == files_.end() ? files_.emplace_back(path) : *known;
}

void AttemptLog::take(File& file, const Block& block) {
  Block named = block;
  const std::string source = file.follower.path().filename().string();
  named.source = source;
  file.sieve.pick(named, [&](const Line& line) {
    for (const std::size_t reader : file.readers) readers_[reader].feed(line, curve_);
    if (file.counts_names) names_.feed(line);
  });
  if (const std::string_view last = last_line_of(block.text); file.counts_names && !last.empty())
    last_line_ = for_display(last, kShownLine);
}

bool AttemptLog::read(File& file, bool to_the_end) {
  if (!file.problem.empty()) return false;
  const auto take_block = [&](const Block& block) { take(file, block); };
  try {
    if (!to_the_end) return file.follower.read_new(take_block);
    file.follower.finish(take_block);
  } catch (const std::system_error& error) {
    file.problem = error.what();
  }
  return false;
}

bool AttemptLog::poll() {
  bool anything = false;
  for (File& file : files_) anything = read(file, false) || anything;
  return anything;
}

void AttemptLog::finish() {
  for (File& file : files_) read(file, true);
}

std::optional<std::int64_t> AttemptLog::last_step() const {
  std::optional<std::int64_t> last;
  for (const MetricReader& reader : readers_) last = std::max(last, reader.last_step());
  return last;
}

std::vector<std::string> AttemptLog::errors() const {
  std::vector<std::string> errors = names_.problems();
  for (const File& file : files_)
    if (!file.problem.empty()) errors.push_back(file.problem);
  for (const MetricReader& reader : readers_) {
    for (const WrongLine& wrong : reader.wrong_lines())
      errors.push_back(fmt::format("{}:{}: {}: {}", wrong.source, wrong.number, wrong.message, wrong.text));
    const auto more = reader.wrong_line_count() - static_cast<std::int64_t>(reader.wrong_lines().size());
    if (more > 0) errors.push_back(fmt::format("{} more lines like these", more));
  }
  return errors;
}

std::vector<std::string> AttemptLog::notes() const {
  std::vector<std::string> notes;
  for (const File& file : files_) {
    notes.insert(notes.end(), file.follower.notes().begin(), file.follower.notes().end());
    if (const auto clipped = file.follower.clipped_lines(); clipped > 0)
      notes.push_back(fmt::format("{}: {} lines were longer than {} KiB and were cut",
                                  file.follower.path().filename().string(), clipped, kLongestLine / 1024));
  }
  return notes;
}

}  // namespace bisectd::driver::read
