// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_extents_of_a_record_are_above_zero<.*extents_are<-28, 28> *>
#include <sigma/data/reader/binary.hpp>
#include <sigma/data/source/source.hpp>

using namespace sigma::data;

int main() {
#ifdef TWIN
    const auto images = idx<28, 28>(memory("images"));
#else
    const auto images = idx<-28, 28>(memory("images"));
#endif
}
