#include "driver/trial/script_settings.hpp"

#include "tests/catch.hpp"
#include "tests/configs/folder.hpp"

using namespace bisectd;

namespace {

/// What the scripts of a command set, as FILE:LINE NAME.
std::vector<std::string> settings(const configs::Folder& folder, const std::vector<std::string>& command) {
  configs::Side side;
  for (const std::string& word : command) side.command.push_back({word, {"experiment.yaml", 7, 3}});
  driver::LaunchSide launched;
  launched.settings = &side;
  launched.directory = folder.path();
  std::vector<std::string> said;
  for (const auto& one : driver::settings_in_scripts(launched))
    said.push_back(std::filesystem::path(one.place.file).filename().string() + ":" + std::to_string(one.place.line) + " " +
                   one.variable);
  return said;
}

std::vector<std::string> settings_of(const std::string& script) {
  const configs::Folder folder;
  folder.write("run.sh", script);
  return settings(folder, {"bash", "run.sh"});
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("a script's own settings are found, however they are written") {
  CHECK(settings_of("#!/bin/bash\nset -e\nexport A=1 B='x y'\nC=2; D=3 python train.py E=4\n") ==
        Lines{"run.sh:3 A", "run.sh:3 B", "run.sh:4 C", "run.sh:4 D"});
  CHECK(settings_of("declare -x A=1\nunset B C\nenv D=1 python x\nif true; then export E=1; fi\n") ==
        Lines{"run.sh:1 A", "run.sh:2 B", "run.sh:2 C", "run.sh:3 D", "run.sh:4 E"});
  CHECK(settings_of("python train.py \\\n  --a=1 \\\n  B=2\nexport C=\\\n3\n") == Lines{"run.sh:4 C"});
}

TEST_CASE("what keeps the value that is there is no setting") {
  CHECK(settings_of("export A=${A:-2}\nexport P=/x:$P\nexport Q=$(pwd):$Q R=\"`dirname $0`:${R}\"\nS+=1\n") == Lines{});
  CHECK(settings_of("if [ -z \"$A\" ]; then\n  export A=1\nfi\n[ -n \"${B}\" ] || export B=2\n") == Lines{});
  CHECK(settings_of("if [ -z \"$A\" ]; then\n  export B=1\nfi\n[ -n \"$C\" ]; export C=2\nexport D=$DD\n") ==
        Lines{"run.sh:2 B", "run.sh:4 C", "run.sh:5 D"});
}

TEST_CASE("what only looks like a setting is none") {
  CHECK(settings_of(
            "# export A=1\necho 'export B=1'\necho \"\nexport C=1\n\"\ncat <<EOF > x\nexport D=1\nEOF\nexport E=1\n") ==
        Lines{"run.sh:9 E"});
  CHECK(settings_of("DIR=\"$(cd \"$(dirname \"$0\")\" && pwd)\"\necho $(A=1 env)\nexport B=1\n") ==
        Lines{"run.sh:1 DIR", "run.sh:3 B"});
}

TEST_CASE("scripts that a script starts or reads are read, too, each once") {
  const configs::Folder folder;
  folder.write("scripts/run.sh", "#!/usr/bin/env bash\nsource scripts/env.sh\nbash ${HERE}/more.sh\n./last.sh; exit\n");
  folder.write("scripts/env.sh", "export A=1\nsource scripts/run.sh\n");
  folder.write("scripts/more.sh", "export B=1\n");
  folder.write("last.sh", "export C=1\n");
  folder.write("train.py", "C=1\n");
  const Lines all{"env.sh:1 A", "more.sh:1 B", "last.sh:1 C"};
  CHECK(settings(folder, {"bash", "-e", "scripts/run.sh", "npu"}) == all);
  CHECK(settings(folder, {"scripts/run.sh"}) == all);
  CHECK(settings(folder, {"srun", "-n", "1", "scripts/run.sh"}) == all);
  CHECK(settings(folder, {"bash", "-lc", "export D=1; bash last.sh"}) == Lines{"experiment.yaml:7 D", "last.sh:1 C"});
  CHECK(settings(folder, {"python", "train.py", "gone.sh"}) == Lines{});
}
