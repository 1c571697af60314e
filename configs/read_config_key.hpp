// Suspects that are keys of a configuration file of the training's own. Internal to this room.
#pragma once

#include "configs/experiment.hpp"
#include "configs/problems.hpp"
#include "configs/reading.hpp"

namespace bisectd::configs {

/// Reads `config` and `key` of a delivery, if they are there.
std::optional<ConfigKey> read_config_key(MapReader& reader, Problems& problems);

/// `null` as a value, not as the lack of one: of a block whose values go into a file that knows it.
Value with_null_as_value(Value block);

/// Notes how a value of the experiment stands in the file.
void note_written(const Value& value, const std::string& what, Delivery& deliver, Problems& problems);

/// Reads the files that the selected suspects are keys of, into the subject; finds the keys in them, and settles what the
/// switches have there. Nothing if no suspect is one.
void read_training_configs(Experiment& experiment, Problems& problems);

/// The command, or a variable, of the subject must name the copy of each, and {config:FILE} one that is there.
void check_training_configs(const Experiment& experiment, Problems& problems);

}  // namespace bisectd::configs
