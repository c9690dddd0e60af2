// SPDX-License-Identifier: BSL-1.0
// expected-first-error: min and max are macros
// first-error-of-g++: in config.hpp, the first header of all finds it
// first-error-of-clang: in config.hpp, the first header of all finds it
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) < (b) ? (b) : (a))
#ifdef TWIN
#undef min
#undef max
#endif
#include <sigma/sigma.hpp>
