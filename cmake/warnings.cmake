add_library(convoy_warnings INTERFACE)
target_compile_options(convoy_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Werror
  -Wno-missing-field-initializers  # designated initialisers leave other fields at their defaults
  -Wno-restrict)                    # false positives of g++ 12 in std::string
