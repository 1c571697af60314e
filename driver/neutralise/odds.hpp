// Prior odds of a member, from what the experiment says and what a file tells. Pure.
#pragma once

#include <string>

#include "configs/experiment.hpp"

namespace bisectd::driver::neutralise {

/// Against an unremarkable member, which has 1. The experiment's own odds count before those of a file.
double odds_of(const configs::Selection& selection, const std::string& member);

/// Whether this operator computes what a class or function of this name does, in this direction: batch_norm_grad and
/// native_batch_norm_backward compute BatchNorm2D backward. Only letters count; so names that are spelt otherwise are
/// missed.
bool computes(const std::string& member, const std::string& what, bool backward);

}  // namespace bisectd::driver::neutralise
