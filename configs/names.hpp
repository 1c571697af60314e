// Name tables (names/*.tsv): how one thing is called in logs and how it must be written in a list. Knows no stack.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace bisectd::configs {

/// A table read for one of its columns.
struct NameTable {
  std::map<std::string, std::string> written_name;  ///< name in logs -> written name, where they differ
  std::vector<std::string> known_names;             ///< every written name, ascending, none twice
};

/// Reads a table: lines starting with # are comments, then a row of column names, then one row per thing,
/// tab-separated. The first column is the name in logs; `column` is the written one. Throws std::runtime_error saying
/// what is wrong.
NameTable read_name_table(const std::filesystem::path& file, std::string_view column);

}  // namespace bisectd::configs
