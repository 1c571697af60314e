// The blocks of an experiment file. What a block says about another one is checked later (consistency.hpp). Internal to this
// room.
#pragma once

#include "configs/declare.hpp"
#include "configs/experiment.hpp"

namespace bisectd::configs {

const Block<Experiment>& experiment_block();

const Block<Side>& subject_block();
const Block<Reference>& reference_block();
const Block<Perturbation>& perturbation_block();
const Block<Alignment>& alignment_block();
const Block<OverflowCheck>& overflow_check_block();
const Block<Acceptance>& acceptance_block();
const Block<SearchSettings>& search_block();

Kind<std::vector<Metric>> metrics();
Kind<std::map<std::string, VersionSource>> versions();

/// `standard_checks`: what a preset knows how to compare.
Kind<std::vector<Check>> standard_checks();
/// The file's own, then those of the standard ones that it asks for.
Kind<std::vector<Check>> checks(const std::vector<Check>& standard);

/// By which variables a preset holds what.
struct HoldMeans {
  std::map<std::string, std::string> seed, deterministic;
};
const Block<HoldMeans>& hold_by_block();
const Block<Hold>& hold_block();
/// The variables of what is held.
void settle_hold(const Value& block, const HoldMeans& means, Hold& hold, Problems& problems);

Kind<std::map<std::string, Family>> families();
/// Needs the families, for the names that exist.
Kind<std::map<std::string, Selection>> selections(const std::map<std::string, Family>& families);

enum class Carries {
  names,  ///< of a list
  value,  ///< of a switch or a ladder
};

const Block<Delivery>& delivery_block(Carries carries);
// The same for a block in which these keys stand among others.
extern const OneOf kWays;
std::vector<Key> delivery_keys(Carries carries);
void settle_delivery(MapReader& reader, Carries carries, Delivery& deliver);

void read_ladder_values(MapReader& reader, Family& family, Problems& problems);
/// What the subject has where it says nothing: any text, but hardly one letter beside a word of the ladder.
void check_ladder_suspect(const Value& suspect, const std::string& what, const Ladder& ladder, Problems& problems);

const Block<Discovery>& discovery_block();
const Block<Effect>& effect_block();
const Block<NeverOff>& never_off_block();

}  // namespace bisectd::configs
