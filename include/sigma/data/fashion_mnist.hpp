// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/not_included.hpp>
#include <sigma/data/ready/image_parts.hpp>

#include <string>

template <class W>
struct sigma::detail::Included<sigma::data::include_sigma_data_fashion_mnist_hpp, W> {};

namespace sigma::data {

namespace detail {

LabelledFiles fashion_training();
LabelledFiles fashion_testing();
/// The first test images, which come with the library.
LabelledFiles fashion_sample();

}  // namespace detail

/// Articles of clothing (H. Xiao, K. Rasul, R. Vollgraf, arXiv:1708.07747, 2017): 60,000 images to train on and 10,000
/// to test with, of 28 x 28 pixels from 0 to 1, 10 classes. From where mnist() would be; where they are nowhere, the
/// parts are 3,600 and 400 of the test images, which come with the library ("fashion-mnist-sample").
ImageParts fashion_mnist(const std::string& directory = "");

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/fashion_mnist.ipp>
#endif
