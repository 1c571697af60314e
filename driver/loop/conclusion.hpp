// What the answer of the search means for the person who asked: outcome, workaround, advice. Touches nothing but the record.
#pragma once

#include "configs/experiment.hpp"
#include "driver/neutralise/recipe.hpp"
#include "reports/record.hpp"

namespace bisectd::driver {

/// What the subject is launched with when nothing is neutralised, and how its ladders are.
struct Base {
  const neutralise::Environment& environment;
  const neutralise::Rungs& rungs;
};

/// After the search: fills outcome, workaround, no-effect suspects, warnings and advice from record.answer.
/// `no_effect` are the suspects that left no trace. Returns what the workaround sets, with files to be written into
/// `files`, the folder that it names them in.
neutralise::Recipe conclude(reports::Record& record, const configs::Experiment& experiment,
                            const neutralise::Catalogue& catalogue, const Base& base,
                            const strategies::SuspectSet& no_effect, const std::filesystem::path& files);

/// The subject as it is agrees with the reference.
void conclude_aligned(reports::Record& record, const configs::Experiment& experiment);

/// The declared checks do not agree: what follows would compare two different trainings.
void conclude_unequal(reports::Record& record, const std::vector<std::string>& differences);

/// The target cannot be decided; `why` says what is in the way.
void conclude_undecidable(reports::Record& record, const std::string& why);

/// 0 aligned, 1 culprits found, 3 inconclusive or outside the suspects, 4 infrastructure.
int exit_code(reports::Outcome outcome);

}  // namespace bisectd::driver
