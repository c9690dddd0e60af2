// SPDX-License-Identifier: BSL-1.0
// What including the library costs.
#include <sigma/sigma.hpp>

int main() {}
