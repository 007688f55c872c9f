// The number of cores that the launcher granted this process, when several ranks divide a host.
#pragma once

namespace convoy {

// From now on `available_cores` returns `count`. Needs to be called before threads are started.
void grant_cores(int count);

// 0: no grant.
int granted_cores();

}  // namespace convoy
