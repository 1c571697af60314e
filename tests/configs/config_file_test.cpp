// Keys of the training's own configuration files: found, replaced in one place, and what cannot be is said.
#include "configs/config_file.hpp"

#include "tests/catch.hpp"
#include "tests/configs/folder.hpp"

namespace bisectd::configs {
namespace {

/// The file with another value of one key; what is wrong instead.
std::string changed(const std::string& content, const std::string& key, const std::string& to,
                    const std::string& file = "a.yaml") {
  const auto found = value_in_file(content, file, key);
  if (!found) return found.error().message + (found.error().hint.empty() ? "" : " | " + found.error().hint);
  return with_values(content, {{found->begin, found->end, to}});
}

std::string written(const std::string& text, bool quoted = false, const std::string& file = "a.yaml") {
  const auto result = written_in_file({.kind = Value::Kind::scalar, .text = text, .quoted = quoted}, file);
  return result ? *result : result.error().message;
}

}  // namespace

TEST_CASE("one value of a YAML file is replaced, and every other byte stays") {
  const std::string yaml =
      "# the model\nbase: &base {lr: 1e-4, fused: 'on'}\nother:\n  <<: *base\ntraining:\n  fused: true  # since 2.1\n"
      "  text: \"a: b\"\n  many: >-\n    two\n    lines\nempty:\nlast: ~\n";
  CHECK(changed(yaml, "training.fused", "false").find("  fused: false  # since 2.1\n  text: \"a: b\"\n") !=
        std::string::npos);
  CHECK(changed(yaml, "base.lr", "0").find("{lr: 0, fused: 'on'}") != std::string::npos);
  CHECK(changed(yaml, "base.fused", "off").find("{lr: 1e-4, fused: off}") != std::string::npos);
  CHECK(changed(yaml, "training.text", "x").find("  text: x\n  many") != std::string::npos);
  CHECK(changed(yaml, "empty", "1").find("empty: 1\nlast") != std::string::npos);
  CHECK(changed(yaml, "last", "2").ends_with("last: 2\n"));
  CHECK(changed("\xEF\xBB\xBF"
                "a: 1\r\nb: \xE6\x97\xA5\r\nc: 3\r\n",
                "c", "4")
            .ends_with("c: 4\r\n"));
  CHECK(changed("steps:\n- run:\n    fused: true\n- run:\n    fused: true\n", "steps.1.run.fused", "false") ==
        "steps:\n- run:\n    fused: true\n- run:\n    fused: false\n");
  CHECK(changed("a.b: {c: 1}\n", "a.b.c", "2") == "a.b: {c: 2}\n");
}

TEST_CASE("lists are replaced as a whole, however they are written") {
  CHECK(changed("off: [a, 'b']  # c\n", "off", "[\"d\"]") == "off: [\"d\"]  # c\n");
  CHECK(changed("off:\n- a\n- b\nnext: 1\n", "off", "[]") == "off: []\nnext: 1\n");
  CHECK(changed("x:\n  off:  # all of them\n    - a\n    - \"b\"\n  next: 1\n", "x.off", "[]") ==
        "x:\n  off: []\n  next: 1\n");
  const auto found = value_in_file("off: [a, 'b']", "a.yaml", "off");
  REQUIRE(found);
  REQUIRE(found->value.items.size() == 2);
  CHECK(found->value.items[1].text == "b");
}

TEST_CASE("one value of a JSON file is replaced, with its order, its indents and its numbers") {
  const std::string json =
      "{\n\t\"train_micro_batch_size_per_gpu\": 4,\n\t\"fp16\":{\"enabled\":true,\"loss_scale\":65536},\n\t\"lr\": "
      "1.50e-5\n}\n";
  CHECK(changed(json, "fp16.loss_scale", "0", "ds.json") ==
        "{\n\t\"train_micro_batch_size_per_gpu\": 4,\n\t\"fp16\":{\"enabled\":true,\"loss_scale\": 0},\n\t\"lr\": "
        "1.50e-5\n}\n");
  CHECK(changed("{\"a\": {\"b\": null}}", "a.b", "[\"x\"]", "a.json") == "{\"a\": {\"b\": [\"x\"]}}");
}

TEST_CASE("one value of a TOML file is replaced") {
  const std::string toml =
      "title = \"a\"  # t\n[training]\nfused = true # c\nnote = \"\"\"\nfused = 1\n\"\"\"\n[job.\"x\"]\nlist = [\"a\", "
      "\"b\"]\na.b = 1\n";
  CHECK(changed(toml, "training.fused", "false", "a.toml").find("[training]\nfused = false # c\n") != std::string::npos);
  CHECK(changed(toml, "job.x.list", "[]", "a.toml").find("list = []\na.b") != std::string::npos);
  CHECK(changed(toml, "job.x.a.b", "2", "a.toml").ends_with("a.b = 2\n"));
  CHECK(changed(toml, "training.fusd", "2", "a.toml")
            .starts_with("`a.toml` has no key `training.fusd` | did you mean `training.fused`?"));
  CHECK(changed("a = {b = 1}\n", "a", "2", "a.toml").starts_with("the value of `a` in `a.toml` cannot be replaced"));
}

TEST_CASE("a key that cannot be replaced is said") {
  CHECK(
      changed("training: {fused: true}", "training.fusd", "") ==
      "`a.yaml` has no key `training.fusd` | did you mean `training.fused`? A key that is left out there must be added with "
      "the value that holds without it");
  CHECK(changed("a: 1\na: 2\n", "a", "").starts_with("`a.yaml` has the key `a` 2 times"));
  CHECK(changed("a: &x 1\nb: *x\n", "a", "").starts_with("the value of `a` in `a.yaml` cannot be replaced: an anchor"));
  CHECK(changed("a: &x 1\nb: *x\n", "b", "").starts_with("the value of `b` in `a.yaml` cannot be replaced: an anchor"));
  CHECK(changed("a: |\n  x\n", "a", "").starts_with("the value of `a` in `a.yaml` cannot be replaced: an anchor"));
  CHECK(changed("a: x\n  y\n", "a", "")
            .starts_with("the value of `a` in `a.yaml` cannot be replaced: it is a text of several"));
  CHECK(changed("a: {b: 1}\n", "a", "").starts_with("the value of `a` in `a.yaml` cannot be replaced: it holds keys"));
  CHECK(changed("a: [1, {b: 1}]\n", "a", "").starts_with("the value of `a` in `a.yaml` cannot be replaced: its items"));
  CHECK(changed("a: 1\n---\na: 2\n", "a", "").starts_with("`a.yaml` holds 2 documents"));
  CHECK(changed("a: [1\n", "a", "").starts_with("`a.yaml` cannot be read: "));
  CHECK(changed("a: &a [*a]\n", "b", "").starts_with("`a.yaml` has no key `b`"));
}

TEST_CASE("a value is of the type that it would have in the file, in quotes a text") {
  for (const char* same : {"false", "1024", "-0.5", "null", "sdpa", "fp16/O2"}) CHECK(written(same) == same);
  CHECK(written("True") == "true");
  CHECK(written("1e-5") == "1.0e-5");  // YAML 1.1 takes 1e-5 for a text, and 1.0e5, too
  CHECK(written("1E5") == "1.0e+5");
  CHECK(written("a, b") == "\"a, b\"");
  CHECK(written("1024", true) == "\"1024\"");
  CHECK(written("auto", false, "ds.json") == "\"auto\"");
  CHECK(written("null", false, "a.toml") == "TOML has no null");
}

namespace {

/// kGood with one switch that is a key of train.yaml beside the experiment.
std::string with_switch(const std::string& keys,
                        const std::string& command = "[python, train.py, \"{config:train.yaml}\"]") {
  return with_line(with_line(with_line(kGood, 6, "  command: " + command), 10,
                             "  train: {kind: toggle, toggles: {fused: {" + keys + "}}}"),
                   11, "suspects: {train: all}");
}

std::string problem_with(const Folder& folder, const std::string& keys) { return folder.problem_of(with_switch(keys)); }

}  // namespace

TEST_CASE("what is wrong with a key of a configuration file is named with its place") {
  const Folder folder;
  folder.write("train.yaml", "training: {fused: true, mode: \"1\"}\n");
  CHECK(problem_with(folder, "config: train.yaml, key: training.fused, safe: false") == "");
  CHECK(problem_with(folder, "config: trian.yaml, key: training.fused, safe: false")
            .starts_with("10:51: there is no `trian.yaml` in " + folder.path().string()));
  CHECK(problem_with(folder, "config: train.yaml, key: training.fusd, safe: false")
            .starts_with("10:51: `train.yaml` has no key `training.fusd` | did you mean `training.fused`?"));
  CHECK(
      problem_with(folder, "config: train.py, key: a, safe: false") ==
      "10:51: `train.py` is no configuration file that can be copied with other values | known: .yaml, .yml, .json, .toml");
  CHECK(problem_with(folder, "config: train.yaml, safe: false")
            .starts_with("10:51: `families.train.toggles.fused.config` needs `key` beside it"));
  CHECK(
      problem_with(folder, "config: train.yaml, key: training.fused, safe: unset") ==
      "10:90: `families.train.toggles.fused.safe`: a key of a file cannot be unset | write the value that the training has "
      "without it, or null");
  CHECK(problem_with(folder, "config: train.yaml, key: training.fused, safe: \"false\"") ==
        "10:42: `false` in quotes is a text, and `train.yaml` has true as its `training.fused` | remove the quotes");
  CHECK(problem_with(folder, "config: train.yaml, key: training.mode, safe: \"0\"") == "");
  CHECK(problem_with(folder, "config: train.yaml, key: training.fused, environment: A, safe: false")
            .find("needs one of `environment`, `argument` and `config`") != std::string::npos);
  CHECK(folder.problem_of(
            with_switch("config: train.yaml, key: training.fused, safe: false", "[python, train.py, train.yaml]")) ==
        "6:31: the subject's command does not name the copy of `train.yaml` that its suspects are keys of | write "
        "{config:train.yaml} where it names the file");
  CHECK(folder.problem_of(
            with_switch("config: train.yaml, key: training.fused, safe: false", "[python, \"{config:trian.yaml}\"]")) ==
        "6:21: `{config:trian.yaml}`: no suspect is a key of that file | did you mean `{config:train.yaml}`?");
  CHECK(folder.problem_of(with_line(kGood, 6, "  command: [python, \"{config}\"]")) ==
        "6:21: `{config}`: no suspect of this side is a key of a configuration file | a suspect is one by `{config: FILE, "
        "key: "
        "KEY}`");
  for (const char* named : {"{config}", "{attempt}/train.yaml", "--c={config:train.yaml}"})
    CHECK(folder.problem_of(with_switch("config: train.yaml, key: training.fused, safe: false",
                                        std::string("[python, \"") + named + "\"]")) == "");
}

TEST_CASE("two suspects must not write one key, nor two copies have one name") {
  const Folder folder;
  folder.write("train.yaml", "fused: true\nother: true\n");
  folder.write("deeper/train.yaml", "fused: true\n");
  const auto with_two = [&](const std::string& second) {
    return folder.problem_of(
        with_line(with_switch(""), 10,
                  "  train: {kind: toggle, toggles: {a: {config: train.yaml, key: fused, safe: false}, b: {" + second +
                      ", safe: false}}}"));
  };
  CHECK(with_two("config: train.yaml, key: other") == "");
  CHECK(with_two("config: train.yaml, key: fused").find("`fused` of `train.yaml` is written by two suspects") !=
        std::string::npos);
  CHECK(with_two("config: deeper/train.yaml, key: fused").find("would have one name in an attempt's folder") !=
        std::string::npos);
}

TEST_CASE("a switch has what its file says, and none that is safe there is a suspect") {
  const Folder folder;
  folder.write("train.yaml", "a: True\nb: false\nc: \"1\"\nd:\n");
  const auto suspect = [&](const std::string& keys) {
    const auto toggle =
        load_experiment(
            folder.write("e.yaml", with_line(with_line(with_switch(keys), 10,
                                                       "  train: {kind: toggle, toggles: {fused: {config: train.yaml, " +
                                                           keys + "}, other: {config: train.yaml, key: a, safe: 3}}}"),
                                             2, "name: x")))
            .families.at("train")
            .toggles.at("fused");
    return toggle.suspect == toggle.safe ? "safe" : toggle.suspect.value_or("unset");
  };
  CHECK(suspect("key: b, safe: true") == "false");
  CHECK(suspect("key: b, safe: false") == "safe");
  CHECK(suspect("key: c, safe: 1") == "\"1\"");
  CHECK(suspect("key: d, safe: null") == "safe");
  CHECK(suspect("key: d, safe: 1") == "null");
}

TEST_CASE("another way of delivery takes the place of the preset's") {
  const Folder folder;
  folder.write("ds.json", "{\"fp16\": {\"loss_scale\": 65536}}");
  const std::string text =
      with_line(with_line(with_line(kGood, 2, "extends: torch-npu"), 6, "  command: [python, train.py, \"{config}\"]"), 10,
                "  loss_scale: {deliver: {config: ds.json, key: fp16.loss_scale}, delivered_as: {dynamic: 0}}");
  const Experiment experiment = load_experiment(folder.write("e.yaml", with_line(text, 11, "suspects: {loss_scale: all}")));
  const Delivery& deliver = experiment.families.at("loss_scale").deliver;
  CHECK(deliver.argument.empty());
  CHECK(deliver.config->key == "fp16.loss_scale");
}

}  // namespace bisectd::configs
