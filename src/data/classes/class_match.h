// Classes go by name. A dataset numbers its classes in the order of its folders or records; a
// network keeps the numbers it was trained with. Where both are named, the names decide.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "data/dataset.h"

namespace convoy {

using ClassNames = std::vector<std::string>;
using ClassMap = std::map<std::string, std::string>;  // a name in the data -> in the network

// One name a line, in the order of the network's outputs. A name that is there twice is
// Fault::data.
ClassNames read_class_names(const fs::path& file);
// Lines of the form `name in the data = name in the network`.
ClassMap read_class_map(const fs::path& file);

// Whether the same names are in both, in whatever order.
bool same_names(ClassNames a, ClassNames b);

// The dataset with the classes of a network: its labels are the network's, and `remark` tells which
// of the network's classes it has no folder for. A class of the dataset that the network does not
// know is Fault::data. Classes of records that have no name but their number keep their number.
// `whose` is who has the names, for messages: "the weights".
std::unique_ptr<Dataset> with_classes(std::unique_ptr<Dataset> data, const ClassNames& network,
                                      const ClassMap& map, const std::string& whose);

}  // namespace convoy
