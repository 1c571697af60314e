#include "driver/read/attempt_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "configs/formats.hpp"

namespace bisectd::driver::read {
namespace {

/// Set if the metric comes from event files.
std::optional<Framing> framing_of(const configs::Metric& metric) {
  const configs::MetricFormat* format = metric.pattern ? nullptr : configs::find_format(metric.format.value);
  if (format == nullptr) return std::nullopt;
  if (format->kind == configs::FormatKind::tensorboard) return Framing::tensorflow;
  if (format->kind == configs::FormatKind::visualdl) return Framing::visualdl;
  return std::nullopt;
}

bool is_described(const configs::Metric& metric) { return metric.pattern || !metric.format.value.empty(); }

}  // namespace

AttemptLog::AttemptLog(const AttemptFiles& files, const std::vector<configs::Metric>& metrics,
                       const std::vector<NamePattern>& watched, const Readings& known)
    : names_(watched) {
  for (const auto& path : {files.stdout_file, files.stderr_file}) {
    if (path.empty()) continue;
    File& file = add_file(path);
    file.counts_names = true;
    for (const Needed& needed : names_.needed()) file.sieve.add(needed);
  }
  for (const configs::Metric& metric : metrics) add_metric(metric, files);
  for (File& file : files_)
    if (!file.to_learn.empty()) file.metrics.emplace(file.to_learn, known);
  if (!files.metrics_file.empty()) add_side_channel(files.metrics_file, metrics);
}

void AttemptLog::add_side_channel(const std::filesystem::path& path, const std::vector<configs::Metric>& metrics) {
  File& file = add_file(path);
  file.is_side_channel = true;
  std::vector<std::string> names{"loss_scale", "grad_norm"};
  for (const configs::Metric& metric : metrics)
    if (!metric.is_watched()) names.push_back(metric.name);
  for (const std::string& name : names) {
    configs::Metric metric;
    metric.name = name;
    metric.format.value = "jsonl";
    metric.file = path.string();
    file.sieve.add(side_readers_.emplace_back(metric).needed());
  }
}

void AttemptLog::take_side(const Line& line) {
  judge::Curve news;
  for (MetricReader& reader : side_readers_) reader.feed(line, news);
  for (auto& [name, series] : news.series) {
    if (from_side_.insert(name).second) forget_printed(name);
    judge::Series& kept = curve_.series[name];
    kept.insert(kept.end(), series.begin(), series.end());
  }
}

void AttemptLog::forget_printed(const std::string& metric) {
  curve_.series.erase(metric);
  for (auto& reader : readers_)
    if (reader && reader->name() == metric) reader.reset();
  std::erase_if(events_, [&](const EventFiles& events) { return events.series() == metric; });
}

void AttemptLog::add_metric(const configs::Metric& metric, const AttemptFiles& files) {
  names_of_metrics_.push_back(metric.name);
  if (!is_described(metric)) {
    learnt_.push_back(metric.name);
    readers_.emplace_back();
    const auto learn = [&](File& file) {
      file.to_learn.push_back({.metric = metric.name,
                               .key = metric.value_key.empty() ? metric.name : metric.value_key,
                               .file = file.follower.path().filename().string()});
    };
    if (metric.file) return learn(add_file(files.folder / *metric.file));
    for (File& file : files_)
      if (file.counts_names) learn(file);
    return;
  }
  if (const auto framing = framing_of(metric)) {
    const std::string& tag = metric.value_key.empty() ? metric.name : metric.value_key;
    events_.emplace_back(metric.file ? files.folder / *metric.file : files.stdout_file, *framing, metric.name, tag);
    readers_.emplace_back();
    return;
  }
  const std::size_t reader = readers_.size();
  const Needed needed = readers_.emplace_back(metric)->needed();
  const auto attach = [&](File& file) {
    file.readers.push_back(reader);
    file.sieve.add(needed);
  };
  if (metric.file) return attach(add_file(files.folder / *metric.file));
  for (File& file : files_)
    if (file.counts_names) attach(file);
}

AttemptLog::File& AttemptLog::add_file(const std::filesystem::path& path) {
  const auto known = std::ranges::find(files_, path, [](const File& file) { return file.follower.path(); });
  return known == files_.end() ? files_.emplace_back(path) : *known;
}

void AttemptLog::take(File& file, const Block& block) {
  Block named = block;
  const std::string source = file.follower.path().filename().string();
  named.source = source;
  if (file.metrics) file.metrics->take(block);
  file.sieve.pick(named, [&](const Line& line) {
    for (const std::size_t reader : file.readers)
      if (readers_[reader]) readers_[reader]->feed(line, curve_, logged_step(file));
    if (file.is_side_channel) take_side(line);
    if (file.counts_names) names_.feed(line);
  });
}

std::optional<std::int64_t> AttemptLog::logged_step(const File& file) const {
  if (file.readers.empty()) return std::nullopt;
  const auto& first = readers_[file.readers.front()];  // what is judged comes before what is watched
  return first && !first->is_watched() ? std::optional(first->logged_step()) : std::nullopt;
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
  for (EventFiles& events : events_) anything = events.read_new(curve_) || anything;
  bool is_news = false;
  for (File& file : files_) is_news = (file.metrics && file.metrics->look(false)) || is_news;
  if (is_news) take_learnt();
  return anything;
}

void AttemptLog::finish() {
  for (File& file : files_) read(file, true);
  for (EventFiles& events : events_) events.finish(curve_);
  for (File& file : files_)
    if (file.metrics) file.metrics->look(true);
  take_learnt();
  ended_ = true;
}

std::pair<const LearntMetrics*, const LearntMetric*> AttemptLog::best_of(const std::string& name) const {
  std::pair<const LearntMetrics*, const LearntMetric*> best{nullptr, nullptr};
  for (const File& file : files_) {
    if (!file.metrics) continue;
    for (const LearntMetric& one : file.metrics->metrics())
      if (one.metric == name && one.found && (!best.second || one.found->points.size() > best.second->found->points.size()))
        best = {&*file.metrics, &one};
  }
  return best;
}

void AttemptLog::take_learnt() {
  const auto put = [&](const std::string& name, judge::Series series) {
    if (!series.empty() && !from_side_.contains(name)) curve_.series[name] = std::move(series);
  };
  for (const std::string& name : learnt_) {
    const auto [metrics, one] = best_of(name);
    if (!metrics || from_side_.contains(name)) continue;
    put(name, series_of(one->found->points));
    if (auto smoothing = metrics->smoothing(*one)) curve_.smoothing[name] = *std::move(smoothing);
  }
  if (learnt_.empty()) return;
  const auto is_own = [&](const char* name) { return std::ranges::count(names_of_metrics_, name) > 0; };
  const LearntMetrics* metrics = best_of(learnt_.front()).first;
  if (!metrics) return;
  if (!is_own("grad_norm")) put("grad_norm", metrics->beside({"grad norm", "gnorm", "global norm", "gradient norm"}));
  if (!is_own("learning_rate")) put("learning_rate", metrics->beside({"lr", "learning rate"}));
  if (!is_own("loss_scale")) put("loss_scale", metrics->loss_scale());
}

std::vector<LearntMetric> AttemptLog::learnt() const {
  std::vector<LearntMetric> all;
  for (const std::string& name : learnt_) {
    if (from_side_.contains(name)) continue;
    const LearntMetric* said = best_of(name).second;
    for (const File& file : files_) {
      if (!file.metrics) continue;
      for (const LearntMetric& one : file.metrics->metrics())  // ambiguous says more than that nothing is there
        if (one.metric == name && (!said || (!said->found && one.is_ambiguous))) said = &one;
    }
    all.push_back(said ? *said : LearntMetric{.metric = name});
  }
  return all;
}

std::optional<std::int64_t> AttemptLog::last_step() const {
  std::optional<std::int64_t> last;
  for (const auto& reader : readers_)
    if (reader) last = std::max(last, reader->last_step());
  for (const EventFiles& events : events_) last = std::max(last, events.last_step());
  for (const std::string& name : learnt_) last = std::max(last, last_step(name));
  return std::max(last, last_side_step());
}

std::optional<std::int64_t> AttemptLog::last_side_step() const {
  std::optional<std::int64_t> last;
  for (const MetricReader& reader : side_readers_) last = std::max(last, reader.last_step());
  return last;
}

std::optional<std::int64_t> AttemptLog::last_step(const std::string& metric) const {
  const auto series = curve_.series.find(metric);
  if (series == curve_.series.end() || series->second.empty()) return std::nullopt;
  return std::ranges::max(series->second, {}, &judge::Point::step).step;
}

std::vector<std::string> AttemptLog::errors() const {
  std::vector<std::string> errors = names_.problems();
  for (const File& file : files_)
    if (!file.problem.empty()) errors.push_back(file.problem);
  for (const EventFiles& events : events_)
    for (std::string& problem : events.problems(ended_)) errors.push_back(std::move(problem));
  if (ended_)
    for (const LearntMetric& one : learnt())
      if (!one.found && one.is_ambiguous) errors.push_back(fmt::format("{}: {}", one.file, one.refusal));
  const auto add_wrong_lines = [&](const MetricReader& reader) {
    for (const WrongLine& wrong : reader.wrong_lines()) {
      std::string error = fmt::format("{}:{}: {}: {}", wrong.source, wrong.number, wrong.message, wrong.text);
      // What is no line of a metrics file at all is wrong for each of its readers: said once.
      if (std::ranges::find(errors, error) == errors.end()) errors.push_back(std::move(error));
    }
    const auto more = reader.wrong_line_count() - static_cast<std::int64_t>(reader.wrong_lines().size());
    if (more > 0) errors.push_back(fmt::format("{} more lines like these", more));
  };
  for (const auto& reader : readers_)
    if (reader) add_wrong_lines(*reader);
  for (const MetricReader& reader : side_readers_) add_wrong_lines(reader);
  return errors;
}

std::vector<std::string> AttemptLog::notes() const {
  std::vector<std::string> notes;
  for (const File& file : files_) {
    notes.insert(notes.end(), file.follower.notes().begin(), file.follower.notes().end());
    if (const auto clipped = file.follower.clipped_lines(); clipped > 0)
      notes.push_back(fmt::format("{}: {} longer than {} KiB and cut", file.follower.path().filename().string(),
                                  clipped == 1 ? "1 line was" : fmt::format("{} lines were", clipped), kLongestLine / 1024));
  }
  return notes;
}

}  // namespace bisectd::driver::read
