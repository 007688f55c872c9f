// What is wrong with the annotations of a picture, and who decides what follows from it: a reader
// of annotations reports it and leaves the picture out if the taker returns.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"

namespace convoy {

enum class BoxTrouble { broken, unknown_class, missing };

struct BoxFault {
  std::string where;  // the file, and the line in it; empty: `what` says it
  std::string what;   // what is wrong there; with "; try: …" if there is something to try
  BoxTrouble trouble = BoxTrouble::broken;

  std::string text() const { return where.empty() ? what : where + ": " + what; }
};

class BoxFaultTaker {
 public:
  virtual ~BoxFaultTaker() = default;
  // The faults of one picture, at least one; the picture's path is empty if it is not known. May
  // raise; if it returns, the picture is left out. Called by one thread at a time, picture after
  // picture.
  virtual void take(const std::string& picture, const std::vector<BoxFault>& faults) = 0;
};

// For training: the first fault is Fault::data.
class RaiseBoxFaults final : public BoxFaultTaker {
 public:
  void take(const std::string&, const std::vector<BoxFault>& faults) override {
    const std::string text = faults.front().text();
    const bool has_advice = text.find("; try:") != std::string::npos;
    raise(Fault::data, "{}{}", text,
          has_advice ? "" : "; try: correct it (convoy check finds all)");
  }
};

}  // namespace convoy
