# A program without shared libraries. Debian's packages name yaml-cpp, fmt and pugixml only in their shared forms, so these
# are found here by hand, and spdlog, whose package asks for the shared fmt; everything else follows the two settings. Of fmt there
# is no static library, only the headers.
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)

function(bisectd_static target library header)
  find_library(${library}_a ${library} REQUIRED)
  find_path(${library}_include ${header} REQUIRED)
  add_library(${target} STATIC IMPORTED GLOBAL)
  set_target_properties(${target} PROPERTIES IMPORTED_LOCATION ${${library}_a}
    INTERFACE_INCLUDE_DIRECTORIES ${${library}_include})
endfunction()
bisectd_static(yaml-cpp yaml-cpp yaml-cpp/yaml.h)
bisectd_static(pugixml::pugixml pugixml pugixml.hpp)
find_path(fmt_include fmt/format.h REQUIRED)
add_library(fmt::fmt INTERFACE IMPORTED GLOBAL)
set_target_properties(fmt::fmt PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${fmt_include}
  INTERFACE_COMPILE_DEFINITIONS FMT_HEADER_ONLY=1)
find_path(spdlog_include spdlog/spdlog.h REQUIRED)
add_library(spdlog::spdlog_header_only INTERFACE IMPORTED GLOBAL)
set_target_properties(spdlog::spdlog_header_only PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${spdlog_include}
  INTERFACE_COMPILE_DEFINITIONS SPDLOG_FMT_EXTERNAL INTERFACE_LINK_LIBRARIES fmt::fmt)

# The same bytes from any folder: no path of this machine, no id of the link, nothing that is not used.
add_compile_options(-ffile-prefix-map=${CMAKE_SOURCE_DIR}=. -ffile-prefix-map=${CMAKE_BINARY_DIR}=. -ffunction-sections
  -fdata-sections)
add_link_options(-static -Wl,--gc-sections -Wl,--build-id=none)
