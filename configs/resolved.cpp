#include "configs/resolved.hpp"

#include <fmt/format.h>
#include <xxhash.h>
#include <yaml-cpp/emitter.h>

#include <cstdint>
#include <filesystem>

#include "configs/secret.hpp"

namespace bisectd::configs {
namespace {

std::uint32_t digest(const std::string& text) { return static_cast<std::uint32_t>(XXH3_64bits(text.data(), text.size())); }

void key(YAML::Emitter& out, const std::string& name) { out << YAML::Key << name << YAML::Value; }

/// Always in quotes, so that no reader takes a text for a number or a truth value.
void text(YAML::Emitter& out, const std::string& value) { out << YAML::DoubleQuoted << value; }

void text_at(YAML::Emitter& out, const std::string& name, const std::string& value) {
  key(out, name);
  text(out, value);
}
void text_at(YAML::Emitter& out, const std::string& name, const std::optional<std::string>& value) {
  if (value) text_at(out, name, *value);
}
void text_at(YAML::Emitter& out, const std::string& name, const std::optional<Placed<std::string>>& value) {
  if (value) text_at(out, name, value->value);
}
void word_at(YAML::Emitter& out, const std::string& name, const std::string& value) {
  key(out, name);
  out << value;
}
void percent_at(YAML::Emitter& out, const std::string& name, double share) {
  word_at(out, name, fmt::format("{:.12g}%", share * 100));
}
void duration_at(YAML::Emitter& out, const std::string& name, std::chrono::milliseconds duration) {
  word_at(out, name, fmt::format("{}ms", duration.count()));
}
void number_at(YAML::Emitter& out, const std::string& name, double number) { word_at(out, name, fmt::format("{}", number)); }

const std::string& plain(const std::string& value) { return value; }
const std::string& plain(const Placed<std::string>& value) { return value.value; }

template <class Texts>
void texts_at(YAML::Emitter& out, const std::string& name, const Texts& texts) {
  if (texts.empty()) return;
  key(out, name);
  out << YAML::Flow << YAML::BeginSeq;
  for (const auto& one : texts) text(out, plain(one));
  out << YAML::EndSeq;
}

/// The digest shows that a secret was changed.
std::string hidden(const std::string& secret) { return fmt::format("(secret, digest {:08x})", digest(secret)); }

template <class Words>
std::vector<std::string> without_secrets(const Words& command) {
  std::vector<std::string> words;
  std::string before;
  for (const auto& each : command) {
    const std::string& word = plain(each);
    const auto begin = secret_begin(before, word);
    words.push_back(begin ? word.substr(0, *begin) + hidden(word.substr(*begin)) : word);
    before = word;
  }
  return words;
}

template <class Variables>
void variables_at(YAML::Emitter& out, const std::string& name, const Variables& variables) {
  if (!name.empty()) key(out, name);
  out << YAML::BeginMap;
  for (const auto& [variable, value] : variables)
    text_at(out, variable, is_secret(variable) || holds_password(plain(value)) ? hidden(plain(value)) : plain(value));
  out << YAML::EndMap;
}

template <class Variables>
void environment_at(YAML::Emitter& out, const Variables& variables) {
  if (!variables.empty()) variables_at(out, "environment", variables);
}

/// A path relative to the experiment's folder: the same wherever bisectd was started, and whether the experiment was named
/// by a relative path, as for `run`, or by an absolute one, as by `resume`.
std::string from_folder(const std::string& path, const Experiment& experiment) {
  const std::filesystem::path here = std::filesystem::current_path();
  const auto folder = (here / experiment.file).lexically_normal().parent_path();
  return (here / path).lexically_normal().lexically_relative(folder).string();
}

void write_devices(YAML::Emitter& out, const Devices& devices) {
  key(out, "devices");
  out << YAML::Flow << YAML::BeginMap;
  word_at(out, "kind", devices.kind);
  if (!devices.ids.empty()) {
    key(out, "ids");
    out << YAML::Flow << YAML::BeginSeq;
    for (const int id : devices.ids) out << id;
    out << YAML::EndSeq;
  }
  key(out, "per_trial");
  out << devices.per_trial;
  word_at(out, "visible_variable", devices.visible_variable.empty() ? "none" : devices.visible_variable);
  out << YAML::EndMap;
}

void write_perturbation(YAML::Emitter& out, const std::optional<Perturbation>& perturb) {
  if (!perturb) return;
  key(out, "perturb");
  out << YAML::BeginMap;
  text_at(out, "environment", perturb->environment);
  text_at(out, "argument", perturb->argument);
  if (!perturb->switches.empty()) {
    key(out, "switches");
    out << YAML::BeginSeq;
    for (const auto& entry : perturb->switches) variables_at(out, "", entry);
    out << YAML::EndSeq;
  }
  if (!perturb->needs.empty()) variables_at(out, "needs", perturb->needs);
  text_at(out, "made", perturb->made);
  text_at(out, "undone", perturb->undone);
  out << YAML::EndMap;
}

void write_slurm(YAML::Emitter& out, const SlurmJobs& jobs) {
  key(out, "launch");
  out << YAML::BeginMap;
  key(out, "slurm");
  out << YAML::BeginMap;
  text_at(out, "partition", jobs.partition);
  text_at(out, "gres", jobs.gres);
  if (jobs.time) duration_at(out, "time", *jobs.time);
  key(out, "max_jobs");
  out << jobs.max_jobs;
  duration_at(out, "pending", jobs.pending);
  texts_at(out, "arguments", without_secrets(jobs.arguments));
  out << YAML::EndMap << YAML::EndMap;
}

void write_side(YAML::Emitter& out, const Side& side, const Experiment& experiment) {
  texts_at(out, "command", without_secrets(side.command));
  write_devices(out, side.devices);
  if (side.slurm) write_slurm(out, *side.slurm);
  if (side.setup) text_at(out, "setup", without_secrets_in(side.setup->value, hidden));
  environment_at(out, side.environment);
  texts_at(out, "unset", side.unset);
  if (!side.configs.empty()) {
    std::map<std::string, std::string> digests;
    for (const TrainingConfig& config : side.configs) digests[config.file] = fmt::format("{:08x}", digest(config.content));
    variables_at(out, "configs", digests);
  }
  text_at(out, "log", side.log);
  if (side.directory) text_at(out, "directory", from_folder(side.directory->value, experiment));
  duration_at(out, "timeout", side.timeout);
  duration_at(out, "stall", side.stall);
  duration_at(out, "exit_grace", side.exit_grace);
  write_perturbation(out, side.perturb);
}

void write_reference(YAML::Emitter& out, const Reference& reference, const Experiment& experiment) {
  out << YAML::BeginMap;
  if (reference.curves.size() == 1) {
    text_at(out, "curve", from_folder(reference.curves.front().value, experiment));
  } else if (reference.is_recorded()) {
    std::vector<Placed<std::string>> files = reference.curves;
    for (Placed<std::string>& file : files) file.value = from_folder(file.value, experiment);
    texts_at(out, "curve", files);
  } else {
    write_side(out, reference, experiment);
    key(out, "repeats");
    out << reference.repeats;
  }
  out << YAML::EndMap;
}

void write_metrics(YAML::Emitter& out, const std::vector<Metric>& metrics) {
  out << YAML::BeginMap;
  for (const Metric& metric : metrics) {
    key(out, metric.name);
    out << YAML::BeginMap;
    if (!metric.format.value.empty()) word_at(out, "format", metric.format.value);
    text_at(out, "pattern", metric.pattern);
    text_at(out, "file", metric.file);
    if (!metric.pattern) {
      if (!metric.format.value.empty()) text_at(out, "step_key", metric.step_key);
      text_at(out, "value_key", metric.value_key.empty() ? metric.name : metric.value_key);
    }
    key(out, "higher_is_better");
    out << metric.higher_is_better << YAML::EndMap;
  }
  out << YAML::EndMap;
}

void write_acceptance(YAML::Emitter& out, const Acceptance& accept) {
  out << YAML::BeginMap;
  if (accept.goal == Goal::runs) word_at(out, "goal", "runs");
  percent_at(out, "target", accept.target);
  number_at(out, "grey", accept.grey);
  key(out, "worse_only");
  out << accept.worse_only;
  key(out, "whole");
  out << accept.whole;
  key(out, "max_repeats");
  out << accept.max_repeats;
  percent_at(out, "window", accept.window);
  percent_at(out, "trim", accept.trim);
  number_at(out, "absolute_tolerance", accept.absolute_tolerance);
  if (accept.standard) word_at(out, "standard", std::string(accept.standard->name));
  if (accept.step_time) word_at(out, "step_time", fmt::format("+{:.12g}%", *accept.step_time * 100));
  out << YAML::EndMap;
}

void write_checks(YAML::Emitter& out, const std::vector<Check>& checks) {
  if (checks.empty()) return;
  key(out, "checks");
  out << YAML::BeginMap;
  for (const Check& check : checks) {
    key(out, check.name);
    out << YAML::BeginMap;
    texts_at(out, "command", without_secrets(check.command));
    texts_at(out, "pattern", check.patterns);
    text_at(out, "after", check.after);
    texts_at(out, "argument", check.arguments);
    texts_at(out, "times", check.factors);
    if (check.per_device) word_at(out, "per_device", "true");
    if (check.standard) word_at(out, "standard", "true");
    out << YAML::EndMap;
  }
  out << YAML::EndMap;
}

void write_delivery(YAML::Emitter& out, const Delivery& deliver) {
  text_at(out, "environment", deliver.environment);
  if (deliver.argument.size() == 1) text_at(out, "argument", deliver.argument.front());
  else texts_at(out, "argument", deliver.argument);
  if (deliver.config) {
    text_at(out, "config", deliver.config->file.value);
    text_at(out, "key", deliver.config->key);
    if (!deliver.config->written.empty()) variables_at(out, "written", deliver.config->written);
  }
  if (!deliver.value.empty()) text_at(out, "value", deliver.value);
  if (!deliver.file) return;
  key(out, "file");
  out << YAML::Flow << YAML::BeginMap;
  text_at(out, "name", deliver.file->name);
  text_at(out, deliver.file->is_json ? "json" : "text", deliver.file->content);
  out << YAML::EndMap;
}

void names_in_file_at(YAML::Emitter& out, const std::optional<NamesInFile>& names) {
  if (!names) return;
  text_at(out, "file", names->file);
  text_at(out, "members", names->members);
}

void write_list(YAML::Emitter& out, const Family& family) {
  key(out, "deliver");
  out << YAML::Flow << YAML::BeginMap;
  write_delivery(out, family.deliver);
  if (!family.deliver.each.empty()) text_at(out, "each", family.deliver.each);
  text_at(out, "separator", family.deliver.separator);
  out << YAML::EndMap;
  if (family.discover) {
    key(out, "discover");
    out << YAML::BeginMap;
    environment_at(out, family.discover->environment);
    if (!family.discover->ran.value.empty()) text_at(out, "ran", family.discover->ran.value);
    texts_at(out, "command", without_secrets(family.discover->command));
    text_at(out, "elsewhere", family.discover->elsewhere);
    if (const auto& clock = family.discover->clock) {
      key(out, "clock");
      out << YAML::BeginMap;
      text_at(out, "stamp", clock->stamp.value);
      if (!clock->during.value.empty()) text_at(out, "during", clock->during.value);
      out << YAML::EndMap;
    }
    if (const auto& kernel = family.discover->kernel_file) {
      key(out, "kernel_file");
      out << YAML::BeginMap;
      text_at(out, "variable", kernel->variable.value);
      text_at(out, "file", kernel->file.value);
      out << YAML::EndMap;
    }
    text_at(out, "begun", family.discover->begun);
    names_in_file_at(out, family.discover->file);
    out << YAML::EndMap;
  }
  text_at(out, "refused", family.refused);
  texts_at(out, "never_off", family.never_off.names);
  if (!family.watched.empty()) text_at(out, "watched", family.watched);
  if (!family.parts.empty()) {
    key(out, "parts");
    out << YAML::Flow << YAML::BeginMap;
    for (const auto& [word, part] : family.parts) text_at(out, word, part.value);
    out << YAML::EndMap;
  }
  if (family.known_names.empty()) return;
  std::string all;
  for (const std::string& name : family.known_names) all += name + "\n";
  for (const auto& [in_logs, written] : family.written_name) all += in_logs + "\t" + written + "\n";
  word_at(out, "names", fmt::format("{} names, digest {:08x}", family.known_names.size(), digest(all)));
}

void write_toggles(YAML::Emitter& out, const Family& family) {
  key(out, "toggles");
  out << YAML::BeginMap;
  for (const auto& [name, toggle] : family.toggles) {
    key(out, name);
    out << YAML::Flow << YAML::BeginMap;
    write_delivery(out, toggle.deliver);
    for (const auto& [what, value] : {std::pair("suspect", &toggle.suspect), std::pair("safe", &toggle.safe)}) {
      if (*value) text_at(out, what, **value);
      else word_at(out, what, "unset");
    }
    out << YAML::EndMap;
  }
  out << YAML::EndMap;
}

void write_ladder(YAML::Emitter& out, const Family& family) {
  key(out, "deliver");
  out << YAML::Flow << YAML::BeginMap;
  write_delivery(out, family.deliver);
  out << YAML::EndMap;
  texts_at(out, "values", family.ladder.values);
  if (!family.ladder.delivered_as.empty()) {
    key(out, "delivered_as");
    out << YAML::Flow << YAML::BeginMap;
    for (const auto& [value, text] : family.ladder.delivered_as) text_at(out, value, text);
    out << YAML::EndMap;
  }
  text_at(out, "suspect", family.ladder.suspect);
}

void write_families(YAML::Emitter& out, const Experiment& experiment) {
  out << YAML::BeginMap;
  for (const auto& [name, selection] : experiment.suspects) {
    const Family& family = experiment.families.at(name);
    key(out, name);
    out << YAML::BeginMap;
    word_at(out, "kind", name_of(family.kind));
    environment_at(out, family.environment);
    if (family.effect) {
      key(out, "effect");
      out << YAML::BeginMap;
      environment_at(out, family.effect->environment);
      if (!family.effect->log.value.empty()) text_at(out, "log", family.effect->log.value);
      text_at(out, "gone_from_log", family.effect->gone_from_log);
      names_in_file_at(out, family.effect->gone_from_file);
      out << YAML::EndMap;
    }
    switch (family.kind) {
      case FamilyKind::list: write_list(out, family); break;
      case FamilyKind::toggle: write_toggles(out, family); break;
      case FamilyKind::ladder: write_ladder(out, family); break;
    }
    out << YAML::EndMap;
  }
  out << YAML::EndMap;
}

void write_suspects(YAML::Emitter& out, const Experiment& experiment) {
  out << YAML::BeginMap;
  for (const auto& [name, selection] : experiment.suspects) {
    key(out, name);
    out << YAML::BeginMap;
    key(out, "all");
    out << selection.all;
    key(out, "discover");
    out << selection.discover;
    texts_at(out, "members", selection.members);
    texts_at(out, "exclude", selection.exclude);
    text_at(out, "then", selection.then);
    for (const auto& [what, figures] : {std::pair{"likely", &selection.likely}, std::pair{"price", &selection.price}}) {
      const bool from = figures == &selection.likely && selection.likely_from;
      if (figures->empty() && !from) continue;
      key(out, what);
      out << YAML::Flow << YAML::BeginMap;
      if (from) text_at(out, "from", from_folder(selection.likely_from->value, experiment));
      for (const auto& [member, figure] : *figures) number_at(out, member, figure.value);
      out << YAML::EndMap;
    }
    out << YAML::EndMap;
  }
  out << YAML::EndMap;
}

const char* name_of(EngineChoice engine) {
  switch (engine) {
    case EngineChoice::automatic: return "automatic";
    case EngineChoice::ordered: return "ordered";
    case EngineChoice::causes: return "causes";
  }
  return "";
}

void write_search(YAML::Emitter& out, const SearchSettings& search) {
  out << YAML::BeginMap;
  percent_at(out, "confidence", search.confidence);
  if (search.budget_trials) word_at(out, "budget_trials", std::to_string(*search.budget_trials));
  if (search.budget_hours) number_at(out, "budget_hours", *search.budget_hours);
  word_at(out, "seed", std::to_string(search.seed));
  word_at(out, "engine", name_of(search.engine));
  word_at(out, "signature_steps", std::to_string(search.signature_steps));
  word_at(out, "fix", search.fix == FixChoice::cheapest ? "cheapest" : "fastest");
  out << YAML::EndMap;
}

}  // namespace

std::string resolved_yaml(const Experiment& experiment) {
  YAML::Emitter out;
  out << YAML::Comment("The experiment as bisectd understood it. Written by bisectd; not an experiment file.");
  out << YAML::BeginMap;
  text_at(out, "name", experiment.name);
  text_at(out, "extends", experiment.preset);
  if (experiment.reference.is_there()) key(out, "reference");
  if (experiment.reference.is_there()) write_reference(out, experiment.reference, experiment);
  key(out, "subject");
  out << YAML::BeginMap;
  write_side(out, experiment.subject, experiment);
  out << YAML::EndMap;
  if (experiment.steps) word_at(out, "steps", std::to_string(*experiment.steps));
  if (experiment.soak) word_at(out, "soak", std::to_string(experiment.soak->value));
  key(out, "metric");
  write_metrics(out, experiment.metrics);
  key(out, "accept");
  write_acceptance(out, experiment.accept);
  write_checks(out, experiment.checks);
  if (!experiment.hold.environment.empty()) variables_at(out, "hold", experiment.hold.environment);
  if (const auto& check = experiment.overflow_check) {
    key(out, "overflow_check");
    out << YAML::BeginMap;
    environment_at(out, check->environment);
    text_at(out, "first", check->first.value);
    out << YAML::EndMap;
  }
  key(out, "families");
  write_families(out, experiment);
  key(out, "suspects");
  write_suspects(out, experiment);
  key(out, "search");
  write_search(out, experiment.search);
  out << YAML::EndMap;
  return std::string(out.c_str()) + "\n";
}

}  // namespace bisectd::configs
