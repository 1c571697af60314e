#include <zip.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <unistd.h>

#include "driver/align/spreadsheet.hpp"

using namespace bisectd::driver::align;
using Catch::Matchers::Contains;

namespace {

using Rows = std::vector<std::vector<std::string>>;

Rows rows_of(const std::string& cells, const std::string& strings = {}) {
  Rows rows;
  read_sheet("<worksheet xmlns='x'><sheetData>" + cells + "</sheetData></worksheet>",
             strings.empty() ? strings : "<sst>" + strings + "</sst>", [&](const auto& row) { rows.push_back(row); });
  return rows;
}

/// A zip archive that lives as long as this.
class Archive {
 public:
  explicit Archive(const std::map<std::string, std::string>& files) {
    const zipFile zip = zipOpen(path_.c_str(), APPEND_STATUS_CREATE);
    for (const auto& [name, content] : files) {
      zipOpenNewFileInZip(zip, name.c_str(), nullptr, nullptr, 0, nullptr, 0, nullptr, Z_DEFLATED, 6);
      zipWriteInFileInZip(zip, content.data(), static_cast<unsigned>(content.size()));
      zipCloseFileInZip(zip);
    }
    zipClose(zip, nullptr);
  }
  ~Archive() { std::filesystem::remove(path_); }
  Archive(const Archive&) = delete;

  const std::filesystem::path& path() const { return path_; }

  std::string bytes() const {
    std::ifstream stream(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  void rewrite(const std::string& bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }

 private:
  std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("bisectd-spreadsheet-" + std::to_string(::getpid()) + ".xlsx");
};

/// A workbook whose first sheet is its second file.
std::map<std::string, std::string> workbook() {
  const std::string relationships = "<Relationships xmlns='http://schemas.openxmlformats.org/package/2006/relationships'>";
  const std::string type = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
  return {
      {"_rels/.rels", relationships + "<Relationship Id='a' Type='" + type +
                          "/officeDocument' Target='/xl/workbook.xml'/></Relationships>"},
      {"xl/workbook.xml", "<x:workbook xmlns:x='m' xmlns:r='" + type +
                              "'><x:sheets><x:sheet name='compared' sheetId='2' r:id='rId7'/><x:sheet name='old' "
                              "r:id='rId1'/></x:sheets></x:workbook>"},
      {"xl/_rels/workbook.xml.rels",
       relationships + "<Relationship Id='rId1' Type='" + type + "/worksheet' Target='worksheets/sheet1.xml'/>" +
           "<Relationship Id='rId7' Type='" + type + "/worksheet' Target='worksheets/../worksheets/sheet2.xml'/>" +
           "<Relationship Id='rId9' Type='" + type + "/sharedStrings' Target='strings.xml'/></Relationships>"},
      {"xl/strings.xml", "<x:sst xmlns:x='m'><x:si><x:t>shared</x:t></x:si></x:sst>"},
      {"xl/worksheets/sheet1.xml", "<worksheet><sheetData><row><c><v>1</v></c></row></sheetData></worksheet>"},
      {"xl/worksheets/sheet2.xml",
       "<x:worksheet xmlns:x='m'><x:sheetData><x:row><x:c t='s'><x:v>0</x:v></x:c></x:row></x:sheetData></x:worksheet>"}};
}

Rows rows_in(const std::filesystem::path& file) {
  Rows rows;
  read_spreadsheet(file, [&](const auto& row) { rows.push_back(row); });
  return rows;
}

}  // namespace

TEST_CASE("spreadsheet: cells of every kind") {
  CHECK(rows_of("<row r='1'><c r='A1' t='s'><v>1</v></c><c r='B1' t='s'><v>0</v></c></row>",
                "<si><t xml:space='preserve'> a </t></si><si><r><t>b</t></r><rPh><t>no</t></rPh><r><t>&lt;c</t></r></si>") ==
        Rows{{"b<c", " a "}});
  CHECK(rows_of("<row><c t='inlineStr'><is><t>a\nb</t></is></c><c><v>1.5E-7</v></c><c t='n'><v>-2</v></c>"
                "<c t='str'><f>A1</f><v>of a formula</v></c><c t='b'><v>1</v></c><c t='b'><v>0</v></c><c "
                "t='e'><v>#DIV/0!</v></c></row>") ==
        Rows{{"a\nb", "1.5E-7", "-2", "of a formula", "TRUE", "FALSE", "#DIV/0!"}});
}

TEST_CASE("spreadsheet: cells and rows that are not there") {
  CHECK(rows_of("<row r='1'><c r='B1'><v>1</v></c><c><v>2</v></c><c r='F1' s='4'/></row><row r='9'/><row r='10'><c "
                "r='A10'><v>3</v></c></row>") == Rows{{"", "1", "2", "", "", ""}, {}, {"3"}});
  CHECK(rows_of("").empty());
}

TEST_CASE("spreadsheet: hostile cells") {
  CHECK(rows_of("<row><c r='A1'><v>1</v></c><c r='XFD1'><v>2</v></c></row>") == Rows{{"1"}});  // takes no 16,384 cells
  for (const std::string cell : {"<c r='ZZZZ1'><v>1</v></c>", "<c r='1'><v>1</v></c>", "<c t='s'><v>1</v></c>",
                                 "<c t='s'><v>-1</v></c>", "<c t='s'/>"})
    CHECK_THROWS_AS(rows_of("<row>" + cell + "</row>", "<si><t>a</t></si>"), std::invalid_argument);
  CHECK_THROWS_WITH(rows_of("<row><c>"), Contains("the first sheet: byte"));
  CHECK_THROWS_WITH(rows_of("", "<si>"), Contains("the shared strings: byte"));
  // Entities that a DOCTYPE defines are not expanded, those of files not read.
  Rows rows;
  read_sheet(
      "<!DOCTYPE worksheet [<!ENTITY a 'b'><!ENTITY c SYSTEM 'file:///etc/passwd'>]><worksheet><sheetData><row><c><v>&a;&c;"
      "</v></c></row></sheetData></worksheet>",
      {}, [&](const auto& row) { rows.push_back(row); });
  CHECK(rows == Rows{{"&a;&c;"}});
}

TEST_CASE("spreadsheet: the sheet that the workbook names first") {
  const Archive archive(workbook());
  CHECK(is_zip(archive.bytes()));
  CHECK(rows_in(archive.path()) == Rows{{"shared"}});
}

TEST_CASE("spreadsheet: archives that are none, or lack a part") {
  for (const auto& [missing, says] :
       std::map<std::string, std::string>{{"_rels/.rels", "no spreadsheet: the archive has no _rels/.rels"},
                                          {"xl/workbook.xml", "no xl/workbook.xml"},
                                          {"xl/worksheets/sheet2.xml", "no xl/worksheets/sheet2.xml"},
                                          {"xl/strings.xml", "no xl/strings.xml"}}) {
    auto files = workbook();
    files.erase(missing);
    CHECK_THROWS_WITH(rows_in(Archive(files).path()), Contains(says));
  }
  auto files = workbook();
  files["xl/workbook.xml"] = "<workbook><sheets/></workbook>";
  CHECK_THROWS_WITH(rows_in(Archive(files).path()), Contains("xl/workbook.xml: it names no sheet"));
  files["xl/workbook.xml"] = "<html/>";
  CHECK_THROWS_WITH(rows_in(Archive(files).path()), Contains("xl/workbook.xml: its root is not <workbook>"));
}

TEST_CASE("zip archive: cut, damaged, too large") {
  const std::string content(1 << 20, 'a');
  const Archive archive(std::map<std::string, std::string>{{"a", content}});
  const std::string whole = archive.bytes();
  CHECK(ZipArchive(archive.path()).content("a", content.size()) == content);
  CHECK_FALSE(ZipArchive(archive.path()).content("b", content.size()));
  CHECK_THROWS_WITH(ZipArchive(archive.path()).content("a", content.size() - 1), Contains("unpacks to more than"));
  for (std::size_t cut = 1; cut <= whole.size() - 22; ++cut) {  // up to the record that ends the directory
    archive.rewrite(whole.substr(0, cut));
    CHECK_THROWS_WITH(ZipArchive(archive.path()), Contains("no whole zip archive"));
  }
  for (std::size_t at = 31; at < whole.size() - 22; ++at) {  // between the first file's name and the end of the directory
    std::string wrong = whole;
    wrong[at] = static_cast<char>(wrong[at] ^ 0x55);
    archive.rewrite(wrong);
    INFO("byte " << at);
    try {
      const auto got = ZipArchive(archive.path()).content("a", content.size());
      CHECK((!got || *got == content));
    } catch (const std::invalid_argument&) {
    }
  }
}

TEST_CASE("zip archive: encrypted files are told from damaged ones") {
  const Archive archive(std::map<std::string, std::string>{{"a", "secret"}});
  std::string bytes = archive.bytes();
  for (const std::size_t flags : {bytes.find("PK\x03\x04") + 6, bytes.find("PK\x01\x02") + 8}) bytes[flags] |= 1;
  archive.rewrite(bytes);
  CHECK_THROWS_WITH(ZipArchive(archive.path()).content("a", 100), Contains("a: it is encrypted"));
}
