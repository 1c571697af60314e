// Keeps two drivers out of one run directory.
#pragma once

#include <filesystem>
#include <optional>
#include <stdexcept>

#include "driver/keep/descriptor.hpp"

namespace bisectd::driver::keep {

/// Another process drives this run directory; the message names its process id.
class Locked : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Holds `folder`/lock (flock: the kernel lets go of it even after kill -9) as long as it lives.
class Lock {
 public:
  /// Throws Locked, or std::system_error if the file cannot be made.
  explicit Lock(const std::filesystem::path& folder);

 private:
  Descriptor descriptor_;
};

/// Keeps other writers out of a file for a moment: waits until it has the file, which is made if it is not there.
class WriteLock {
 public:
  /// Errors: std::system_error.
  explicit WriteLock(const std::filesystem::path& file);

 private:
  Descriptor descriptor_;
};

/// The process that drives this run directory now, if there is one. Takes no lock that could keep one out.
std::optional<int> driver_of(const std::filesystem::path& folder);

}  // namespace bisectd::driver::keep
