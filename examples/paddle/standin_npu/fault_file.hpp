// Reads the file named by STANDIN_NPU_FAULTS and plants its faults in the table of operators.
#pragma once

#include <string>

namespace standin {

// Returns an empty text, or what is wrong and where.
std::string plant_faults(const std::string& path);

}  // namespace standin
