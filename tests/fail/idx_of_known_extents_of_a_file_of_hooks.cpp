// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_source_is_a_file_of_namespace_data<.*use_data_file>
#include <sigma/data/reader/binary.hpp>
#include <sigma/data/source/source.hpp>
#include <sigma/hook/report.hpp>
using namespace sigma;

#ifdef TWIN
const auto images = data::idx<28, 28>(data::file("train-images-idx3-ubyte"));
#else
const auto images = data::idx<28, 28>(file("train-images-idx3-ubyte"));
#endif
