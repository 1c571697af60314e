#include "tests/hostile/options.hpp"

#include <fstream>
#include <functional>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace hostile {

const char* const kHelp = R"(hostile_trainer [OPTION VALUE | OPTION | KEY=VALUE] ...

A training in a few milliseconds that does whatever a test wants trainings to do. Deterministic: same options, same
environment, same bytes, unless there is noise without a seed.

  --scenario FILE       options from a file: one per line, without the dashes (`cause pad3d=3`); # begins a comment

What is neutralised
  --list-variable NAME  variable with the names that are off, separated by commas (HOSTILE_OFF)
  --suspects A,B,...    names a list may hold
  --generate N          suspects op0 .. op(N-1)
  --no-effect A,...     being off leaves no trace and helps nothing
  --on-cpu A,...        run on the CPU anyway: always a fall-back line, never guilty
  KEY=VALUE             a setting, like the variable of that name, and before it

What is wrong
  --cause A+B=PCT[@ONSET][^]   the loss is PCT % off while A and B are both active. A member VARIABLE:VALUE is active
                               while the setting or variable has that value, !A while A is off. ONSET: percent of the
                               run before it shows; ^: it grows from there to the end. May be repeated; causes add up
  --signed STEPS    in the first STEPS steps each cause moves the loss in a way of its own instead, about as far
  --window VARIABLE=LOW..HIGH=PCT  the loss is PCT % off while the setting is outside LOW..HIGH (or absent)

The curve
  --steps N (100)   --first-loss X (8)   --last-loss X (2)
  --noise PCT       level noise: standard deviation between runs;   --step-noise PCT: between steps
  --seed N          makes noise repeatable: drawn from N and the last part of BISECTD_ATTEMPT (after its last /)
  --perturbed PCT   the setting or variable HOSTILE_PERTURB, a seed, moves the loss: from PCT / 2 % at the first step, growing
                    as chaos does, to PCT % at the last (standard deviation over seeds)
  --step-ms X       sleeps in every step;   --slow A=MS: so much longer while A is off. May be repeated

Bad behaviour (a STEP counts from 1)
  --crash-off A+B   SIGABRT at the middle when all of them are off; --hang-off A+B: hangs there. May be repeated
  --crash-at STEP   SIGSEGV      --crash-percent PCT   SIGABRT at the first step with this probability
  --crash-perturbed SIGABRT at the middle if HOSTILE_PERTURB is set
  --hang-at STEP    --hang-at-exit   after the last step
  --nan-from STEP   --truncate-at STEP   logs nothing after that step, and exits normally
  --exit-code N     --ignore-term   --leave-on-term   with 0, on SIGTERM
  --strays N        grandchildren in sessions of their own that stay
  --spam MB         that much noise on stderr, in the middle
  --torn            lines arrive in pieces     --garbage   control characters and invalid UTF-8 between the lines
  --long-line       1 MB without a newline

What it logs beside the loss
  --score-every N   a line `cur metric, acc: ...` after every N steps; --score-cause: as --cause, of this score
  --side-channel    the loss goes with all its digits to the file in BISECTD_METRICS_FILE, and two digits of it are printed
  --discover        `NAME kernel run finish.` for each suspect on stdout; names that are off and those on the CPU leave
                    `missing npu kernel: NAME, ... fallbacking to CPU one!` on stderr in any case
  --count FILE      appends `start ATTEMPT` and `end ATTEMPT`, each in one write
)";

namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);)
    if (!part.empty()) parts.push_back(part);
  return parts;
}

double number(const std::string& text) {
  std::size_t used = 0;
  const double value = std::stod(text, &used);
  if (used != text.size()) throw std::invalid_argument("not a number: " + text);
  return value;
}

std::int64_t whole(const std::string& text) { return static_cast<std::int64_t>(number(text)); }

/// `left` and `right` of the last '='.
std::pair<std::string, std::string> halves(const std::string& text) {
  const auto equals = text.rfind('=');
  if (equals == std::string::npos) throw std::invalid_argument("= is missing: " + text);
  return {text.substr(0, equals), text.substr(equals + 1)};
}

Cause parse_cause(const std::string& text) {
  auto [members, rest] = halves(text);
  Cause cause;
  cause.members = split(members, '+');
  if (rest.ends_with('^')) {
    cause.grows = true;
    rest.pop_back();
  }
  if (const auto at = rest.find('@'); at != std::string::npos) {
    cause.onset = number(rest.substr(at + 1)) / 100;
    rest.resize(at);
  }
  cause.percent = number(rest);
  return cause;
}

Window parse_window(const std::string& text) {
  const auto [range, percent] = halves(text);
  const auto [variable, values] = halves(range);
  const auto dots = values.find("..");
  if (dots == std::string::npos) throw std::invalid_argument("LOW..HIGH is missing: " + text);
  return {variable, number(values.substr(0, dots)), number(values.substr(dots + 2)), number(percent)};
}

std::vector<std::string> words_of(const std::string& scenario) {
  std::ifstream in(scenario);
  if (!in) throw std::invalid_argument("cannot read " + scenario);
  std::vector<std::string> words;
  for (std::string line; std::getline(in, line);) {
    std::istringstream parts(line.substr(0, line.find('#')));
    std::string name, value;
    if (!(parts >> name)) continue;
    words.push_back("--" + name);
    if (parts >> value) words.push_back(value);
  }
  return words;
}

using Action = std::function<void(const std::string&)>;

}  // namespace

Options parse(const std::vector<std::string>& words) {
  Options o;
  std::vector<std::string> queue(words);
  std::size_t at = 0;
  const auto add = [](std::set<std::string>& set, const std::string& names) {
    for (const auto& name : split(names, ',')) set.insert(name);
  };
  const std::map<std::string, Action> with_value{
      {"--scenario",
       [&](auto& v) {
         const auto more = words_of(v);
         queue.insert(queue.begin() + static_cast<std::ptrdiff_t>(at), more.begin(), more.end());
       }},
      {"--list-variable", [&](auto& v) { o.list_variable = v; }},
      {"--suspects",
       [&](auto& v) {
         for (auto& name : split(v, ',')) o.suspects.push_back(name);
       }},
      {"--generate",
       [&](auto& v) {
         for (std::int64_t i = 0; i < whole(v); ++i) o.suspects.push_back("op" + std::to_string(i));
       }},
      {"--no-effect", [&](auto& v) { add(o.no_effect, v); }},
      {"--on-cpu", [&](auto& v) { add(o.on_cpu, v); }},
      {"--cause", [&](auto& v) { o.causes.push_back(parse_cause(v)); }},
      {"--signed", [&](auto& v) { o.signed_steps = whole(v); }},
      {"--score-cause", [&](auto& v) { o.score_causes.push_back(parse_cause(v)); }},
      {"--score-every", [&](auto& v) { o.score_every = whole(v); }},
      {"--window", [&](auto& v) { o.windows.push_back(parse_window(v)); }},
      {"--steps", [&](auto& v) { o.steps = whole(v); }},
      {"--first-loss", [&](auto& v) { o.first_loss = number(v); }},
      {"--last-loss", [&](auto& v) { o.last_loss = number(v); }},
      {"--noise", [&](auto& v) { o.noise_percent = number(v); }},
      {"--step-noise", [&](auto& v) { o.step_noise_percent = number(v); }},
      {"--perturbed", [&](auto& v) { o.perturbed_percent = number(v); }},
      {"--seed", [&](auto& v) { o.seed = static_cast<std::uint64_t>(whole(v)); }},
      {"--step-ms", [&](auto& v) { o.step_ms = number(v); }},
      {"--slow", [&](auto& v) { o.slow_ms[halves(v).first] = number(halves(v).second); }},
      {"--crash-off", [&](auto& v) { o.crash_off.push_back(split(v, '+')); }},
      {"--hang-off", [&](auto& v) { o.hang_off.push_back(split(v, '+')); }},
      {"--crash-at", [&](auto& v) { o.crash_at = whole(v); }},
      {"--crash-percent", [&](auto& v) { o.crash_percent = number(v); }},
      {"--hang-at", [&](auto& v) { o.hang_at = whole(v); }},
      {"--nan-from", [&](auto& v) { o.nan_from = whole(v); }},
      {"--truncate-at", [&](auto& v) { o.truncate_at = whole(v); }},
      {"--exit-code", [&](auto& v) { o.exit_code = static_cast<int>(whole(v)); }},
      {"--strays", [&](auto& v) { o.strays = whole(v); }},
      {"--spam", [&](auto& v) { o.spam_mb = whole(v); }},
      {"--count", [&](auto& v) { o.count_file = v; }},
  };
  const std::map<std::string, bool*> flags{{"--hang-at-exit", &o.hang_at_exit},
                                           {"--ignore-term", &o.ignore_term},
                                           {"--leave-on-term", &o.leave_on_term},
                                           {"--torn", &o.torn},
                                           {"--garbage", &o.garbage},
                                           {"--long-line", &o.long_line},
                                           {"--discover", &o.discover},
                                           {"--side-channel", &o.side_channel},
                                           {"--crash-perturbed", &o.crash_perturbed}};
  while (at < queue.size()) {
    const std::string word = queue[at++];
    if (const auto flag = flags.find(word); flag != flags.end()) {
      *flag->second = true;
    } else if (const auto option = with_value.find(word); option != with_value.end()) {
      if (at == queue.size()) throw std::invalid_argument(word + " needs a value");
      const std::string value = queue[at++];
      option->second(value);
    } else if (const auto equals = word.find('='); !word.starts_with("-") && equals != std::string::npos) {
      o.settings[word.substr(0, equals)] = word.substr(equals + 1);
    } else {
      throw std::invalid_argument("unknown option " + word + "; see --help");
    }
  }
  return o;
}

}  // namespace hostile
