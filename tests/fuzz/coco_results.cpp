// Detections in COCO's format, and their scores: whatever the boxes are, these are numbers in
// [0, 1], or -1.
#include "boxes/coco_results.h"

#include "base/threads/thread_pool.h"
#include "fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const convoy::CocoAnnotations truth{
      .images = {{4, "a.jpg", 640, 480}, {2, "", 0, 0}},
      .categories = {{1, "person"}, {90, ""}},
      .annotations = {{1, 4, 90, 1, 2.5, 30, 40.25, 700.5, false},
                      {2, 4, 90, 0, 0, 300, 400, 1e5, true},
                      {3, 2, 1, 0, 1, 0, -1, 0, false},
                      {0, 2, 1, 0, 1, 9, 8, 1000, false}}};
  static convoy::ThreadPool pool(1);
  const auto path = convoy::test::as_file("found.json", convoy::test::text_of(data, size));
  return convoy::test::answers(convoy::Fault::data, [&] {
    const convoy::CocoScore score = convoy::scorer_of(truth, path).score(pool);
    for (const double number : score.numbers) {
      convoy::expect((number >= 0 && number <= 1) || number == -1, "a number is in range");
    }
  });
}
