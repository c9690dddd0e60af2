// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/optical_digits.hpp>
#include <sigma/data/pipeline/dataset.hpp>
#include <sigma/data/reader/csv.hpp>
#include <sigma/data/ready/published.hpp>
#include <sigma/data/source/unpack.hpp>
#include <sigma/data/transform/transforms.hpp>

namespace sigma::data::detail {

SIGMA_IMPL Supervised<Extents<8, 8>, Extents<>> optical_digits_of(const PublishedFile& file, const char* name,
                                                                  const std::string& directory) {
    return csv(unpacked(published(file, directory))) >>
           sections(inputs = columns<0, 63>(), targets = classes(64, 10)) >> reshape<8, 8>(inputs) >>
           normalize(inputs, 0, 16) >> dataset(name);
}

}  // namespace sigma::data::detail

namespace sigma::data {

SIGMA_IMPL OpticalDigits optical_digits(const std::string& directory) {
    const std::string folder = "optical-digits",
                      at = "https://archive.ics.uci.edu/ml/machine-learning-databases/optdigits/";
    return {detail::optical_digits_of({folder,
                                       "optdigits.tra",
                                       "e1b683cc211604fe8fd8c4417e6a69f31380e0c61d4af22e93cc21e9257ffedd",
                                       {at + "optdigits.tra"}},
                                      "optical-digits", directory),
            detail::optical_digits_of({folder,
                                       "optdigits.tes",
                                       "6ebb3d2fee246a4e99363262ddf8a00a3c41bee6014c373ed9d9216ba7f651b8",
                                       {at + "optdigits.tes"}},
                                      "optical-digits-test", directory)};
}

}  // namespace sigma::data
