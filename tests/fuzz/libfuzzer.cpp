// SPDX-License-Identifier: BSL-1.0
// Where libFuzzer enters a target.
#include "target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz_accepts(data, size);
    return 0;
}
