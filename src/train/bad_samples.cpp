#include "train/bad_samples.h"

#include "base/error.h"

namespace convoy {

void count_bad(const Batch& batch, int64_t most, int64_t& count, const TellBad& tell) {
  for (const Batch::Bad& bad : batch.bad) {
    ++count;
    tell(bad);
    if (count > most) {
      raise(Fault::data,
            "{}; that makes {} in one epoch, and --max-bad allows {}; try: convoy check",
            bad.reason, count, most);
    }
  }
}

}  // namespace convoy
