#include "reports/html/head.hpp"

#include <boost/archive/iterators/base64_from_binary.hpp>
#include <boost/archive/iterators/transform_width.hpp>
#include <charconv>
#include <fmt/format.h>

namespace bisectd::reports {

std::string policy_source(const Asset& asset) {
  using boost::archive::iterators::base64_from_binary;
  using boost::archive::iterators::transform_width;
  using Base64 = base64_from_binary<transform_width<std::string::const_iterator, 6, 8>>;

  std::string hash;
  for (std::size_t at = 0; at + 2 <= asset.sha256_hex.size(); at += 2) {
    unsigned byte = 0;
    std::from_chars(asset.sha256_hex.data() + at, asset.sha256_hex.data() + at + 2, byte, 16);
    hash += static_cast<char>(byte);
  }
  // 32 bytes end in the middle of a group of six bits: one zero byte fills it, one sign pads the text to 44.
  hash += '\0';
  return "'sha256-" + std::string(Base64(hash.begin()), Base64(hash.end())).substr(0, 43) + "='";
}

std::string page_head(std::string_view title, std::span<const Asset> scripts) {
  std::string allowed = scripts.empty() ? "" : "script-src";
  for (const Asset& script : scripts) allowed += " " + policy_source(script);
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src {}; {}{}"
      "base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>{}</title>\n<style>{}</style>\n</head>\n",
      policy_source(kPageStyle), allowed, allowed.empty() ? "" : "; ", title, kPageStyle.text);
}

}  // namespace bisectd::reports
