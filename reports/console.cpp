#include "reports/console.hpp"

#include <fmt/color.h>
#include <fmt/format.h>

#include <algorithm>

#include "configs/printable.hpp"
#include "reports/result_lines.hpp"
#include "reports/escape.hpp"
#include "reports/lookup.hpp"
#include "reports/words.hpp"
#include "reports/workaround.hpp"

namespace bisectd::reports {
namespace {

constexpr std::size_t kClaimColumns = 80;  // beyond that, long names spoil the column for themselves only

class Paint {
 public:
  explicit Paint(Colour colour) : on_(colour == Colour::always) {}
  std::string operator()(const fmt::text_style& style, const std::string& text) const {
    return on_ ? fmt::format(style, "{}", text) : text;
  }

 private:
  bool on_;
};

fmt::text_style outcome_style(Outcome outcome) {
  switch (outcome) {
    case Outcome::culprits: return fmt::emphasis::bold | fmt::fg(fmt::terminal_color::red);
    case Outcome::aligned: return fmt::emphasis::bold | fmt::fg(fmt::terminal_color::green);
    default: return fmt::emphasis::bold | fmt::fg(fmt::terminal_color::yellow);
  }
}

std::string section(const Paint& paint, const std::string& title, const std::vector<std::string>& lines) {
  if (lines.empty()) return "";
  std::string text = "\n" + paint(fmt::emphasis::bold, title) + "\n";
  for (const std::string& line : lines) text += "  " + line + "\n";
  return text;
}

std::vector<std::string> causes(const Record& record) {
  std::vector<std::string> lines;
  for (const auto& cause : record.answer.causes) lines.push_back(cause_text(record, cause, plain));
  return lines;
}

std::vector<std::string> proof(const Record& record) {
  std::size_t width = 0;
  const std::vector<ProofLine> claims = proof_lines(record, plain);
  for (const ProofLine& line : claims) width = std::max(width, configs::columns(line.text));
  width = std::min(width, kClaimColumns);
  std::vector<std::string> lines;
  for (const auto& [claim, text] : claims) {
    const Trial* trial = shown_by(record, *claim);
    lines.push_back(fmt::format("{}  {}  {:>9}  {}", claim->proved ? "proved" : "  open",
                                configs::filled_behind(text, width), measured_text(trial),
                                trial ? fmt::format("trial {}", trial->number) : "no trial"));
  }
  if (std::string controls = controls_text(record, plain); !controls.empty()) lines.push_back(std::move(controls));
  return lines;
}

std::vector<std::string> ladder_rows(const Ladder& ladder) {
  std::size_t width = 0;
  for (const Rung& rung : ladder.rungs) width = std::max(width, configs::columns(plain(rung.value)));
  std::vector<std::string> lines;
  for (const Rung& rung : ladder.rungs) {
    const std::string note(rung_note(ladder, rung));
    lines.push_back(fmt::format("{}  {:<12}  {:>12}  trial {}{}", configs::filled_before(plain(rung.value), width),
                                verdict_word(rung.verdict), percent_text(rung.delta), rung.trial,
                                note.empty() ? "" : "  " + note));
  }
  return lines;
}

std::string ladders(const Paint& paint, const Record& record) {
  std::string text;
  for (const Ladder& ladder : record.ladders) text += section(paint, ladder_sentence(ladder, plain), ladder_rows(ladder));
  return text;
}

std::vector<std::string> workaround(const Record& record) {
  std::vector<std::string> lines;
  for (const std::string& statement : workaround_statements(record)) lines.push_back(plain(statement));
  for (const std::string& argument : record.workaround_arguments)
    lines.push_back("add the argument " + plain(shell_word(argument)));
  for (const std::string& setting : workaround_config_texts(record)) lines.push_back("set in " + plain(setting));
  if (const std::string cost = cost_text(record); !cost.empty()) lines.push_back(cost);
  for (const std::string& other : other_fix_texts(record, plain)) lines.push_back(other);
  if (const std::string soak = soak_text(record, plain); !soak.empty()) lines.push_back(soak);
  return lines;
}

}  // namespace

std::string result_text(const Record& record, Colour colour) {
  const Paint paint(colour);
  std::string text =
      paint(outcome_style(record.outcome), fmt::format("{}: {}", plain(record.experiment), outcome_title(record))) + "\n" +
      verdict_sentence(record, plain) + "\n";
  if (!record.advice.empty()) text += plain_lines(record.advice) + "\n";
  if (record.outcome == Outcome::culprits)
    text += section(paint, "Causes", causes(record)) + section(paint, "Two searches", descent_texts(record, plain));
  if (has_workaround(record))
    text += section(paint, "Proof", proof(record)) + section(paint, "Workaround", workaround(record));
  text += ladders(paint, record);
  for (const Notes& one : notes(record, plain)) text += section(paint, std::string(one.title), one.lines);
  return text + fmt::format("\n{}, {}, {}. Report: {}/report.md\n", counted(record.trials.size(), "trial"),
                            counted(attempt_count(record), "attempt"), duration_text(record.elapsed_s),
                            plain(record.run_folder));
}

}  // namespace bisectd::reports
