# All dependencies as one target. All are Debian packages, listed in tools/packages.txt.
find_package(Threads REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS CXX)  # only to set oneDNN's OpenMP to one thread
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(EXPAT REQUIRED)
find_package(ZLIB REQUIRED)
find_package(JPEG REQUIRED)
find_package(PNG REQUIRED)
find_package(TIFF REQUIRED)
find_package(LibArchive REQUIRED)
find_package(Protobuf REQUIRED)  # used in cmake/protobuf.cmake
find_package(PkgConfig REQUIRED)
find_package(MPI REQUIRED COMPONENTS C)
pkg_check_modules(webp REQUIRED IMPORTED_TARGET libwebp)
pkg_check_modules(httplib REQUIRED cpp-httplib)
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)
find_library(CAIRO_LIBRARY cairo REQUIRED)
find_library(DNNL_LIBRARY dnnl REQUIRED)
find_library(HWY_LIBRARY hwy REQUIRED)
find_library(SNAPPY_LIBRARY snappy REQUIRED)

add_library(convoy_packages INTERFACE)
target_link_libraries(convoy_packages INTERFACE
  Threads::Threads OpenMP::OpenMP_CXX fmt::fmt nlohmann_json::nlohmann_json ZLIB::ZLIB EXPAT::EXPAT JPEG::JPEG
  PNG::PNG TIFF::TIFF PkgConfig::webp LibArchive::LibArchive PkgConfig::xxhash MPI::MPI_C ${CAIRO_LIBRARY} ${httplib_LINK_LIBRARIES}
  ${DNNL_LIBRARY} ${HWY_LIBRARY} ${SNAPPY_LIBRARY})
# Kernels are built for EMU128, SSE4, AVX2 and AVX-512 (and NEON); SSSE3 does not justify a fifth copy.
target_compile_definitions(convoy_packages INTERFACE "HWY_DISABLED_TARGETS=HWY_SSSE3")
# Open MPI's C++ interface is deprecated and in a separate library.
set_source_files_properties(src/dist/world.cpp PROPERTIES COMPILE_DEFINITIONS OMPI_SKIP_MPICXX)
# Must equal Pillow bit for bit, which has no fused multiply-adds.
set_source_files_properties(src/kernels/pictures/blend_bytes.cpp src/kernels/pictures/sample_bytes.cpp src/kernels/pictures/turn_hues.cpp
  PROPERTIES COMPILE_OPTIONS -ffp-contract=off)
# Ties of overlaps must be ties at every ISA level.
set_source_files_properties(src/kernels/overlap.cpp PROPERTIES COMPILE_OPTIONS -ffp-contract=off)
# Its options only where its header is included, so that all other objects stay the same.
set_source_files_properties(src/board/http_server.cpp PROPERTIES COMPILE_OPTIONS "${httplib_CFLAGS}")
