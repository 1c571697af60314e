#include "driver/align/spreadsheet.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>
#include <pugixml.hpp>
#include <stdexcept>
#include <string_view>
#include <unzip.h>

namespace bisectd::driver::align {

namespace {

/// Without its namespace's prefix: some writers call a row x:row.
std::string_view local_name(const char* name) {
  const std::string_view whole = name;
  return whole.substr(whole.find(':') + 1);
}

pugi::xml_node child(const pugi::xml_node& node, std::string_view name) {
  return node.find_child([&](const pugi::xml_node& one) { return local_name(one.name()) == name; });
}

std::string_view attribute(const pugi::xml_node& node, std::string_view name) {
  return node.find_attribute([&](const pugi::xml_attribute& one) { return local_name(one.name()) == name; }).value();
}

/// Takes the text apart in place. An entity that XML does not define stays as it is written: pugixml reads no DOCTYPE.
void parse(pugi::xml_document& document, std::string& text, std::string_view name, std::string_view root) {
  const auto result =
      document.load_buffer_inplace(text.data(), text.size(), pugi::parse_default | pugi::parse_ws_pcdata_single);
  if (!result) throw std::invalid_argument(fmt::format("{}: byte {}: {}", name, result.offset, result.description()));
  if (local_name(document.document_element().name()) != root)
    throw std::invalid_argument(fmt::format("{}: its root is not <{}>", name, root));
}

std::string needed(const ZipArchive& archive, const std::string& name) {
  auto content = archive.content(name, kMostUnpacked);
  if (!content) throw std::invalid_argument(fmt::format("this is no spreadsheet: the archive has no {}", name));
  return *std::move(content);
}

/// "xl/workbook.xml" -> "xl/_rels/workbook.xml.rels"
std::string relationships_of(const std::string& part) {
  const std::size_t folder = part.rfind('/') + 1;  // npos + 1 is 0
  return part.substr(0, folder) + "_rels/" + part.substr(folder) + ".rels";
}

/// Where the first relationship of `part` leads for which `wanted` holds; empty: none does.
template <typename Wanted>
std::string related(const ZipArchive& archive, const std::string& part, const Wanted& wanted) {
  const std::string name = relationships_of(part);
  std::string text = needed(archive, name);
  pugi::xml_document document;
  parse(document, text, name, "Relationships");
  for (const pugi::xml_node& relationship : document.document_element().children()) {
    if (!wanted(relationship)) continue;
    const std::string target(attribute(relationship, "Target"));
    if (target.starts_with('/')) return target.substr(1);
    return (std::filesystem::path(part).parent_path() / target).lexically_normal().generic_string();
  }
  return {};
}

/// ".../relationships/worksheet", whose beginning differs between the editions of the standard.
auto of_type(std::string_view type) {
  return [type](const pugi::xml_node& one) { return attribute(one, "Type").ends_with(type); };
}

/// The id, among the workbook's relationships, of the sheet that stands first, which need not be sheet1.xml.
std::string id_of_first_sheet(const ZipArchive& archive, const std::string& workbook) {
  std::string text = needed(archive, workbook);
  pugi::xml_document document;
  parse(document, text, workbook, "workbook");
  const pugi::xml_node sheet = child(child(document.document_element(), "sheets"), "sheet");
  if (!sheet) throw std::invalid_argument(fmt::format("{}: it names no sheet", workbook));
  for (const pugi::xml_attribute& one : sheet.attributes())
    if (std::string_view(one.name()).ends_with(":id")) return one.value();
  throw std::invalid_argument(fmt::format("{}: its first sheet has no r:id", workbook));
}

/// The text of <si> or <is>: of <t>, or of the <t> of each run <r> that is formatted by itself; not its pronunciation.
std::string string_item(const pugi::xml_node& item) {
  std::string text;
  for (const pugi::xml_node& one : item.children()) {
    if (local_name(one.name()) == "t") text += one.text().get();
    else if (local_name(one.name()) == "r") text += child(one, "t").text().get();
  }
  return text;
}

/// "B2" is in column 1. Nothing for what is no reference.
std::optional<std::size_t> column_of(std::string_view reference) {
  std::size_t column = 0, letters = 0;
  for (const char c : reference) {
    if (c < 'A' || c > 'Z') break;
    if (++letters > 3) return std::nullopt;  // the standard ends at XFD
    column = column * 26 + static_cast<std::size_t>(c - 'A') + 1;
  }
  if (letters == 0) return std::nullopt;
  return column - 1;
}

std::string cell_text(const pugi::xml_node& cell, const std::vector<std::string>& shared) {
  const std::string_view type = attribute(cell, "t");
  if (type == "inlineStr") return string_item(child(cell, "is"));
  const std::string_view value = child(cell, "v").text().get();
  if (type == "b") return value == "1" ? "TRUE" : "FALSE";
  if (type != "s") return std::string(value);
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), index);
  if (error != std::errc() || end != value.data() + value.size() || index >= shared.size())
    throw std::invalid_argument(
        fmt::format("cell {}: its string {} is not among the {} shared ones", attribute(cell, "r"), value, shared.size()));
  return shared[index];
}

/// `row` keeps its memory from call to call.
void fill_row(const pugi::xml_node& xml, const std::vector<std::string>& shared, std::vector<std::string>& row) {
  row.clear();
  for (const pugi::xml_node& cell : xml.children()) {
    if (local_name(cell.name()) != "c") continue;
    const std::string_view reference = attribute(cell, "r");
    const auto column = reference.empty() ? row.size() : column_of(reference);
    if (!column) throw std::invalid_argument(fmt::format("a cell is at {}, which is no place", reference));
    if (*column >= kMostColumns) continue;
    if (*column >= row.size()) row.resize(*column + 1);
    row[*column] = cell_text(cell, shared);
  }
}

}  // namespace

bool is_zip(const std::string& start) { return start.starts_with("PK\x03\x04"); }

void read_sheet(std::string sheet, std::string shared_strings, const TakeRow& take) {
  std::vector<std::string> shared;
  if (!shared_strings.empty()) {
    pugi::xml_document document;
    parse(document, shared_strings, "the shared strings", "sst");
    for (const pugi::xml_node& item : document.document_element().children())
      if (local_name(item.name()) == "si") shared.push_back(string_item(item));
  }
  pugi::xml_document document;
  parse(document, sheet, "the first sheet", "worksheet");
  std::vector<std::string> row;
  for (const pugi::xml_node& one : child(document.document_element(), "sheetData").children()) {
    if (local_name(one.name()) != "row") continue;
    fill_row(one, shared, row);
    take(row);
  }
}

void read_spreadsheet(const std::filesystem::path& file, const TakeRow& take) {
  const ZipArchive archive(file);
  const std::string workbook = related(archive, "", of_type("/officeDocument"));
  if (workbook.empty()) throw std::invalid_argument("this is no spreadsheet: _rels/.rels names no workbook");
  const std::string id = id_of_first_sheet(archive, workbook);
  const std::string sheet =
      related(archive, workbook, [&](const pugi::xml_node& one) { return attribute(one, "Id") == id; });
  const std::string strings = related(archive, workbook, of_type("/sharedStrings"));
  read_sheet(needed(archive, sheet), strings.empty() ? std::string() : needed(archive, strings), take);
}

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

}  // namespace bisectd::driver::align
