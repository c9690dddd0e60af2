// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/words.hpp>
#include <sigma/data/ready/image_parts.hpp>

#include <string>

SIGMA_INCLUDED(sigma::data, include_sigma_data_mnist_hpp);

namespace sigma::data {

namespace detail {

LabelledFiles mnist_training();

}  // namespace detail

/// Handwritten digits (Y. LeCun, C. Cortes, C. Burges, "The MNIST database of handwritten digits"): 60,000 images to
/// train on and 10,000 to test with, of 28 x 28 pixels from 0 to 1, labels 0 to 9. From `directory` if given, else as
/// published() says, or in the folder itself that SIGMA_DATA names. Where they are nowhere and cannot be downloaded,
/// `whole` is false, a line on stderr says why, and the parts are 9,000 and 1,000 of the test images, which come with
/// the library ("mnist-sample").
ImageParts mnist(const std::string& directory = "");

/// Articles of clothing (H. Xiao, K. Rasul, R. Vollgraf, arXiv:1708.07747, 2017): 60,000 images to train on and 10,000
/// to test with, of 28 x 28 pixels from 0 to 1, 10 classes. From where mnist() would be; where they are nowhere, the
/// parts are 3,600 and 400 of the test images, which come with the library ("fashion-mnist-sample").
ImageParts fashion_mnist(const std::string& directory = "");

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/mnist.ipp>
#endif
