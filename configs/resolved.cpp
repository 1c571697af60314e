#include "configs/resolved.hpp"

#include <yaml-cpp/emitter.h>

#include <algorithm>

#include "configs/blocks.hpp"

namespace bisectd::configs {
namespace {

/// Lists of scalars stand on one line, too.
void emit(YAML::Emitter& out, const Value& value) {
  switch (value.kind) {
    case Value::Kind::null: break;
    case Value::Kind::scalar:
      if (value.quoted) out << YAML::DoubleQuoted;
      out << value.text;
      break;
    case Value::Kind::list:
      if (std::ranges::none_of(value.items, [](const Value& item) { return item.kind == Value::Kind::map; }))
        out << YAML::Flow;
      out << YAML::BeginSeq;
      for (const Value& item : value.items) emit(out, item);
      out << YAML::EndSeq;
      break;
    case Value::Kind::map:
      if (value.one_line) out << YAML::Flow;
      out << YAML::BeginMap;
      for (const Value::Entry& entry : value.entries) {
        out << YAML::Key << entry.key << YAML::Value;
        emit(out, entry.value);
      }
      out << YAML::EndMap;
  }
}

}  // namespace

std::string resolved_yaml(const Experiment& experiment) {
  // Paths are relative to the experiment's folder: the same wherever bisectd was started, and whether the experiment was
  // named by a relative path, as for `run`, or by an absolute one, as by `resume`.
  const auto folder = (std::filesystem::current_path() / experiment.file).lexically_normal().parent_path();
  YAML::Emitter out;
  out << YAML::Comment("The experiment as bisectd understood it. Written by bisectd; not an experiment file.");
  emit(out, experiment_block().write(experiment, folder));
  return std::string(out.c_str()) + "\n";
}

}  // namespace bisectd::configs
