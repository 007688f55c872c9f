// Options that belong to one file (an augmentation, a view, a family of models): declared and read
// there, by a struct with `describe(Fields&)` as all options are. In between they travel as text,
// so that who carries them need not know them.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "config/fields.h"

namespace convoy {

// Declares the options of one file; null: it has none.
using DescribeOptions = void (*)(Fields&);

// That function, for a struct of options.
template <class Options>
void describe_options(Fields& field) {
  Options().describe(field);
}

// The keys it declares, in its order.
std::vector<std::string> option_keys(DescribeOptions describe);

// Key and text of options, for the record of weights.
using ToldOptions = std::vector<std::pair<std::string, std::string>>;

class OptionTexts {
 public:
  OptionTexts() = default;
  OptionTexts(std::initializer_list<std::pair<std::string, std::string>> texts);

  // Declares the options and keeps the values that are not as usual.
  void describe(Fields& field, DescribeOptions declare);

  // The values as the struct declares them; those not kept are as usual.
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
