#include "reports/console.hpp"

#include <nlohmann/json.hpp>

#include "reports/result_lines.hpp"
#include "reports/escape.hpp"
#include "reports/html/page.hpp"
#include "reports/json.hpp"
#include "reports/lookup.hpp"
#include "reports/markdown.hpp"
#include "tests/catch.hpp"
#include "tests/reports/sample.hpp"

using namespace bisectd::reports;

TEST_CASE("the proof names the controls, and its claims the trials before them") {
  Record record = sample::culprits();
  const std::size_t claimed = shown_by(record, record.answer.certificate.front())->number;
  CHECK(controls_text(record, plain).empty());
  Trial control = *fix_trial(record);
  control.number = 20;
  control.role = Role::control;
  record.trials.push_back(control);
  CHECK(controls_text(record, plain).find("neutralised: pass (trial 20).") != std::string::npos);
  CHECK(result_text(record, Colour::never).find(controls_text(record, plain)) != std::string::npos);
  CHECK(shown_by(record, record.answer.certificate.front())->number == claimed);
}

TEST_CASE("the console says what to do when there is nothing to accuse") {
  Record record = sample::aligned();
  record.outcome = Outcome::inconclusive;
  record.advice = "Use more references.";
  record.answer.not_neutralisable = {2};
  record.answer.explanation = "trials with #1 crash";
  record.no_effect = {{0, "no fall-back line in the log"}};
  record.warnings = {"the references are identical"};
  record.trials[1].verdict = bisectd::strategies::Verdict::unresolved;
  record.trials[1].reason = "stopped: stall 10m";
  CHECK(result_text(record, Colour::never) == R"(rec: inconclusive
No answer: the evidence does not carry one. Nobody is accused.
Use more references.

Neutralised without effect
  ops:conv2d: no fall-back line in the log

Not decided
  ops:matmul_v2 is not acquitted: runs break when it is neutralised, alone or with others, so it stayed active.
  trials with ops:pad3d crash
  Without a verdict, unresolved (stopped: stall 10m): trial 2.

Warnings
  the references are identical

2 trials, 2 attempts, 8.4 s. Report: /home/user/out/rec-20261121T120000Z/report.md
)");
}

TEST_CASE("colour adds only sequences, and foreign text adds none") {
  for (const std::string& text : sample::hostile()) {
    const Record record = sample::with(text);
    const std::string without = result_text(record, Colour::never);
    CHECK(without.find('\x1b') == std::string::npos);
    std::string with = result_text(record, Colour::always);
    CHECK(with.find("\x1b[") != std::string::npos);
    for (std::size_t at; (at = with.find('\x1b')) != std::string::npos;) with.erase(at, with.find('m', at) - at + 1);
    CHECK(with == without);
  }
}

TEST_CASE("what a proof leaves open is no matter without a decision") {
  Record record = sample::culprits();
  record.answer.explanation = "Not certain: 85 % only.";
  for (const std::string& text : {result_text(record, Colour::never), to_markdown(record), to_html(record)}) {
    CHECK(text.find("Left open by the proof") != std::string::npos);
    CHECK(text.find("Not certain: 85 % only.") != std::string::npos);
    CHECK(text.find("Not decided") == std::string::npos);
  }
}

TEST_CASE("what a named standard says stands beside the verdict in every report") {
  Record record = sample::culprits();
  CHECK(result_text(record, Colour::never).find("standard") == std::string::npos);
  record.as_is_by_standard = {false, "the standard of verl is not met"};
  record.fix_by_standard = {std::nullopt, "the standard of verl says nothing \x1b[2J"};
  CHECK(
      result_text(record, Colour::never)
          .find(
              "By a named standard\n  as it is: the standard of verl is not met\n  with the fix: the standard of verl says "
              "nothing") != std::string::npos);
  for (const std::string& text : {result_text(record, Colour::never), to_markdown(record), to_html(record)}) {
    CHECK(text.find("the standard of verl is not met") != std::string::npos);
    CHECK(text.find('\x1b') == std::string::npos);
  }
  const auto said = nlohmann::json::parse(to_json(record)).at("by_standard");
  CHECK(said.at("as_is").at("met") == false);
  CHECK(said.at("fix").at("met").is_null());
}

TEST_CASE("an unproved claim shows on the console") {
  Record record = sample::culprits();
  record.answer.certificate[2].proved = false;
  record.trials.erase(record.trials.begin() + 5);
  const std::string text = result_text(record, Colour::never);
  CHECK(text.find("    open  the culprit set but for flags:storage_format neutralised: fails  not measured  no trial") !=
        std::string::npos);
  CHECK(text.find("Not proved: the culprit set but for flags:storage_format neutralised: fails.") != std::string::npos);
}

TEST_CASE("what was noted of a subject that agrees is not lost") {
  Record record = sample::aligned();
  CHECK(result_text(record, Colour::never).find("Noted") == std::string::npos);
  record.trials.back().notes = {"the mean error over the run is at least 1.2 %", "\x1b[2J"};
  const std::string text = result_text(record, Colour::never);
  CHECK(text.find("Noted of the subject\n  the mean error over the run is at least 1.2 %\n") != std::string::npos);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(to_markdown(record).find("## Noted of the subject\n") != std::string::npos);

  Record mended = sample::culprits();
  mended.trials[3].notes = {"it ends +2.3 % off"};
  CHECK(result_text(mended, Colour::never)
            .find("Noted of the subject\n  with the culprit set neutralised: it ends +2.3 % off\n") != std::string::npos);
}
