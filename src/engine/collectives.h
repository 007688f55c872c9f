// The interface through which an executor runs exchanges (graph/op.h: Collective). The executor
// calls it at the right nodes; the implementation transfers data between replicas and ranks.
#pragma once

#include <cstddef>
#include <span>

#include "graph/op.h"

namespace convoy {

class Executor;

class Collectives {
 public:
  virtual ~Collectives() = default;

  // Plan op `op` is due in all `members`, executors of one plan in lockstep; its inputs are ready
  // (`Executor::input_of`). `begin` must not wait for other ranks, `end` may.
  virtual void begin(const Collective& what, std::span<Executor* const> members, size_t op) = 0;
  virtual void end(const Collective& what, std::span<Executor* const> members, size_t op) = 0;

  // Called after every plan op: advances exchanges that have begun, without waiting.
  virtual void progress() = 0;
};

}  // namespace convoy
