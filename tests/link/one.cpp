// SPDX-License-Identifier: BSL-1.0
// All headers in two translation units: a definition that is not inline fails to link.
#include "all_headers.hpp"

int two();

int main() { return two(); }
