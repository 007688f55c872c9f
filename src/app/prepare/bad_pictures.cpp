#include "app/prepare/bad_pictures.h"

#include "base/show.h"

namespace convoy {

void BadPictures::count(const Error& error, SharedProgress& progress) {
  const std::lock_guard lock(mutex_);
  if (++count_ > most_) {
    raise(Fault::data, "{} (--max-bad {} would leave out such pictures)", error.what(), count_);
  }
  progress.clear();
  show(stderr, "left out: {}\n", error.what());
}

}  // namespace convoy
