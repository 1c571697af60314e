#include "driver/read/zip_archive.hpp"

#include <fmt/format.h>
#include <unzip.h>

#include <array>
#include <stdexcept>

namespace bisectd::driver::read {
namespace {

[[noreturn]] void refuse_entry(const std::string& name, const std::string& why) {
  throw std::invalid_argument(fmt::format("{}: {}", name, why));
}

}  // namespace

void ZipArchive::Close::operator()(void* archive) const { unzClose(archive); }

ZipArchive::ZipArchive(const std::filesystem::path& file) : archive_(unzOpen64(file.c_str())) {
  if (!archive_) throw std::invalid_argument("this is no whole zip archive; was it copied to its end?");
}

std::optional<std::string> ZipArchive::content(const std::string& name, std::size_t most) const {
  constexpr int kCaseSensitive = 1;
  const int located = unzLocateFile(archive_.get(), name.c_str(), kCaseSensitive);
  if (located == UNZ_END_OF_LIST_OF_FILE) return std::nullopt;
  unz_file_info64 info;
  if (located != UNZ_OK || unzGetCurrentFileInfo64(archive_.get(), &info, nullptr, 0, nullptr, 0, nullptr, 0) != UNZ_OK)
    refuse_entry(name, "the archive's directory is damaged");
  if (info.flag & 1) refuse_entry(name, "it is encrypted");
  // minizip unpacks no more than the size told, so that a wrong one costs nothing.
  if (info.uncompressed_size > most) refuse_entry(name, fmt::format("it unpacks to more than {} MB", most >> 20));
  if (unzOpenCurrentFile(archive_.get()) != UNZ_OK) refuse_entry(name, "it is damaged, or packed in a way that is not read");
  const struct CloseFile {
    void* archive;
    ~CloseFile() { unzCloseCurrentFile(archive); }
  } closes{archive_.get()};
  std::string unpacked;
  std::array<char, 1 << 16> piece;
  for (int read = 1; read != 0;) {
    read = unzReadCurrentFile(archive_.get(), piece.data(), piece.size());
    if (read < 0) refuse_entry(name, "it is damaged");
    unpacked.append(piece.data(), static_cast<std::size_t>(read));
  }
  if (unzCloseCurrentFile(archive_.get()) == UNZ_CRCERROR || unpacked.size() != info.uncompressed_size)
    refuse_entry(name, "it is damaged");
  return unpacked;
}

}  // namespace bisectd::driver::read
