// The words of Ending, apart from what launches: who reads a journal needs them without it.
#include <algorithm>
#include <array>
#include <utility>

#include "driver/trial/attempts.hpp"

namespace bisectd::driver {
namespace {

constexpr std::array<std::pair<Ending, const char*>, 9> kEndingNames{{{Ending::finished, "finished"},
                                                                      {Ending::whole, "whole"},
                                                                      {Ending::crashed, "crashed"},
                                                                      {Ending::timed_out, "timed-out"},
                                                                      {Ending::stalled, "stalled"},
                                                                      {Ending::not_started, "not-started"},
                                                                      {Ending::ended_early, "ended-early"},
                                                                      {Ending::interrupted, "interrupted"},
                                                                      {Ending::lost, "lost"}}};

}  // namespace

const char* name_of(Ending ending) {
  return std::ranges::find(kEndingNames, ending, &std::pair<Ending, const char*>::first)->second;
}

bool broke(Ending ending) { return ending == Ending::crashed || ending == Ending::timed_out || ending == Ending::stalled; }

bool is_whole(Ending ending) { return ending == Ending::finished || ending == Ending::whole; }

}  // namespace bisectd::driver
