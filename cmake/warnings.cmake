add_library(convoy_warnings INTERFACE)
target_compile_options(convoy_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Werror
  -Wno-missing-field-initializers  # designated initialisers leave the rest at their defaults
  -Wno-restrict)                    # g++ 12 sees overlaps in std::string that are not there
