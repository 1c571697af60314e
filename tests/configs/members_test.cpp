// Where the members of a list come from: named in the experiment, in a file, by the family itself.
#include "configs/resolved.hpp"
#include "tests/catch.hpp"
#include "tests/configs/folder.hpp"

namespace bisectd::configs {
namespace {

std::string with_suspects(const std::string& suspects) { return with_line(kGood, 11, "suspects: " + suspects); }
std::string with_members(const std::string& members, const std::string& suspects) {
  const std::string family = "  ops: {kind: list, deliver: {environment: OFF}, members: " + members + "}";
  return with_line(with_suspects(suspects), 10, family);
}

std::vector<std::string> members_of(const Folder& folder, const std::string& text) {
  const Experiment experiment = load_experiment(folder.write("experiment.yaml", text));
  std::vector<std::string> names;
  for (const auto& member : experiment.suspects.at("ops").members) names.push_back(member.value);
  return names;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("a file names members, one a line") {
  const Folder folder;
  folder.write("lists/ops.txt", "\xEF\xBB\xBF# found last night\n\nrelu\n  gelu\t\r\n# tanh\n   # neither\nconv2d");
  CHECK(members_of(folder, with_suspects("{ops: {file: lists/ops.txt}}")) == Names{"relu", "gelu", "conv2d"});
  CHECK(members_of(folder, with_suspects("{ops: {file: " + (folder.path() / "lists/ops.txt").string() + "}}")) ==
        Names{"relu", "gelu", "conv2d"});
  const Experiment e = load_experiment(folder.write("experiment.yaml", with_suspects("{ops: {file: lists/ops.txt}}")));
  const Place& gelu = e.suspects.at("ops").members[1].place;
  CHECK(std::filesystem::path(gelu.file) == folder.path() / "lists/ops.txt");
  CHECK(gelu.line == 4);
  CHECK(gelu.column == 3);
}

TEST_CASE("a file of members lies beside the file that names it") {
  const Folder folder;
  folder.write("below/ops.txt", "relu\n");
  folder.write("below/base.yaml", "version: 1\nsuspects: {ops: {file: ops.txt}}\n");
  CHECK(members_of(folder, with_line(kGood, 11, "extends: below/base.yaml")) == Names{"relu"});
}

TEST_CASE("names of a file join those of the experiment, and a shared file may name what is excluded") {
  const Folder folder;
  folder.write("ops.txt", "relu\ngelu\n");
  CHECK(members_of(folder, with_suspects("{ops: {file: ops.txt, members: [tanh]}}")) == Names{"tanh", "relu", "gelu"});
  CHECK(folder.problems_of(with_suspects("{ops: {file: ops.txt, exclude: [gelu]}}")) == "");
}

TEST_CASE("what is wrong in a file of members is named with its line") {
  const Folder folder;
  const std::string text = with_suspects("{ops: {file: ops.txt}}");
  const auto problems = [&](std::string_view bytes) {
    folder.write("ops.txt", bytes);
    return folder.problems_of(text);
  };
  CHECK(problems("relu\n") == "");
  CHECK(problems("relu\n\n gelu\nrelu\n") == "ops.txt:4:1: `relu` is named twice | it is first named in line 1\n");
  CHECK(problems("relu\ngelu,tanh\n") == "ops.txt:2:1: name `gelu,tanh` holds the separator `,`\n");
  CHECK(problems("relu tanh\n'gelu'\n") ==
        "ops.txt:1:1: name `relu tanh` holds white space\nops.txt:2:1: name `'gelu'` holds a quote\n");
  CHECK(problems(std::string_view("re\0lu\n", 6)) ==
        "ops.txt:1:1: name `re\\x00lu` holds a character that cannot be shown\n");
  CHECK(problems("\xFF\n") == "ops.txt:1:1: name `\\xff` holds a character that cannot be shown\n");
  for (const char* nothing : {"", "\n\n", "# relu\n"})
    CHECK(problems(nothing) == "11:24: `" + (folder.path() / "ops.txt").string() +
                                   "` names nothing | one name a line; lines that start with # do not count\n");
  folder.write("ops.txt", "relu\n");
  CHECK(folder.problems_of(with_suspects("{ops: {file: ops.txt, members: [gelu, relu]}}")) ==
        "ops.txt:1:1: `relu` is named twice | `members` names it too\n");
}

TEST_CASE("a file of members that cannot be used") {
  const Folder folder;
  CHECK_THAT(
      folder.problem_of(with_suspects("{ops: {file: gone.txt}}")),
      Catch::Matchers::StartsWith("11:24: `/") && Catch::Matchers::EndsWith("cannot be read: No such file or directory"));
  CHECK_THAT(folder.problem_of(with_suspects("{ops: {file: .}}")),
             Catch::Matchers::EndsWith("cannot be read: Is a directory"));
  CHECK_THAT(folder.problem_of(with_suspects("{ops: {file: /dev/zero}}")),
             Catch::Matchers::EndsWith("`/dev/zero` is larger than 1 MiB"));
  std::string many;
  for (int i = 0; i <= 10'000; ++i) many += "op" + std::to_string(i) + "\n";
  folder.write("many.txt", many);
  CHECK_THAT(folder.problem_of(with_suspects("{ops: {file: many.txt}}")),
             Catch::Matchers::EndsWith("names more than 10000 members"));
  CHECK(folder.problem_of(with_suspects("{ops: {file: [a.txt]}}")) ==
        "11:24: `suspects.ops.file`: expected a text, found a list");
}

TEST_CASE("a family that knows its members can be searched whole") {
  const Folder folder;
  CHECK(members_of(folder, with_members("[relu, gelu]", "{ops: all}")) == Names{"relu", "gelu"});
  CHECK(members_of(folder, with_members("[relu, gelu]", "{ops: {exclude: [gelu]}}")) == Names{"relu", "gelu"});
  CHECK(members_of(folder, with_members("[relu, gelu]", "{ops: [tanh]}")) == Names{"tanh"});
  CHECK(members_of(folder, with_members("[relu, gelu]", "{ops: {likely: {relu: 5}}}")) == Names{"relu", "gelu"});
  CHECK(folder.problem_of(with_members("[relu, relu]", "{ops: all}")) == "10:66: `relu` is named twice");
  CHECK(folder.problem_of(with_members("['a,b']", "{ops: [relu]}")) == "10:60: name `a,b` holds the separator `,`");
  CHECK(folder.problem_of(with_members("none", "{ops: all}")) ==
        "11:17: family `ops` has no fixed members, so not all of them can be meant | write a list of names");
}

TEST_CASE("a name that is nearly a member's is a slip") {
  const Folder folder;
  const auto warnings_of = [&](const std::string& text) {
    std::string all;
    for (const auto& warning : load_experiment(folder.write("experiment.yaml", text)).warnings)
      if (warning.value.find("perturb") == std::string::npos) all += warning.value + "\n";
    return all;
  };
  CHECK(folder.problem_of(with_members("[relu, gelu]", "{ops: [relu, geluu]}")) ==
        "11:24: family `ops` has no member `geluu` | did you mean `gelu`? If not, add it to `families.ops.members`");
  CHECK(warnings_of(with_members("[relu, gelu]", "{ops: [relu, tanh]}")) ==
        "`tanh` is none of the members that family `ops` names\n");
  CHECK(warnings_of(with_members("[relu, gelu], discover: {ran: 'ran (?P<name>.*)'}", "{ops: [relu, geluu]}")) ==
        "`geluu` is none of the members that family `ops` names; did you mean `gelu`?\n");
  CHECK(warnings_of(with_members("[relu, gelu]", "{ops: [relu]}")) == "");
}

TEST_CASE("what is said of a name that is no suspect is a slip, where all suspects are named") {
  const Folder folder;
  const auto warned = [&](const std::string& suspects) {
    std::string all;
    for (const auto& warning : load_experiment(folder.write("experiment.yaml", with_suspects(suspects))).warnings)
      if (warning.value.find("perturb") == std::string::npos) all += warning.value + "\n";
    return all;
  };
  CHECK(warned("{ops: {members: [relu, gelu], likely: {relo: 5}}}") ==
        "`likely`: `relo` is no suspect of family `ops`, so this changes nothing; did you mean `relu`?\n");
  CHECK(warned("{ops: {members: [relu, gelu], price: {conv2d: 5}}}") ==
        "`price`: `conv2d` is no suspect of family `ops`, so this changes nothing\n");
  CHECK(warned("{ops: {members: [relu, gelu], exclude: [gelo]}}") ==
        "`exclude`: `gelo` is no suspect of family `ops`, so this changes nothing; did you mean `gelu`?\n");
  CHECK(warned("{ops: {members: [relu, gelu], likely: {relu: 5}, price: {gelu: 2}}}") == "");
}

TEST_CASE("a file names the members that are always on") {
  const Folder folder;
  const auto with = [](const std::string& keys) {
    return with_line(kGood, 10, "  ops: {kind: list, deliver: {environment: OFF}, never_off: {" + keys + ", instead: x}}");
  };
  folder.write("always.txt", "# of version 8\nrelu\nconv2d\n");
  const auto never = [&](const std::string& keys) {
    return load_experiment(folder.write("experiment.yaml", with(keys))).families.at("ops").never_off.names;
  };
  CHECK(never("file: always.txt") == Names{"conv2d", "relu"});
  CHECK(never("file: always.txt, names: [abs]") == Names{"abs", "conv2d", "relu"});
  CHECK(folder.problem_of(with("file: always.txt, names: [relu]")) == "10:88: `relu` is named twice");
  CHECK_THAT(folder.problem_of(with("file: gone.txt")),
             Catch::Matchers::EndsWith("cannot be read: No such file or directory"));
}

TEST_CASE("what a file names is part of the experiment, so that a change of it is seen") {
  const Folder folder;
  const auto resolved = [&](std::string_view names) {
    folder.write("ops.txt", names);
    return resolved_yaml(load_experiment(folder.write("experiment.yaml", with_suspects("{ops: {file: ops.txt}}"))));
  };
  const std::string text = resolved("relu\ngelu\n");
  CHECK(resolved("# other words\nrelu\ngelu\n") == text);
  CHECK(resolved("relu\n") != text);
}

}  // namespace bisectd::configs
