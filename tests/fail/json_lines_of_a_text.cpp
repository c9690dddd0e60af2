// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_source_is_a_text_and_not_file_or_url<
#include <sigma/data/data.hpp>
using namespace sigma;
using namespace sigma::data;

void read() {
#ifdef TWIN
    const auto table = json_lines(file("t.json_lines"), {.missing = {"?"}});
    (void)table.names();
#else
    const auto table = json_lines("t.json_lines", {.missing = {"?"}});
    (void)table.names();
#endif
}
