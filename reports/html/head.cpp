#include "reports/html/head.hpp"

#include <fmt/format.h>

namespace bisectd::reports {

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
