// SPDX-License-Identifier: BSL-1.0
#pragma once

/// Words of headers that sigma.hpp does not include name their header. A header of this list makes its tag complete
/// before anything else; see execution/words_of_other_headers.hpp.
namespace sigma {

struct include_sigma_gpu_hpp;
struct include_sigma_gpus_hpp;
struct include_sigma_xtensor_hpp;
struct include_sigma_execution_batch_trainer_hpp;
struct include_sigma_execution_lbfgs_hpp;
struct include_sigma_trainer_terminal_classification_report_hpp;
struct include_sigma_trainer_terminal_confusion_hpp;
namespace data {
struct include_sigma_data_mnist_hpp;
struct include_sigma_data_ready_hpp;
struct include_sigma_data_tic_tac_toe_hpp;
}  // namespace data
template <class Header>
struct error_word_is_not_included;

namespace detail {

/// Complete where the header is included. W is any type, so that the question is put when the word is used.
template <class Header, class W>
struct Included;
template <class W, class Header>
concept NotIncluded = !requires { sizeof(Included<Header, W>); };

}  // namespace detail
}  // namespace sigma
