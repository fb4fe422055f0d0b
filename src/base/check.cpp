#include "base/check.hpp"

#include <cstdio>
#include <cstdlib>

namespace lockstep {

void broken_invariant(const char* sentence, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: broken invariant: %s\n", file, line, sentence);
  std::abort();
}

}  // namespace lockstep
