// The words in braces that a command or a variable may hold. Checks them; filling them is the driver's work.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "configs/place.hpp"
#include "configs/problems.hpp"

namespace bisectd::configs {

/// {devices} ids joined by commas, as the training counts them; {device} the first of them; {visible_devices} the ids as the
/// variable that shows them to the training names them; {steps} last step of a whole run; {attempt} the attempt's own
/// folder; {arguments} zero or more elements of the command that neutralise suspects; {config:FILE} the copy of a
/// configuration file that suspects are keys of, {config} of the only one.
constexpr std::array<const char*, 7> kPlaceholders{"devices", "device",    "visible_devices", "steps",
                                                   "attempt", "arguments", "config"};
constexpr std::string_view kConfigPlaceholder = "config";
/// {config:FILE}; its FILE, else nothing.
std::optional<std::string_view> config_named_in(std::string_view placeholder);

/// What a family's variables may hold: {attempt}; {presets} the folder of the shipped presets; {and_inherited} a colon
/// and the value that the variable has without the family, nothing if it has none (for PATH-like variables).
constexpr std::array<const char*, 3> kFamilyPlaceholders{"attempt", "presets", "and_inherited"};

/// What an argument that perturbs a repeat may hold: {seed} 1, 2, 3, ..., the others as in a command.
constexpr std::array<const char*, 6> kPerturbPlaceholders{"seed",  "devices", "device", "visible_devices",
                                                          "steps", "attempt"};

/// What the command of a family's discovery may hold: {python} the Python that the subject trains with, {presets} as
/// above, {kind} the kind of the subject's devices.
constexpr std::array<const char*, 3> kQueryPlaceholders{"python", "presets", "kind"};

/// What a command that prints a version may hold: {python} as above.
constexpr std::array<const char*, 1> kVersionPlaceholders{"python"};

/// The placeholders used in `text`, in order. A problem for an unknown one and for a lone brace (`{{` and `}}` stand
/// for braces themselves).
std::vector<std::string> placeholders_in(const Placed<std::string>& text, Problems& problems);
/// The same where other words are known.
std::vector<std::string> placeholders_in(const Placed<std::string>& text, const std::vector<std::string>& known,
                                         Problems& problems);

}  // namespace bisectd::configs
