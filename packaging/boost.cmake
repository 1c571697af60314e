# Boost's headers: 1.81 is the first with process/v2. Where the distribution's are older, as on Ubuntu 22.04 (1.74), those of Debian 12 are
# downloaded; nothing else of Boost is used. Without a network: unpack a Boost 1.81 or newer and name its folder by -DBOOST_ROOT.
find_package(Boost 1.81 QUIET)
if(NOT Boost_FOUND)
  set(folder ${CMAKE_BINARY_DIR}/boost)
  if(NOT EXISTS ${folder}/usr/include/boost/version.hpp)
    message(STATUS "no Boost 1.81 here: downloading the headers of Debian 12's (10 MB)")
    file(DOWNLOAD http://deb.debian.org/debian/pool/main/b/boost1.81/libboost1.81-dev_1.81.0-5+deb12u1_amd64.deb ${folder}/boost.deb
      EXPECTED_HASH SHA256=bfe6d942c9fa4d68c8455e712a16fe3911f85d92959a0753cb22e5c13c2067de)
    file(ARCHIVE_EXTRACT INPUT ${folder}/boost.deb DESTINATION ${folder})
    file(ARCHIVE_EXTRACT INPUT ${folder}/data.tar.xz DESTINATION ${folder} PATTERNS ./usr/include/boost)
    file(REMOVE ${folder}/boost.deb ${folder}/control.tar.xz ${folder}/data.tar.xz ${folder}/debian-binary)
  endif()
  set(Boost_NO_BOOST_CMAKE ON)
  set(BOOST_INCLUDEDIR ${folder}/usr/include)
  find_package(Boost 1.81 REQUIRED)
endif()
