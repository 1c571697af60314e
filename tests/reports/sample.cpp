#include "tests/reports/sample.hpp"

#include <limits>
#include <utility>

namespace bisectd::reports::sample {
namespace {

using strategies::Claim;
using strategies::Verdict;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

strategies::Neutralised set_of(const std::vector<std::size_t>& ids) {
  strategies::SuspectSet set(6);
  for (const std::size_t id : ids) set.set(id);
  return strategies::Neutralised(std::move(set));
}

Trial trial(std::size_t number, Role role, std::vector<std::size_t> neutralised, Verdict verdict, double delta) {
  Trial one;
  one.number = number;
  one.role = role;
  one.neutralised = std::move(neutralised);
  one.verdict = verdict;
  one.reason = "level";
  one.text = "the level of the final window differs";
  one.delta = delta;
  one.standard_error = 0.0002;
  one.p_bad = verdict == Verdict::pass ? 0.001 : 0.999;
  const double start = 2.0 * static_cast<double>(number);
  Attempt attempt{{.text = "exited 0", .started_s = start, .duration_s = 2.1, .device = "npu 0", .last_step = 60}};
  attempt.folder = "trials/000" + std::to_string(number) + "/attempt-1";
  attempt.curve = {{20, 40, 60}, {7.5, kNan, 7.1}};
  one.attempts.push_back(std::move(attempt));
  return one;
}

Record common() {
  Record record;
  record.program_version = "0.1.0";
  record.experiment = "rec";
  record.experiment_file = "rec.yaml";
  record.run_folder = "/home/user/out/rec-20261121T120000Z";
  record.started_utc = "2026-11-21T12:00:00Z";
  record.metric = "loss";
  record.references = 3;
  record.noise = 0.0003;
  record.reference_curve = {{20, 40, 60}, {7.5, 7.2, 7.0}};
  record.versions = {{"cann", "8.3.RC1"}, {"paddle", "3.3.1"}};
  record.suspects = {{"ops", "conv2d"},           {"ops", "pad3d"},         {"ops", "matmul_v2"},
                     {"flags", "storage_format"}, {"flags", "jit_compile"}, {"ops", "softmax"}};
  record.answer.guilt.assign(6, 0.1);
  Trial reference = trial(1, Role::reference, {}, Verdict::pass, 0);
  reference.attempts.front().device = "gpu 0";
  record.trials = {reference, trial(2, Role::as_is, {}, Verdict::fail, 0.031),
                   trial(3, Role::everything, {0, 1, 2, 3, 4, 5}, Verdict::pass, 0.0002)};
  record.elapsed_s = 8.4;
  return record;
}

}  // namespace

Record culprits() {
  Record record = common();
  record.finished = true;
  record.outcome = Outcome::culprits;
  record.elapsed_s = 22.5;
  record.as_is_curve = {{20, 40, 60}, {7.6, 7.4, 7.2}};
  record.fix_curve = record.reference_curve;
  record.reference_low = {{20, 40, 60}, {7.49, 7.19, 6.99}};
  record.reference_high = {{20, 40, 60}, {7.51, 7.21, 7.01}};
  record.as_is_difference = {{20, 40, 60}, {0.013, 0.028, 0.031}};
  record.fix_difference = {{20, 40, 60}, {0, 0, 0.0001}};
  record.other_metrics = {{"loss_scale", {{20, 60}, {1024, 2048}}, {{20, 60}, {1024, 1}}, {}}};
  record.answer.state = strategies::State::proved;
  record.answer.culprit_set = {1, 3};
  record.answer.causes = {{1}, {2, 3}};
  record.answer.confidence = 0.99236;
  record.answer.guilt = {0.001, 0.999, 0.2, 0.998, 0, 0};
  record.answer.harmless_deviations = {{5, 34.4}};
  record.answer.certificate = {
      {Claim::Kind::fix_passes, {1, 3}, set_of({1, 3}), Verdict::pass, 20, true},
      {Claim::Kind::member_needed, {1}, set_of({3}), Verdict::fail, 20, true},
      {Claim::Kind::member_needed, {3}, set_of({1}), Verdict::fail, 20, true},
      {Claim::Kind::cause_fails, {1}, set_of({0, 2, 3, 4, 5}), Verdict::fail, 20, true},
      {Claim::Kind::cause_fails, {2, 3}, set_of({0, 1, 4, 5}), Verdict::fail, 20, true},
      {Claim::Kind::cause_minimal, {2, 3}, set_of({0, 1, 3, 4, 5}), Verdict::pass, 20, true},
  };
  record.trials.push_back(trial(4, Role::search, {1, 3}, Verdict::pass, 0.0001));
  record.trials.push_back(trial(5, Role::certificate, {3}, Verdict::fail, 0.018));
  record.trials.push_back(trial(6, Role::certificate, {1}, Verdict::fail, 0.013));
  record.trials.push_back(trial(7, Role::certificate, {0, 2, 3, 4, 5}, Verdict::fail, 0.018));
  record.trials.push_back(trial(8, Role::certificate, {0, 1, 4, 5}, Verdict::fail, kNan));
  record.trials.push_back(trial(9, Role::certificate, {0, 1, 3, 4, 5}, Verdict::pass, -0.0001));
  record.ladders = {{.family = "loss_scale",
                     .alone = false,
                     .rungs = {{"1", 10, Verdict::fail, 0.2},
                               {"64", 11, Verdict::pass, 0.0001},
                               {"1024", 12, Verdict::pass, 0.0},
                               {"65536", 13, Verdict::unresolved, {}}},
                     .window = PassingWindow{1, 2, 2}}};
  record.workaround = {{"CUSTOM_DEVICE_BLACK_LIST", "pad3d"}, {"FLAGS_npu_storage_format", "0"}};
  record.changes = {"cann 8.2 -> 8.3.RC1 since the baseline of 2026-11-01T00:00:00Z"};
  record.agreed_checks = {"dataset"};
  record.reproductions = {{{1}, 7, "#!/bin/sh\nexport CUSTOM_DEVICE_BLACK_LIST=conv2d\nexec python train.py\n"}};
  record.as_is_step_time_s = 0.2;
  record.fix_step_time_s = 0.222;
  record.other_fixes = {
      {.neutralised = {1, 2}, .trial = 14, .verdict = Verdict::pass, .delta = 0.0002, .step_time_s = 0.18}};
  return record;
}

Record aligned() {
  Record record = common();
  record.finished = true;
  record.outcome = Outcome::aligned;
  record.answer.state = strategies::State::aligned;
  record.answer.confidence = 1;
  record.trials.resize(2);
  record.trials.back().verdict = Verdict::pass;
  record.trials.back().delta = -0.00004;
  return record;
}

Record unfinished() {
  Record record = common();
  record.answer.trials_left_low = 4;
  record.answer.trials_left_high = 9;
  Trial running = trial(4, Role::search, {0, 1, 2}, Verdict::unresolved, 0);
  running.running = true;
  running.delta.reset();
  running.attempts.front().last_step = 20;
  running.attempts.front().text.clear();
  record.trials.push_back(running);
  return record;
}

const std::vector<std::string>& hostile() {
  static const std::vector<std::string> texts{
      "\x1b[2J\x1b]0;title\a\x1b[31mred",
      "\xc2\x9b"
      "31m C1",
      std::string("nul\0nul", 7),
      "line one\nline two\r\n\tthree",
      "</script><script>alert(1)</script><!-- ]]> --><img src=x onerror=alert(1)>",
      "\"quotes' & <tags> &amp; entities",
      "a | b \\| c `code` ``two`` *bold* _em_ [link](http://evil.example) ![i](x) @all #1 $x$ ~~s~~",
      "```\n# heading\n",
      "http://evil.example www.evil.example",
      "$(touch pwned) `touch pwned` ${HOME} ; touch pwned",
      "\xe2\x80\xae gnp.exe \xe2\x81\xa6 \xe2\x80\x8b zero \xe2\x80\xa8 line \xef\xbb\xbf",
      "\xff\xfe broken \xc3 \xed\xa0\x80 surrogate \xf0\x9f\x98",
      "\xe7\xae\x97\xe5\xad\x90 \xc3\xa9 \xf0\x9f\x98\x80",
      "{{x}} {0} %s %n",
      " ",
      "",
      "`",
      "-rf --help",
  };
  return texts;
}

Record with(const std::string& text) {
  Record record = culprits();
  record.experiment = record.experiment_file = record.run_folder = record.metric = record.advice = text;
  record.program_version = record.started_utc = text;
  record.other_metrics.front().name = text;
  for (Name& name : record.suspects) name = {text, text};
  for (Trial& one : record.trials) {
    one.reason = one.text = text;
    one.notes = {text};
    one.attempts.front().folder = one.attempts.front().text = one.attempts.front().device = text;
  }
  record.answer.explanation = text;
  record.answer.not_neutralisable = {4};
  record.no_effect = {{5, text}};
  record.ladders.front().family = text;
  for (Rung& rung : record.ladders.front().rungs) rung.value = text;
  record.workaround = {{"GOOD_NAME", text}, {text, "value"}};
  record.workaround_unset = {text};
  record.workaround_arguments = {text};
  record.workaround_config = {{text, text, text}};
  record.versions = {{text, text}};
  record.warnings = record.changes = record.agreed_checks = {text};
  record.reproductions.front().script = text;
  return record;
}

}  // namespace bisectd::reports::sample
