#include "driver/record/record_curves.hpp"

#include <cmath>
#include <limits>

#include "tests/catch.hpp"

using namespace bisectd;
using namespace bisectd::driver;

namespace {

judge::Series ramp(double from, std::int64_t points) {
  judge::Series series;
  for (std::int64_t step = 1; step <= points; ++step) series.push_back({step, from - 0.01 * static_cast<double>(step)});
  return series;
}

judge::Reference reference_of(std::int64_t points) {
  const std::vector<judge::Curve> runs{{{{"loss", ramp(8.0, points)}, {"loss_scale", ramp(1024, points)}}},
                                       {{{"loss", ramp(8.2, points)}}}};
  return judge::prepare_reference({}, runs, {.name = "loss"}).value();
}

reports::Record record_of_loss() {
  reports::Record record;
  record.metric = "loss";
  return record;
}

}  // namespace

TEST_CASE("the record shows mean, envelope and watched series of the references") {
  reports::Record record = record_of_loss();
  describe_reference(record, reference_of(100));
  CHECK(record.references == 2);
  CHECK(record.reference_curve.values.front() == Approx(8.09));
  CHECK(record.reference_low.values.front() == Approx(7.99));
  CHECK(record.reference_high.values.front() == Approx(8.19));
  REQUIRE(record.other_metrics.size() == 1);
  CHECK(record.other_metrics[0].name == "loss_scale");
  CHECK(record.other_metrics[0].reference.values.front() == Approx(1023.99));
}

TEST_CASE("a curve of the subject comes with its difference, and can be shown again") {
  const judge::Reference reference = reference_of(100);
  reports::Record record = record_of_loss();
  describe_reference(record, reference);
  const judge::Curve curve{{{"loss", ramp(8.3, 100)}, {"loss_scale", ramp(512, 100)}, {"grad_norm", ramp(2, 100)}}};
  for (int again = 0; again < 2; ++again) describe_subject(record, "loss", reference, curve, SubjectCurve::as_is);
  describe_subject(record, "loss", reference, {{{"loss", ramp(8.1, 100)}}}, SubjectCurve::fix);
  CHECK(record.as_is_curve.values.front() == Approx(8.29));
  CHECK(record.as_is_difference.values.front() == Approx(0.2 / 8.1).epsilon(0.02));
  CHECK(record.fix_difference.values.back() == Approx(0).margin(1e-9));
  REQUIRE(record.other_metrics.size() == 2);
  CHECK(record.other_metrics[0].as_is.values.front() == Approx(511.99));
  CHECK(record.other_metrics[1].name == "grad_norm");
  CHECK(record.other_metrics[1].reference.values.empty());
}

TEST_CASE("the difference so far looks at the last points only") {
  const judge::Reference reference = reference_of(100);
  judge::Series growing = ramp(8.1, 60);
  for (std::size_t i = 40; i < growing.size(); ++i) growing[i].value *= 1.03;
  CHECK(difference_so_far(reference, growing).value() == Approx(0.03).epsilon(0.02));
  growing.back().value = std::numeric_limits<double>::quiet_NaN();
  CHECK(std::isnan(difference_so_far(reference, growing).value()));
  CHECK_FALSE(difference_so_far(reference, {{1000, 7.0}}));
  CHECK_FALSE(difference_so_far(reference, {}));
}
