// The screen. On a terminal a progress bar and a few lines; otherwise plain lines as in log.txt.
// The last line of a run is always `weights <hash>`.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "report/bar.h"
#include "report/past_evals.h"
#include "train/event.h"

namespace convoy {

struct ConsoleOptions {
  bool quiet = false;  // only warnings, the accuracy and the last line
  bool terminal = false;
  BarStyle style;
  std::function<void(std::string_view)> write;
  std::function<int()> width;       // columns, asked at every redraw
  std::function<double()> seconds;  // steady
  PastEvals evals = {};             // of the run so far
};

// As standard output is: terminal or not, its width, UTF-8 by locale, colour unless NO_COLOR is set
// or TERM is dumb. `relayed`: by mpirun, which has terminals of its own between, so that what it
// relays may go to a file all the same.
ConsoleOptions console_options(bool quiet, bool relayed);

// Redraws at most ten times a second. The bar is wiped before any other line and on destruction, so
// an error that unwinds the run is printed on a clean line.
std::unique_ptr<Listener> console_listener(ConsoleOptions options);

}  // namespace convoy
