#include "data/boxed/described_pictures.h"

#include "base/threads/cores.h"
#include "base/threads/thread_pool.h"
#include "data/boxed/box_ids.h"

namespace convoy {
namespace {

void add_picture(DescribedPicture& one, bool as_written, BoxedSplit& split) {
  BoxedPicture& picture = one.picture;
  BoxesSeen seen;
  picture.begin = split.objects.size();
  for (BoxedObject& object : one.objects) {
    object.number = static_cast<int32_t>(object.category);
    as_written ? judge(object, picture) : cut_to_picture(object, picture);
    object.area = object.width * object.height;
    if (!as_written && !seen.add(object)) {
      ++split.repeated;
      continue;
    }
    split.objects.push_back(object);
  }
  picture.end = split.objects.size();
  split.pictures.push_back(std::move(picture));
}

}  // namespace

BoxedSplit described_split(BoxedSplit split, int64_t count,
                           const std::function<void(int64_t, DescribedPicture&)>& describe,
                           const BoxReading& how) {
  std::vector<DescribedPicture> all(static_cast<size_t>(count));
  ThreadPool pool(how.threads ? how.threads : available_cores());
  pool.run(static_cast<int>(count), [&](int i, int) {
    DescribedPicture& one = all[static_cast<size_t>(i)];
    try {
      describe(i, one);
    } catch (const Error& error) {
      if (error.fault() != Fault::data) throw;
      one.faults.push_back({"", error.what()});
    }
  });
  for (DescribedPicture& one : all) {
    if (!one.faults.empty()) {
      const std::string& file = one.picture.file;
      how.faults.take(file.empty() ? file : (split.folder / file).string(), one.faults);
      continue;
    }
    add_picture(one, how.as_written, split);
  }
  number_pictures(split.pictures);
  split.count_unusable();
  return split;
}

}  // namespace convoy
