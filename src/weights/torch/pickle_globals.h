// The global names that a pickle may contain. All others are refused, and none of these is
// executed.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "weights/element.h"

namespace convoy {

enum class PickleGlobal : uint8_t {
  ordered_dict,
  rebuild_tensor,
  rebuild_parameter,
  size,     // torch.Size, a tuple
  storage,  // torch.FloatStorage …
  inert     // a dtype, a device, numpy scalars, a Namespace …: skipped
};

// `name` is "module.name"; empty: not on the list.
std::optional<PickleGlobal> pickle_global(std::string_view name);

// The element type of a storage class (torch.FloatStorage …).
std::optional<Element> storage_element(std::string_view name);

}  // namespace convoy
