// A model family is one file here; a variant is one row in it. `model_catalog()` lists them all.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "config/fields.h"
#include "graph/builder.h"

namespace convoy {

// What a recipe may change about a model. A family names what it takes (`ModelDef::takes`).
struct ModelOptions {
  bool zero_init_residual = false;  // the last gamma of each residual block starts at zero
  std::string norm = "auto";        // the model's own, "batch" or "group"
  int norm_groups = 0;              // of group norm; 0: the model's own
  double dropout_rate = -1;         // before the head; below 0: the model's own
  double block_survival_prob = -1;  // of the last residual block; below 0: the model's own
  int stem_channels = 0;            // channels the stem sees; 0: the image's
  double norm_epsilon = 0;          // 0: the model's own
  int expand_ratio = 0;             // of inverted bottlenecks; 0: the model's own
  int group_dim = 0;                // channels in a group of their convolutions; likewise
  bool se = true;                   // their gates
  bool use_relu = false;            // instead of swish

  // All of them; and those that decide what weights mean, which an evaluation needs too.
  void describe(Fields& field);
  void describe_architecture(Fields& field);

  // Name and text of those that are not as usual.
  using Changed = std::vector<std::pair<std::string_view, std::string>>;
  Changed changed() const;               // all
  Changed changed_architecture() const;  // of describe_architecture
};

// What a model is given besides the builder.
struct ModelInput {
  Value image;  // [n, c, h, w]
  Value key;    // s64 [n], for dropout; see ops/dropout.h
  int classes;
  ModelOptions options = {};
};

struct Variant {
  std::string name;  // on the command line
  // Gives the logits [n, classes]. The feature map at the end of each stage, `stage1` …, is exposed
  // (graph/builder.h), and so are the further outputs of a network of several heads.
  std::function<Value(Builder&, const ModelInput&)> build;
  float bn_momentum = 0.1f;  // of its usual recipe
  int image_size = 0;        // 0: the family's
  int classes = 0;           // likewise
};

struct ModelDef {
  std::string_view family;
  std::string_view help;
  int image_size;  // the native one
  int channels;
  int classes;  // of the data it is usually trained on
  std::vector<Variant> variants;
  std::vector<std::string_view> takes = {};  // which of ModelOptions, by their names
  std::string_view task = "classification";  // which it is built for (train/task.h)
};

const std::vector<ModelDef>& model_catalog();

struct FoundModel {
  const ModelDef& family;
  const Variant& variant;

  int image_size() const { return variant.image_size ? variant.image_size : family.image_size; }
  int classes() const { return variant.classes ? variant.classes : family.classes; }
};
// Usage error naming the nearest when there is none of that name.
FoundModel find_model(std::string_view name);

// Whether a network of it keeps running statistics.
bool has_batch_norm(const FoundModel& model, const ModelOptions& options);

// Usage error when an option was changed that the family does not take.
void check_options(const ModelDef& family, const ModelOptions& options);

}  // namespace convoy
