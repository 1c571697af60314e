// No bytes whatever make the loader crash, hang or print something unsafe: it loads or explains.
#include <rapidcheck.h>

#include <fstream>
#include <sstream>

#include "configs/printable.hpp"
#include "configs/resolved.hpp"
#include "tests/catch.hpp"
#include "tests/configs/folder.hpp"

namespace bisectd::configs {
namespace {

std::string every_key() {
  std::ifstream input(std::string(BISECTD_SOURCE_FOLDER) + "/tests/configs/every_key.yaml");
  std::ostringstream text;
  text << input.rdbuf();
  return text.str();
}

void loads_or_explains(const Folder& folder, const std::string& bytes) {
  const auto file = folder.write("any.yaml", bytes);
  try {
    RC_ASSERT(!resolved_yaml(load_experiment(file)).empty());
  } catch (const ConfigError& error) {
    RC_ASSERT(!error.problems().empty());
    std::string shown = render(error);
    RC_ASSERT(shown.ends_with('\n'));
    std::erase(shown, '\n');
    RC_ASSERT(printable(shown) == shown);
  }
}

/// Pieces that mean something to YAML or to us, so that damage goes deeper than the first byte.
const std::vector<std::string>& pieces() {
  static const std::vector<std::string> all{"\n",
                                            "  ",
                                            ": ",
                                            "- ",
                                            "[",
                                            "]",
                                            "{",
                                            "}",
                                            ",",
                                            "\"",
                                            "'",
                                            "&a ",
                                            "*a",
                                            "!!str ",
                                            "<<: ",
                                            "---\n",
                                            "...\n",
                                            "# ",
                                            "|\n",
                                            ">\n",
                                            "? ",
                                            "~",
                                            "null",
                                            "010",
                                            "0x1",
                                            ".nan",
                                            "yes",
                                            "1e999",
                                            "\t",
                                            "\r\n",
                                            "%",
                                            "{devices}",
                                            "{x",
                                            "\xFF",
                                            "\xE2\x80\xAE",
                                            "\\",
                                            "version: 1\n",
                                            "suspects:\n",
                                            "families:\n",
                                            "subject:\n",
                                            "ops: ",
                                            "kind: ",
                                            "toggles: ",
                                            "command: ",
                                            "environment: "};
  return all;
}

}  // namespace

TEST_CASE("any bytes load or are explained") {
  const Folder folder;
  rc::check("any bytes", [&](const std::string& bytes) { loads_or_explains(folder, bytes); });
}

TEST_CASE("any sequence of YAML's pieces loads or is explained") {
  const Folder folder;
  rc::check("pieces", [&] {
    const auto chosen = *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(pieces()));
    std::string bytes;
    for (const std::string& piece : chosen) bytes += piece;
    loads_or_explains(folder, bytes);
  });
}

TEST_CASE("a good file with any damage loads or is explained") {
  const Folder folder;
  for (const char* list : {"passes.txt", "always_on.txt"}) folder.write(list, "MatMulBiasAddFusionPass\n");
  const std::string good = every_key();
  rc::check("damage", [&] {
    std::string bytes = good;
    for (int i = *rc::gen::inRange(1, 4); i > 0; --i) {
      const auto at = *rc::gen::inRange<std::size_t>(0, bytes.size());
      const auto length = *rc::gen::inRange<std::size_t>(0, 20);
      bytes.replace(at, length, *rc::gen::elementOf(pieces()));
    }
    loads_or_explains(folder, bytes);
  });
}

TEST_CASE("a good file cut anywhere loads or is explained", "[often]") {
  const Folder folder;
  for (const char* list : {"passes.txt", "always_on.txt"}) folder.write(list, "MatMulBiasAddFusionPass\n");
  const std::string good = every_key();
  for (std::size_t length = 0; length < good.size(); length += 19) loads_or_explains(folder, good.substr(0, length));
}

}  // namespace bisectd::configs
