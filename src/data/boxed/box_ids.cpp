#include "data/boxed/box_ids.h"

#include <charconv>
#include <set>

#include "base/text/text.h"

namespace convoy {

void number_pictures(std::vector<BoxedPicture>& pictures) {
  std::set<int64_t> known;
  for (BoxedPicture& picture : pictures) {
    const std::string stem = fs::path(picture.file).stem().string();
    const auto [end, error] = std::from_chars(stem.data(), stem.data() + stem.size(), picture.id);
    const bool is_id = is_number(stem) && error == std::errc() && known.insert(picture.id).second;
    if (!is_id) break;
  }
  if (known.size() == pictures.size()) return;
  int64_t next = 0;
  for (BoxedPicture& picture : pictures) picture.id = ++next;
}

}  // namespace convoy
