#include "reports/workaround.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "reports/escape.hpp"
#include "tests/catch.hpp"
#include "tests/reports/folder.hpp"
#include "tests/reports/sample.hpp"

using namespace bisectd::reports;

namespace {

// What `variable` holds after `script` was sourced by `shell` in an environment with OLD=old.
std::string sourced(const char* shell, const std::string& script, const std::string& variable) {
  const Folder folder;
  std::ofstream(folder.path() / "workaround.sh", std::ios::binary) << script;
  const std::string command = "cd " + shell_word(folder.path().string()) + " && env -i PATH=\"$PATH\" OLD=old " + shell +
                              " -c '. ./workaround.sh && exec awk '\\''BEGIN { printf \"%s\", ENVIRON[ARGV[1]] }'\\'' " +
                              variable + "' > value";
  REQUIRE(std::system(command.c_str()) == 0);
  CHECK_FALSE(std::filesystem::exists(folder.path() / "pwned"));
  std::ostringstream value;
  value << std::ifstream(folder.path() / "value", std::ios::binary).rdbuf();
  return value.str();
}

Record fix(const std::string& value) {
  Record record = sample::culprits();
  record.workaround = {{"NAME", value}};
  return record;
}

}  // namespace

TEST_CASE("workaround.sh says where it comes from and what it does") {
  Record record = sample::culprits();
  record.workaround_unset = {"FLAGS_jit"};
  record.workaround_arguments = {"Global.scale_loss=1024"};
  record.workaround_config = {{"npu.yaml", "training.fused", "false"}};
  CHECK(to_workaround(record) ==
        R"(# bisectd 0.1.0, experiment rec, run /home/user/out/rec-20261121T120000Z
# ops:pad3d and flags:storage_format make loss leave the reference: +3.10 % as it is, +0.01 % with them neutralised (target 0.5 %). Confidence 99.23 %.
# Source it in the shell that starts the training:  . ./workaround.sh
export CUSTOM_DEVICE_BLACK_LIST='pad3d'
export FLAGS_npu_storage_format='0'
unset FLAGS_jit
# Arguments to add to the training command:
#   'Global.scale_loss=1024'
# Values to change in configuration files (file: key: value):
#   npu.yaml: training.fused: false
)");
}

TEST_CASE("workaround.sh changes nothing without a set that passed") {
  for (const Outcome outcome :
       {Outcome::aligned, Outcome::unfinished, Outcome::inconclusive, Outcome::outside_suspects, Outcome::infrastructure}) {
    Record record = fix("value");
    record.outcome = outcome;
    record.answer.hindrance = bisectd::strategies::Hindrance::control;
    std::istringstream lines(to_workaround(record));
    for (std::string line; std::getline(lines, line);) CHECK(line.substr(0, 1) == "#");
    CHECK(sourced("dash", to_workaround(record), "NAME").empty());
  }
}

TEST_CASE("a sourced workaround sets hostile values byte for byte") {
  for (std::string value : sample::hostile()) {
    std::erase(value, '\0');  // no environment can hold it
    INFO(plain(value));
    for (const char* shell : {"bash", "dash"}) CHECK(sourced(shell, to_workaround(fix(value)), "NAME") == value);
  }
}

TEST_CASE("hostile text elsewhere in a workaround is never run") {
  for (const std::string& text : sample::hostile()) {
    INFO(plain(text));
    for (const char* shell : {"bash", "dash"}) {
      Record record = sample::with(text);
      record.workaround[0].second = "good";
      CHECK(sourced(shell, to_workaround(record), "GOOD_NAME") == "good");
    }
  }
}

TEST_CASE("a sourced workaround unsets") {
  Record record = fix("value");
  CHECK(sourced("dash", to_workaround(record), "OLD") == "old");
  record.workaround_unset = {"OLD"};
  for (const char* shell : {"bash", "dash"}) CHECK(sourced(shell, to_workaround(record), "OLD").empty());
}
