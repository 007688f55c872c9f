// Matches the classes of a dataset and a network by name. A dataset numbers its classes in the
// order of its folders or records; a network keeps the numbers of its training. If both have names,
// the names decide.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "data/dataset.h"

namespace convoy {

using ClassNames = std::vector<std::string>;
using ClassMap = std::map<std::string, std::string>;  // name in the data -> name in the network

// Reads one name per line, in the order of the network's outputs. A repeated name is Fault::data.
ClassNames read_class_names(const fs::path& file);
// Reads lines of the form `name in the data = name in the network`.
ClassMap read_class_map(const fs::path& file);

// Whether both have the same names, in any order.
bool same_names(ClassNames a, ClassNames b);

// Gives the dataset the classes of a network: its labels become the network's, and `remark` names
// the classes of the network that the dataset lacks. A class that the network does not have is
// Fault::data. Classes of records that have only a number keep it. `whose` names the owner of the
// names in messages: "the weights".
std::unique_ptr<Dataset> with_classes(std::unique_ptr<Dataset> data, const ClassNames& network,
                                      const ClassMap& map, const std::string& whose);

}  // namespace convoy
