// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/not_included.hpp>
#include <sigma/data/pipeline/dataset_of.hpp>
#include <sigma/data/share_directory.hpp>

#include <string>

template <class W>
struct sigma::detail::Included<sigma::data::include_sigma_data_optical_digits_hpp, W> {};

namespace sigma::data {

/// Two parts of one set: auto [training, testing] = data::optical_digits().
struct OpticalDigits {
    Supervised<Extents<8, 8>, Extents<>> training, testing;
};

/// Small handwritten digits (E. Alpaydin and C. Kaynak, "Optical Recognition of Handwritten Digits", UCI, 1998): 3,823
/// images of 30 writers to train on and 1,797 of 13 others to test with, of 8 x 8 pixels from 0 to 1, labels 0 to 9. A
/// network learns them in a second. From `directory` if given, else as published() says.
OpticalDigits optical_digits(const std::string& directory = "");

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/optical_digits.ipp>
#endif
