#include "driver/commands/align_result.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "driver/commands/align_text.hpp"
#include "driver/keep/run_directory.hpp"
#include "reports/escape.hpp"

namespace bisectd::driver::commands {

ExitCode conclude_align(const align::Comparison& comparison, const AlignResult& result) {
  const std::string json = align_json(comparison).dump(2) + "\n";
  const std::filesystem::path file = result.folder / "align.json";
  keep::write_file_durably(file, json);
  const std::filesystem::path page = result.folder / "align.html";
  keep::write_file_durably(page, reports::to_html(align_page(comparison, result.title)));
  if (result.json) fmt::print("{}", json);
  else fmt::print("{}{}Picture: {}\n", align_text(comparison), result.remarks, reports::plain(page.string()));
  if (!result.json && comparison.unequal.empty() && comparison.deviates())
    fmt::print("For the odds of a search, on its layers, modules or operators:  likely: {{from: {}}}\n",
               reports::plain(file.string()));
  if (!comparison.unequal.empty()) return ExitCode::no_answer;
  if (comparison.deviates()) return ExitCode::fails;
  return comparison.outputs_compared() == 0 ? ExitCode::no_answer : ExitCode::success;
}

}  // namespace bisectd::driver::commands
