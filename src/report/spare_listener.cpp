#include "report/spare_listener.h"

#include <fmt/format.h>

#include "base/error.h"

namespace convoy {
namespace {

class Spare final : public Listener {
 public:
  Spare(std::unique_ptr<Listener> inner, std::string what, Listener& all)
      : inner_(std::move(inner)), what_(std::move(what)), all_(all) {}

  void on(const RunEvent& event) override {
    try_to([&] { inner_->on(event); });
  }
  void flush() override {
    try_to([&] { inner_->flush(); });
  }

 private:
  template <class Body>
  void try_to(const Body& body) {
    if (!inner_) return;
    try {
      body();
    } catch (const Error& error) {
      // First of all: the warning comes back here.
      inner_.reset();
      all_.on(Warning{fmt::format("{} end here: {}", what_, error.what())});
    }
  }

  std::unique_ptr<Listener> inner_;
  std::string what_;
  Listener& all_;
};

}  // namespace

std::unique_ptr<Listener> spare_listener(std::unique_ptr<Listener> inner, std::string what,
                                         Listener& all) {
  return std::make_unique<Spare>(std::move(inner), std::move(what), all);
}

}  // namespace convoy
