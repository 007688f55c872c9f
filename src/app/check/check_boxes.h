// Checks pictures with boxes: what their annotations say, alone and compared with the pictures.
#pragma once

#include "app/check/check_findings.h"
#include "data/boxed/box_format.h"

namespace convoy {

class BoxCheck {
 public:
  // Reads the annotations of all splits. Nothing is raised for faults in them.
  BoxCheck(const BoxFormat& format, const fs::path& dir, int threads);

  // The pictures of all splits that are there; for check_files. Sorted by path.
  const Tree& tree() const { return tree_; }

  // Adds what is wrong with the boxes, and their counts. `files`: of all of tree().files.
  void add_to(Findings& findings, const std::vector<CheckedFile>& files);

 private:
  struct Split {
    std::string name;
    BoxedSplit read;
  };
  void read_split(SplitName split, int threads);
  void list_pictures();
  void find_unlisted();
  void look_at(const Split& split);
  void compare_sizes(const Split& split, const std::vector<CheckedFile>& files);
  void add(std::string_view kind, Finding finding);
  std::string inside(const fs::path& path) const;
  std::string shortened(std::string text) const;

  const BoxFormat& format_;
  Tree tree_;
  std::vector<Split> splits_;
  std::vector<std::string> faulty_;  // pictures that were left out
  std::vector<FindingKind> kinds_;
  std::vector<BoxCounts> counts_;
};

}  // namespace convoy
