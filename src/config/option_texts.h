// Options that belong to one file (an augmentation, a view, a family of models). They are declared
// and read in that file, by a struct with `describe(Fields&)` like all options. Other code passes
// them on as text and needs no knowledge of them.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "config/fields.h"

namespace convoy {

// Declares the options of one file; null: it has none.
using DescribeOptions = void (*)(Fields&);

// Gives this function for a struct of options.
template <class Options>
void describe_options(Fields& field) {
  Options().describe(field);
}

// The keys that `describe` declares, in its order.
std::vector<std::string> option_keys(DescribeOptions describe);

// Keys and texts of options, recorded with weights.
using ToldOptions = std::vector<std::pair<std::string, std::string>>;

class OptionTexts {
 public:
  OptionTexts() = default;
  OptionTexts(std::initializer_list<std::pair<std::string, std::string>> texts);

  // Declares the options and stores the values that differ from their defaults.
  void describe(Fields& field, DescribeOptions declare);

  // Fills the struct: stored values, and defaults for all others.
  template <class Options>
  Options read() const {
    Options options;
    Fields field(changed_);
    options.describe(field);
    return options;
  }

  void set(const std::string& key, std::string text);
  const Settings& changed() const { return changed_; }

 private:
  Settings changed_;
};

}  // namespace convoy
