# CONVOY_SANITIZE: empty, or the list given to -fsanitize. Set by the presets.
set(CONVOY_SANITIZE "" CACHE STRING "sanitizers, as -fsanitize takes them")
add_library(convoy_sanitizers INTERFACE)
if(CONVOY_SANITIZE)
  target_compile_options(convoy_sanitizers INTERFACE -fsanitize=${CONVOY_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(convoy_sanitizers INTERFACE -fsanitize=${CONVOY_SANITIZE})
endif()
