// The test program. CONVOY_ISA=avx2 (or sse41) runs every test at a lower instruction set level, so
// that one machine checks the channel blocks and kernels of several. A level that is no lower than
// the machine's own adds nothing: the program then leaves with 77, which CTest shows as skipped.

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "base/error.h"
#include "base/threads/thread_pool.h"
#include "tensor/isa.h"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  convoy::flush_subnormals();
  try {
    if (const char* wanted = std::getenv("CONVOY_ISA")) {
      const convoy::Isa level = convoy::isa_by_name(wanted);
      if (level >= convoy::isa_level()) {
        std::printf("this machine is no better than %s: the usual run covers it\n", wanted);
        return 77;
      }
      convoy::limit_isa(level);
    }
  } catch (const convoy::Error& e) {
    std::fprintf(stderr, "CONVOY_ISA: %s\n", e.what());
    return e.exit_code();
  }
  return RUN_ALL_TESTS();
}
