#include "reports/html/matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "reports/escape.hpp"
#include "reports/lookup.hpp"
#include "reports/words.hpp"

namespace bisectd::reports {
namespace {

constexpr std::size_t kRows = 60;  // of 500 trials each: about half a megabyte

// Shapes, not only colours, tell verdicts apart.
struct Mark {
  const char* style;
  const char* shape;
};

Mark mark(const Trial& trial) {
  switch (trial.verdict) {
    case strategies::Verdict::pass: return {"pass", "\xE2\x97\x8F"};  // black circle
    case strategies::Verdict::fail: return {"fail", "\xE2\x96\xB2"};  // black triangle
    default: return {"open", "\xE2\x97\x8B"};                         // white circle
  }
}

std::vector<const Trial*> shown_trials(const Record& record) {
  std::vector<const Trial*> trials;
  for (const Trial& trial : record.trials)
    if (judges_subject(trial)) trials.push_back(&trial);
  return trials;
}

bool is_culprit(const Record& record, std::size_t id) {
  return record.outcome == Outcome::culprits && std::ranges::binary_search(record.answer.culprit_set, id);
}

// A member of a cause that another one's neutralising breaks up.
bool is_partner(const Record& record, std::size_t id) {
  return record.outcome == Outcome::culprits &&
         std::ranges::any_of(record.answer.causes, [&](const auto& cause) { return std::ranges::count(cause, id) != 0; });
}

// Culprits, then their partners, then by guilt, then as listed.
std::vector<std::size_t> ranked(const Record& record) {
  const auto key = [&](std::size_t id) {
    return std::pair(is_culprit(record, id) ? 0 : is_partner(record, id) ? 1 : 2, id < record.answer.guilt.size() ? -record.answer.guilt[id] : 0.0);
  };
  std::vector<std::size_t> ids(record.suspects.size());
  std::iota(ids.begin(), ids.end(), std::size_t{0});
  std::ranges::stable_sort(ids, {}, key);
  return ids;
}

std::string marks(const std::vector<const Trial*>& trials, std::size_t id) {
  std::string text;
  std::string_view open;  // style of the element that neighbours share, to keep the page small
  for (const Trial* trial : trials) {
    const bool neutralised = std::ranges::binary_search(trial->neutralised, id);
    const Mark shown = neutralised ? mark(*trial) : Mark{"active", "\xC2\xB7"};  // middle dot
    if (open != shown.style) {
      if (!open.empty()) text += "</i>";
      text += fmt::format("<i class=\"{}\">", shown.style);
      open = shown.style;
    }
    text += shown.shape;
  }
  return open.empty() ? text : text + "</i>";
}

}  // namespace

std::string matrix(const Record& record) {
  const auto trials = shown_trials(record);
  if (trials.empty() || record.suspects.empty()) return "";
  const auto ids = ranked(record);
  const std::size_t rows = std::min(ids.size(), kRows);
  std::string text = "<div class=\"wide\"><table class=\"matrix\">\n";
  for (std::size_t row = 0; row < rows; ++row) {
    text += fmt::format("<tr><th{}>{}</th><td>{}</td></tr>\n",
                        is_culprit(record, ids[row])   ? " class=\"culprit\""
                        : is_partner(record, ids[row]) ? " class=\"partner\""
                                                       : "",
                        suspect_text(record, ids[row], html), marks(trials, ids[row]));
  }
  text += "</table></div>\n<p class=\"note\">One column per trial of the subject, in order. Neutralised in a trial "
          "that passed <i class=\"pass\">\xE2\x97\x8F</i>, failed <i class=\"fail\">\xE2\x96\xB2</i>, or gave no "
          "verdict <i class=\"open\">\xE2\x97\x8B</i>; <i class=\"active\">\xC2\xB7</i> active.";
  if (record.outcome == Outcome::culprits) text += " Red: in the culprit set; bold: guilty only together with it.";
  if (rows < ids.size()) text += fmt::format(" The {} most suspicious of {}.", rows, ids.size());
  return text + "</p>\n";
}

}  // namespace bisectd::reports
