// junit.xml: the run for a pipeline. In the dialect that Jenkins and GitLab both show: flat suites, unique pairs of
// class and name, the story in the text of a failure, counts that are right.
#pragma once

#include <string>

#include "reports/record.hpp"
#include "reports/suite.hpp"

namespace bisectd::reports {

/// One suite with three cases that are always there, so that their history works:
///   reference.runs     the trusted side ran
///   accuracy.<metric>  the subject as it is agrees with the reference; else a failure that names the culprits
///   search.answer      there is an answer; inconclusive, outside the suspects and infrastructure are errors
/// What was not reached is skipped. Culprits never become names of cases.
std::string to_junit(const Record& record);

/// One such suite per model, named after it. A model that could not be judged has the case search.answer alone, as an
/// error; one left out because it did not change, as skipped.
std::string to_junit(const SuiteRecord& suite);

}  // namespace bisectd::reports
