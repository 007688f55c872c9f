// Reads the heads as their convolutions write them, plain or blocked, so that no reorder is needed:
// the numbers of one pixel are in few cache lines.

#include "ops/box_heads.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "ops/checks.h"
#include "ops/elementwise/elementwise_kernel.h"
#include "ops/family.h"
#include "ops/form_rules.h"
#include "tensor/isa.h"
#include "tensor/kernel.h"

namespace convoy::ops {
namespace {

int64_t shapes_of(const Shape& map, int64_t columns) { return map[1] / columns; }
int64_t boxes_of(const Shape& map, int64_t columns) {
  return shapes_of(map, columns) * map[2] * map[3];
}

Types infer_join(const Node& n, std::span<const TensorType> in) {
  const BoxHeads& heads = n.attrs<BoxHeads>();
  need_floats(n, in);
  Shape out{in[0].shape[0], 0, heads.columns};
  for (const TensorType& map : in) {
    if (map.shape.rank() != 4 || map.shape[0] != out[0] || map.shape[1] % heads.columns != 0) {
      raise(Fault::usage, "a head {} does not have {} numbers per box", to_string(map.shape),
            heads.columns);
    }
    out[1] += boxes_of(map.shape, heads.columns);
  }
  return {{out}};
}

// Where the numbers of one map are, in the map and in the rows.
class MapPlaces {
 public:
  MapPlaces(const TensorType& map, const BoxHeads& heads, int64_t first, int64_t boxes)
      : columns_(heads.columns),
        shapes_(shapes_of(map.shape, columns_)),
        pixels_(map.shape[2] * map.shape[3]),
        first_(first),
        boxes_(boxes),
        stored_(stored_count(map) / map.shape[0]),
        channels_(map.shape[1]) {
    const int64_t block = map.layout == Layout::blocked ? channel_block() : 1;
    step_ = block;
    for (int64_t shape = 0; shape < shapes_; ++shape) {
      for (const int column : heads.order) {
        const int64_t channel = column * shapes_ + shape;
        places_.push_back(channel / block * block * pixels_ + channel % block);
      }
    }
    for (int64_t lane = channels_; lane < round_up(channels_, block); ++lane) {
      padding_.push_back(lane / block * block * pixels_ + lane % block);
    }
  }

  Chunks chunks() const { return {pixels_, 256}; }

  // body(place in the map, place in the rows) for the numbers of pixel `p` of a sample, as rows of
  // `columns`.
  template <class Body>
  void each_row(int64_t sample, int64_t p, const Body& body) const {
    const int64_t map = sample * stored_ + p * step_;
    for (int64_t shape = 0; shape < shapes_; ++shape) {
      const int64_t row = (sample * boxes_ + first_ + shape * pixels_ + p) * columns_;
      const int64_t* places = places_.data() + shape * columns_;
      for (int64_t j = 0; j < columns_; ++j) body(map + places[j], row + j);
    }
  }
  template <class T>
  void clear_padding(int64_t sample, int64_t p, T* to) const {
    for (const int64_t lane : padding_) to[sample * stored_ + p * step_ + lane] = T{};
  }

 private:
  int64_t columns_, shapes_, pixels_, first_, boxes_, stored_, channels_;
  int64_t step_ = 1;                       // from one pixel to the next
  std::vector<int64_t> places_, padding_;  // of each column of each shape; of lanes without channel
};

// T: storage type of the maps; rows are fp32.
template <class T>
std::unique_ptr<Kernel> join_kernel_in(const Node& n, const KernelSite& site) {
  const BoxHeads& heads = n.attrs<BoxHeads>();
  const Shape& out = site.out[0].shape;
  const auto rows = site.output<float>(0);
  const auto maps = site.inputs<T>();
  auto kernel = std::make_unique<PhasedKernel>();
  int64_t first = 0;
  for (size_t i = 0; i < site.in.size(); ++i) {
    const MapPlaces places(site.in[i], heads, first, out[1]);
    first += boxes_of(site.in[i].shape, heads.columns);
    const Chunks chunks = places.chunks();
    kernel->phase(out[0] * chunks.tasks(), [=, map = maps[i]](int task, const KernelArgs& args) {
      const T* from = map(args);
      float* to = rows(args);
      const int64_t sample = task / chunks.tasks(), begin = chunks.begin(task % chunks.tasks());
      const int64_t end = begin + chunks.length(task % chunks.tasks());
      for (int64_t p = begin; p < end; ++p) {
        places.each_row(sample, p, [=](int64_t in, int64_t row) { to[row] = widened(from[in]); });
      }
    });
  }
  return kernel;
}

std::unique_ptr<Kernel> join_kernel(const Node& n, const KernelSite& site) {
  return by_storage(site.in[0], [&]<class T>() { return join_kernel_in<T>(n, site); });
}

struct PartAttrs {
  BoxHeads heads;
  Shape map;
  int64_t first;  // its first box
};

Types infer_part(const Node& n, std::span<const TensorType>) {
  return {{n.attrs<PartAttrs>().map, n.stores}};
}

template <class T>
std::unique_ptr<Kernel> part_kernel_in(const Node& n, const KernelSite& site) {
  const auto& attrs = n.attrs<PartAttrs>();
  const MapPlaces places(site.out[0], attrs.heads, attrs.first, site.in[0].shape[1]);
  const Chunks chunks = places.chunks();
  const auto rows = site.input<float>(0);
  const auto map = site.output<T>(0);
  return one_phase(site.in[0].shape[0] * chunks.tasks(), [=](int task, const KernelArgs& args) {
    const float* from = rows(args);
    T* to = map(args);
    const int64_t sample = task / chunks.tasks(), begin = chunks.begin(task % chunks.tasks());
    const int64_t end = begin + chunks.length(task % chunks.tasks());
    for (int64_t p = begin; p < end; ++p) {
      places.each_row(sample, p,
                      [=](int64_t out, int64_t row) { to[out] = rounded_to<T>(from[row]); });
      places.clear_padding(sample, p, to);
    }
  });
}

std::unique_ptr<Kernel> part_kernel(const Node& n, const KernelSite& site) {
  return by_storage(site.out[0], [&]<class T>() { return part_kernel_in<T>(n, site); });
}

const OpDef part_def{.name = "join_box_heads_grad",
                     .infer = infer_part,
                     .kernel = part_kernel,
                     .forms = blocked_images,
                     .chooses_storage = true};

Values join_grad(Builder& b, const Node& n, std::span<const Value> d) {
  const BoxHeads& heads = n.attrs<BoxHeads>();
  Values parts;
  int64_t first = 0;
  for (const Value map : n.in) {
    const Shape shape = b.shape(map);
    parts.push_back(b.wants_grad(map) ? b.emit(part_def, {d[0]}, PartAttrs{heads, shape, first})
                                      : Value{});
    first += boxes_of(shape, heads.columns);
  }
  return parts;
}

std::string describe(const Node& n) {
  return fmt::format("{} columns", n.attrs<BoxHeads>().columns);
}

const OpDef join_def{.name = "join_box_heads",
                     .infer = infer_join,
                     .grad = join_grad,
                     .kernel = join_kernel,
                     .forms = moved<blocked_images>,
                     .narrowing = Narrowing::follows,
                     .describe = describe};

}  // namespace

Value join_box_heads(Builder& b, const Values& maps, int64_t columns,
                     const std::vector<int>& order) {
  BoxHeads heads{columns, order};
  if (order.empty()) {
    heads.order.resize(static_cast<size_t>(columns));
    std::iota(heads.order.begin(), heads.order.end(), 0);
  }
  expect(static_cast<int64_t>(heads.order.size()) == columns, "one entry per column");
  return b.emit(join_def, maps, std::move(heads));
}

const BoxHeads& box_heads(const Node& node) { return node.attrs<BoxHeads>(); }

OpFamily box_heads_ops() { return {.ops = {&join_def, &part_def}}; }

}  // namespace convoy::ops
