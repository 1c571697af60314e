#include "driver/trial/script_settings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/split.hpp>
#include <boost/algorithm/string/trim.hpp>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>

#include "configs/file_bytes.hpp"
#include "configs/loader.hpp"
#include "configs/words.hpp"
#include "driver/neutralise/catalogue.hpp"

namespace bisectd::driver {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostScripts = 50;

/// A simple command of a script: its words as they are written, quotes included.
struct ShellCommand {
  int line = 0;
  std::vector<std::string> words;
  std::string before;  ///< the commands of the same list, on whose result it depends: `test -n "$X" ||`
};

/// Splits the text of a script at what ends words and commands; knows quotes, comments, lines that go on and here-documents,
/// and of the rest no more than that it is not there.
class ShellText {
 public:
  explicit ShellText(std::string_view text) : text_(text) {}

  std::vector<ShellCommand> commands() {
    while (at_ < text_.size()) step();
    end_command();
    return std::move(commands_);
  }

 private:
  void step() {
    const char c = text_[at_];
    if (c == '\\') take_escaped();
    else if (c == '\'' || c == '"' || c == '`') take_quoted(c);
    else if (text_.substr(at_).starts_with("$(")) take_substitution();
    else if (c == '#' && word_.empty()) at_ = std::min(text_.find('\n', at_), text_.size());
    else if (c == '\n') end_line();
    else if (c == ' ' || c == '\t' || c == '\r') end_word(), ++at_;
    else if (text_.substr(at_).starts_with("<<") && !text_.substr(at_).starts_with("<<<")) begin_document();
    else if (std::string_view(";&|()").find(c) != std::string_view::npos) end_command(c), ++at_;
    else word_ += text_[at_++];
  }
  void take_escaped() {
    const bool goes_on = text_.substr(at_).starts_with("\\\n");
    line_ += goes_on ? 1 : 0;
    if (!goes_on) word_ += text_.substr(at_, 2);
    else end_word();
    at_ += 2;
  }
  void take_quoted(char quote) {
    take_letter();
    while (at_ < text_.size() && text_[at_] != quote) {
      if (quote == '"' && text_.substr(at_).starts_with("$(")) take_substitution();
      else take_letter(quote != '\'');
    }
    take_letter();
  }
  /// `$(...)`, whatever is in it.
  void take_substitution() {
    if (text_[at_] == '$') take_letter();
    take_letter();
    while (at_ < text_.size() && text_[at_] != ')') {
      if (text_[at_] == '\'' || text_[at_] == '"') take_quoted(text_[at_]);
      else if (text_[at_] == '(' || text_.substr(at_).starts_with("$(")) take_substitution();
      else take_letter(true);
    }
    take_letter();
  }
  void take_letter(bool escapes = false) {
    if (escapes && at_ < text_.size() && text_[at_] == '\\') word_ += text_[at_++];
    if (at_ >= text_.size()) return;
    line_ += text_[at_] == '\n' ? 1 : 0;
    word_ += text_[at_++];
  }
  void begin_document() {
    at_ += 2;
    const std::size_t begin = std::min(text_.find_first_not_of("- \t'\"\\", at_), text_.size());
    at_ = std::min(text_.find_first_of(" \t\r\n'\";|&)", begin), text_.size());
    document_ = text_.substr(begin, at_ - begin);
    if (at_ < text_.size() && (text_[at_] == '\'' || text_[at_] == '"')) ++at_;
  }
  void end_line() {
    end_command();
    ++at_, ++line_;
    for (bool inside = !document_.empty(); inside && at_ < text_.size(); ++line_) {
      const std::size_t end = std::min(text_.find('\n', at_), text_.size());
      std::string_view line = text_.substr(at_, end - at_);
      line.remove_prefix(std::min(line.find_first_not_of('\t'), line.size()));
      inside = line != document_;
      at_ = std::min(end + 1, text_.size());
    }
    document_ = "";
  }
  void end_word() {
    if (word_.empty()) return;
    if (command_.words.empty()) command_.line = line_;
    command_.words.push_back(std::move(word_));
    word_.clear();
  }
  /// `&&` and `||` lead on to what depends on this.
  void end_command(char by = '\n') {
    end_word();
    const bool leads_on =
        (by == '&' || by == '|') && (text_.substr(at_).starts_with("&&") || text_.substr(at_).starts_with("||"));
    std::string before = leads_on ? fmt::format("{} {}", command_.before, fmt::join(command_.words, " ")) : "";
    if (by == '&' && at_ > 0 && text_[at_ - 1] == '&') before = command_.before;  // the second one of the two
    if (by == '|' && at_ > 0 && text_[at_ - 1] == '|') before = command_.before;
    if (!command_.words.empty()) commands_.push_back(std::move(command_));
    command_ = {.before = std::move(before)};
  }

  std::string_view text_, document_;
  std::size_t at_ = 0;
  int line_ = 1;
  std::string word_;
  ShellCommand command_;
  std::vector<ShellCommand> commands_;
};

std::string without_quotes(std::string word) {
  std::erase_if(word, [](char c) { return c == '"' || c == '\''; });
  return word;
}

/// True if `text` expands the variable, or asks whether it is there.
bool mentions(const std::string& text, const std::string& variable) {
  for (const std::string& begin : {"$" + variable, "${" + variable, "-v " + variable})
    for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at + 1)) {
      const std::size_t end = at + begin.size();
      const char next = end < text.size() ? text[end] : ' ';
      if (!configs::is_letter(next) && !configs::is_digit(next) && next != '_') return true;
    }
  return false;
}

bool is_one_of(const std::string& word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

bool is_shell(const std::string& program) {
  return is_one_of(fs::path(program).filename().string(), {"sh", "bash", "dash", "ksh", "zsh"});
}

/// Whether the text of a file is a shell's, by its first line; without one that says so, by its name.
bool is_shell_script(const std::string& text, const fs::path& file) {
  if (text.find('\0') != std::string::npos) return false;
  if (!text.starts_with("#!")) return file.extension() != ".py";
  std::vector<std::string> words;
  std::string first = text.substr(2, text.find('\n') - 2);
  boost::split(words, boost::trim_copy(first), boost::is_any_of(" \t"));
  return std::ranges::any_of(words, is_shell);
}

/// As a person would name it from here.
std::string name_from_here(const fs::path& file) {
  const std::string near = fs::proximate(file).string();
  return near.starts_with("..") ? file.string() : near;
}

class ScriptReader {
 public:
  explicit ScriptReader(const LaunchSide& side) : side_(side) {}

  std::vector<ScriptSetting> settings() {
    const auto& command = side_.settings->command;
    for (std::size_t i = 0; i < command.size(); ++i) {
      const std::string before = i > 0 ? command[i - 1].value : "";
      const bool letters = before.starts_with('-') && !before.starts_with("--") && before.find('c') != std::string::npos;
      if (letters && is_shell(command.front().value)) read_text(command[i].value, command[i].place, side_.directory);
      else if (i == 0 || is_shell(before) || command[i].value.ends_with(".sh")) read_file(command[i].value, side_.directory);
    }
    return std::move(settings_);
  }

 private:
  /// `word` names a script, relative to where the training is started or, as scripts do, to the folder of this one.
  void read_file(const std::string& word, const fs::path& folder) {
    std::string name = without_quotes(word);
    const bool expands = name.find('$') != std::string::npos;
    if (expands) name = fs::path(name).filename().string();  // ${DIR}/env.sh, most often beside this one
    std::error_code ignored;
    for (const fs::path& path : {expands ? folder / name : side_.directory / name, folder / name}) {
      if (!fs::is_regular_file(path, ignored) || seen_.size() >= kMostScripts) continue;
      if (!seen_.insert(fs::weakly_canonical(path, ignored).string()).second) return;
      const std::string text = configs::bytes_in(path, configs::kLargestFile_bytes);
      if (is_shell_script(text, path)) read_text(text, {name_from_here(path.lexically_normal()), 0, 0}, path.parent_path());
      return;
    }
  }

  /// `from`: where the text stands; of a file, its name and no line.
  void read_text(const std::string& text, const configs::Place& from, const fs::path& folder) {
    std::vector<std::string> conditions;
    for (const ShellCommand& command : ShellText(text).commands()) {
      const std::string& first = command.words.front();
      if (first == "if") conditions.push_back(fmt::format("{}", fmt::join(command.words, " ")));
      if (first == "elif" && !conditions.empty()) conditions.back() += fmt::format("{}", fmt::join(command.words, " "));
      if (first == "fi" && !conditions.empty()) conditions.pop_back();
      const configs::Place place = from.line > 0 ? from : configs::Place{from.file, command.line, 0};
      take_settings(command, fmt::format("{} {}", fmt::join(conditions, " "), command.before), place);
      for (std::size_t i = 0; i < command.words.size(); ++i) {
        const std::string word = without_quotes(command.words[i]);
        const std::string before = i > 0 ? command.words[i - 1] : "";
        if (is_shell(before) || is_one_of(before, {"source", "."}) || word.ends_with(".sh")) read_file(word, folder);
      }
    }
  }

  void take_settings(const ShellCommand& command, const std::string& guard, const configs::Place& place) {
    bool all_words = false, unset = false;  // export and its like take any number of them
    for (const std::string& word : command.words) {
      const std::size_t equals = word.find('=');
      const std::string variable = word.substr(0, equals);
      if (unset || (equals != std::string::npos && configs::is_identifier(variable))) {
        const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
        if (!mentions(value, variable) && !mentions(guard, variable)) settings_.push_back({place, variable, value});
      } else if (is_one_of(word, {"export", "declare", "typeset", "readonly", "local", "unset"})) {
        all_words = true;
        unset = word == "unset";
      } else if (!all_words &&
                 !is_one_of(word, {"then", "else", "do", "{", "!", "time", "exec", "nohup", "command", "env"})) {
        return;
      }
    }
  }

  const LaunchSide& side_;
  std::set<std::string> seen_;
  std::vector<ScriptSetting> settings_;
};

/// The suspects that a variable neutralises, or that cannot be neutralised without it; each is noted with `why`.
std::vector<std::string> note(configs::Experiment& experiment, const std::string& variable, const std::string& why) {
  std::vector<std::string> labels;
  for (const auto& [name, selection] : experiment.suspects) {
    configs::Family& family = experiment.families.at(name);
    const bool whole = family.environment.contains(variable) ||
                       (family.kind != configs::FamilyKind::toggle && family.deliver.environment == variable);
    if (whole && family.overwritten.empty()) {
      family.overwritten = why;
      labels.push_back(name);
    }
    for (auto& [toggle_name, toggle] : family.toggles)
      if (toggle.deliver.environment == variable && toggle.suspect != toggle.safe && toggle.overwritten.empty() &&
          !neutralise::is_left_out(family, selection, toggle_name)) {
        toggle.overwritten = why;
        labels.push_back(fmt::format("{}:{}", name, toggle_name));
      }
  }
  return labels;
}

bool may_be_searched(const configs::Experiment& experiment) {
  return std::ranges::any_of(experiment.suspects, [&](const auto& entry) {
    const configs::Family& family = experiment.families.at(entry.first);
    if (family.kind != configs::FamilyKind::toggle || !family.overwritten.empty()) return family.overwritten.empty();
    const auto names = neutralise::known_suspects(family, entry.second);
    return std::ranges::any_of(names, [&](const std::string& name) { return configs::overwritten(family, name).empty(); });
  });
}

}  // namespace

std::vector<ScriptSetting> settings_in_scripts(const LaunchSide& side) { return ScriptReader(side).settings(); }

std::vector<configs::Placed<std::string>> note_overwritten(configs::Experiment& experiment, const LaunchSide& subject) {
  std::vector<configs::Placed<std::string>> warnings;
  std::vector<configs::Problem> problems;
  for (const auto& [place, variable, value] : settings_in_scripts(subject)) {
    const std::string why =
        fmt::format("{}:{} sets {} itself, so what bisectd sets never arrives", place.file, place.line, variable);
    const std::vector<std::string> labels = note(experiment, variable, why);
    if (labels.empty()) continue;
    const std::string instead =
        value.empty() ? "take it out" : fmt::format("write export {0}=${{{0}:-{1}}}", variable, value);
    warnings.push_back({fmt::format("this line sets {} itself, so what bisectd sets never arrives: {} {} not searched; {}",
                                    variable, fmt::join(labels, ", "), labels.size() == 1 ? "is" : "are", instead),
                        place});
    problems.push_back(
        {place, fmt::format("this line sets {} itself, so what bisectd sets never arrives", variable), instead});
  }
  if (!problems.empty() && !may_be_searched(experiment)) throw configs::ConfigError(std::move(problems));
  return warnings;
}

}  // namespace bisectd::driver
