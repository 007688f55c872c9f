// The names a pickle may mention. This list is the whole trust we have in a torch file: what is not
// on it is refused, and nothing on it runs.
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
  size,     // torch.Size: a tuple
  storage,  // torch.FloatStorage …
  inert     // a dtype, a device, numpy's scalars, a Namespace …: only ever skipped
};

// `name` is module.name; none: not on the list.
std::optional<PickleGlobal> pickle_global(std::string_view name);

// Of torch.FloatStorage and its like.
std::optional<Element> storage_element(std::string_view name);

}  // namespace convoy
