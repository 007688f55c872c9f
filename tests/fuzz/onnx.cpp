// ONNX models: the file, and what is made of it.
#include "export/onnx_file.h"
#include "export/onnx_import.h"
#include "fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return convoy::test::answers(convoy::Fault::checkpoint, [&] {
    const convoy::OnnxModel model = convoy::decode_onnx(convoy::test::text_of(data, size), "fuzz");
    convoy::import_onnx(model, 2, "fuzz");
  });
}
