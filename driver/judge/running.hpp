// Whether a run ran at all (`accept.goal: runs`): what is logged is not compared with anything.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "driver/judge/curve.hpp"
#include "driver/judge/verdict.hpp"

namespace bisectd::driver::judge {

/// Reason of a run that left well and logged nothing of a metric.
inline constexpr const char* kNoCurve = "no-curve";

/// The first step at which a judged metric is NaN or infinite; empty: none is.
std::optional<std::int64_t> first_not_finite(std::span<const MetricRule> metrics, const Curve& curve);

/// From the curves of attempts that left well: passes if each has every metric, all of it finite, and the first one up to
/// 90 % of `steps` or so far that its next line would come behind them. Exact: nothing is measured.
Judgement judge_running(std::span<const MetricRule> metrics, std::int64_t steps, std::span<const Curve> attempts);

/// Of a run that died or hung. `reason` is a code, `text` for people.
Judgement broke(std::string reason, std::string text);

}  // namespace bisectd::driver::judge
