#include "app/bench/bench_data.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "base/show.h"
#include "base/text/json_text.h"
#include "base/threads/thread_pool.h"
#include "data/loading/order.h"

namespace convoy {
namespace {

constexpr int64_t most_images = 1024;  // per round

}  // namespace

void bench_data(const BenchDataOptions& options, const RunConfig& config) {
  const auto data = config.data.open(true, config.seed);
  const AugmentChain chain = config.data.chain(data->image_shape(), true);
  ThreadPool pool(config.thread_count());
  const auto image = static_cast<size_t>(data->image_shape().count());
  struct Desk {
    std::vector<uint8_t> bytes;
    std::vector<float> values;
    std::vector<std::byte> image, scratch;
    Sample sample;
  };
  std::vector<Desk> desks(static_cast<size_t>(pool.size()));
  for (Desk& desk : desks) {
    desk.image.resize(stored_bytes(data->image()));
    desk.values.resize(image);
    desk.bytes.resize(image);
    desk.scratch.resize(chain.scratch_bytes());
  }
  const int64_t images = std::min(data->size(), most_images);
  const auto round = [&](int number) {
    const Order order(data->size(), config.seed, 0, true, data->run_length());
    const double begin = steady_seconds();
    pool.run(static_cast<int>(images), [&](int task, int worker) {
      Desk& desk = desks[static_cast<size_t>(worker)];
      const auto sample = order[task];
      const auto keyed = [&](Purpose purpose) {
        return random_key(config.seed, purpose, static_cast<uint64_t>(number),
                          static_cast<uint64_t>(sample));
      };
      desk.sample.begin(desk.image.data(), data->image_type());
      data->read(sample, keyed(Purpose::view), desk.sample);
      if (config.data.eight_bit_io) {
        chain.run_bytes(desk.sample.pixels(), desk.bytes.data(), keyed(Purpose::augment),
                        desk.scratch.data());
      } else {
        chain.run(desk.sample, desk.values.data(), keyed(Purpose::augment), desk.scratch.data());
      }
    });
    return static_cast<double>(images) / (steady_seconds() - begin);
  };
  round(0);  // brings the files into the page cache
  std::vector<double> rates;
  for (int i = 1; i <= options.rounds; ++i) rates.push_back(round(i));
  std::sort(rates.begin(), rates.end());
  const double median = rates[rates.size() / 2];
  if (options.json) {
    const nlohmann::ordered_json result{{"dataset", config.data.dataset_name()},
                                        {"image_size", data->image_shape()[2]},
                                        {"images", images},
                                        {"threads", pool.size()},
                                        {"images_per_s", median},
                                        {"images_per_s_best", rates.back()}};
    show_text(json_text(result) + "\n");
    return;
  }
  show("{}, {} images of {}x{}, {} threads: {:.0f} images/s (best {:.0f}), {:.2f} ms each\n",
       config.data.dataset_name(), images, data->image_shape()[1], data->image_shape()[2],
       pool.size(), median, rates.back(), 1e3 * pool.size() / median);
}

}  // namespace convoy
