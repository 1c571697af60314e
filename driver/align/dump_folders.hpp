// Finds what two folders of msprobe's dumps have to be compared: DIR/step*/rank*/dump.json, or a folder further down.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace bisectd::driver::align {

/// One process's dump of one step on both sides.
struct DumpPair {
  std::string rank;                          ///< rank0; empty where there is only one
  std::filesystem::path reference, subject;  ///< dump.json
};

struct DumpPairs {
  std::vector<DumpPair> pairs;  ///< one for each rank
  std::string step;             ///< of several steps the one that is compared, the first; else empty
};

/// Throws std::runtime_error, naming the folder and what is near, where a folder is no dump, or steps or ranks differ.
DumpPairs find_dumps(const std::filesystem::path& reference, const std::filesystem::path& subject);

}  // namespace bisectd::driver::align
