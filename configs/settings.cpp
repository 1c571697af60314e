// Declares what a run is judged by and how it is searched: `metric`, `accept`, `search`, `hold`, `align` and
// `overflow_check`.
#include <fmt/format.h>

#include <boost/algorithm/string/replace.hpp>

#include "configs/blocks.hpp"
#include "configs/suggest.hpp"
#include "configs/formats.hpp"
#include "configs/kinds.hpp"
#include "configs/placeholders.hpp"
#include "configs/printable.hpp"
#include "configs/words.hpp"

namespace bisectd::configs {
namespace {

Kind<std::string> format() {
  std::vector<std::pair<std::string, std::string>> names;
  for (const MetricFormat& known : metric_formats()) names.emplace_back(known.name, known.name);
  return choice(names, "format");
}

void settle_metric(MapReader& reader, Metric& metric) {
  const MetricFormat* format = find_format(metric.format.value);
  const Value* pattern = reader.find("pattern");
  if (pattern && reader.find("format"))
    reader.problems().add(pattern->place, fmt::format("`{}` has `format` and `pattern`", reader.what()), "either is enough");
  if (format && format->needs_file() && !metric.file)
    reader.problems().add(metric.format.place, fmt::format("format {} needs `file`: it is not printed", format->name),
                          "the file, or the folder it is written to, relative to {attempt}");
  if (!format || !format->has_step_key()) reader.refuse({"step_key"}, "`{key}` is only for the formats jsonl and csv");
  if (pattern) reader.refuse({"value_key"}, "`{key}` has no use beside a pattern");
}

const Block<Metric>& metric_block() {
  using M = Metric;
  static const Block<M> block{
      {.name = "metric",
       .title = "`metric: {NAME: ...}`",
       .keys = {key("format", &M::format, format(),
                    "How it is logged, by name. Where neither it nor `pattern` is said, how the metric is read is found out "
                    "from the log."),
                key("pattern", &M::pattern, pattern("value", {"step"}), "RE2 with the group value and perhaps step."),
                key("file", &M::file, attempt_file("a metric's file must lie inside the attempt's own folder"),
                    "In the attempt's folder; absent: the output."),
                key("step_key", &M::step_key, text(), "Column or key of the step (jsonl, csv).").written<M>([](const M& it) {
                  return it.pattern || it.format.value.empty() ? Value{} : text_value(it.step_key);
                }),
                key("value_key", &M::value_key, text(), "Column or key of the value; absent: the metric's name.")
                    .written<M>([](const M& it) {
                      return it.pattern ? Value{} : text_value(it.value_key.empty() ? it.name : it.value_key);
                    }),
                key("higher_is_better", &M::higher_is_better, boolean(),
                    "For example of an accuracy: which side is the worse one.")}},
      settle_metric};
  return block;
}

bool read_metrics(const Value& value, const Where& where, std::vector<Metric>& metrics) {
  const auto add = [&](const std::string& name, const Place& place) {
    if (!is_plain_name(name)) where.tell(place, in_quotes(name) + " is no name for a metric", "for example loss or acc");
    metrics.emplace_back().name = name;
  };
  if (value.kind == Value::Kind::scalar) {  // metric: loss
    add(value.text, value.place);
    return true;
  }
  const MapReader reader(value, where.what, where.problems);
  for (const Value::Entry& entry : value.entries) {
    add(entry.key, entry.place);
    if (entry.value.kind != Value::Kind::null) metric_block().read(entry.value, where.below(entry.key), metrics.back());
  }
  if (metrics.empty() && reader.is_map()) where.tell(value, "`metric` names none", "for example `metric: loss`");
  std::ranges::stable_partition(metrics, [](const Metric& metric) { return !metric.is_watched(); });
  if (!metrics.empty() && metrics.front().is_watched())
    where.tell(value, fmt::format("`metric` names only `{}`, which is watched but not judged", metrics.front().name),
               "name a loss or a score too");
  return true;
}

Kind<Goal> goal() {
  Kind<Goal> kind = choice<Goal>({{"agrees", Goal::agrees}, {"runs", Goal::runs}}, "goal");
  kind.read = [read = kind.read](const Value& value, const Where& where, Goal& to) {
    // Of a misspelt word nothing else is said: `runs` asks for less, so no missing reference is told beside it.
    if (!read(value, where, to)) to = Goal::runs;
    return !value.text.empty();
  };
  return kind;
}

Kind<const Standard*> standard() {
  std::vector<std::pair<std::string, const Standard*>> words;
  for (const Standard& known : kStandards) words.emplace_back(known.name, &known);
  return choice(words, "standard");
}

void settle_acceptance(MapReader& reader, Acceptance& accept) {
  if (accept.goal != Goal::runs) return;
  for (const char* key :
       {"target", "grey", "worse_only", "whole", "window", "trim", "absolute_tolerance", "standard", "step_time"})
    if (const Value* unused = reader.find(key))
      reader.problems().warn(
          unused->place, fmt::format("`accept.{}` has no use beside `goal: runs`: a run that comes to `steps` passes", key));
}

const Block<SearchSettings>& budget_block() {
  using S = SearchSettings;
  static const Block<S> block{{.name = "budget",
                               .title = "`search: {budget: ...}`",
                               .keys = {key("trials", &S::budget_trials, whole(1, 1'000'000),
                                            "Most trials of the search, discovery runs after the first one among them, "
                                            "controls at the end not; absent: no limit."),
                                        key("hours", &S::budget_hours,
                                            number(0, 10'000)
                                                .checked([](const Value& value, const Where& where, double hours) {
                                                  if (hours == 0)
                                                    where.tell(value, fmt::format("`{}` must be more than 0", where.what));
                                                })
                                                .shaped(R"({"type": "number", "exclusiveMinimum": 0, "maximum": 10000})"),
                                            "Most hours since the run began; absent: no limit.")}}};
  return block;
}

}  // namespace

Kind<std::vector<Metric>> metrics() {
  return {.read = read_metrics,
          .write =
              [](const std::vector<Metric>& it, const Folder& folder) {
                Value map{.kind = Value::Kind::map};
                for (const Metric& metric : it)
                  map.entries.push_back({metric.name, {}, metric_block().write(metric, folder)});
                return map;
              },
          .shape = {.json = R"({"anyOf": [{"type": "string"}, {"type": "object", "minProperties": 1,
                    "additionalProperties": {"anyOf": [{"type": "null"}, {"$ref": "#/definitions/metric"}]}}]})",
                    .block = [] { return metric_block().declared(); },
                    .by_name = true},
          .shown = [](const std::vector<Metric>&) { return "\"loss\""; }};
}

const Block<Acceptance>& acceptance_block() {
  using A = Acceptance;
  static const Block<A> block{
      {.name = "accept",
       .title = "`accept`",
       .keys =
           {key("goal", &A::goal, goal(),
                "What a trial must come to: agree with the reference, or only reach `steps` without printing NaN (runs), "
                "which needs no reference.")
                .unless_default(),
            key("target", &A::target, share(), "Largest accepted difference of the level, relative to the reference."),
            key("grey", &A::grey, number(1, 100),
                "While searching, what is certainly below so many times the target passes; 1 judges every trial at the "
                "target itself."),
            key("worse_only", &A::worse_only, boolean(), "Judge only differences to the worse side."),
            key("whole", &A::whole, boolean(), "A run that was off on the way fails, though it ends within the target."),
            key("max_repeats", &A::max_repeats, whole(1, 1000),
                "Attempts before a trial is called inconclusive; four times as many for the subject as it is and for "
                "proofs. With 1 nothing is repeated.")
                .touching(Touches::nothing),
            key("window", &A::window, share(), "The final part of a run whose level is judged where runs differ by chance."),
            key("trim", &A::trim, share().checked([](const Value& value, const Where& where, double trim) {
              if (trim >= 0.5)
                where.tell(value, fmt::format("`{}` must be below 50%: it is cut from both ends", where.what));
            }),
                "Cut from both ends of the sorted values of the window before their mean; below 50%."),
            key("absolute_tolerance", &A::absolute_tolerance, number(0, 1e300),
                "Smaller differences pass whatever the scale."),
            key("standard", &A::standard, standard(),
                "Said beside the verdict, and changes none: whether the subject as it is, and the fix, meet what these "
                "publish; its false alarms and misses are in docs/verdicts.md.")
                .touching(Touches::nothing),
            key("step_time", &A::step_time, increase(),
                "What a fix may cost in speed, for example +10%: of several minimal fixes one that keeps within it is "
                "taken.")
                .touching(Touches::nothing)}},
      settle_acceptance};
  return block;
}

const Block<SearchSettings>& search_block() {
  using S = SearchSettings;
  static const Block<S> block{
      {.name = "search",
       .title = "`search`",
       .keys = {
           key("confidence", &S::confidence, share().checked([](const Value& value, const Where& where, double confidence) {
             if (confidence < 0.5) where.tell(value, fmt::format("`{}` must be at least 50%", where.what));
           }),
               "At which the search stops: how sure the answer must be, 50% or more."),
           within("budget", budget_block, "Where the search ends without an answer."),
           key("seed", &S::seed, whole(0, INT64_MAX),
               "Of what is drawn by chance in the search; the same seed and verdicts give the same trials."),
           key("engine", &S::engine,
               choice<EngineChoice>({{"automatic", EngineChoice::automatic},
                                     {"ordered", EngineChoice::ordered},
                                     {"causes", EngineChoice::causes}},
                                    "engine"),
               "How trials are chosen (docs/search.md)."),
           key("signature_steps", &S::signature_steps, whole(0, 1000),
               "So many of the first logged steps are compared between trials, where runs repeat themselves but for "
               "rounding: equal differences show equal causes, so that many are found at once by very short trials. 0: "
               "only verdicts count."),
           key("fix", &S::fix,
               choice<FixChoice>({{"cheapest", FixChoice::cheapest}, {"fastest", FixChoice::fastest}}, "fix"),
               "Which of several minimal fixes is the culprit set: by the prices of suspects, or by the step time "
               "measured.")}}};
  return block;
}

const Block<HoldMeans>& hold_by_block() {
  static const Block<HoldMeans> block{
      {.name = "hold_by",
       .title = "`hold_by`, of a preset",
       .keys = {key("seed", &HoldMeans::seed, family_variables({"value"}), "Variables of `hold.seed`; {value} is the seed."),
                key("deterministic", &HoldMeans::deterministic, family_variables(), "Variables of `hold.deterministic`.")}}};
  return block;
}

const Block<Hold>& hold_block() {
  constexpr std::int64_t kLargestSeed = 4'294'967'295;  // NumPy and Python's hash take no larger one
  static const Block<Hold> block{{.name = "hold",
                                  .title = "`hold`",
                                  .keys = {key("seed", &Hold::seed, whole(0, kLargestSeed),
                                               "Of Python, NumPy and the framework, before the script runs."),
                                           key("deterministic", &Hold::deterministic, boolean(),
                                               "Deterministic kernels and collectives, on GPUs too.")},
                                  .any_of = {"seed", "deterministic"},
                                  .whole = true},
                                 [](MapReader& reader, Hold&) {
                                   if (reader.is_map() && reader.value().entries.empty())
                                     reader.problems().add(reader.place(), "`hold` holds nothing",
                                                           "for example {seed: 1024, deterministic: true}");
                                 }};
  return block;
}

void settle_hold(const Value& block, const HoldMeans& means, Hold& hold, Problems& problems) {
  const auto take = [&](const char* key, const std::map<std::string, std::string>& variables) {
    const auto entry = std::ranges::find(block.entries, key, &Value::Entry::key);
    if (variables.empty())
      problems.add(
          entry->value.place, fmt::format("nothing says how `{}` is held", key),
          fmt::format("a preset does, for example `extends: paddle-npu`; or `hold_by: {{{}: {{VARIABLE: value}}}}`", key));
    for (const auto& [name, value] : variables)
      hold.environment[name] = hold.seed ? boost::replace_all_copy(value, "{value}", std::to_string(*hold.seed)) : value;
  };
  if (hold.seed) take("seed", means.seed);
  if (hold.deterministic) take("deterministic", means.deterministic);
}

const Block<Alignment>& alignment_block() {
  using A = Alignment;
  static const Block<A> block{
      {.name = "align",
       .title = "`align`",
       .keys = {
           key("environment", &A::environment, variable(), "Variable that holds the file to write.")
               .require("the variable that tells a training where to write; presets of PaddlePaddle and PyTorch have it"),
           key("needs", &A::needs, family_variables(),
               "Further variables of such a run; may hold {presets} {and_inherited} {attempt}."),
           key("bound", &A::bound, share(), "Accepted relative difference of a module's tensors.")}}};
  return block;
}

const Block<OverflowCheck>& overflow_check_block() {
  using C = OverflowCheck;
  static const Block<C> block{
      {.name = "overflow_check",
       .title = "`overflow_check`",
       .keys = {key("environment", &C::environment, family_variables(),
                    "Variables of that run only; may hold {presets} {and_inherited} {attempt}.")
                    .require(
                        "variables that turn the framework's own check on; presets of PaddlePaddle and PyTorch have them"),
                key("first", &C::first, pattern("value"),
                    "RE2 with the group value: the first line that it fits names the operator.")
                    .require("RE2 with the group `value`: the line that names the operator")},
       .whole = true}};
  return block;
}

}  // namespace bisectd::configs
