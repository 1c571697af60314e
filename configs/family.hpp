// A family: suspects that are neutralised the same way. A stack (Paddle, torch, ...) is a set of families in a
// preset file; nothing here names one.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "configs/delivery.hpp"
#include "configs/place.hpp"

namespace bisectd::configs {

enum class FamilyKind {
  list,    ///< names joined into one variable or argument; a listed name is neutralised
  toggle,  ///< a suspect value and a safe value
  ladder,  ///< ordered values of one knob; some window of them is safe. The family is its only member.
};

const char* name_of(FamilyKind kind);

/// The values of one knob, such as the loss scale: too low is as bad as too high.
struct Ladder {
  std::vector<std::string> values;                  ///< as written: ascending numbers, then those that is_number() denies
  std::map<std::string, std::string> delivered_as;  ///< value -> what is delivered in place of what `deliver` makes of it
  std::optional<std::string> suspect;  ///< delivered while active; absent: the subject's own setting is left alone

  /// False for `dynamic` and phases (`0:65536,1000:4096`): neither higher nor lower than other values, so in no window of
  /// them.
  static bool is_number(const std::string& value);
};

/// One switch of a toggle family. The absence of a value means the variable is unset (or no argument is given).
/// In a loaded experiment `suspect` is what the subject as it is really has, as far as its file says: what a selected
/// family needs comes first, then the subject's own environment and `unset`, then the preset's value. It equals
/// `safe` exactly if the subject is safe already; then the toggle is no suspect.
struct Toggle {
  Delivery deliver;
  std::optional<std::string> suspect;      ///< value when active
  std::optional<std::string> declared;     ///< the same as the file says it, whatever the subject's environment holds
  std::optional<std::string> safe;         ///< value when neutralised
  std::optional<std::string> unset_means;  ///< value the software acts on when the variable is unset; absent: not known
  std::vector<std::string> also_safe;      ///< other spellings of the safe value
  std::string description;
  std::string source;       ///< where the claim about this switch comes from
  std::string overwritten;  ///< what sets it after bisectd, found before anything starts: it cannot be neutralised
  Place place;
};

/// `suspect` for a subject whose whole environment is `environment`; what the loader could not know (the inherited
/// environment, the one that `setup` made) is settled with this.
std::optional<std::string> settled_suspect(const Toggle& toggle, const std::map<std::string, std::string>& environment);

/// Names of members in a JSON file that a run leaves. Several documents in one file are read one after the other.
struct NamesInFile {
  std::string file;     ///< relative to the attempt's folder; *, ? and [...] match as a shell's, also several files
  std::string members;  ///< segments of keys with /; {name} is a key or an item of a list of texts; *, ? and ** match. What
                        ///< follows {name} leads to a value that is not 0, "0", false, "" or null where the member counts.
  Place place;
};

/// Lines of a log that say when they were written, by which the time that members took elsewhere is told: from the line of
/// `elsewhere` to the next one of its thread with a stamp, less those of `during`.
struct Clock {
  Placed<std::string> stamp;   ///< RE2, groups `time` (hours:minutes:seconds) and `thread`
  Placed<std::string> during;  ///< RE2: lines written while it still goes on
};

/// A file that is there where the device's own libraries have a member that the framework has no kernel of.
struct KernelFile {
  Placed<std::string> variable;  ///< of the subject's environment: the folder of those libraries
  Placed<std::string> file;      ///< relative to it, with {name}
};

/// Finds what one run used, or asks the framework what there is. Exactly one of `ran`, `file` and `command` is set. With
/// `ran` a member is a suspect when it is matched more often by `ran` than by `elsewhere` (there it already runs off the
/// device: neutralising it changes nothing).
struct Discovery {
  std::map<std::string, std::string> environment;  ///< set for the discovering run or command only
  Placed<std::string> ran;                         ///< RE2, group `name`
  std::optional<Placed<std::string>> elsewhere;    ///< RE2, group `name`
  std::optional<Clock> clock;
  std::optional<KernelFile> kernel_file;
  std::optional<Placed<std::string>> begun;  ///< RE2, group `name`: in a run that broke, what began and did not end
  std::optional<NamesInFile> file;
  std::vector<Placed<std::string>> command;  ///< argv with kQueryPlaceholders; prints one name per line, nothing else

  /// The members come from `command`, not from what a run leaves.
  bool asks_framework() const { return !command.empty(); }
};

/// How a run shows that a neutralised member is off. One that is not shown to be is `no effect`. One is set of `log`
/// (a trace appears) and the others (what shows a working member does not name it).
struct Effect {
  std::map<std::string, std::string> environment;
  Placed<std::string> log;  ///< RE2, group `name`; an optional group `detail` (say a dtype) tells lines apart
  std::optional<Placed<std::string>> gone_from_log;  ///< RE2, group `name`, perhaps `detail`, why: lines of what works
  std::optional<NamesInFile> gone_from_file;         ///< members that work
};

/// Members that this delivery cannot neutralise: never suspects, reported as `no effect`.
struct NeverOff {
  std::vector<std::string> names;  ///< ascending, as the list writes them
  std::string instead;             ///< what would neutralise them
};

struct Family {
  std::string name;
  FamilyKind kind = FamilyKind::list;
  std::string description;
  Delivery deliver;                                ///< of a list or a ladder
  std::vector<Placed<std::string>> members;        ///< of a list whose members are known beforehand; may be empty
  Ladder ladder;                                   ///< of a ladder
  std::map<std::string, Toggle> toggles;           ///< of a toggle family
  std::map<std::string, std::string> environment;  ///< set in every run of the subject, so that the family works at all;
                                                   ///< like the environments below with kFamilyPlaceholders
  std::optional<Discovery> discover;
  std::optional<Effect> effect;
  std::optional<Placed<std::string>> refused;  ///< RE2, group `name`: the log of a crash, or of the discovery run, says this
                                               ///< member cannot be neutralised; an optional group `detail`: why
  NeverOff never_off;
  std::string watched;  ///< of a list with `discover`: while any member is neutralised the whole training is looked at, as
                        ///< in the discovery run, which may mend it by itself; what else to look at then
  std::map<std::string, Placed<std::string>> parts;  ///< of a list: the word that `then` may say -> the family that has
                                                     ///< MEMBER/PART as its members; each exists and is a list
  std::map<std::string, std::string>
      written_name;                      ///< name in logs -> name as it must be written in the list; equal when absent
  std::vector<std::string> known_names;  ///< written forms that exist; empty: anything goes
  std::string overwritten;               ///< like a toggle's, of all members
  Place place;
};

/// Why a member cannot be neutralised, if its delivery does not arrive.
inline const std::string& overwritten(const Family& family, const std::string& name) {
  const auto toggle = family.toggles.find(name);
  return toggle != family.toggles.end() && family.overwritten.empty() ? toggle->second.overwritten : family.overwritten;
}

}  // namespace bisectd::configs
