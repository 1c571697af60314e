// Reads the cells of a spreadsheet (.xlsx: ISO/IEC 29500, "Office Open XML"): a zip archive of XML files.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace bisectd::driver::align {

/// What is unpacked of one file of the archive, at most; its XML tree takes about four times as much memory. A
/// comparison of 100,000 tensors, 32 columns each, has about 200 MB.
inline constexpr std::size_t kMostUnpacked = std::size_t{256} << 20;
/// Cells to the right of this column are left out, so that a hostile column number takes no memory. msprobe writes 32.
inline constexpr std::size_t kMostColumns = 256;

using TakeRow = std::function<void(const std::vector<std::string>&)>;

/// True for the first bytes of a zip archive, which every .xlsx is.
bool is_zip(const std::string& start);

/// Calls `take` for each row of the first sheet, from the top. A cell is its text: numbers as they are stored (1.5, not
/// as they are shown), TRUE or FALSE, #DIV/0! for an error, of a formula its last value; empty where there is none. Rows
/// end with their last cell; rows that the file leaves out are left out. Throws std::invalid_argument "why", which names
/// the file of the archive, for what is no spreadsheet, damaged or larger than kMostUnpacked.
void read_spreadsheet(const std::filesystem::path& file, const TakeRow& take);

/// The same of the XML of a sheet and of the strings that its cells point to (empty: none), as strings that it may change.
void read_sheet(std::string sheet, std::string shared_strings, const TakeRow& take);

class ZipArchive {
 public:
  /// Throws std::invalid_argument for what is no whole zip archive.
  explicit ZipArchive(const std::filesystem::path& file);

  /// The content of one file; nothing if there is none of that name. Throws std::invalid_argument "NAME: why" if it is
  /// damaged, encrypted, packed in a way other than deflate, or unpacks to more than `most` bytes.
  std::optional<std::string> content(const std::string& name, std::size_t most) const;

 private:
  struct Close {
    void operator()(void* archive) const;
  };
  std::unique_ptr<void, Close> archive_;
};

}  // namespace bisectd::driver::align
