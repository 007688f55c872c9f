#include "weights/torch/pickle_globals.h"

#include <algorithm>
#include <array>

namespace convoy {
namespace {

struct Storage {
  std::string_view name;
  Element element;
};
constexpr std::array<Storage, 12> storages{{{"torch.FloatStorage", Element::f32},
                                            {"torch.DoubleStorage", Element::f64},
                                            {"torch.HalfStorage", Element::f16},
                                            {"torch.BFloat16Storage", Element::bf16},
                                            {"torch.LongStorage", Element::s64},
                                            {"torch.IntStorage", Element::s32},
                                            {"torch.ShortStorage", Element::s16},
                                            {"torch.CharStorage", Element::s8},
                                            {"torch.ByteStorage", Element::u8},
                                            {"torch.BoolStorage", Element::boolean},
                                            {"torch.ComplexFloatStorage", Element::complex64},
                                            {"torch.ComplexDoubleStorage", Element::complex128}}};

struct Known {
  std::string_view name;
  PickleGlobal global;
};
constexpr std::array<Known, 6> known{
    {{"collections.OrderedDict", PickleGlobal::ordered_dict},
     {"torch._utils._rebuild_tensor", PickleGlobal::rebuild_tensor},
     {"torch._utils._rebuild_tensor_v2", PickleGlobal::rebuild_tensor},
     {"torch._utils._rebuild_parameter", PickleGlobal::rebuild_parameter},
     {"torch.Size", PickleGlobal::size},
     {"torch.device", PickleGlobal::inert}}};

// Objects that training scripts save beside the weights: epochs, accuracies, their arguments.
constexpr std::array<std::string_view, 31> inert{
    "argparse.Namespace",
    "collections.Counter",
    "collections.defaultdict",
    "__builtin__.dict",
    "__builtin__.set",
    "__builtin__.frozenset",
    "builtins.dict",
    "builtins.set",
    "builtins.frozenset",
    "_codecs.encode",
    "numpy.dtype",
    "numpy.core.multiarray.scalar",
    "numpy._core.multiarray.scalar",
    "torch.float64",
    "torch.float32",
    "torch.float16",
    "torch.bfloat16",
    "torch.double",
    "torch.float",
    "torch.half",
    "torch.int64",
    "torch.int32",
    "torch.int16",
    "torch.int8",
    "torch.uint8",
    "torch.long",
    "torch.int",
    "torch.short",
    "torch.bool",
    "torch.complex64",
    "torch.complex128",
};

}  // namespace

std::optional<Element> storage_element(std::string_view name) {
  const auto found = std::find_if(storages.begin(), storages.end(),
                                  [&](const Storage& s) { return s.name == name; });
  return found == storages.end() ? std::nullopt : std::optional(found->element);
}

std::optional<PickleGlobal> pickle_global(std::string_view name) {
  if (storage_element(name)) return PickleGlobal::storage;
  for (const Known& entry : known) {
    if (entry.name == name) return entry.global;
  }
  if (std::find(inert.begin(), inert.end(), name) != inert.end()) return PickleGlobal::inert;
  return std::nullopt;
}

}  // namespace convoy
