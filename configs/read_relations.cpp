// Reads `relations`: labels of suspects that are searched, and no circle of needs.
#include <fmt/format.h>

#include <algorithm>

#include "configs/blocks.hpp"
#include "configs/member_name.hpp"
#include "configs/printable.hpp"
#include "configs/reading.hpp"
#include "configs/suggest.hpp"

namespace bisectd::configs {
namespace {

class LabelReader {
 public:
  LabelReader(const std::map<std::string, Family>& families, const std::map<std::string, Selection>& suspects,
              Problems& problems)
      : families_(families), suspects_(suspects), problems_(problems) {
    for (const auto& [name, selection] : suspects_) searched_.push_back(name);
  }

  std::optional<MemberLabel> read(const Placed<std::string>& text) {
    const std::size_t colon = text.value.find(':');
    if (colon == std::string::npos) {
      problems_.add(text.place, fmt::format("{} does not say its family", in_quotes(text.value)),
                    fmt::format("write `{}:{}`", searched_.empty() ? "family" : searched_.front(), text.value));
      return std::nullopt;
    }
    const MemberLabel label{text.value.substr(0, colon), text.value.substr(colon + 1)};
    const auto selection = suspects_.find(label.family);
    if (selection == suspects_.end()) {
      const auto right = nearest(label.family, searched_);
      problems_.add(text.place, fmt::format("family {} is not searched", in_quotes(label.family)),
                    right ? fmt::format("did you mean `{}:{}`?", *right, label.name)
                          : fmt::format("`suspects` names {}", fmt::join(searched_, ", ")));
      return std::nullopt;
    }
    check_searched({label.name, text.place}, families_.at(label.family), selection->second);
    named_at_.try_emplace(label, text.place);
    return label;
  }

  std::map<MemberLabel, Place> named_at() && { return std::move(named_at_); }

 private:
  void check_searched(const Placed<std::string>& name, const Family& family, const Selection& selection) {
    const auto listed = [&](const std::vector<Placed<std::string>>& names) {
      return std::ranges::find(names, name.value, &Placed<std::string>::value) != names.end();
    };
    const auto refuse = [&](const std::vector<std::string>& right) {
      const auto near = nearest(name.value, right);
      problems_.add(name.place, fmt::format("{} is not searched", in_quotes(family.name + ":" + name.value)),
                    near ? fmt::format("did you mean `{}:{}`?", family.name, *near)
                         : fmt::format("`suspects.{}` leaves it out", family.name));
    };
    if (family.kind == FamilyKind::ladder) {
      if (name.value != family.name) refuse({family.name});
    } else if (selection.all || selection.discover) {
      check_member_name(name, family, problems_);
      if (listed(selection.exclude)) refuse({});
    } else if (!listed(selection.members)) {
      std::vector<std::string> right;
      for (const auto& member : selection.members) right.push_back(member.value);
      refuse(right);
    }
  }

  const std::map<std::string, Family>& families_;
  const std::map<std::string, Selection>& suspects_;
  Problems& problems_;
  std::vector<std::string> searched_;
  std::map<MemberLabel, Place> named_at_;
};

std::vector<MemberLabel> read_labels(const Value& value, const std::string& what, LabelReader& labels, Problems& problems) {
  std::vector<MemberLabel> read;
  for (const Placed<std::string>& text : texts_of(value, what, problems)) {
    const auto label = labels.read(text);
    if (label && std::ranges::count(read, *label))
      problems.add(text.place, fmt::format("{} is named twice", in_quotes(text.value)));
    else if (label) read.push_back(*label);
  }
  return read;
}

/// Whether `from` needs `wanted`, over however many steps. Ends for circles that `wanted` has no part in, too.
bool needs(const Relations& relations, const MemberLabel& from, const MemberLabel& wanted,
           std::vector<MemberLabel>& visited) {
  if (std::ranges::count(visited, from)) return false;
  visited.push_back(from);
  const auto found = relations.only_with.find(from);
  return found != relations.only_with.end() && std::ranges::any_of(found->second, [&](const MemberLabel& needed) {
           return needed == wanted || needs(relations, needed, wanted, visited);
         });
}

void read_only_with(const Value& block, LabelReader& labels, Relations& relations, Problems& problems) {
  const MapReader reader(block, "relations.only_with", problems);
  for (const Value::Entry& entry : block.entries) {
    const std::string what = "relations.only_with." + entry.key;
    const auto suspect = labels.read({entry.key, entry.place});
    std::vector<MemberLabel> needed;
    if (entry.value.kind == Value::Kind::list) {
      needed = read_labels(entry.value, what, labels, problems);
    } else if (const auto text = placed_text_of(entry.value)) {
      if (const auto label = labels.read(*text)) needed.push_back(*label);
    } else {
      problems.add(entry.value.place, fmt::format("`{}`: expected one suspect or a list of them", what),
                   "for example flags:graph_mode");
    }
    if (!suspect || needed.empty()) continue;
    relations.only_with[*suspect] = std::move(needed);
    std::vector<MemberLabel> visited;
    if (needs(relations, *suspect, *suspect, visited))
      problems.add(entry.place, fmt::format("{} would matter only with itself", in_quotes(entry.key)));
  }
}

}  // namespace

Relations read_relations(const Value& block, const std::map<std::string, Family>& families,
                         const std::map<std::string, Selection>& suspects, Problems& problems) {
  Relations relations;
  LabelReader labels(families, suspects, problems);
  MapReader reader(block, "relations", problems);
  if (const Value* only_with = reader.find("only_with")) read_only_with(*only_with, labels, relations, problems);
  if (const Value* exclusive = reader.find("exclusive")) {
    if (exclusive->kind != Value::Kind::list)
      problems.add(exclusive->place, "`relations.exclusive`: expected a list of groups",
                   "for example [[flags:flash_attention, flags:math_attention]]");
    std::size_t choices = 1;
    for (const Value& group : exclusive->items) {
      std::vector<MemberLabel> members = read_labels(group, "relations.exclusive", labels, problems);
      if (group.kind == Value::Kind::list && group.items.size() < 2)
        problems.add(group.place, "a group of `relations.exclusive` needs two suspects or more");
      choices *= std::max<std::size_t>(1, members.size());
      if (choices > kMostChoices) {
        problems.add(group.place,
                     fmt::format("up to this group of `relations.exclusive` there are {} ways to choose", choices),
                     fmt::format("at most {}: name only what was found to exclude each other", kMostChoices));
        break;
      }
      relations.exclusive.push_back(std::move(members));
    }
  }
  reader.refuse_other_keys();
  relations.named_at = std::move(labels).named_at();
  return relations;
}

}  // namespace bisectd::configs
