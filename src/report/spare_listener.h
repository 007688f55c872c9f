// A listener whose files a run can do without.
#pragma once

#include <memory>
#include <string>

#include "train/event.h"

namespace convoy {

// Passes events to `inner` until that fails; then emits one Warning to `all` and passes nothing
// more. The warning says that `what` ("TensorBoard's files") ends there. `all` must outlive it.
std::unique_ptr<Listener> spare_listener(std::unique_ptr<Listener> inner, std::string what,
                                         Listener& all);

}  // namespace convoy
