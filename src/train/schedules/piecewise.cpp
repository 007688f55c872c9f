// Constant between given epochs. An epoch's boundary is the step int(epoch * steps per epoch); an
// option says whether this very step has the old rate or the new one, because frameworks differ.

#include "base/error.h"
#include "train/schedules/schedule.h"

namespace convoy {
namespace {

struct Piece {
  double epoch;
  double factor;
};

enum class Boundary { left, right };
constexpr auto words_of(Boundary) { return words<Boundary>("left", "right"); }

class Piecewise : public Schedule {
 public:
  Piecewise(std::vector<Piece> pieces, bool belongs_left)
      : pieces_(std::move(pieces)), belongs_left_(belongs_left) {}
  double rate(double step, double peak, const ScheduleSite& road) const override {
    double factor = 1;
    for (const Piece& piece : pieces_) {
      const double boundary = whole_steps(piece.epoch * road.steps_per_epoch);
      if (belongs_left_ ? step > boundary : step >= boundary) factor = piece.factor;
    }
    return peak * factor;
  }

 private:
  std::vector<Piece> pieces_;
  bool belongs_left_;
};

std::unique_ptr<Schedule> make(Fields& field) {
  std::vector<double> epochs{30, 60, 80}, factors{0.1, 0.01, 0.001};
  auto boundary = Boundary::right;
  int stretch = 0;
  field("piecewise-epochs", epochs,
        "epochs at which it changes, rising; with a warm-up they count from its end, unless "
        "--warmup-kind is replace or multiply",
        at_least(0));
  field("piecewise-factors", factors, "share of the peak from each of them on", at_least(0));
  field("piecewise-boundary", boundary,
        "the step right at a boundary has the rate left of it (TensorFlow's piecewise_constant) or "
        "right of it");
  field("piecewise-stretch", stretch,
        "K: every boundary comes later by K tenths, at epoch x (1 + K/10)", at_least(0), {"k"});
  if (epochs.size() != factors.size()) {
    raise(Fault::usage,
          "{} piecewise-epochs and {} piecewise-factors; try: one factor for each epoch",
          epochs.size(), factors.size());
  }
  std::vector<Piece> pieces;
  for (size_t i = 0; i < epochs.size(); ++i) {
    if (i > 0 && epochs[i] <= epochs[i - 1]) {
      raise(Fault::usage, "piecewise-epochs has {} after {}; try: rising epochs, as 30,60,80",
            epochs[i], epochs[i - 1]);
    }
    pieces.push_back({epochs[i] * (1 + stretch / 10.0), factors[i]});
  }
  return std::make_unique<Piecewise>(std::move(pieces), boundary == Boundary::left);
}

}  // namespace

ScheduleDef piecewise_schedule() {
  return {
      .name = "piecewise", .help = "given shares of the peak from given epochs on", .make = make};
}

}  // namespace convoy
