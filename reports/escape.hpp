// Foreign text (names, log lines, error messages) made harmless for the place where it is shown. Every renderer passes
// whatever it did not write itself through one of these. They know characters, not reports.
#pragma once

#include <string>
#include <string_view>

namespace bisectd::reports {

/// One line of text that neither a terminal nor a reader can be fooled with: configs::printable().
std::string plain(std::string_view text);

/// As plain(), but newlines and tabs stay.
std::string plain_lines(std::string_view text);

/// plain() as HTML text or as a quoted attribute value.
std::string html(std::string_view text);

/// plain_lines() as HTML text.
std::string html_lines(std::string_view text);

/// A path below the page's own folder as a link in HTML: "./a%20b". Whatever it holds, it names no other scheme or host.
std::string html_link(std::string_view path);

/// plain() as a Markdown code span: there neither markup, HTML, links, mentions nor mathematics are read.
std::string markdown_code(std::string_view text);

/// markdown_code() inside a cell of a Markdown table, where a pipe would end the cell.
std::string markdown_cell(std::string_view text);

/// plain_lines() as a fenced Markdown code block, with its last newline.
std::string markdown_block(std::string_view text, std::string_view language);

/// One word for a POSIX shell, byte for byte. `text` holds no NUL.
std::string shell_word(std::string_view text);

}  // namespace bisectd::reports
