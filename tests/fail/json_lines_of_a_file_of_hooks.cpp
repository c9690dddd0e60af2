// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_source_is_a_file_of_namespace_data<.*use_data_file>
#include <sigma/data/reader/json_lines.hpp>
#include <sigma/data/source/source.hpp>
#include <sigma/hook/report.hpp>
using namespace sigma;

#ifdef TWIN
const auto table = data::json_lines(data::file("t.json_lines"));
#else
const auto table = data::json_lines(file("t.json_lines"));
#endif
