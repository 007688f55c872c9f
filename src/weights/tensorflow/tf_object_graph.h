// Keras and tf.train.Checkpoint name tensors by their place among objects
// (layer_with_weights-3/kernel/.ATTRIBUTES/VARIABLE_VALUE). The names people know
// (conv2_block1_1_conv/kernel) are in a message that the checkpoint holds beside the tensors.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace convoy {

// The tensor of one string that the message is.
inline constexpr std::string_view tf_object_graph_key = "_CHECKPOINTABLE_OBJECT_GRAPH";

// Names of the checkpoint -> full names, without those of optimisers. Empty where the full names
// do not tell the tensors apart. What is no such message is Fault::checkpoint.
std::map<std::string, std::string> tf_full_names(std::string_view message,
                                                 const std::string& origin);

}  // namespace convoy
