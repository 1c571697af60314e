// Boost.Process v2 with the standard's paths, so that nothing of Boost has to be a library.
#pragma once

// 1.81 forgets these two where paths are the standard's, so they come first.
#include <boost/optional.hpp>
#include <boost/type_traits/remove_pointer.hpp>
#include <boost/process/v2/posix/default_launcher.hpp>
#include <boost/process/v2/process.hpp>
