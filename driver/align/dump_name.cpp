#include "driver/align/dump_name.hpp"

#include <algorithm>
#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/join.hpp>
#include <boost/algorithm/string/split.hpp>
#include <cctype>
#include <charconv>
#include <limits>
#include <vector>

namespace bisectd::driver::align {
namespace {

bool is_number(const std::string& text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

/// ptdbg writes underscores where msprobe writes points; module names may hold both: feed_forward_norm.
std::string with_points(std::string text) {
  for (const char* part : {".forward", ".backward", ".parameters_grad"})
    if (text.find(part) != std::string::npos) return text;
  for (const std::string direction : {"forward", "backward"}) {
    const std::size_t at = text.find("_" + direction + "_");
    if (at == std::string::npos) continue;
    text.replace(at, direction.size() + 2, "." + direction + ".");
    const std::size_t number = text.rfind('_', at - 1);
    if (number != std::string::npos && is_number(text.substr(number + 1, at - number - 1))) {
      text[number] = '.';
      // Before the number of a module's call stands its class.
      const std::size_t class_at = text.starts_with("Module_") ? text.rfind('_', number - 1) : std::string::npos;
      if (class_at != std::string::npos) text[class_at] = '.';
    }
    if (const std::size_t kind = text.find('_'); kind != std::string::npos && kind < at) text[kind] = '.';
  }
  return text;
}

}  // namespace

std::optional<DumpName> dump_name(const std::string& written) {
  std::vector<std::string> parts;
  const std::string text = with_points(written);
  boost::split(parts, text, boost::is_any_of("."));
  const auto direction =
      std::ranges::find_if(parts, [](const std::string& part) { return part == "forward" || part == "backward"; });
  const auto at = direction != parts.end() ? direction : std::ranges::find(parts, "parameters_grad");
  if (at == parts.end() || at - parts.begin() < 3) return std::nullopt;
  using Part = DumpName::Part;
  DumpName name{.kind = parts.front(), .name = {}, .class_name = {}};
  name.is_module = name.kind == "Module" || name.kind == "Cell";
  name.part = *at == "forward" ? Part::forward : *at == "backward" ? Part::backward : Part::parameter_gradient;
  name.output = std::find(at, parts.end(), "output") != parts.end();
  // A module: its name, its class, in older versions the number; a function: its name, the number.
  auto end = at - 1;
  if (name.is_module && is_number(*end)) --end;
  name.name = boost::algorithm::join(std::vector(parts.begin() + 1, end), ".");
  name.class_name = name.is_module ? *end : name.name;
  const std::string& number = at + 1 != parts.end() && is_number(*(at + 1)) && name.is_module ? *(at + 1) : *(at - 1);
  std::from_chars(number.data(), number.data() + number.size(), name.number);
  name.number = std::min(name.number, std::numeric_limits<int>::max() - 1);  // calls are counted from 1
  return name;
}

}  // namespace bisectd::driver::align
