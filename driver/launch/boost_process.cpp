// The compiled half of Boost.Process v2. Header-only mode of 1.81 does not link (process_environment::on_setup is
// undefined), so it is built with BOOST_PROCESS_V2_SEPARATE_COMPILATION (set for this folder in CMakeLists.txt), and
// this is the one file that holds its definitions. Newer Boosts ship a compiled boost_process: this file can go then.
#include "driver/launch/boost_process.hpp"

#include <boost/process/v2/src.hpp>
