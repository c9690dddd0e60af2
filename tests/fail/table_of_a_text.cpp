// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_source_is_a_text_and_not_file_or_url<
#include <sigma/data/data.hpp>
using namespace sigma;
using namespace sigma::data;

void read() {
#ifdef TWIN
    const auto table = csv(file("t.csv"), {.header = true});
    (void)table.names();
#else
    const auto table = csv("t.csv", {.header = true});
    (void)table.names();
#endif
}
