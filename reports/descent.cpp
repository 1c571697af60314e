#include "reports/descent.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "reports/escape.hpp"
#include "reports/lookup.hpp"

namespace bisectd::reports {
namespace {

std::string causes_of(const Record& record, const strategies::Answer& answer, Escape escape) {
  std::vector<std::string> texts;
  for (const auto& cause : answer.causes) texts.push_back(cause_text(record, cause, escape));
  return fmt::format("{}", fmt::join(texts, "; "));
}

/// "12 parts of modules:conv1".
std::string parts_of_opened(const Record& record, Escape escape) {
  const auto parts = std::ranges::count_if(record.descent->suspects,
                                           [&](std::size_t id) { return std::ranges::binary_search(record.parts, id); });
  return fmt::format("{} part{} of {}", parts, parts == 1 ? "" : "s", suspects_text(record, record.descent->opened, escape));
}

bool has_second_answer(const Record& record) { return record.descent && record.descent->stayed.empty(); }

}  // namespace

bool holds_parts(const Record& record, std::span<const std::size_t> ids) {
  return std::ranges::any_of(ids, [&](std::size_t id) { return std::ranges::binary_search(record.parts, id); });
}

std::vector<std::size_t> chosen_from(const Record& record, std::span<const std::size_t> ids) {
  if (record.descent && holds_parts(record, ids)) return record.descent->suspects;
  std::vector<std::size_t> all;
  for (std::size_t id = 0; id < record.suspects.size(); ++id)
    if (!std::ranges::binary_search(record.parts, id)) all.push_back(id);
  return all;
}

std::vector<std::size_t> searched_suspects(const Record& record) {
  std::vector<std::size_t> ids;
  for (std::size_t id = 0; id < record.suspects.size(); ++id)
    if (!std::ranges::binary_search(record.parts, id) ||
        (record.descent && std::ranges::binary_search(record.descent->suspects, id)))
      ids.push_back(id);
  return ids;
}

std::vector<std::string> descent_texts(const Record& record, Escape escape) {
  if (!record.descent) return {};
  const Descent& descent = *record.descent;
  std::vector<std::string> lines{fmt::format("first search, among {} suspects: {}", chosen_from(record, {}).size(),
                                             causes_of(record, descent.before, escape))};
  const std::string among =
      descent.suspects.empty() ? "second search" : "second search, among " + parts_of_opened(record, escape);
  if (!descent.stayed.empty())
    lines.push_back(fmt::format("no {}: {}. The answer stays that of the first search.",
                                descent.suspects.empty() ? among : "answer of the " + among, escape(descent.stayed)));
  else if (record.outcome == Outcome::culprits)
    lines.push_back(fmt::format("{}: {}", among, causes_of(record, record.answer, escape)));
  else lines.push_back(among + ": not finished");
  return lines;
}

std::string descent_line(const Record& record) {
  return "parts: which of " + parts_of_opened(record, plain) + " are guilty";
}

std::string first_claim_text(const Record& record, const strategies::Claim& claim, Escape escape) {
  if (claim.kind != strategies::Claim::Kind::fix_passes && claim.kind != strategies::Claim::Kind::member_needed)
    return claim_text(record, claim, escape);
  if (claim.neutralised.none()) return "nothing neutralised: fails";
  return fmt::format("{} neutralised: {}", suspects_text(record, members(claim.neutralised), escape),
                     claim.expected == strategies::Verdict::pass ? "passes" : "fails");
}

std::vector<ProofLine> proof_lines(const Record& record, Escape escape) {
  std::vector<ProofLine> lines;
  for (const strategies::Claim& claim : record.answer.certificate)
    lines.push_back({&claim, claim_text(record, claim, escape)});
  if (has_second_answer(record))
    for (const strategies::Claim& claim : record.descent->before.certificate)
      lines.push_back({&claim, "first search: " + first_claim_text(record, claim, escape)});
  return lines;
}

}  // namespace bisectd::reports
