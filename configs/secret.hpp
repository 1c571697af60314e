// Which environment variables hold secrets, judged by their names.
#pragma once

#include <string_view>

namespace bisectd::configs {

/// True if the name speaks of a token, key, password, secret or credential (upper or lower case). Its value is never
/// written to a report, a resolved experiment or an attempt's files.
bool is_secret(std::string_view variable_name);

}  // namespace bisectd::configs
