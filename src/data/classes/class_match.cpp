#include "data/classes/class_match.h"

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/text/some_of.h"
#include "base/text/text.h"
#include "data/objects.h"

namespace convoy {
namespace {

std::string trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(" \t\r");
  if (begin == text.npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

// Calls `take(line, number)` for every line that is neither empty nor a comment.
template <class Take>
void each_line(const fs::path& file, const Take& take) {
  int number = 0;
  for (const std::string& raw : split(read_file(file, Fault::data), '\n')) {
    ++number;
    const std::string line = trimmed(raw);
    if (!line.empty() && line[0] != '#') take(line, number);
  }
}

// "a, b, c and 7 more"; never "and 1 more".
std::string listed(const ClassNames& names) { return some_of(names, names.size() == 6 ? 6 : 5); }

class ByName {
 public:
  explicit ByName(const ClassNames& names) : names_(names) {
    for (size_t i = 0; i < names.size(); ++i) numbers_.emplace(names[i], static_cast<int32_t>(i));
  }
  // -1: unknown.
  int32_t find(const std::string& name) const {
    const auto found = numbers_.find(name);
    return found == numbers_.end() ? -1 : found->second;
  }
  // If exactly one of the two names is only a number, the class has no name there and is matched by
  // its index.
  int32_t find_unnamed(const std::string& name, size_t index) const {
    if (index >= names_.size() || is_number(name) == is_number(names_[index])) return -1;
    return static_cast<int32_t>(index);
  }

 private:
  const ClassNames& names_;
  std::map<std::string, int32_t> numbers_;
};

class MatchedDataset final : public Dataset {
 public:
  MatchedDataset(std::unique_ptr<Dataset> data, ClassNames names, std::vector<int32_t> labels,
                 std::string remark)
      : data_(std::move(data)),
        names_(std::move(names)),
        labels_(std::move(labels)),
        remark_(std::move(remark)) {
    const std::string own = data_->remark();
    if (!own.empty()) remark_ = remark_.empty() ? own : own + "; " + remark_;
  }

  int64_t size() const override { return data_->size(); }
  Shape image_shape() const override { return data_->image_shape(); }
  DType image_type() const override { return data_->image_type(); }
  int classes() const override { return static_cast<int>(names_.size()); }
  std::vector<std::string> class_names() const override { return names_; }
  int64_t resident_bytes() const override { return data_->resident_bytes(); }
  int64_t expected_bytes() const override { return data_->expected_bytes(); }
  std::vector<int64_t> class_counts() const override {
    const std::vector<int64_t> own = data_->class_counts();
    std::vector<int64_t> counts(own.empty() ? 0 : names_.size());
    for (size_t i = 0; i < own.size(); ++i) counts[static_cast<size_t>(labels_[i])] += own[i];
    return counts;
  }
  TensorList tensors() const override { return data_->tensors(); }
  void read(int64_t index, uint64_t key, Sample& sample) const override {
    data_->read(index, key, sample);
    const auto matched = [&](auto number) { return labels_[static_cast<size_t>(number)]; };
    if (!sample.find(object_tensor::classes)) {
      int32_t& label = sample.get<int32_t>("label")[0];
      label = matched(label);
      return;
    }
    for (int32_t& number : sample.get<int32_t>(object_tensor::classes)) number = matched(number);
    const std::span<double> truth = sample.get<double>(object_tensor::truth);
    for (size_t i = object_tensor::truth_class; i < truth.size();
         i += object_tensor::truth_columns) {
      truth[i] = matched(truth[i]);
    }
  }
  std::string origin(int64_t index) const override { return data_->origin(index); }
  KeptSample kept(int64_t index) const override { return data_->kept(index); }
  uint64_t content_hash(int64_t index) const override {
    const std::string_view labels(reinterpret_cast<const char*>(labels_.data()),
                                  labels_.size() * sizeof(int32_t));
    return data_->content_hash(index) ^ hash_bytes(labels);
  }
  std::string remark() const override { return remark_; }
  void announce_read(int64_t index) const override { data_->announce_read(index); }
  int64_t run_length() const override { return data_->run_length(); }

 private:
  std::unique_ptr<Dataset> data_;
  ClassNames names_;
  std::vector<int32_t> labels_;  // by the dataset's own label
  std::string remark_;
};

[[noreturn]] void refuse(const ClassNames& unknown, const ClassNames& missing,
                         const ClassNames& network, const std::string& whose) {
  const bool one = unknown.size() == 1;
  const std::string near = nearest(unknown.front(), missing.empty() ? network : missing);
  const std::string target = !near.empty() ? near : missing.empty() ? network[0] : missing[0];
  raise(Fault::data,
        "{} of the data, {}, {} not among the {} of {}{}; try: --class-map FILE with the line "
        "`{} = {}` if that is the same",
        one ? "a class" : fmt::format("{} classes", unknown.size()), listed(unknown),
        one ? "is" : "are", network.size(), whose,
        missing.empty() ? "" : ", of which the data lacks " + listed(missing), unknown.front(),
        target);
}

}  // namespace

ClassNames read_class_names(const fs::path& file) {
  ClassNames names;
  std::set<std::string> known;
  each_line(file, [&](const std::string& name, int number) {
    if (!known.insert(name).second) {
      raise(Fault::data, "{}:{}: {} is there twice; try: one line for each class", file.string(),
            number, name);
    }
    names.push_back(name);
  });
  if (names.empty()) raise(Fault::data, "{} names no class; try: one line for each", file.string());
  return names;
}

ClassMap read_class_map(const fs::path& file) {
  ClassMap map;
  each_line(file, [&](const std::string& line, int number) {
    const size_t equals = line.find('=');
    const std::string from = trimmed(line.substr(0, equals));
    const std::string to = equals == line.npos ? "" : trimmed(line.substr(equals + 1));
    if (from.empty() || to.empty()) {
      raise(Fault::data,
            "{}:{}: is not of the form `name in the data = name in the weights`; try: one such "
            "line for each class that is called otherwise",
            file.string(), number);
    }
    if (!map.emplace(from, to).second) {
      raise(Fault::data, "{}:{}: {} is there twice; try: one line for each class", file.string(),
            number, from);
    }
  });
  return map;
}

bool same_names(ClassNames a, ClassNames b) {
  std::ranges::sort(a);
  std::ranges::sort(b);
  return a == b;
}

std::unique_ptr<Dataset> with_classes(std::unique_ptr<Dataset> data, const ClassNames& network,
                                      const ClassMap& map, const std::string& whose) {
  const ClassNames own = data->class_names();
  if (own == network && map.empty()) return data;
  const ByName known(network);
  for (const auto& [from, to] : map) {
    if (std::ranges::find(own, from) == own.end()) {
      raise(Fault::data, "--class-map speaks of {}, which is no class of the data; it has {}", from,
            listed(own));
    }
    if (known.find(to) >= 0) continue;
    const std::string near = nearest(to, network);
    raise(Fault::data, "--class-map speaks of {}, which is no class of {}; try: {}", to, whose,
          near.empty() ? listed(network) : near);
  }
  std::vector<int32_t> labels;
  ClassNames unknown;
  std::vector<char> has(network.size());
  for (size_t i = 0; i < own.size(); ++i) {
    const auto mapped = map.find(own[i]);
    int32_t label = known.find(mapped == map.end() ? own[i] : mapped->second);
    if (label < 0) label = known.find_unnamed(own[i], i);
    if (label < 0) unknown.push_back(own[i]);
    labels.push_back(label);
    if (label >= 0) has[static_cast<size_t>(label)] = 1;
  }
  ClassNames missing;
  for (size_t i = 0; i < network.size(); ++i) {
    if (!has[i] && network[i] != "background") missing.push_back(network[i]);
  }
  if (!unknown.empty()) refuse(unknown, missing, network, whose);
  const std::string remark =
      missing.empty()
          ? ""
          : fmt::format("the data has no {} of {}: {}",
                        missing.size() == 1 ? "pictures of one class"
                                            : fmt::format("pictures of {} classes", missing.size()),
                        whose, listed(missing));
  return std::make_unique<MatchedDataset>(std::move(data), network, std::move(labels), remark);
}

}  // namespace convoy
