// The append-only log of a run: one JSON object a line. Everything a run knows can be derived from it again. Knows nothing
// of what the records mean.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "driver/keep/descriptor.hpp"

namespace bisectd::driver::keep {

/// A journal that was damaged other than by a torn last line; `line` is 1-based.
class JournalDamaged : public std::runtime_error {
 public:
  JournalDamaged(const std::filesystem::path& file, std::size_t line, const std::string& why);
};

/// Reads every whole record in order. A last line without its newline is a record that a crash tore: it is left out.
/// Each line ends in a checksum of its text ("sum"), so that a flipped bit cannot turn one verdict into another.
/// Returns the length in bytes of the whole records. Throws JournalDamaged, or std::system_error if it cannot be read.
std::uintmax_t read_journal(const std::filesystem::path& file, const std::function<void(const nlohmann::json&)>& on_record);

/// Its first whole record alone; nothing if there is none. Throws as read_journal does.
std::optional<nlohmann::json> first_record(const std::filesystem::path& file);

/// Makes the file with its first record in it, synced, both or neither: killed in between, nothing was begun. A file of this
/// name is replaced. Returns its length in bytes. Throws std::system_error.
std::uintmax_t begin_journal(const std::filesystem::path& file, const nlohmann::json& first);

class Journal {
 public:
  /// Opens for appending after `whole_bytes`; whatever lies behind (a torn line) is cut off. Creates the file if absent.
  /// Throws std::system_error.
  Journal(const std::filesystem::path& file, std::uintmax_t whole_bytes);
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// Writes one record: it outlives this process, but a power cut only once it is synced. For what is followed by more
  /// before anything outside happens: four syncs were half of what a trial took beside its training (docs/run.md). Throws
  /// std::system_error, after which the file ends in a whole record again.
  void write(const nlohmann::json& record);
  /// All that was written outlives a power cut from here on. Throws std::system_error.
  void sync();
  /// Writes one record and syncs it with those before it.
  void append(const nlohmann::json& record);

  /// Called with each record from now on, once it is written.
  void tell(std::function<void(const nlohmann::json&)> listener) { listener_ = std::move(listener); }

 private:
  std::function<void(const nlohmann::json&)> listener_;
  std::filesystem::path file_;
  Descriptor descriptor_;
  std::uintmax_t length_bytes_ = 0;
  bool is_synced_ = true;
};

}  // namespace bisectd::driver::keep
