// Built on nlohmann's events. Its own tree builder has no depth limit, and its variant with a
// callback takes quadratic time: it looks at all earlier members after each one.
#include "base/text/json.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <vector>

namespace convoy {
namespace {

std::string in_quotes(std::string_view text) { return fmt::format("{:?}", text.substr(0, 120)); }

template <class Json>
class Builder : public nlohmann::json_sax<Json> {
 public:
  using Base = nlohmann::json_sax<Json>;
  using Take = std::function<void(const std::string&, const Json&)>;

  // With `take`, members of the outermost object go to it instead of into the tree.
  Builder(const JsonLimits& limits, Take take) : limits_(limits), take_(std::move(take)) {}

  Json build(std::string_view text) {
    if (text.size() > limits_.bytes) {
      throw JsonError(fmt::format("has {} bytes, more than {}", text.size(), limits_.bytes));
    }
    // nlohmann's parser would stop at a zero byte and skip a byte order mark.
    if (text.find('\0') != text.npos) throw JsonError("contains a zero byte");
    if (text.starts_with("\xef\xbb\xbf")) throw JsonError("begins with a byte order mark");
    Json::sax_parse(text.begin(), text.end(), this);
    return std::move(root_);
  }

  bool null() override { return leaf(nullptr); }
  bool boolean(bool value) override { return leaf(value); }
  bool number_integer(typename Base::number_integer_t value) override { return leaf(value); }
  bool number_unsigned(typename Base::number_unsigned_t value) override { return leaf(value); }
  bool number_float(typename Base::number_float_t value, const typename Base::string_t&) override {
    return leaf(value);
  }
  bool string(typename Base::string_t& value) override { return leaf(std::move(value)); }
  bool binary(typename Base::binary_t&) override { return false; }  // does not occur in JSON text

  bool start_object(size_t) override { return open(Json::object()); }
  bool start_array(size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(typename Base::string_t& name) override {
    if (open_.back()->contains(name)) throw JsonError("has " + in_quotes(name) + " twice");
    key_ = std::move(name);
    if (open_.size() == 1) member_ = key_;
    return true;
  }

  bool parse_error(size_t, const std::string&, const nlohmann::detail::exception& error) override {
    refuse_json(error.what());
  }

 private:
  template <class Value>
  bool leaf(Value&& value) {
    add(std::forward<Value>(value));
    hand_over();
    return true;
  }
  bool open(Json container) {
    if (open_.size() >= limits_.depth) throw JsonError("nests too deeply");
    if (take_ && open_.empty() && !container.is_object()) throw JsonError("is not an object");
    open_.push_back(add(std::move(container)));
    return true;
  }
  bool close() {
    open_.pop_back();
    hand_over();
    return true;
  }

  // Returns where the value now is. The address stays valid while the value is open: its parent
  // does not grow meanwhile.
  Json* add(Json value) {
    if (++values_ > limits_.values) {
      throw JsonError(fmt::format("holds more than {} values", limits_.values));
    }
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    Json& parent = *open_.back();
    if (parent.is_object()) return &(parent[key_] = std::move(value));
    parent.push_back(std::move(value));
    return &parent.back();
  }
  // Called after each value: passes it to `take` if it was a member of the outermost object.
  void hand_over() {
    if (!take_ || open_.size() > 1) return;
    if (open_.empty()) {
      if (!root_.is_object()) throw JsonError("is not an object");
      return;
    }
    take_(member_, root_[member_]);
    root_.clear();
    values_ = 1;
  }

  const JsonLimits& limits_;
  const Take take_;
  Json root_;
  std::vector<Json*> open_;
  std::string key_, member_;
  size_t values_ = 0;
};

}  // namespace

void refuse_json(std::string_view report, std::string_view place) {
  throw JsonError(fmt::format("is not JSON{}: {}", place, in_quotes(report)));
}

nlohmann::json parse_json(std::string_view text, const JsonLimits& limits) {
  return Builder<nlohmann::json>(limits, nullptr).build(text);
}

nlohmann::ordered_json parse_ordered_json(std::string_view text, const JsonLimits& limits) {
  return Builder<nlohmann::ordered_json>(limits, nullptr).build(text);
}

void for_each_json_member(
    std::string_view text, const JsonLimits& limits,
    const std::function<void(const std::string& name, const nlohmann::json& value)>& take) {
  Builder<nlohmann::json>(limits, take).build(text);
}

}  // namespace convoy
