# CONVOY_SANITIZE: empty, or the list given to -fsanitize. Set by the presets.
set(CONVOY_SANITIZE "" CACHE STRING "sanitizers, as -fsanitize takes them")
add_library(convoy_sanitizers INTERFACE)
if(CONVOY_SANITIZE)
  target_compile_options(convoy_sanitizers INTERFACE -fsanitize=${CONVOY_SANITIZE} -fno-omit-frame-pointer)
  # With the sanitizers' own code in between, GCC takes members of std::function for uninitialized.
  target_compile_options(convoy_sanitizers INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(convoy_sanitizers INTERFACE -fsanitize=${CONVOY_SANITIZE})
endif()
