#include "data/sources/cached_source.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/error.h"
#include "support/raises.h"

namespace convoy {
namespace {

constexpr int64_t megabyte = 1 << 20;

// Pictures of a megabyte that count how often they are read.
class Counting final : public PictureSource {
 public:
  explicit Counting(std::atomic<int>& reads) : reads_(reads) {}
  int64_t size() const override { return 100; }
  std::vector<std::string> class_names() const override { return {"a", "b"}; }
  std::string origin(int64_t index) const override { return std::to_string(index); }
  void read(int64_t index, EncodedPicture& picture) const override {
    ++reads_;
    if (index == 13) raise(Fault::data, "{} cannot be read", index);
    picture.bytes.assign(static_cast<size_t>(megabyte), static_cast<char>(index));
    picture.label = static_cast<int32_t>(index % 2);
    picture.boxes.assign(static_cast<size_t>(index % 3), Box{0, 0, 1, 1});
  }

 private:
  std::atomic<int>& reads_;
};

void check(const PictureSource& source, int64_t index) {
  EncodedPicture picture;
  source.read(index, picture);
  ASSERT_EQ(picture.bytes.size(), static_cast<size_t>(megabyte));
  ASSERT_EQ(picture.bytes[77], static_cast<char>(index));
  ASSERT_EQ(picture.label, index % 2);
  ASSERT_EQ(picture.boxes.size(), static_cast<size_t>(index % 3));
}

TEST(CachedSource, ReadsEachPictureOnceWhileMemoryIsFree) {
  std::atomic<int> reads = 0;
  const auto source =
      cached(std::make_unique<Counting>(reads), {[] { return 1000 * megabyte; }, megabyte});
  EXPECT_EQ(source->size(), 100);
  EXPECT_EQ(source->class_names().size(), 2u);
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      for (int64_t i = 0; i < 12; ++i) check(*source, i);
    });
  }
  for (std::thread& thread : threads) thread.join();
  const int first = reads;
  EXPECT_LE(first, 36);
  for (int64_t i = 0; i < 12; ++i) check(*source, i);
  EXPECT_EQ(reads, first);
  EncodedPicture picture;
  test::expect_raises(Fault::data, {"13 cannot be read"}, [&] { source->read(13, picture); });
}

TEST(CachedSource, KeepsNothingMoreWhenMemoryIsShort) {
  std::atomic<int> reads = 0;
  std::atomic<int64_t> left = 100 * megabyte;
  const auto source =
      cached(std::make_unique<Counting>(reads), {[&] { return left.load(); }, 50 * megabyte});
  for (int64_t i = 20; i < 40; ++i) check(*source, i);
  left = 40 * megabyte;
  for (int64_t i = 40; i < 80; ++i) check(*source, i);
  const int before = reads;
  for (int64_t i = 20; i < 80; ++i) check(*source, i);
  // The system is asked every 16 MiB: some of the second lot got in before it said no.
  const int again = reads - before;
  EXPECT_GE(again, 40 - 16);
  EXPECT_LE(again, 40);
}

}  // namespace
}  // namespace convoy
