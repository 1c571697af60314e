#include "reports/markdown.hpp"

#include <algorithm>
#include <sstream>

#include "reports/escape.hpp"
#include "tests/catch.hpp"
#include "tests/reports/sample.hpp"

using namespace bisectd::reports;

TEST_CASE("report.md for the owner of the operator") {
  CHECK(to_markdown(sample::culprits()) == R"md(# Accuracy of `rec`: culprits found

**`ops:pad3d` and `flags:storage_format` make `loss` leave the reference: +3.10 % as it is, +0.01 % with them neutralised (target 0.5 %). Confidence 99.23 %.**

| | `loss` against the reference | verdict | trial |
|---|---|---|---|
| subject as it is | +3.10 % | fail | 2 |
| culprit set neutralised | +0.01 % | pass | 4 |
| everything neutralised | +0.02 % | pass | 3 |

Target 0.5 %, run-to-run noise 0.03 % (3 distinct references).

## Culprit set

- `ops:pad3d`
- `flags:storage_format`

## Causes

- `ops:pad3d` alone (with `loss_scale` at `1024`)
- `ops:matmul_v2` and `flags:storage_format` only together (with `loss_scale` at `1024`)

## Proof

| claim | neutralised | expected | measured | trial | |
|---|---|---|---|---|---|
| the culprit set neutralised: passes | `ops:pad3d`, `flags:storage_format` | pass | +0.01 % | 4 | proved |
| the culprit set but for `ops:pad3d` neutralised: fails | `flags:storage_format` | fail | +1.80 % | 5 | proved |
| the culprit set but for `flags:storage_format` neutralised: fails | `ops:pad3d` | fail | +1.30 % | 6 | proved |
| only `ops:pad3d` active: fails | all but `ops:pad3d` | fail | +1.80 % | 7 | proved |
| only `ops:matmul_v2` and `flags:storage_format` active: fails | all but `ops:matmul_v2`, `flags:storage_format` | fail | nan | 8 | proved |
| only `ops:matmul_v2` active, without `flags:storage_format`: passes | all but `ops:matmul_v2` | pass | -0.01 % | 9 | proved |

## Workaround

```sh
export CUSTOM_DEVICE_BLACK_LIST='pad3d'
export FLAGS_npu_storage_format='0'
```

Step time 0.200 s as it is, 0.222 s with the fix (+11 %).

Another fix, `ops:pad3d`, `ops:matmul_v2` neutralised instead, passes, too (+0.02 %), step time 0.180 s (-19 % against the fix).

## Values of `loss_scale`

`loss_scale` passes with everything else neutralised from `64` to `1024`; `1024` is taken.

| value | measured | verdict | trial | |
|---|---|---|---|---|
| `1` | +20.00 % | fail | 10 |  |
| `64` | +0.01 % | pass | 11 |  |
| `1024` | 0 % | pass | 12 | recommended |
| `65536` | not measured | unresolved | 13 |  |

## Differs without harm

- `ops:softmax` changes the first steps, by up to 34 times what healthy runs differ by, and does no harm by itself.

## Changed since the baseline

- `cann 8.2 -> 8.3.RC1 since the baseline of 2026-11-01T00:00:00Z`

## Smallest reproduction

With everything but `ops:pad3d` neutralised (trial 7). Once it is neutralised too, it passes.

```sh
#!/bin/sh
export CUSTOM_DEVICE_BLACK_LIST=conv2d
exec python train.py
```

## Versions

- bisectd `0.1.0`
- `cann` `8.3.RC1`
- `paddle` `3.3.1`
- check `dataset`: both sides agree

## How to reproduce

In `/home/user/out/rec-20261121T120000Z`; every attempt's log is beside its command.

- reference: `sh trials/0001/attempt-1/command.sh`
- subject as it is: `sh trials/0002/attempt-1/command.sh`
- only `ops:pad3d` active: fails: `sh trials/0007/attempt-1/command.sh`
- only `ops:matmul_v2` and `flags:storage_format` active: fails: `sh trials/0008/attempt-1/command.sh`
- culprit set neutralised: `sh trials/0004/attempt-1/command.sh`

9 trials, 9 attempts, 22.5 s; started `2026-11-21T12:00:00Z`.
)md");
}

TEST_CASE("report.md accuses nobody without a result") {
  Record record = sample::culprits();
  for (const Outcome outcome : {Outcome::unfinished, Outcome::inconclusive, Outcome::infrastructure, Outcome::aligned}) {
    record.outcome = outcome;
    record.answer.hindrance = bisectd::strategies::Hindrance::control;
    const std::string text = to_markdown(record);
    for (const char* title : {"## Culprit set", "## Causes", "## Proof", "## Workaround"})
      CHECK(text.find(title) == std::string::npos);
  }
}

TEST_CASE("report.md shows what passed where only the rest of the proof is hidden, and accuses nobody") {
  Record record = sample::culprits();
  record.outcome = Outcome::inconclusive;
  record.answer.hindrance = bisectd::strategies::Hindrance::noise;
  const std::string text = to_markdown(record);
  for (const char* title : {"## Proof", "## Workaround"}) CHECK(text.find(title) != std::string::npos);
  for (const char* title : {"## Culprit set", "## Causes"}) CHECK(text.find(title) == std::string::npos);
}

TEST_CASE("report.md tells what was not decided") {
  Record record = sample::culprits();
  record.answer.certificate[0].proved = false;
  record.no_effect = {{5, "no fall-back line in the log"}};
  record.advice = "Use more references.";
  const std::string text = to_markdown(record);
  CHECK(text.find("| the culprit set neutralised: passes | `ops:pad3d`, `flags:storage_format` | pass | +0.01 % | 4 | "
                  "**not proved** |") != std::string::npos);
  CHECK(text.find("## Not decided\n\n- Not proved: the culprit set neutralised: passes.\n") != std::string::npos);
  CHECK(text.find("## Neutralised without effect\n\n- `ops:softmax`: `no fall-back line in the log`\n") !=
        std::string::npos);
  CHECK(text.find("```\nUse more references.\n```\n") != std::string::npos);
}

TEST_CASE("hostile text cannot change the layout of report.md") {
  for (const std::string& text : sample::hostile()) {
    INFO(plain(text));
    const std::string report = to_markdown(sample::with(text));
    CHECK(report.find_first_of("\x1b\r") == std::string::npos);
    std::istringstream lines(report);
    std::size_t proof = 0;
    for (std::string line; std::getline(lines, line);) {
      if (line.rfind("| of those searched only ", 0) != 0 && line.rfind("| the culprit set ", 0) != 0) continue;
      ++proof;
      std::size_t cells = 0;  // GFM ends a cell at every pipe without a backslash before it
      for (std::size_t i = 0; i < line.size(); ++i) cells += line[i] == '|' && (i == 0 || line[i - 1] != '\\') ? 1 : 0;
      CHECK(cells == 7);
    }
    CHECK(proof == 6);
  }
}
