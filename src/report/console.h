// Prints the events of a run on the screen: on a terminal a progress bar and a few lines, otherwise
// plain lines as in log.txt. The last line of a run is always `weights <hash>`.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "report/bar.h"
#include "report/past_evals.h"
#include "train/event.h"

namespace convoy {

struct ConsoleOptions {
  bool quiet = false;     // only warnings, the main metric and the last line
  bool terminal = false;  // draw a progress bar, else print plain lines
  BarStyle style;
  std::function<void(std::string_view)> write;
  std::function<int()> width;       // columns, asked at every redraw
  std::function<double()> seconds;  // a steady clock
  std::function<int64_t()> memory =
      {};                // bytes of this process, asked at every redraw; empty: unknown
  PastEvals evals = {};  // the run's evaluations before this process
};

// Options that suit standard output: terminal or not, its width, UTF-8 by locale, colour unless
// NO_COLOR is set or TERM is dumb. `plain`: as if it were no terminal. `relayed`: mpirun passes the
// output on, through pseudo-terminals, so it may end in a file even if it looks like a terminal.
ConsoleOptions console_options(bool quiet, bool plain, bool relayed);

// Redraws at most ten times a second. The bar is erased before any other line and in the
// destructor, so an error that ends the run is printed on a clean line.
std::unique_ptr<Listener> console_listener(ConsoleOptions options);

}  // namespace convoy
