// state.json of a checkpoint.
#include "fuzz/target.h"
#include "train/checkpoint/train_state.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return convoy::test::answers(convoy::Fault::checkpoint, [&] {
    convoy::state_file_from_json(convoy::test::text_of(data, size), "fuzz");
  });
}
