// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// MNIST and Fashion-MNIST, ready to use. Include it yourself.

#include <sigma/core/words.hpp>
#include <sigma/data/ready/image_parts.hpp>

#include <string>

/// @cond internal
SIGMA_INCLUDED(sigma::data, include_sigma_data_mnist_hpp);
/// @endcond

namespace sigma::data {

namespace detail {

LabelledFiles mnist_training();

}  // namespace detail

/// Returns handwritten digits (Y. LeCun, C. Cortes, C. Burges, "The MNIST database of handwritten digits").
///
/// 60,000 images to train on and 10,000 to test with, of 28 x 28 pixels from 0 to 1, labels 0 to 9. Searches the files
/// as `published` does, and in the directory itself that the environment variable SIGMA_DATA names; else downloads
/// them.
///
/// If they cannot be downloaded, `whole` is false and stderr has the reason. The parts are then 9,000 and 1,000 of the
/// test images that come with the library ("mnist-sample").
///
/// @param directory  directory of the files; empty (the default): searches
/// @return both parts: inputs (28, 28), class indices
/// @throws DataError  if the files are not in `directory` or are damaged
///
/// @par Example
/// @code
/// auto [images_to_train, images_to_test, all_of_them] = data::mnist();
/// @endcode
///
/// @see fashion_mnist, docs/ready-datasets.md
ImageParts mnist(const std::string& directory = "");

/// Returns articles of clothing (H. Xiao, K. Rasul, R. Vollgraf, arXiv:1708.07747, 2017).
///
/// 60,000 images to train on and 10,000 to test with, of 28 x 28 pixels from 0 to 1, 10 classes. Searches the files as
/// `mnist` does. If they are not found, the parts are 3,600 and 400 of the test images, which come with the library
/// ("fashion-mnist-sample").
///
/// @param directory  directory of the files; empty (the default): searches
/// @return both parts: inputs (28, 28), class indices
/// @throws DataError  if the files are not in `directory` or are damaged
///
/// @par Example
/// @code
/// auto [clothes, clothes_to_test, all_of_them] = data::fashion_mnist();
/// clothes.classes()[9];  // "Ankle boot"
/// @endcode
///
/// @see mnist, docs/ready-datasets.md
ImageParts fashion_mnist(const std::string& directory = "");

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/mnist.ipp>
#endif
