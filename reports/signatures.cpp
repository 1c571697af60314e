#include "reports/signatures.hpp"

#include <fmt/format.h>

namespace bisectd::reports {

bool shows_signatures(const Record& record) { return record.signature_groups.size() > 1; }

std::string signature_size_text(const SignatureGroup& group) {
  return group.size < 10 ? fmt::format("{:.1f} healthy spreads", group.size)
                         : fmt::format("{:.0f} healthy spreads", group.size);
}

std::string signature_causes_text(const Record& record, const SignatureGroup& group, Escape escape) {
  if (record.outcome != Outcome::culprits) return "not known yet";
  const auto list = [&](const std::vector<std::size_t>& numbers) {
    std::string text;
    for (const std::size_t number : numbers) {
      const auto& cause = record.answer.causes.at(number);
      text += (text.empty() ? "" : "; ") + suspects_text(record, cause, escape) + (cause.size() > 1 ? " together" : "");
    }
    return text;
  };
  const std::string of_all = list(group.causes);
  if (group.causes_of_some.empty()) return of_all.empty() ? "no cause" : of_all;
  return fmt::format("{}{}not in all of them: {}", of_all, of_all.empty() ? "" : "; ", list(group.causes_of_some));
}

}  // namespace bisectd::reports
