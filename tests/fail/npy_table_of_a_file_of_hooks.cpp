// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_source_is_a_file_of_namespace_data<.*use_data_file>
#include <sigma/data/reader/npy_table.hpp>
#include <sigma/data/source/source.hpp>
#include <sigma/hook/report.hpp>
using namespace sigma;

#ifdef TWIN
const auto table = data::npy_table(data::file("t.npy_table"));
#else
const auto table = data::npy_table(file("t.npy_table"));
#endif
