#include "export/onnx_detection.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace convoy {
namespace {

constexpr std::string_view prefix = "detection.";  // of the names of all nodes and constants
constexpr const char *logits_name = "class_logits", *codes_name = "box_codes";

using Names = std::vector<std::string>;
using Attributes = std::vector<OnnxAttribute>;

OnnxValue output_of(OnnxModel& model, std::string_view name) {
  for (const OnnxValue& output : model.outputs) {
    if (output.name == name) return output;
  }
  raise(Fault::bug, "the network has no output {}", name);
}

class DetectionNodes {
 public:
  DetectionNodes(OnnxModel& model, const DefaultBoxes& boxes)
      : model_(model),
        batch_(output_of(model, logits_name).dims[0]),
        boxes_(boxes.count()),
        classes_(output_of(model, logits_name).dims[2]) {
    expect(output_of(model, logits_name).dims[1] == boxes_, "logits of these default boxes");
    expect(output_of(model, codes_name).dims[1] == boxes_, "codes of these default boxes");
    model.outputs.clear();
    scores_ = node("Softmax", {logits_name}, {onnx_integer("axis", 2)}, "all_scores");
    decode(boxes);
  }

  void give_all() {
    output("boxes", corners_, OnnxTensor::f32, {boxes_, 4});
    output("scores", scores_, OnnxTensor::f32, {boxes_, classes_});
  }

  void give_detections(const DetectorOptions& options) {
    const std::string objects = candidates(options);
    // Its sixth input and earlier ones: the most of a class; overlaps above the limit
    // exclude, here from the next smaller number on; only scores above the limit.
    const float limit = std::nextafter(options.max_overlap, 0.0f);
    const std::string selected =
        node("NonMaxSuppression",
             {corners_, objects, integers("most", {options.class_candidates}),
              floats("max_overlap", {1}, {limit}), floats("min_score", {1}, {options.min_score})});
    // The scores of what was selected among zeros, to find the best of each image.
    const std::string zeros = node("ConstantOfShape", {node("Shape", {objects})});
    const std::string kept =
        node("ScatterND", {zeros, selected, node("GatherND", {objects, selected})});
    const int64_t all = (classes_ - 1) * boxes_, count = std::min(options.image_detections, all);
    const std::string flat = node("Reshape", {kept, integers("in_a_row", {0, all})});
    const Names best = two_outputs("TopK", {flat, integers("count", {count})});
    const std::string &score = best[0], &place = best[1];
    const std::string is_real = node("Greater", {score, floats("zero", {1}, {0})});
    const std::string whole = node("Cast", {is_real}, {onnx_integer("to", OnnxTensor::s64)});
    const std::string width = integers("boxes", {boxes_});
    const std::string label = node("Add", {node("Div", {place, width}), integers("one", {1})});
    const std::string box = node("Mod", {place, width});
    const std::string picked =
        node("GatherND", {corners_, node("Unsqueeze", {box, integers("last", {2})}, {}, "index")},
             {onnx_integer("batch_dims", 1)});
    const std::string real = node("Cast", {is_real}, {onnx_integer("to", OnnxTensor::f32)});
    const std::string corners =
        node("Mul", {picked, node("Unsqueeze", {real, integers("last", {2})}, {}, "mask")});
    output("boxes", corners, OnnxTensor::f32, {count, 4});
    output("scores", score, OnnxTensor::f32, {count});
    output("classes", node("Mul", {label, whole}), OnnxTensor::s64, {count});
    output("counts",
           node("ReduceSum", {whole, integers("along", {1})}, {onnx_integer("keepdims", 0)}),
           OnnxTensor::s64, {});
  }

 private:
  void decode(const DefaultBoxes& boxes) {
    std::vector<float> centres, sizes;
    for (const CentredBox& box : boxes.centred()) {
      centres.insert(centres.end(), {box.cy, box.cx});
      sizes.insert(sizes.end(), {box.h, box.w});
    }
    const Shape pairs{1, boxes_, 2};
    const std::string size = floats("default_sizes", pairs, std::move(sizes));
    const Names code =
        two_outputs("Split", {codes_name, integers("halves", {2, 2})}, {onnx_integer("axis", 2)});
    const std::string offset =
        node("Div", {code[0], floats("centre_scale", {1}, {centre_code_scale})});
    const std::string centre = node(
        "Add", {node("Mul", {offset, size}), floats("default_centres", pairs, std::move(centres))});
    const std::string ratio =
        node("Exp", {node("Div", {code[1], floats("size_scale", {1}, {size_code_scale})})});
    const std::string half =
        node("Div", {node("Mul", {ratio, size}), floats("two", {1}, {2})}, {}, "half");
    corners_ = node("Concat", {node("Sub", {centre, half}), node("Add", {centre, half})},
                    {onnx_integer("axis", 2)}, "all_boxes");
  }

  // The scores of the objects, [n, classes - 1, boxes], with zeros for those that are not among the
  // best of their class.
  std::string candidates(const DetectorOptions& options) {
    const std::string by_class =
        node("Transpose", {scores_}, {onnx_integers("perm", {0, 2, 1})}, "by_class");
    const std::string axis = integers("class_axis", {1});
    const std::string objects = node(
        "Slice", {by_class, integers("first_object", {1}), integers("classes", {classes_}), axis});
    if (options.class_candidates >= boxes_) return objects;
    const std::string best =
        two_outputs("TopK", {objects, integers("candidates", {options.class_candidates})})[0];
    const std::string last =
        node("Slice",
             {best, integers("last_candidate", {options.class_candidates - 1}),
              integers("candidates", {options.class_candidates}), integers("last", {2})},
             {}, "last_score");
    return node("Where",
                {node("GreaterOrEqual", {objects, last}), objects, floats("zero", {1}, {0})});
  }

  std::string name(std::string_view wanted) {
    std::string full = std::string(prefix).append(wanted);
    const int64_t earlier = uses_[full]++;
    return earlier == 0 ? full : full + "." + std::to_string(earlier + 1);
  }
  std::string node(const char* op, Names in, Attributes attributes = {}, const char* called = "") {
    const std::string out = name(*called ? called : op);
    add(op, std::move(in), {out}, std::move(attributes));
    return out;
  }
  Names two_outputs(const char* op, Names in, Attributes attributes = {}) {
    Names out{name(op), ""};
    out[1] = out[0] + ".second";
    add(op, std::move(in), out, std::move(attributes));
    return out;
  }
  void add(const char* op, Names in, Names out, Attributes attributes) {
    const std::string first = out[0];
    model_.nodes.push_back({.op = op,
                            .name = first,
                            .domain = "",
                            .in = std::move(in),
                            .out = std::move(out),
                            .attributes = std::move(attributes)});
  }

  // A constant; the same name means the same constant.
  std::string constant(OnnxTensor tensor) {
    tensor.name = std::string(prefix) + tensor.name;
    if (uses_[tensor.name]++ == 0) model_.constants.push_back(tensor);
    return tensor.name;
  }
  std::string integers(const char* called, std::vector<int64_t> values) {
    return constant({.name = called,
                     .shape = {static_cast<int64_t>(values.size())},
                     .type = OnnxTensor::s64,
                     .whole = std::move(values)});
  }
  std::string floats(const char* called, const Shape& shape, std::vector<float> values) {
    return constant({.name = called, .shape = shape, .floats = std::move(values)});
  }

  void output(const char* called, const std::string& from, int32_t type,
              std::vector<int64_t> dims) {
    const std::string node_name = std::string(prefix) + "give_" + called;
    model_.nodes.push_back({.op = "Identity",
                            .name = node_name,
                            .domain = "",
                            .in = {from},
                            .out = {called},
                            .attributes = {}});
    dims.insert(dims.begin(), batch_);
    model_.outputs.push_back({.name = called, .type = type, .dims = std::move(dims)});
  }

  OnnxModel& model_;
  int64_t batch_, boxes_, classes_;
  std::string scores_, corners_;
  std::map<std::string, int64_t> uses_;
};

}  // namespace

void add_detection(OnnxModel& model, const DefaultBoxes& boxes, const DetectorOptions* detector) {
  DetectionNodes nodes(model, boxes);
  detector ? nodes.give_detections(*detector) : nodes.give_all();
}

void remove_detection(OnnxModel& model) {
  const auto is_ours = [](const auto& part) { return part.name.starts_with(prefix); };
  std::erase_if(model.nodes, is_ours);
  std::erase_if(model.constants, is_ours);
  const int64_t batch = model.outputs.at(0).dims.at(0);
  model.outputs = {{.name = logits_name, .dims = {batch, -1, -1}},
                   {.name = codes_name, .dims = {batch, -1, -1}}};
}

}  // namespace convoy
