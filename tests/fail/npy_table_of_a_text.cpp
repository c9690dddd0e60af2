// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_source_is_a_text_and_not_file_or_url<
#include <sigma/data/data.hpp>
using namespace sigma;
using namespace sigma::data;

void read() {
#ifdef TWIN
    const auto table = npy_table(file("t.npy_table"), {.missing = {"?"}});
    (void)table.names();
#else
    const auto table = npy_table("t.npy_table", {.missing = {"?"}});
    (void)table.names();
#endif
}
