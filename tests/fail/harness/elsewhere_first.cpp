// SPDX-License-Identifier: BSL-1.0
// expected-first-error: not_declared
// expected-report: not in the user's file
#include <array>

#ifdef TWIN
int main() { return sizeof(std::tuple_element<0, std::array<int, 2>>); }
#else
int main() { return sizeof(std::tuple_element<3, std::array<int, 2>>); }
#endif
