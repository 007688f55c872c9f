# Each folder is a registry. A file `src/<folder>/**/<stem>.cpp` that defines
# `<Type> <stem>_<kind>() {` at the start of a line is an entry; this file generates the sorted list
# of all entries as `<kind>_catalog()`. To add an entry, add a file there or in the same folder
# below CONVOY_EXTRA. Entries are in the namespace convoy unless the last argument names another.
set(CONVOY_EXTRA "" CACHE PATH "a folder laid out as src/, with more entries for its catalogues")

function(convoy_catalog folder type kind header out)
  if(NOT EXISTS ${PROJECT_SOURCE_DIR}/src/${header})
    return()
  endif()
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${folder}/*.cpp)
  if(CONVOY_EXTRA)
    file(GLOB_RECURSE more CONFIGURE_DEPENDS ${CONVOY_EXTRA}/${folder}/*.cpp)
    list(APPEND files ${more})
  endif()
  list(SORT files COMPARE FILE_BASENAME)
  foreach(file IN LISTS files)
    file(STRINGS ${file} defines REGEX "^${type} [a-z0-9_]+_${kind}\\(\\) {")
    if(defines)
      cmake_path(GET file STEM stem)
      string(APPEND declared "${type} ${stem}_${kind}();\n")
      string(APPEND listed "      ${stem}_${kind}(),\n")
    else()
      # Configure again when this file changes, since it may become an entry. (If a file stops being an
      # entry, linking fails.)
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    endif()
  endforeach()
  set(namespace convoy ${ARGN})
  list(JOIN namespace "::" namespace)
  set(table ${PROJECT_BINARY_DIR}/catalog/${kind}.cpp)
  file(CONFIGURE OUTPUT ${table} @ONLY CONTENT [[
#include <vector>

#include "@header@"

namespace @namespace@ {

@declared@
const std::vector<@type@>& @kind@_catalog() {
  static const std::vector<@type@> all{
@listed@  };
  return all;
}

}  // namespace @namespace@
]])
  set(${out} ${${out}} ${table} PARENT_SCOPE)
endfunction()
