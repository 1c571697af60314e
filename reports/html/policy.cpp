#include <boost/archive/iterators/base64_from_binary.hpp>
#include <boost/archive/iterators/transform_width.hpp>
#include <charconv>

#include "reports/html/assets.hpp"

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

}  // namespace bisectd::reports
