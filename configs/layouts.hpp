// Projects whose folders are known, and how a training of each is started: the table layouts.yaml.
#pragma once

#include <string>
#include <vector>

namespace bisectd::configs {

/// Texts that become parts of an experiment file as they are.
struct Layout {
  std::string name;
  std::vector<std::string> here;   ///< paths that are all there
  std::string says;                ///< a word of the training script that is enough, too
  std::string command;             ///< items; SCRIPT stands for the training script
  std::string reference, subject;  ///< further items, which choose the device
  std::string metric = "loss";     ///< the value of `metric`
  std::string preset;
  std::string switches;  ///< toggles, one a line, delivered as arguments of the command
};

/// In their order. Throws ConfigError.
std::vector<Layout> known_layouts();

}  // namespace bisectd::configs
