#include "weights/match.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/error.h"
#include "base/text/some_of.h"
#include "base/text/text.h"

namespace convoy {
namespace {

constexpr size_t told_names = 3;  // how many of a longer list a message names

constexpr std::array<std::string_view, 5> prefixes{"module.", "model.", "_orig_mod.", "backbone.",
                                                   "net."};

// Counters, and the state that optimizers save beside the weights.
bool is_aside(std::string_view name) {
  constexpr std::string_view keras_suffix = "/.ATTRIBUTES/VARIABLE_VALUE";
  if (name.ends_with(keras_suffix)) name.remove_suffix(keras_suffix.size());
  if (name.find(".OPTIMIZER_SLOT") != name.npos || name.starts_with("optimizer/")) return true;
  for (const std::string_view end :
       {"num_batches_tracked", "n_averaged", "global_step", "save_counter", "beta1_power",
        "beta2_power", "/Momentum", "/Adam", "/Adam_1", "/RMSProp", "/RMSProp_1",
        "/ExponentialMovingAverage", "loss_scale", "good_steps"}) {
    if (name.ends_with(end)) return true;
  }
  return false;
}

struct Candidate {
  std::string name;  // without prefixes
  const TensorEntry* tensor;
};

std::vector<Candidate> candidates_of(const WeightFile& file) {
  std::vector<Candidate> all;
  for (const TensorEntry& tensor : file.tensors()) {
    if (!is_aside(tensor.name)) all.push_back({tensor.name, &tensor});
  }
  // Prefixes are erased once at the end: a name may be long and consist of prefixes only.
  size_t taken = 0;
  for (bool again = !all.empty(); again;) {
    again = false;
    for (const std::string_view prefix : prefixes) {
      const auto has_it = [&](const Candidate& c) {
        return std::string_view(c.name).substr(taken).starts_with(prefix);
      };
      if (!std::ranges::all_of(all, has_it)) continue;
      taken += prefix.size();
      again = true;
    }
  }
  for (Candidate& c : all) c.name.erase(0, taken);
  return all;
}

bool only_differ_in(int dimension, Shape a, const Shape& b) {
  if (a.rank() <= dimension || a.rank() != b.rank()) return false;
  a[dimension] = b[dimension];
  return a == b;
}

Match match_names(const std::vector<Candidate>& candidates, std::span<const Wanted> wanted,
                  const Renames& renames, const WeightRename* library = nullptr) {
  struct Source {
    const TensorEntry* tensor;
    Renamed how;
    bool used = false;
  };
  std::map<std::string, Source> sources;
  Match match{.wanted = wanted.size()};
  for (const Candidate& c : candidates) {
    const auto renamed = renames.find(c.name);
    Source source{c.tensor, renamed != renames.end() ? renamed->second : Renamed{c.name}};
    const std::string& ours = source.how.name;
    if (ours.empty()) {
      match.left_out.push_back(c.tensor->name);
      continue;
    }
    if (!sources.emplace(ours, source).second) match.unused.push_back(c.tensor->name);
  }
  for (const Wanted& want : wanted) {
    const auto found = sources.find(want.name);
    if (found == sources.end()) {
      const bool outside = library && library->is_part && !library->is_part(want.name);
      (outside ? match.fresh : match.missing).push_back(&want);
      continue;
    }
    Source& source = found->second;
    source.used = true;
    const Shape shape = arranged(source.tensor->shape, source.how.arrangement);
    if (shape == want.shape && source.tensor->dtype == DType::f32) {
      match.pairs.push_back({&want, source.tensor, source.how});
    } else if (want.stem && source.tensor->dtype == DType::f32 &&
               only_differ_in(1, shape, want.shape)) {
      match.recoloured.push_back({&want, source.tensor, source.how});
    } else {
      match.different.push_back({&want, source.tensor->dtype, shape});
    }
  }
  for (const auto& [name, source] : sources) {
    if (!source.used) match.unused.push_back(source.tensor->name);
  }
  return match;
}

// An ordinary name as it is; others are escaped.
std::string plain(std::string_view name) {
  const bool ordinary =
      name.size() <= 120 && std::ranges::all_of(name, [](char c) { return c > ' ' && c < 127; });
  return ordinary ? std::string(name) : shown(name);
}

}  // namespace

Shape arranged(const Shape& s, Arrangement from) {
  if (from == Arrangement::hwio && s.rank() == 4) return {s[3], s[2], s[0], s[1]};
  if (from == Arrangement::hwim && s.rank() == 4) return {s[2] * s[3], 1, s[0], s[1]};
  if (from == Arrangement::in_out && s.rank() == 2) return {s[1], s[0]};
  return s;
}

void copy_renamed(const TensorEntry& tensor, const Renamed& how, std::span<float> into) {
  const Shape& s = tensor.shape;
  expect(tensor.dtype == DType::f32 && tensor.data.size() == into.size_bytes(),
         "a tensor is copied into one of another size");
  if (into.empty()) return;
  // Our shape is [c, b, a]. Its element [i, j, k] is at i * of_c + j * of_b + k * of_a in the file.
  const Shape ours = arranged(s, how.arrangement);
  const int64_t c = ours.rank() > 0 ? ours[0] : 1, b = ours.rank() > 1 ? ours[1] : 1;
  const int64_t a = ours.count() / (b * c);
  int64_t of_c = a * b, of_b = a, of_a = 1;
  if (ours.rank() == s.rank() && how.arrangement != Arrangement::same && s.rank() >= 2) {
    of_c = 1, of_b = c, of_a = b * c;
  }
  expect(how.out_order.empty() || static_cast<int64_t>(how.out_order.size()) == c,
         "an order of other channels");
  expect(how.in_order.empty() || static_cast<int64_t>(how.in_order.size()) == b,
         "an order of other channels");
  float* to = into.data();
  for (int64_t i = 0; i < c; ++i) {
    const int64_t out = how.out_order.empty() ? i : how.out_order[static_cast<size_t>(i)];
    for (int64_t j = 0; j < b; ++j) {
      const int64_t in = how.in_order.empty() ? j : how.in_order[static_cast<size_t>(j)];
      for (int64_t k = 0; k < a; ++k, ++to) {
        const auto place = static_cast<size_t>(out * of_c + in * of_b + k * of_a);
        std::memcpy(to, tensor.data.data() + sizeof(float) * place, sizeof(float));
      }
    }
  }
}

void copy_recoloured(std::span<const float> from, const Shape& shape, std::span<float> into,
                     const Shape& wanted) {
  const int64_t had = shape[1], has = wanted[1], window = shape.count() / (shape[0] * had);
  for (int64_t out = 0; out < shape[0]; ++out) {
    for (int64_t in = 0; in < has; ++in) {
      for (int64_t k = 0; k < window; ++k) {
        const float* old = from.data() + out * had * window + k;
        double sum = 0;
        for (int64_t c = 0; c < had && has == 1; ++c) sum += static_cast<double>(old[c * window]);
        if (has > 1) {
          sum = static_cast<double>(old[in % had * window]) * static_cast<double>(had) /
                static_cast<double>(has);
        }
        into[static_cast<size_t>((out * has + in) * window + k)] = static_cast<float>(sum);
      }
    }
  }
}

bool Match::only_classes_differ() const {
  return std::ranges::all_of(different, [](const Different& d) {
    return d.wanted->head && d.dtype == DType::f32 && only_differ_in(0, d.shape, d.wanted->shape);
  });
}

bool Match::fits(HeadPolicy policy) const {
  if (!missing.empty() || !unused.empty()) return false;
  if (policy != HeadPolicy::must_fit) return only_classes_differ();
  return different.empty() && recoloured.empty() && fresh.empty();
}

std::string Match::verdict() const {
  std::string text = fmt::format("{} of {} tensors", pairs.size(), wanted);
  std::vector<std::string> names;
  if (!different.empty() && only_classes_differ()) {
    for (const Different& d : different) names.push_back(plain(d.wanted->name));
    text += fmt::format("; new: {} ({} → {})", join(names, ", "), different.front().shape[0],
                        different.front().wanted->shape[0]);
  } else if (!different.empty()) {
    for (const Different& d : different) {
      const bool typed = d.dtype != DType::f32;
      names.push_back(fmt::format("{} ({}{}{}, the model has {})", plain(d.wanted->name),
                                  typed ? name(d.dtype) : "", typed ? " " : "", to_string(d.shape),
                                  to_string(d.wanted->shape)));
    }
    text += "; different: " + some_of(names, told_names);
  }
  for (const Pair& pair : recoloured) {
    const Shape shape = arranged(pair.source->shape, pair.how.arrangement);
    text += fmt::format("; made to fit: {} ({} → {} channels)", plain(pair.wanted->name), shape[1],
                        pair.wanted->shape[1]);
  }
  if (!fresh.empty()) {
    names.clear();
    for (const Wanted* want : fresh) names.push_back(plain(want->name));
    text += "; new: " + some_of(names, told_names);
  }
  if (!left_out.empty()) {
    names.clear();
    for (const std::string& name : left_out) names.push_back(plain(name));
    text += "; left out: " + some_of(names, told_names);
  }
  if (!missing.empty()) {
    names.clear();
    for (const Wanted* want : missing) names.push_back(plain(want->name));
    text += "; missing: " + some_of(names, told_names);
  }
  if (!unused.empty()) {
    names.clear();
    for (const std::string& name : unused) names.push_back(plain(name));
    text += "; without a place: " + some_of(names, told_names);
  }
  return text;
}

size_t tensors_to_match(const WeightFile& file) {
  return static_cast<size_t>(std::ranges::count_if(
      file.tensors(), [](const TensorEntry& tensor) { return !is_aside(tensor.name); }));
}

KnownTraining known_training(const WeightFile& file) {
  std::map<std::string, Shape> tensors;
  for (const Candidate& c : candidates_of(file)) tensors.emplace(c.name, c.tensor->shape);
  for (const WeightRename& rename : weight_rename_catalog()) {
    if (!rename.trained_with) continue;
    KnownOptions options = rename.trained_with(tensors);
    if (!options.empty()) return {rename.name, std::move(options)};
  }
  return {};
}

Match match_weights(const WeightFile& file, std::span<const Wanted> wanted) {
  const std::vector<Candidate> candidates = candidates_of(file);
  std::vector<std::string> names;
  for (const Candidate& c : candidates) names.push_back(c.name);
  Match best = match_names(candidates, wanted, {});
  for (const WeightRename& rename : weight_rename_catalog()) {
    const Renames renames = rename.rename(names, wanted);
    if (renames.empty()) continue;
    Match match = match_names(candidates, wanted, renames, &rename);
    // If equally many fit, prefer fewer missing tensors: a head with another number of classes fits
    // under no translation, but under the right one it is not missing.
    if (match.pairs.size() < best.pairs.size() ||
        (match.pairs.size() == best.pairs.size() && match.missing.size() >= best.missing.size())) {
      continue;
    }
    best = std::move(match);
    best.rename = rename.name;
  }
  return best;
}

}  // namespace convoy
