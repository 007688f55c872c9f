// The names of the classes of record files: from a list beside them, or from the records.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "base/threads/thread_pool.h"

namespace convoy {

// One name a line, the first word of it: the class of label 1, 2, … Two equal ones are Fault::data.
std::vector<std::string> read_class_list(const fs::path& file);

// synsets.txt (which `convoy prepare` writes) or imagenet_lsvrc_2015_synsets.txt in `dir`.
std::optional<std::vector<std::string>> find_class_list(const fs::path& dir);

// What a record says about its class.
struct RecordClass {
  int64_t label = 0;  // counts from 1
  std::string name;   // its synset or text; empty: it says neither
};
RecordClass class_of_record(std::string_view record, const std::string& origin);

// The classes that records speak of. `glance(i)` tells without certainty, `read(i)` with checksums;
// nothing: the record is damaged. Of more than 65,536 records so many are looked at, evenly spread.
// Names by label - 1; a class without a name, or without a record, has its label as name.
std::vector<std::string> classes_in_records(
    int64_t records, ThreadPool& pool,
    const std::function<std::optional<RecordClass>(int64_t)>& glance,
    const std::function<std::optional<RecordClass>(int64_t)>& read);

}  // namespace convoy
