// The exit code of a process that a signal stopped before it had anything to save.
#pragma once

#include <signal.h>

namespace convoy {

// 130 for Ctrl-C, 143 for every other signal that asks the process to stop.
constexpr int stop_code(int signal) { return 128 + (signal == SIGINT ? SIGINT : SIGTERM); }

}  // namespace convoy
