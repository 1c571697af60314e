// Logs whose numbers do not mean what the reference's mean, or that only look so.
#include <algorithm>
#include <limits>

#include "driver/judge/panel.hpp"
#include "tests/catch.hpp"
#include "tests/judge/training.hpp"

using namespace bisectd;
using namespace bisectd::driver::judge;
using namespace bisectd::tests;
using strategies::Verdict;

TEST_CASE("unlike logs: steps that begin again in each epoch are no steps of a run") {
  const auto in_epochs = [](Curve curve) {
    for (Point& point : curve.series["loss"]) point.step = (point.step - 1) % 50 + 1;
    return curve;
  };
  const auto refused = Panel::seat({}, kLoss, std::vector{in_epochs(run({}))});
  REQUIRE(!refused);
  CHECK(refused.error().code == "steps-begin-again");

  const Panel panel = panel_of(references());
  const Judgement judgement = judged(panel, in_epochs(run({})));
  CHECK(judgement.verdict == Verdict::unresolved);
  CHECK(judgement.reason == "steps-begin-again");
  EarlyStop watch = panel.early_stop();
  CHECK(!watch.look(in_epochs(run({}, {.fault = constant(50)}))));

  Curve insane = in_epochs(run({}));
  insane.series["loss"][60].step = std::numeric_limits<std::int64_t>::min();
  insane.smoothing["loss"] = {.text = "it prints means", .since_last_line = true, .window = {}};
  CHECK(judged(panel, insane).reason == "misaligned");

  Curve anew = run({}), whole = run({});  // started once more after 50 steps
  std::erase_if(anew.series["loss"], [](const Point& point) { return point.step > 50; });
  anew.series["loss"].insert(anew.series["loss"].end(), whole.series["loss"].begin(), whole.series["loss"].end());
  CHECK(judged(panel, anew).verdict == Verdict::pass);
}

TEST_CASE("unlike logs: means over one step and over ten are not compared") {
  // What a trainer prints that logs every so many steps.
  const auto means = [](const Curve& whole, std::int64_t every, bool said) {
    Curve curve{.perturbed = whole.perturbed};
    double sum = 0;
    for (const Point& point : whole.series.at("loss")) {
      sum += point.value;
      if (point.step % every != 0) continue;
      curve.series["loss"].push_back({point.step, sum / static_cast<double>(every)});
      sum = 0;
    }
    if (said) curve.smoothing["loss"] = {.text = "it prints means", .since_last_line = true};
    return curve;
  };
  for (const bool said : {true, false}) {  // a recorded reference does not say it
    std::vector<Curve> runs;
    for (const Curve& one : references()) runs.push_back(means(one, 5, said));
    const Panel panel = panel_of(std::move(runs));
    CHECK(judged(panel, means(run({}), 5, true)).verdict == Verdict::pass);
    const Judgement judgement = judged(panel, means(run({}), 1, true));
    CHECK(judgement.verdict == Verdict::unresolved);
    CHECK(judgement.reason == "smoothed-otherwise");
    CHECK(judgement.text.find("1 here and 5 in the reference") != std::string::npos);
    EarlyStop watch = panel.early_stop();
    CHECK(!watch.look(means(run({}, {.fault = constant(50)}), 1, true)));
  }
}

TEST_CASE("unlike logs: whoever logs every so many steps is whole where no further value was due") {
  const Panel panel = panel_of(references());
  for (const std::int64_t every : {5, 7, 10, 20}) {
    const auto rarely = [every](Curve curve) {
      std::erase_if(curve.series["loss"], [every](const Point& point) { return point.step % every != 0; });
      return curve;
    };
    const Verdict healthy = judged(panel, rarely(run({}))).verdict;
    CHECK((healthy == Verdict::pass || healthy == Verdict::inconclusive));
    CHECK(judged(panel, rarely(run({}, {.fault = constant(4)}))).verdict == Verdict::fail);
  }
}

TEST_CASE("unlike logs: a run that begins far behind the reference may have gone on from a checkpoint, and is said to") {
  const Panel panel = panel_of(references());
  for (const std::int64_t first : {70, 200}) {  // in the first half, and near the end
    Curve late = run({}, {.fault = constant(4)});
    std::erase_if(late.series["loss"], [first](const Point& point) { return point.step < first; });
    const Judgement judgement = judged(panel, late);
    CHECK(judgement.verdict == Verdict::unresolved);
    CHECK(judgement.reason == "begins-late");
    CHECK(judgement.text.find("checkpoint") != std::string::npos);
  }
}
