// A log as a test writes it down.
#pragma once

#include <string>
#include <string_view>

#include "driver/learn/reading.hpp"

namespace bisectd::driver::learn {

inline LogKinds kinds_of(std::string_view text) {
  LogKinds log;
  const std::size_t last = text.find_last_of("\n\r");
  const std::size_t whole = last == std::string_view::npos ? 0 : last + 1;
  log.feed(text.substr(0, whole));
  log.finish(text.substr(whole));
  return log;
}

inline Found learnt(std::string_view text, const std::string& metric = "loss") { return learn(kinds_of(text), metric); }

}  // namespace bisectd::driver::learn
