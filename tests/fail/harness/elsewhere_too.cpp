// SPDX-License-Identifier: BSL-1.0
// The compiler tells the first mistake once, and so of elsewhere_first.cpp where the two are together.
// expected-first-error: not_declared
// expected-report: not in the user's file
#include <array>

#ifdef TWIN
int main() { return sizeof(std::tuple_element<0, std::array<int, 2>>); }
#else
int main() { return sizeof(std::tuple_element<3, std::array<int, 2>>) + not_declared; }
#endif
