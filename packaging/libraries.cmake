# The libraries that bisectd uses: the distribution's where it has them, else those of Debian 12, which are downloaded into the build
# folder and checked by their hash. Of most only headers are used; of the others the sources that are needed are compiled. Only zlib must
# be there. RE2 comes from npm's archive, as Debian leaves out two files that it makes anew from the tables of Unicode.
option(BISECTD_DOWNLOAD "Download all libraries, also those that the distribution has" OFF)
set(BISECTD_DEBIAN http://deb.debian.org/debian CACHE STRING "Where Debian's archive is downloaded from: a mirror, or file:///FOLDER")
set(BISECTD_NPM https://registry.npmjs.org CACHE STRING "The same for npm's")

find_package(PkgConfig QUIET)

# bisectd_find(TARGET PACKAGE [VERSION]), bisectd_find_module(NAME MODULE): the distribution's.
macro(bisectd_find target)
  if(NOT BISECTD_DOWNLOAD AND NOT TARGET ${target})
    find_package(${ARGN} QUIET)
  endif()
endmacro()
macro(bisectd_find_module name module)
  if(NOT BISECTD_DOWNLOAD AND PkgConfig_FOUND)
    pkg_check_modules(${name} QUIET IMPORTED_TARGET ${module})
  endif()
endmacro()

# bisectd_find_headers(TARGET NAME HEADER): the distribution's, of a library that tells CMake nothing.
macro(bisectd_find_headers target name header)
  if(NOT BISECTD_DOWNLOAD)
    find_path(${name}_include ${header} PATH_SUFFIXES ${name})
    if(${name}_include)
      add_library(${target} INTERFACE IMPORTED GLOBAL)
      set_target_properties(${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${${name}_include})
    endif()
  endif()
endmacro()

# bisectd_download(FOLDER NAME URL SHA256): sets FOLDER to where that archive is unpacked.
function(bisectd_download folder name url sum)
  set(to ${CMAKE_BINARY_DIR}/libraries/${name})
  set(${folder} ${to} PARENT_SCOPE)
  if(EXISTS ${to}.${sum})  # what was unpacked to its end
    return()
  endif()
  message(STATUS "downloading ${url}")
  file(REMOVE_RECURSE ${to})
  file(DOWNLOAD ${url} ${to}/archive STATUS downloaded)
  set(got "no file")
  if(downloaded MATCHES "^0")
    file(SHA256 ${to}/archive got)
  endif()
  if(NOT got STREQUAL sum)
    message(FATAL_ERROR "${name} is not here, and ${url} could not be downloaded (${downloaded}; SHA-256: ${got}). Install ${name}, or name "
      "a mirror, or a folder that holds the same paths, by -DBISECTD_DEBIAN=... or -DBISECTD_NPM=...")
  endif()
  file(ARCHIVE_EXTRACT INPUT ${to}/archive DESTINATION ${to})
  file(GLOB data ${to}/data.tar.*)  # of a .deb
  if(data)
    file(ARCHIVE_EXTRACT INPUT ${data} DESTINATION ${to})
    file(REMOVE ${data})
  endif()
  file(REMOVE ${to}/archive)
  file(TOUCH ${to}.${sum})
endfunction()

# bisectd_headers(TARGET NAME URL SHA256 [DEFINITION...]): a library that needs nothing but its headers, unless the target is there.
function(bisectd_headers target name url sum)
  if(TARGET ${target})
    return()
  endif()
  bisectd_download(folder ${name} ${url} ${sum})
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  set_target_properties(${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${folder}/usr/include INTERFACE_COMPILE_DEFINITIONS "${ARGN}")
endfunction()

# bisectd_sources(TARGET NAME URL SHA256 INCLUDE folder SOURCES pattern... [LINK target...]): a library that is compiled, unless the target
# is there. Folder and patterns are below the one folder of the archive.
function(bisectd_sources target name url sum)
  cmake_parse_arguments(PARSE_ARGV 4 arg "" "INCLUDE" "SOURCES;LINK")
  if(TARGET ${target})
    return()
  endif()
  bisectd_download(folder ${name} ${url} ${sum})
  file(GLOB folder ${folder}/*/)
  list(TRANSFORM arg_SOURCES PREPEND ${folder}/)
  file(GLOB sources ${arg_SOURCES})
  add_library(downloaded_${name} STATIC ${sources})
  target_include_directories(downloaded_${name} SYSTEM PUBLIC ${folder}/${arg_INCLUDE})
  target_link_libraries(downloaded_${name} PUBLIC ${arg_LINK})
  add_library(${target} ALIAS downloaded_${name})
endfunction()

bisectd_find(Boost::headers Boost 1.81)  # the first with process/v2
bisectd_headers(Boost::headers Boost ${BISECTD_DEBIAN}/pool/main/b/boost1.81/libboost1.81-dev_1.81.0-5+deb12u1_amd64.deb
  bfe6d942c9fa4d68c8455e712a16fe3911f85d92959a0753cb22e5c13c2067de)
bisectd_find(nlohmann_json::nlohmann_json nlohmann_json)
bisectd_headers(nlohmann_json::nlohmann_json nlohmann_json ${BISECTD_DEBIAN}/pool/main/n/nlohmann-json3/nlohmann-json3-dev_3.11.2-2_all.deb
  ec57940def6b6186c30be0e0ee81d1e58f86d11a54a145b28686a1e3e4aae801)
bisectd_find(CLI11::CLI11 CLI11)
bisectd_headers(CLI11::CLI11 CLI11 ${BISECTD_DEBIAN}/pool/main/c/cli11/libcli11-dev_2.1.2+ds-1_all.deb
  f1f6ee9ec053e0e0bcec47345e241b6a8ee006321248b4329e9ce88d2b4b64a8)
bisectd_find(tl::expected tl-expected)
bisectd_headers(tl::expected tl-expected ${BISECTD_DEBIAN}/pool/main/t/tl-expected/libexpected-dev_1.0.0~dfsg-3_all.deb
  f6ff083e016e77fc51a359f6afd6947f496dbb55db47857e31de384177a7fbf1)
bisectd_find_headers(utf8cpp utf8cpp utf8.h)
bisectd_headers(utf8cpp utf8cpp ${BISECTD_DEBIAN}/pool/main/u/utfcpp/libutfcpp-dev_3.2.3-1_amd64.deb
  4efe072571dfce7855f9aacce168ce4886f5af192a7294ca258b1ebf7ac4e71f)
bisectd_find_headers(protozero protozero protozero/pbf_reader.hpp)
bisectd_headers(protozero protozero ${BISECTD_DEBIAN}/pool/main/p/protozero/libprotozero-dev_1.7.1-1_amd64.deb
  a7091f91d6c35608ee3ce6b36f4656cd7d1266539cf02c253927bd1a978647ac)

# A spdlog fits its own fmt only.
bisectd_find(spdlog::spdlog_header_only spdlog)
if(TARGET spdlog::spdlog_header_only)
  bisectd_find(fmt::fmt fmt)
endif()
bisectd_headers(fmt::fmt fmt ${BISECTD_DEBIAN}/pool/main/f/fmtlib/libfmt-dev_9.1.0+ds1-2_amd64.deb
  c8fa00dd0269e6eda9fd06668df3d720de4b5a1f647dcd3c6e0ba63f0cbf2150 FMT_HEADER_ONLY=1)
bisectd_headers(spdlog::spdlog_header_only spdlog ${BISECTD_DEBIAN}/pool/main/s/spdlog/libspdlog-dev_1.10.0+ds-0.4_amd64.deb
  4e19d647fe9bc9ec6a1fae81be00a69b1796b41660e8a7a4cf567264b463dcfb SPDLOG_FMT_EXTERNAL)

bisectd_find_module(xxhash libxxhash)
bisectd_headers(PkgConfig::xxhash xxhash ${BISECTD_DEBIAN}/pool/main/x/xxhash/libxxhash-dev_0.8.1-1_amd64.deb
  47e8309c6163f5ffa910520f6502cc264fda93dbb58ada840db4838575a86151 XXH_INLINE_ALL)
bisectd_find_module(re2 re2)
find_package(Threads REQUIRED)
bisectd_sources(PkgConfig::re2 re2 ${BISECTD_NPM}/re2/-/re2-1.17.7.tgz
  eb496712b449088a26eca12c1a189eaed0ab4bbf2ae87641f2ac9c34fc7093a8
  INCLUDE vendor SOURCES vendor/re2/*.cc vendor/util/rune.cc vendor/util/strutil.cc LINK Threads::Threads)
bisectd_find(yaml-cpp yaml-cpp)
bisectd_sources(yaml-cpp yaml-cpp ${BISECTD_DEBIAN}/pool/main/y/yaml-cpp/yaml-cpp_0.7.0+dfsg.orig.tar.xz
  dc63708605404e0b963e0ca3a9619d1c8270eda2839603e6fa0384e5e51e5312
  INCLUDE include SOURCES src/*.cpp)
bisectd_find(pugixml::pugixml pugixml)
bisectd_sources(pugixml::pugixml pugixml ${BISECTD_DEBIAN}/pool/main/p/pugixml/pugixml_1.13.orig.tar.gz
  5c5ad5d7caeb791420408042a7d88c2c6180781bf218feca259fd9d840a888e1
  INCLUDE src SOURCES src/pugixml.cpp)
bisectd_find_module(minizip minizip)
if(NOT TARGET PkgConfig::minizip)
  enable_language(C)
  find_package(ZLIB REQUIRED)
endif()
bisectd_sources(PkgConfig::minizip minizip ${BISECTD_DEBIAN}/pool/main/m/minizip/minizip_1.1.orig.tar.xz
  7d8da446d3b6799e7851f077a66551a46b80fc3de708549e79dbd3e49e842ba1
  INCLUDE . SOURCES unzip.c ioapi.c LINK ZLIB::ZLIB)

# Not a library of the program: reports/ embeds it.
if(NOT BISECTD_DOWNLOAD)
  find_file(BISECTD_CHART_JS chart.min.js PATHS /usr/share/javascript/chart.js /usr/share/nodejs/chart.js/dist
    DOC "Minified Chart.js 3, embedded in report.html" NO_CMAKE_FIND_ROOT_PATH)
endif()
if(NOT BISECTD_CHART_JS)
  bisectd_download(folder chart.js ${BISECTD_DEBIAN}/pool/main/n/node-chart.js/libjs-chart.js_3.9.1+~0.2.1-2_all.deb
    16456ab02ad662f480ae3f4d0769a069f69133d0a957821925bbdd648ae5390a)
  set(BISECTD_CHART_JS ${folder}/usr/share/javascript/chart.js/chart.min.js)
endif()
