#include "base/threads/core_grant.h"

#include <algorithm>

namespace convoy {
namespace {

int granted = 0;

}  // namespace

void grant_cores(int count) { granted = std::max(1, count); }

int granted_cores() { return granted; }

}  // namespace convoy
