// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_csv_that_reads_a_file_is_in_namespace_data<.*include_sigma_data_data_hpp>
#include <sigma/data/reader/csv.hpp>
#include <sigma/data/source/source.hpp>
#include <sigma/hook/report.hpp>
using namespace sigma;

#ifdef TWIN
const auto table = data::csv(data::file("wine.csv"));
#else
const auto table = csv(file("wine.csv"));
#endif
