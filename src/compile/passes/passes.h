// The passes, one declaration each; compile.cpp has their order, the file of each its method.
#pragma once

#include <vector>

#include "compile/compile.h"

namespace convoy {

// Applies the fusion rules of one stage until none matches.
void fuse(Graph& graph, const std::vector<FusionRule>& rules, FusionRule::Stage stage);

// Appends the nodes that compute the gradient of the losses for every parameter.
void add_gradients(Graph& graph, const std::vector<Loss>& losses, Value loss_scale,
                   const Vocabulary& words);

// Removes nodes whose outputs are not needed.
void drop_dead_nodes(Graph& graph);

// Chooses how values are stored, and inserts casts where a node does not support an input's type.
void choose_storage(Graph& graph, const Vocabulary& words, const StorageRules& rules);

// Chooses the layout of every value, and inserts reorders between nodes that disagree.
void choose_layouts(Graph& graph, const Vocabulary& words);

// Writes nodes into the backward pass that make forward values again, which then are not kept.
void recompute(Graph& graph, const RecomputeRule& rule);

// Chooses the order of execution: the current one, but nodes that begin an exchange run as soon as
// their inputs are computed.
void order_nodes(Graph& graph);

// Makes the kernels and assigns memory to every value. `packs_once`: see CompileOptions.
Plan plan_memory(Graph& graph, bool packs_once);

}  // namespace convoy
