// SPDX-License-Identifier: BSL-1.0
// expected-first-error: not_declared
// expected-report: not in the user's file
#ifdef TWIN
int main() {}
#else
#include "elsewhere.hpp"
int main() { return elsewhere(); }
#endif
