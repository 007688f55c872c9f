# Fuzz targets: each tests/fuzz/<target>.cpp, except tests, defines LLVMFuzzerTestOneInput.
file(GLOB fuzz_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fuzz/*.cpp)
list(FILTER fuzz_files EXCLUDE REGEX "_test\\.cpp$")

# Combines all of them in one program that replays the corpora: each gets a unique function name; `out`
# receives the files and their list.
function(convoy_fuzz_list out)
  foreach(file IN LISTS fuzz_files)
    cmake_path(GET file STEM name)
    set_source_files_properties(${file} PROPERTIES COMPILE_DEFINITIONS LLVMFuzzerTestOneInput=fuzz_${name})
    string(APPEND declared "extern \"C\" int fuzz_${name}(const uint8_t* data, size_t size);\n")
    string(APPEND listed "      {\"${name}\", fuzz_${name}},\n")
  endforeach()
  set(table ${PROJECT_BINARY_DIR}/catalog/fuzz_targets.cpp)
  file(CONFIGURE OUTPUT ${table} @ONLY CONTENT [[
#include "fuzz/target.h"

@declared@
namespace convoy::test {

const std::vector<FuzzTarget>& fuzz_targets() {
  static const std::vector<FuzzTarget> all{
@listed@  };
  return all;
}

}  // namespace convoy::test
]])
  set(${out} ${fuzz_files} ${table} PARENT_SCOPE)
endfunction()

# With libFuzzer: a library of instrumented file readers, and a program for each target. Only code that reads
# files is built, and each kernel for one instruction set. The target for ONNX needs graphs too, which are in a
# separate library. Warnings are off, since clang's differ from those of the other builds.
function(convoy_fuzz_programs)
  file(GLOB_RECURSE readers CONFIGURE_DEPENDS
    src/base/*.cpp src/boxes/coco_*.cpp src/boxes/voc_*.cpp src/boxes/yolo_*.cpp src/config/*.cpp src/kernels/*.cpp src/pictures/*.cpp src/records/*.cpp
    src/tensor/*.cpp src/weights/*.cpp)
  list(APPEND readers
    src/data/sources/cifar_files.cpp src/data/classes/class_match.cpp src/data/content_hash.cpp src/data/sources/gzip.cpp
    src/data/sources/idx_file.cpp src/data/yolo/data_yaml.cpp src/data/classes/record_classes.cpp src/dialects/named_configs.cpp src/launch/hosts.cpp src/report/finished.cpp
    src/train/run/run_dir.cpp src/train/checkpoint/train_state.cpp tests/support/mend.cpp)
  file(GLOB_RECURSE importers CONFIGURE_DEPENDS src/export/*.cpp src/graph/*.cpp src/ops/*.cpp)
  foreach(table IN LISTS tables)
    if(table MATCHES "/(weight_format|weight_rename)\\.cpp$")
      list(APPEND readers ${table})
    elseif(table MATCHES "/(ops|onnx_family)\\.cpp$")
      list(APPEND importers ${table})
    endif()
  endforeach()
  # Debian's libfmt is built with g++; clang mangles the name of one of its functions differently, so it is defined here.
  set(format ${PROJECT_BINARY_DIR}/generated/clang_format_text.cpp)
  file(CONFIGURE OUTPUT ${format} @ONLY CONTENT [[
#include <fmt/format.h>

template void fmt::detail::vformat_to<char>(buffer<char>&, string_view, basic_format_args<format_context>, locale_ref);
]])
  add_library(convoy_readers STATIC ${readers} ${format})
  target_include_directories(convoy_readers PUBLIC src tests ${PROJECT_BINARY_DIR}/generated)
  target_link_libraries(convoy_readers PUBLIC convoy_packages convoy_messages convoy_sanitizers)
  target_compile_definitions(convoy_readers PUBLIC HWY_COMPILE_ONLY_STATIC)
  add_library(convoy_importers STATIC ${importers})
  target_link_libraries(convoy_importers PUBLIC convoy_readers)
  foreach(file IN LISTS fuzz_files)
    cmake_path(GET file STEM name)
    add_executable(fuzz_${name} ${file})
    target_link_libraries(fuzz_${name} PRIVATE $<IF:$<STREQUAL:${name},onnx>,convoy_importers,convoy_readers>)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
  endforeach()
endfunction()
