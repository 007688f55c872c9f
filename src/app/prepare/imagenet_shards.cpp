#include "app/prepare/imagenet_shards.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "app/prepare/picture_records.h"
#include "data/loading/order.h"
#include "tensor/shape.h"

namespace convoy {

ImagenetShards::ImagenetShards(const RawSplits& splits, const std::vector<RawPicture>& pictures,
                               int shards, bool shuffle, uint64_t seed)
    : splits_(splits), pictures_(pictures), shards_(shards), order_(pictures.size()) {
  std::iota(order_.begin(), order_.end(), size_t{0});
  if (shuffle) {
    const Order order(static_cast<int64_t>(order_.size()), seed, 0, true);
    for (size_t i = 0; i < order_.size(); ++i)
      order_[i] = static_cast<size_t>(order[static_cast<int64_t>(i)]);
  } else {
    // Ignores classes: a flat folder and class folders give the same shards.
    std::ranges::sort(order_, {},
                      [&](size_t i) { return std::tie(pictures[i].name, pictures[i].class_name); });
  }
}

int64_t ImagenetShards::begin(int shard) const {
  const auto count = static_cast<int64_t>(order_.size());
  return std::min(count, shard * divide_up(count, shards_));
}

uint64_t ImagenetShards::bytes(int shard) const {
  uint64_t sum = 0;
  for (int64_t i = 0; i < size(shard); ++i) sum += picture(shard, i).bytes;
  return sum;
}

ShardRecords::Made ImagenetShards::make(int shard, int64_t i) const {
  PictureRecord record = make_record(picture(shard, i), label(picture(shard, i)));
  return {std::move(record.payload), record.encoded_anew};
}

bool ImagenetShards::is_record(int shard, int64_t i, std::string_view payload,
                               const std::string& origin) const {
  const RecordFacts facts = check_record(payload, origin);
  const RawPicture& wanted = picture(shard, i);
  return wanted.name == facts.filename && label(wanted) == facts.label;
}

}  // namespace convoy
