#include "driver/commands/commands.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "configs/suggest.hpp"
#include "driver/commands/arguments.hpp"
#include "driver/commands/seen_run.hpp"
#include "driver/loop/replay.hpp"
#include "reports/explain.hpp"

namespace bisectd::driver::commands {
namespace {

struct ExplainOptions {
  std::string folder, suspect;
};

strategies::SuspectId find_suspect(const neutralise::Catalogue& catalogue, const std::string& word) {
  std::vector<std::string> names;
  std::vector<strategies::SuspectId> found;
  for (strategies::SuspectId id = 0; id < catalogue.size(); ++id) {
    const std::string whole = catalogue[id].family + ":" + catalogue[id].name;
    names.push_back(word.find(':') == std::string::npos ? catalogue[id].name : whole);
    if (word == catalogue[id].name || word == whole) found.push_back(id);
  }
  if (found.size() == 1) return found.front();
  if (!found.empty())
    throw UsageError(fmt::format("{} names several suspects: write {}", word, catalogue.label(found.front())));
  const auto near = configs::nearest(word, names);
  throw UsageError(fmt::format("{} was no suspect of this run{}", word,
                               near ? fmt::format("; did you mean {}?", *near)
                                    : ": it was excluded, neutralised already, or not seen on the device"));
}

ExitCode explain(const ExplainOptions& options) {
  const SeenRun run = see_run(options.folder);
  if (run.history.by_hand)
    throw UsageError(fmt::format("{} holds what was tried by hand: no search is there to be explained", options.folder));
  if (!run.history.catalogue) {
    const bool aligned = run.history.finished && run.history.conclusion->outcome == reports::Outcome::aligned;
    throw UsageError(fmt::format("{} holds no search that could be explained: {}", options.folder,
                                 aligned                ? "the subject agrees with its reference"
                                 : run.history.finished ? run.history.conclusion->advice
                                                        : "it ended before its suspects were known"));
  }
  const bool driven = run.process.has_value();
  const reports::Record record = replay(experiment_of(run, false), run.directory, run.history, driven, Detail::live);
  fmt::print("{}", options.suspect.empty()
                       ? reports::why_text(record)
                       : reports::why_text(record, find_suspect(*run.history.catalogue, options.suspect)));
  return ExitCode::success;
}

}  // namespace

void add_explain(CLI::App& app, Action& action) {
  const auto [command, options] =
      add_command(app, action, "explain", "say why a suspect is guilty or not, with the trials that show it", explain);
  command.add_option("DIR", options.folder, "the run directory")->required();
  command.add_option("SUSPECT", options.suspect, "one suspect; without it, the whole proof");
}

}  // namespace bisectd::driver::commands
