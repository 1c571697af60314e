// align.html as text; what a browser makes of it is in tests/end_to_end/test_align_dumps.py.
#include "reports/html/alignment.hpp"
#include "tests/catch.hpp"
#include "tests/reports/sample.hpp"

using namespace bisectd::reports;

namespace {

Alignment alignment_of(const std::string& name, std::size_t modules = 3) {
  Alignment alignment{.title = name, .verdict = "deviates", .sentences = {name}, .bound = 0.01, .healthy_known = true};
  for (std::size_t i = 0; i < modules; ++i)
    alignment.modules.push_back({.name = name,
                                 .class_name = name,
                                 .output = {.error = 1e-5, .healthy = 1e-6, .off = false, .known = true},
                                 .gradient = {},
                                 .remarks = {name}});
  alignment.modules.back().output = {.error = 0.5, .healthy = 1e-6, .off = true, .known = true};
  alignment.forward_first = modules - 1;
  return alignment;
}

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("align.html marks what is off and the first of it, and draws no direction of which nothing is known") {
  const std::string page = to_html(alignment_of("conv"));
  CHECK(occurrences(page, "<svg") == 1);
  CHECK(occurrences(page, "class=\"off\"") == 1);
  CHECK(occurrences(page, "class=\"agrees\"") == 2);
  CHECK(occurrences(page, "first: conv</text>") == 1);
  CHECK(occurrences(page, "<strong>first forward</strong>") == 1);
  CHECK(occurrences(page, "class=\"band\"") == 1);
  Alignment unknown = alignment_of("conv");
  unknown.healthy_known = false;
  CHECK(occurrences(to_html(unknown), "class=\"band\"") == 0);
  CHECK(occurrences(to_html(unknown), "the bound alone decides") == 1);
}

TEST_CASE("align.html allows no network, no script and no foreign style") {
  const std::string page = to_html(alignment_of("conv"));
  CHECK(occurrences(page, "content=\"default-src 'none'; style-src 'sha256-") == 1);
  for (const char* part : {"<script", "script-src", "unsafe", " style=\"", " src=", " href="})
    CHECK(occurrences(page, part) == 0);
}

TEST_CASE("hostile text adds no element to align.html") {
  const std::string plain_page = to_html(alignment_of("text"));
  for (const std::string& text : sample::hostile()) {
    const std::string page = to_html(alignment_of(text));
    for (const char* element : {"<script", "<img", "<style", "<!--", "<td", "<a ", "<text", "<path", "<title", "=\""})
      CHECK(occurrences(page, element) == occurrences(plain_page, element));
    CHECK(occurrences(page, "\x1b") == 0);
  }
}

TEST_CASE("align.html of a very deep network stays small, and shows all that is off") {
  Alignment deep = alignment_of("layers.100.attention", 20'000);
  for (AlignedModule& module : deep.modules) module.remarks.clear();
  const std::string page = to_html(deep);
  CHECK(page.size() < 2'000'000);
  CHECK(occurrences(page, "<strong>first forward</strong>") == 1);
  CHECK(occurrences(page, "19999 more modules are in align.json") == 1);
}
