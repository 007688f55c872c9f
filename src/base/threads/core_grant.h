// How many cores this process was told to use, where somebody divides a host between several.
#pragma once

namespace convoy {

// From now on `available_cores` gives this. Before there are other threads.
void grant_cores(int count);

// 0: nobody has said.
int granted_cores();

}  // namespace convoy
