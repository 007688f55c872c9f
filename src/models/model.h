// A model family is one file here; a variant is one row in it. `model_catalog()` lists them all.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "config/option_texts.h"
#include "graph/builder.h"

namespace convoy {

// What a recipe may change about a model. Each family declares its options in its own file
// (`ModelDef::describe`) and reads them there (`read`).
class ModelOptions : public OptionTexts {
 public:
  using OptionTexts::OptionTexts;

  // Those of all families; and those that decide what weights mean, which an evaluation needs too.
  void describe(Fields& field);
  void describe_architecture(Fields& field);

  // Of the latter, those that are not as usual.
  ToldOptions changed_architecture() const;
};

// What a model is given besides the builder.
struct ModelInput {
  Value image;  // [n, c, h, w]
  Value key;    // s64 [n], for dropout; see ops/elementwise/dropout.h
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
  DescribeOptions describe = nullptr;        // the options it takes; some other families take too
  std::string_view task = "classification";  // which it is built for (train/tasks/task.h)
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

bool takes(const ModelDef& family, std::string_view option);

// Usage error when an option was changed that the family does not take.
void check_options(const ModelDef& family, const ModelOptions& options);

}  // namespace convoy
