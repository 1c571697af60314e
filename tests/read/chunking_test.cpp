// However a log is cut into pieces and whatever it holds, the readers see the same.
#include <rapidcheck.h>

#include <string>
#include <vector>

#include "driver/read/names.hpp"
#include "tests/catch.hpp"
#include "tests/read/sample.hpp"

using namespace bisectd;
using namespace bisectd::driver::read;

namespace {

/// Pieces of logs, clean and dirty, in any order.
rc::Gen<std::string> piece() {
  return rc::gen::oneOf(rc::gen::elementOf(std::vector<std::string>{"\n",
                                                                    "\r",
                                                                    "\r\n",
                                                                    "loss",
                                                                    "loss: ",
                                                                    "1.5",
                                                                    "nan",
                                                                    ", ",
                                                                    "epoch: [1/2], global_step: ",
                                                                    "7",
                                                                    "\x1b[32m",
                                                                    "\x1b",
                                                                    "\xe6\x8d\x9f",
                                                                    "\xff",
                                                                    "op ",
                                                                    "OP ",
                                                                    "{\"step\": 1, \"loss\": 2}",
                                                                    "LoSS",
                                                                    std::string(40'000, 'x'),
                                                                    "\b\b\b",
                                                                    "epoch: [1/2], global_step: 7, loss: 1.5, \n",
                                                                    std::string(1, '\0')}),
                        rc::gen::map(rc::gen::arbitrary<std::vector<char>>(), [](const std::vector<char>& bytes) {
                          return std::string(bytes.begin(), bytes.end());
                        }));
}

rc::Gen<std::string> any_log() {
  using Pieces = std::vector<std::string>;
  return rc::gen::map(rc::gen::container<Pieces>(piece()), [](const Pieces& pieces) {
    std::string log;
    for (const std::string& each : pieces) log += each;
    return log;
  });
}

/// What is left of a log when it comes in pieces of the given sizes, again and again.
struct Outcome {
  std::vector<std::string> lines;
  std::int64_t clipped = 0;
  std::vector<std::int64_t> steps;
  std::vector<std::string> wrong;
  std::vector<NameCounts> names;

  bool operator==(const Outcome&) const = default;
};

Outcome read_in_pieces(const std::string& log, const std::vector<std::size_t>& sizes, bool through_sieve) {
  const configs::Metric metric = test::metric("loss", "paddleocr");
  MetricReader reader(metric);
  NameCounter names({{R"(op (?P<name>\S+))"}, {R"((?i)(?P<name>[a-z]+)ss)"}});
  driver::judge::Curve curve;
  Outcome outcome;
  Sieve sieve;
  sieve.add(reader.needed());
  for (const Needed& needed : names.needed()) sieve.add(needed);
  LineAssembler assembler;
  const auto take_line = [&](const Line& line) {
    reader.feed(line, curve);
    names.feed(line);
  };
  const TakeBlock take = [&](const Block& block) {
    for_each_line(
        block, [&](const Line& line) { outcome.lines.push_back(std::to_string(line.number()) + std::string(line.text)); });
    if (through_sieve) sieve.pick(block, take_line);
    else for_each_line(block, take_line);
  };
  std::string_view rest = log;
  for (std::size_t i = 0; !rest.empty(); ++i) {
    const std::size_t size = sizes.empty() ? rest.size() : sizes[i % sizes.size()] + 1;
    assembler.feed(rest.substr(0, size), take);
    rest.remove_prefix(std::min(size, rest.size()));
  }
  assembler.finish(take);
  outcome.clipped = assembler.clipped();
  for (const driver::judge::Point& point : curve.series["loss"]) outcome.steps.push_back(point.step);
  for (const WrongLine& line : reader.wrong_lines()) outcome.wrong.push_back(std::to_string(line.number) + line.text);
  outcome.names = names.counts();
  return outcome;
}

}  // namespace

TEST_CASE("any log in any pieces is read as if it came at once, through the sieve or without it") {
  CHECK(rc::check([] {
    const std::string log = *any_log();
    const auto sizes = *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, 60));
    const Outcome at_once = read_in_pieces(log, {}, true);
    RC_ASSERT(read_in_pieces(log, sizes, true) == at_once);
    RC_ASSERT(read_in_pieces(log, sizes, false) == at_once);
  }));
}

TEST_CASE("no line is longer than the limit") {
  CHECK(rc::check([] {
    const std::string log = *any_log();
    LineAssembler assembler;
    const TakeBlock take = [&](const Block& block) {
      std::size_t length = 0;
      for (const char c : block.text) {
        length = c == '\n' || c == '\r' ? 0 : length + 1;
        RC_ASSERT(length <= kLongestLine);
      }
      RC_ASSERT(block.torn || length == 0);
    };
    assembler.feed(log, take);
    assembler.finish(take);
  }));
}

TEST_CASE(
    "a progress bar that moves the cursor back instead of ending its line is read on past the longest length of a line") {
  std::string log;
  for (int step = 1; step <= 5000; ++step) log += "step " + std::to_string(step) + " loss: 1.5" + std::string(20, '\b');
  for (const std::size_t piece : {log.size(), std::size_t{100}}) {
    std::string seen;
    LineAssembler assembler;
    const TakeBlock take = [&](const Block& block) { for_each_line(block, [&](const Line& line) { seen += line.text; }); };
    for (std::size_t at = 0; at < log.size(); at += piece) assembler.feed(std::string_view(log).substr(at, piece), take);
    assembler.finish(take);
    CHECK(seen == log);
    CHECK(assembler.clipped() == 0);
  }
}

TEST_CASE("a line of just the longest length is whole, one byte more is cut, in one piece or two") {
  for (const std::size_t length : {kLongestLine, kLongestLine + 1}) {
    for (const std::size_t first_piece : {std::size_t{0}, std::size_t{100}}) {
      const std::string log = "before\n" + std::string(length, 'x') + "\nafter\n";
      std::vector<std::size_t> sizes;
      LineAssembler assembler;
      const TakeBlock take = [&](const Block& block) {
        for_each_line(block, [&](const Line& line) { sizes.push_back(line.text.size()); });
      };
      assembler.feed(std::string_view(log).substr(0, first_piece), take);
      assembler.feed(std::string_view(log).substr(first_piece), take);
      CHECK(sizes == std::vector<std::size_t>{6, kLongestLine, 5});
      CHECK(assembler.clipped() == static_cast<std::int64_t>(length - kLongestLine));
    }
  }
}
