// report.html in a real browser: nothing on its console, every chart drawn, the right numbers in the page. Skipped with
// a word where no Chromium is installed.
#include <cstdlib>
#include <fstream>

#include "reports/escape.hpp"
#include "reports/html/page.hpp"
#include "tests/catch.hpp"
#include "tests/reports/folder.hpp"
#include "tests/reports/sample.hpp"

using namespace bisectd::reports;

namespace {

bool has_browser() {
  if (std::system("{ command -v chromium-headless-shell || command -v chromium; } > /dev/null") == 0) return true;
  WARN("skipped: no chromium is installed");
  return false;
}

struct Shown {
  std::string dom;      ///< after the scripts ran
  std::string console;  ///< script errors and violations of the content security policy
};

Shown shown(const Record& record) {
  const Folder folder;
  std::ofstream(folder.path() / "report.html", std::ios::binary) << to_html(record);
  const std::string command =
      "cd " + shell_word(folder.path().string()) +
      " && timeout 60 $(command -v chromium-headless-shell || command -v chromium) --headless --no-sandbox --disable-gpu "
      "--disable-dev-shm-usage --user-data-dir=profile"
      " --virtual-time-budget=5000 --enable-logging=stderr --dump-dom \"file://$PWD/report.html\" > dom 2> log;"
      " test -s dom && ! grep CONSOLE log > console || true";
  REQUIRE(std::system(command.c_str()) == 0);
  return {content(folder.path() / "dom"), content(folder.path() / "console")};
}

}  // namespace

TEST_CASE("a browser shows report.html without a complaint") {
  if (!has_browser()) return;
  const Shown page = shown(sample::culprits());
  CHECK(page.console.empty());
  CHECK(page.dom.find("data-charts=\"5\"") != std::string::npos);
  CHECK(page.dom.find("<dd>+3.10 % <span class=\"pill fail\">fail</span></dd>") != std::string::npos);
  CHECK(page.dom.find("<label><input type=\"checkbox\" title=\"show the curve of trial 9\" aria-label=\"show the curve of "
                      "trial 9\"> </label>9") != std::string::npos);
}

TEST_CASE("a browser shows a run without curves") {
  if (!has_browser()) return;
  const Shown page = shown(Record{});
  CHECK(page.console.empty());
  CHECK(page.dom.find("data-charts=\"0\"") != std::string::npos);
}

TEST_CASE("hostile text does nothing in a browser") {
  if (!has_browser()) return;
  for (const std::size_t i : {std::size_t{4}, std::size_t{10}, std::size_t{11}}) {
    INFO(plain(sample::hostile()[i]));
    const Shown page = shown(sample::with(sample::hostile()[i]));
    CHECK(page.console.empty());
    CHECK(page.dom.find("data-charts=\"5\"") != std::string::npos);
    CHECK(page.dom.find("<img") == std::string::npos);
  }
}
