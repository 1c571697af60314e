// The compiled half of Boost.Process v2. Header-only mode of 1.81 does not link (undefined process_environment::on_setup),
// so the library is built with BOOST_PROCESS_V2_SEPARATE_COMPILATION (set for this folder in CMakeLists.txt) and this is
// the one file that holds its definitions. Boost 1.88 and later ship a compiled boost_process: this file can go then.
#include <boost/process/v2/src.hpp>
