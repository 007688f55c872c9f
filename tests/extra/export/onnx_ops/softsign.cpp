// The ONNX form of the op, and its import.

#include "ops/softsign.h"

#include "export/onnx_family.h"

namespace convoy {
namespace {

void softsign(OnnxCall& call) { call.give(ops::softsign(call.builder(), call.value(0))); }

}  // namespace

OnnxFamily softsign_onnx_family() {
  return {.forms = {{"softsign", "Softsign"}}, .readers = {{"Softsign", softsign}}};
}

}  // namespace convoy
