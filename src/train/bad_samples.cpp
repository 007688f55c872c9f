#include "train/bad_samples.h"

#include "base/error.h"
#include "base/text/text.h"

namespace convoy {

void count_bad(const std::vector<Batch::Bad>& all, int64_t most, int64_t& count,
               const TellBad& tell) {
  for (const Batch::Bad& bad : all) {
    ++count;
    tell(bad);
    if (count > most) {
      raise(Fault::data,
            "{}; that makes {} in one epoch, and --max-bad allows {}; try: convoy check FOLDER, "
            "which finds all that are broken, or a larger --max-bad",
            bad.reason, count, most);
    }
  }
}

// Fields are separated by zero bytes, which neither paths nor reasons contain.
std::string pack_bad(const std::vector<Batch::Bad>& bad) {
  std::string text;
  for (const Batch::Bad& one : bad) {
    for (const std::string& part : {std::to_string(one.sample), one.origin, one.reason}) {
      text += part;
      text += '\0';
    }
  }
  return text;
}

void unpack_bad(const std::string& text, std::vector<Batch::Bad>& into) {
  const std::vector<std::string> parts = split(text, '\0');
  for (size_t i = 0; i + 2 < parts.size(); i += 3) {
    into.push_back({std::stoll(parts[i]), parts[i + 1], parts[i + 2]});
  }
}

}  // namespace convoy
