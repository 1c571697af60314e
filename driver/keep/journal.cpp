#include "driver/keep/journal.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <xxhash.h>

#include <cerrno>
#include <fmt/format.h>
#include <fstream>
#include <string_view>
#include <system_error>

#include "driver/keep/run_directory.hpp"

namespace bisectd::driver::keep {
namespace {

constexpr std::string_view kSumKey = ",\"sum\":\"";
constexpr std::size_t kSumDigits = 16;

std::string checksum(std::string_view text) { return fmt::format("{:016x}", XXH3_64bits(text.data(), text.size())); }

/// `{...}` -> `{...,"sum":"0123456789abcdef"}` + newline; the sum covers the text before `,"sum"`.
std::string line_of(const nlohmann::json& record) {
  // Log text reaches records; invalid UTF-8 in it must not make a record unwritable.
  std::string text = record.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  text.pop_back();
  const std::string sum = checksum(text);
  return text.append(kSumKey).append(sum).append("\"}\n");
}

/// The record without its checksum, which is cut from the line.
nlohmann::json record_of(std::string& line, const std::filesystem::path& file, std::size_t number) {
  const std::size_t tail = kSumKey.size() + kSumDigits + 2;
  if (line.size() <= tail || line.substr(line.size() - tail, kSumKey.size()) != kSumKey || !line.ends_with("\"}"))
    throw JournalDamaged(file, number, "the line has no checksum at its end");
  const std::string_view body = std::string_view(line).substr(0, line.size() - tail);
  if (checksum(body) != std::string_view(line).substr(body.size() + kSumKey.size(), kSumDigits))
    throw JournalDamaged(file, number, "the checksum does not fit the line");
  line.replace(body.size(), std::string::npos, "}");
  nlohmann::json record = nlohmann::json::parse(line, nullptr, false);
  if (!record.is_object()) throw JournalDamaged(file, number, "the line is not a JSON object");
  return record;
}

/// Whether a crash can have left this of a record: its begin, or zeros where a power cut took what was written. Anything
/// else is another program's file, of which nothing may be cut off.
bool may_be_torn(const std::string& line) {
  if (line.find_first_not_of('\0') == std::string::npos || line == "{") return true;
  const bool whole_of_another = nlohmann::json::accept(line) && line.find(kSumKey) == std::string::npos;
  return line.starts_with("{\"") && !whole_of_another;
}

/// Of a line that was just read; nothing if a crash tore it.
std::optional<nlohmann::json> whole_record(const std::istream& stream, std::string& line, const std::filesystem::path& file,
                                           std::size_t number) {
  if (!stream.eof()) return record_of(line, file, number);
  if (!may_be_torn(line)) throw JournalDamaged(file, number, "this is no record of bisectd");
  return std::nullopt;
}

[[noreturn]] void fail(const std::filesystem::path& file, const char* what) {
  throw std::system_error(errno, std::generic_category(), fmt::format("{}: {}", file.string(), what));
}

}  // namespace

JournalDamaged::JournalDamaged(const std::filesystem::path& file, std::size_t line, const std::string& why)
    : std::runtime_error(fmt::format("{}:{}: the journal is damaged: {}", file.string(), line, why)) {}

std::uintmax_t read_journal(const std::filesystem::path& file, const std::function<void(const nlohmann::json&)>& on_record) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) fail(file, "cannot be opened");
  std::uintmax_t whole_bytes = 0;
  std::string line;
  for (std::size_t number = 1; std::getline(stream, line); ++number) {
    // Zeros where a power cut took a block of what was not synced yet: nothing behind it was, either.
    if (whole_bytes > 0 && line.starts_with('\0')) break;
    const std::size_t length = line.size() + 1;
    const auto record = whole_record(stream, line, file, number);
    if (!record) break;
    whole_bytes += length;
    on_record(*record);
  }
  if (stream.bad()) fail(file, "cannot be read");
  return whole_bytes;
}

std::optional<nlohmann::json> first_record(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) fail(file, "cannot be opened");
  std::string line;
  const bool any = static_cast<bool>(std::getline(stream, line));
  if (stream.bad()) fail(file, "cannot be read");
  return any ? whole_record(stream, line, file, 1) : std::nullopt;
}

Journal::Journal(const std::filesystem::path& file, std::uintmax_t whole_bytes)
    : file_(file), descriptor_(::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644)), length_bytes_(whole_bytes) {
  if (!descriptor_) fail(file_, "cannot be opened for writing");
  if (::ftruncate(descriptor_.get(), static_cast<off_t>(whole_bytes)) != 0)
    fail(file_, "cannot be cut to its whole records");
  if (whole_bytes == 0) sync_folder(std::filesystem::absolute(file_).parent_path());  // it is new
}

std::uintmax_t begin_journal(const std::filesystem::path& file, const nlohmann::json& first) {
  const std::string line = line_of(first);
  write_file_durably(file, line);
  return line.size();
}

void Journal::write(const nlohmann::json& record) {
  const std::string line = line_of(record);
  std::size_t written = 0;
  while (written < line.size()) {
    const ssize_t n = ::pwrite(descriptor_.get(), line.data() + written, line.size() - written,
                               static_cast<off_t>(length_bytes_ + written));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      const int error = errno;  // a full disk must leave a journal that can be resumed
      if (::ftruncate(descriptor_.get(), static_cast<off_t>(length_bytes_)) != 0) fail(file_, "cannot be cut back");
      errno = error;
      fail(file_, "cannot be written");
    }
    written += static_cast<std::size_t>(n);
  }
  length_bytes_ += line.size();
  is_synced_ = false;
  if (listener_) listener_(record);
}

void Journal::sync() {
  if (is_synced_) return;
  if (::fdatasync(descriptor_.get()) != 0) fail(file_, "cannot be synced");
  is_synced_ = true;
}

void Journal::append(const nlohmann::json& record) {
  write(record);
  sync();
}

}  // namespace bisectd::driver::keep
