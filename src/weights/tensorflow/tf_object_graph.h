// Keras and tf.train.Checkpoint name tensors by their path among objects
// (layer_with_weights-3/kernel/.ATTRIBUTES/VARIABLE_VALUE). The usual names
// (conv2_block1_1_conv/kernel) are in a message that the checkpoint stores beside the tensors; this
// file reads it.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace convoy {

// The key of the string tensor that contains the message.
inline constexpr std::string_view tf_object_graph_key = "_CHECKPOINTABLE_OBJECT_GRAPH";

// Maps names in the checkpoint to full names, without the optimizer's. Empty if the full names are
// not unique. Fault::checkpoint if `message` is malformed.
std::map<std::string, std::string> tf_full_names(std::string_view message,
                                                 const std::string& origin);

}  // namespace convoy
