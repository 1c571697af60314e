// What people are told of the trials to come: it shrinks, or says why it grew.
#include "driver/loop/trials_left.hpp"

#include "tests/catch.hpp"

using namespace bisectd::driver;
using namespace bisectd::strategies;

namespace {

Answer answer_with(double low, double high) {
  Answer answer;
  answer.trials_left_low = low;
  answer.trials_left_high = high;
  return answer;
}

struct Seen {
  TrialsLeft left;
  Answer answer;
  std::size_t judged = 3;

  Seen(double low, double high) : answer(answer_with(low, high)) { left.begin(answer, judged); }

  void hear(Answer now, const PastTrial& told) {
    ++judged;
    left.revise(answer, now, judged, {&told});
    answer = std::move(now);
  }
  std::pair<double, double> range() const {
    Answer shown = answer;
    left.count_down(shown, judged);
    return {shown.trials_left_low, shown.trials_left_high};
  }
  std::string why_more() const { return left.why_more(); }
};

PastTrial told(std::size_t number, Verdict verdict = Verdict::pass) {
  PastTrial trial;
  trial.number = number;
  trial.neutralised = Neutralised(SuspectSet(4, 0b0010));
  trial.judgement.emplace().verdict = verdict;
  return trial;
}

}  // namespace

TEST_CASE("the trials to come: a forecast that shrinks is shown as it is, rounded up") {
  Seen seen(5.2, 8.3);
  CHECK(seen.range() == std::pair(6.0, 9.0));
  seen.hear(answer_with(2, 4), told(4));
  CHECK(seen.range() == std::pair(2.0, 4.0));
  CHECK(seen.why_more().empty());
}

TEST_CASE("the trials to come: within the range that was shown nothing grows") {
  Seen seen(6, 9);
  seen.hear(answer_with(5, 8), told(4));
  CHECK(seen.range() == std::pair(5.0, 8.0));
  seen.hear(answer_with(5, 9), told(5));  // 7 more on average, where up to 7 were foreseen
  CHECK(seen.range() == std::pair(4.0, 7.0));
  CHECK(seen.why_more().empty());
}

TEST_CASE("the trials to come: neither the range nor its middle grows without a reason") {
  Seen seen(1, 9);
  double most = 12, middle = 8;
  for (std::size_t number = 4; number < 30; ++number) {
    seen.hear(answer_with(2 + static_cast<double>(number % 3), 4 + static_cast<double>(number % 5)), told(number));
    const auto [low, high] = seen.range();
    const double ended = static_cast<double>(seen.judged);
    const double middle_now = ended + std::ceil((low + high) / 2);
    CHECK(low >= 1);
    CHECK(low <= high);
    if (seen.why_more().empty()) {
      CHECK(ended + high <= most);
      CHECK(middle_now <= middle);
    }
    most = ended + high;
    middle = middle_now;
  }
}

TEST_CASE("the trials to come: what grows says why") {
  const auto why = [](Answer before, Answer now, const PastTrial& trial) {
    Seen seen(before.trials_left_low, before.trials_left_high);
    seen.answer = std::move(before);
    seen.hear(std::move(now), trial);
    CHECK(seen.range() == std::pair(8.0, 12.0));
    return seen.why_more();
  };
  const Answer few = answer_with(3, 5), more = answer_with(8, 12);
  CHECK(why(few, more, told(7, Verdict::unresolved)) == "trial 7 gave no verdict");
  CHECK(why(few, more, told(7, Verdict::inconclusive)) == "noise hides the verdict of trial 7");
  CHECK(why(few, more, told(7)) == "trial 7 ruled out less than expected");

  PastTrial steps_only = told(7, Verdict::inconclusive);
  steps_only.role = Role::signature;
  CHECK(why(few, more, steps_only) == "trial 7 ruled out less than expected");

  Answer believed = few;
  believed.culprit_set = {1};
  believed.certificate = {
      {.kind = Claim::Kind::fix_passes, .neutralised = Neutralised(SuspectSet(4, 0b0010)), .expected = Verdict::pass}};
  CHECK(why(believed, more, told(7, Verdict::fail)) == "trial 7 tried the likeliest answer, and it is not right");
  Answer two = more;
  two.culprit_set = {1, 2};
  CHECK(why(believed, two, told(7)) == "one more culprit is likely");
  CHECK(why(few, two, told(7)) == "a first answer is likely, and has to be proved");
}

TEST_CASE("the trials to come: a proof that does not hold is the reason") {
  Seen seen(0, 0);
  seen.answer.state = State::proved;
  seen.hear(answer_with(3, 5), told(4, Verdict::fail));
  CHECK(seen.why_more() == "the proof did not hold");
}

TEST_CASE("the trials to come: those that ended count at once, whatever they tell") {
  Seen seen(2, 5);
  Answer shown = seen.answer;
  seen.left.count_down(shown, seen.judged + 3);
  CHECK(std::pair(shown.trials_left_low, shown.trials_left_high) == std::pair(0.0, 2.0));
  Answer proved;
  seen.left.count_down(proved, seen.judged);
  CHECK(proved.trials_left_high == 0);
}

TEST_CASE("the trials to come: once the least that was expected is over, nobody is surprised without a word") {
  Seen seen(1, 1);
  seen.hear(answer_with(1, 2), told(4));
  CHECK(seen.range() == std::pair(1.0, 2.0));
  CHECK_FALSE(seen.why_more().empty());
}
