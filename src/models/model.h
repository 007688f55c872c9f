// A model family is one file here; a variant is one row in it. `model_catalog()` lists them all.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/builder.h"

namespace convoy {

// What a model is given besides the builder.
struct ModelInput {
  Value image;  // [n, c, h, w]
  Value key;    // s64 [n], for dropout; see ops/dropout.h
  int classes;
  bool zero_init_residual = false;  // the last gamma of each residual block starts at zero
};

struct Variant {
  std::string name;  // on the command line
  // Gives the logits [n, classes].
  std::function<Value(Builder&, const ModelInput&)> build;
};

struct ModelDef {
  std::string_view family;
  std::string_view help;
  int image_size;  // the native one
  int channels;
  int classes;  // of the data it is usually trained on
  std::vector<Variant> variants;
};

const std::vector<ModelDef>& model_catalog();

struct FoundModel {
  const ModelDef& family;
  const Variant& variant;
};
// Usage error naming the nearest when there is none of that name.
FoundModel find_model(std::string_view name);

}  // namespace convoy
