// One line for each pass; its file says how.
#pragma once

#include <vector>

#include "compile/compile.h"

namespace convoy {

// Applies the rules of one stage wherever they match, until none does.
void fuse(Graph& graph, const std::vector<FusionRule>& rules, FusionRule::Stage stage);

// Appends the nodes that compute the gradient of the losses for every parameter.
void add_gradients(Graph& graph, const std::vector<Loss>& losses, Value loss_scale,
                   const Vocabulary& words);

// Removes nodes whose outputs nobody needs.
void drop_dead_nodes(Graph& graph);

// Settles how values are stored, and puts casts where a node does not know what it is offered.
// Values of which `in_bf16` is true are stored so; without it all stay as the ops give them.
void choose_storage(Graph& graph, const Vocabulary& words,
                    const std::function<bool(const Graph&, Value)>& in_bf16);

// Gives every value its layout and puts reorders where two neighbours disagree.
void choose_layouts(Graph& graph, const Vocabulary& words);

// Settles the order: what it was, with nodes that begin something as early as their inputs allow.
void order_nodes(Graph& graph);

// Makes the kernels and gives every value its place.
Plan plan_memory(Graph& graph, bool packs_once);

}  // namespace convoy
