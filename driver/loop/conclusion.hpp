// What the answer of the search means for the person who asked: outcome, workaround, advice. Pure.
#pragma once

#include <map>
#include <string>

#include "configs/experiment.hpp"
#include "driver/judge/verdict.hpp"
#include "driver/neutralise/recipe.hpp"
#include "driver/record/history.hpp"

namespace bisectd::driver {

/// What the subject is launched with when nothing is neutralised, and how its ladders are.
struct Base {
  const neutralise::Environment& environment;
  const neutralise::Rungs& rungs;
  const neutralise::Environment& inherited;  ///< LaunchSide::inherited
};

/// Something speaks against the answer: it is none any more, and `why` is told. Of a proved one the culprit set is told,
/// too.
void take_back(strategies::Answer& answer, strategies::Hindrance hindrance, const std::string& why);

/// After the search: outcome, workaround, no-effect suspects, warnings and advice. `no_effect` are the suspects that left no
/// trace, and why, as far as a log says it. `files`: the folder in which the workaround names its files (recipe_of_fix).
/// `exact`: the subject repeats itself bit for bit.
Conclusion conclude(strategies::Answer answer, const configs::Experiment& experiment, const neutralise::Catalogue& catalogue,
                    const Base& base, const std::map<strategies::SuspectId, std::string>& no_effect,
                    const std::filesystem::path& files, bool exact);

/// What makes it likely that neutralising reaches nothing, or that the training does not even start, where the subject
/// breaks or differs with everything neutralised, too; may be empty. `record` has its trials, with their curves.
std::string doubt_of_everything(const reports::Record& record, const configs::Experiment& experiment);

/// What the subject is launched with when the culprit set is neutralised, with its files in `files`.
neutralise::Recipe recipe_of_fix(const strategies::Answer& answer, const configs::Experiment& experiment,
                                 const neutralise::Catalogue& catalogue, const Base& base,
                                 const std::filesystem::path& files);

/// The subject as it is agrees with the reference.
Conclusion conclude_aligned(const configs::Experiment& experiment);

/// The declared checks do not agree: what follows would compare two different trainings.
Conclusion conclude_unequal(const std::vector<std::string>& differences);

/// The target cannot be decided; `why` says what is in the way.
Conclusion conclude_undecidable(const std::string& why);

/// Noise hides whether the subject as it is passes.
Conclusion conclude_hidden(const judge::Judgement& as_is, const configs::Experiment& experiment,
                           const std::string& no_contrast);

/// Devices compute differently; `how`: "runs ... end at least 3 % higher on npu 1 than on npu 0".
Conclusion conclude_devices_differ(const std::string& how);

/// `how`: "The fault goes as soon as ops are watched ..."
Conclusion conclude_mended_by_watching(const std::string& how, const configs::Experiment& experiment);

/// The subject, which must only run, does not always break; `how_often`: "in 2 of 5 runs".
Conclusion conclude_breaking_sometimes(const std::string& how_often);

}  // namespace bisectd::driver
