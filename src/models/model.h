// A model family is one file in this folder; each variant is a row of it. `model_catalog()` lists
// all.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "config/option_texts.h"
#include "graph/builder.h"

namespace convoy {

struct DefaultBoxSpec;

// The options of a model. Each family declares its options in its own file (`ModelDef::describe`)
// and reads them there (`read`).
class ModelOptions : public OptionTexts {
 public:
  using OptionTexts::OptionTexts;

  // Declares the options of all families; the second one only those that change the meaning of
  // weights, which evaluation needs too.
  void describe(Fields& field);
  void describe_architecture(Fields& field);

  // The architecture options whose values are not the default.
  ToldOptions changed_architecture() const;
};

// The inputs of a model besides the builder.
struct ModelInput {
  Value image;  // [n, c, h, w]
  Value key;    // s64 [n], for dropout; see ops/elementwise/dropout.h
  int classes;
  ModelOptions options = {};
};

struct Variant {
  std::string name;  // on the command line
  // Returns the logits: [n, classes], or of a detection network [n, boxes, classes]. Exposes the
  // feature map at the end of each stage, `stage1` …, and the further outputs of a network with
  // several heads (graph/builder.h).
  std::function<Value(Builder&, const ModelInput&)> build;
  float bn_momentum = 0.1f;  // in its usual recipe
  int image_size = 0;        // 0: the family's
  int classes = 0;           // 0: the family's
  // Of a detection network: the default boxes that its outputs are about, for square images of
  // this side. An impossible combination is a usage error. Empty: it detects nothing.
  std::function<DefaultBoxSpec(const ModelOptions&, int64_t side)> boxes = nullptr;
};

struct ModelDef {
  std::string_view family;
  std::string_view help;
  int image_size;  // the native one
  int channels;
  int classes;  // of its usual training data
  std::vector<Variant> variants;
  DescribeOptions describe = nullptr;        // its options; other families may have them too
  std::string_view task = "classification";  // the task it is built for (train/tasks/task.h)
};

const std::vector<ModelDef>& model_catalog();

struct FoundModel {
  const ModelDef& family;
  const Variant& variant;

  int image_size() const { return variant.image_size ? variant.image_size : family.image_size; }
  int classes() const { return variant.classes ? variant.classes : family.classes; }
  // [c, h, w] of its images; size 0: the model's own.
  Shape image(int64_t size = 0) const {
    if (size == 0) size = image_size();
    return {family.channels, size, size};
  }
};
// An unknown name is a usage error that names the nearest one.
FoundModel find_model(std::string_view name);

bool takes(const ModelDef& family, std::string_view option);

// A changed option that the family does not have is a usage error.
void check_options(const ModelDef& family, const ModelOptions& options);

}  // namespace convoy
