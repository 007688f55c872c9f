// Definition of a kind of preparation: `convoy prepare NAME`. Each file in app/prepare/kinds/
// defines one: `PrepareKind <stem>_prepare()`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/threads/thread_pool.h"
#include "config/option_texts.h"

namespace convoy {

// The options of all kinds.
struct PrepareOptions {
  std::string input, output;
  int threads = 0;
  int64_t max_bad = 0;

  void describe(Fields& field);
};

// What a preparation is given.
struct PrepareSite {
  const PrepareOptions& options;
  const OptionTexts& own;      // of the kind: `own.read<Options>()`
  const std::string& command;  // kind, input and all options that determine the result, as typed
  ThreadPool& pool;
};

struct PrepareKind {
  std::string_view name;
  std::string_view details;  // what it makes of what, in the help; printed unchanged
  DescribeOptions describe = nullptr;
  bool needs_input = true;  // false: it makes its data from nothing
  // Whether it reads a folder or file of this name in its input; so the output may not be there.
  bool (*reads)(const std::string& name, const OptionTexts& own) = nullptr;
  int (*run)(const PrepareSite& site) = nullptr;
};

const std::vector<PrepareKind>& prepare_catalog();  // generated from the folder

}  // namespace convoy
