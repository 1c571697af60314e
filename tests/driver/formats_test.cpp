// The formats that an experiment may name are those that the readers know.
#include "configs/format_names.hpp"

#include <algorithm>

#include "driver/read/formats.hpp"
#include "tests/catch.hpp"

using namespace bisectd;
using driver::read::FormatKind;

TEST_CASE("every format that an experiment may name can be read, and says truly where it is found") {
  for (const configs::MetricFormat& known : configs::kMetricFormats) {
    CAPTURE(known.name);
    const driver::read::Format* format = driver::read::find_format(known.name);
    REQUIRE(format != nullptr);
    CHECK(known.needs_file == (format->kind == FormatKind::tensorboard || format->kind == FormatKind::visualdl));
    CHECK(known.has_step_key == (format->kind == FormatKind::json_lines || format->kind == FormatKind::csv));
  }
}

TEST_CASE("every format that can be read may be named in an experiment") {
  for (const driver::read::Format& format : driver::read::formats()) {
    CAPTURE(format.name);
    CHECK(std::ranges::count(configs::kMetricFormats, format.name, &configs::MetricFormat::name) == 1);
  }
}
