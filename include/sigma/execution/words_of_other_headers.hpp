// SPDX-License-Identifier: BSL-1.0
#pragma once
// Functions and classes of headers that sigma.hpp does not include. Using one names its header in the first error. They
// take any arguments, so every function of a program is a better match.
#include <sigma/core/words.hpp>
#include <sigma/network/model.hpp>
#include <sigma/optimizer/update.hpp>

namespace sigma {

// clang-format off: a table
SIGMA_WORD_OF(include_sigma_data_with_weights_hpp, with_weights);
SIGMA_WORD_OF(include_sigma_decoding_ctc_hpp, ctc_beam);
SIGMA_WORD_OF(include_sigma_decoding_ctc_hpp, ctc_greedy);
SIGMA_WORD_OF(include_sigma_decoding_sample_hpp, beam_search);
SIGMA_WORD_OF(include_sigma_exchange_cpp_source_hpp, export_cpp);
SIGMA_WORD_OF(include_sigma_exchange_model_file_hpp, load_model);
SIGMA_WORD_OF(include_sigma_exchange_model_file_hpp, save_model);
SIGMA_WORD_OF(include_sigma_exchange_quantize_hpp, quantize);
SIGMA_WORD_OF(include_sigma_execution_lbfgs_hpp, lbfgs);
SIGMA_WORD_OF(include_sigma_gpu_hpp, gpu);
SIGMA_WORD_OF(include_sigma_gpus_hpp, gpus);
SIGMA_WORD_OF(include_sigma_hook_tensorboard_hpp, tensorboard);
SIGMA_WORD_OF(include_sigma_machines_hpp, machines);
SIGMA_WORD_OF(include_sigma_onnx_hpp, export_onnx);
SIGMA_WORD_OF(include_sigma_onnx_hpp, import_onnx);
SIGMA_WORD_OF(include_sigma_optimizer_accumulate_hpp, accumulate);
SIGMA_WORD_OF(include_sigma_optimizer_average_hpp, ema);
SIGMA_WORD_OF(include_sigma_optimizer_average_hpp, swa);
SIGMA_WORD_OF(include_sigma_trainer_terminal_classification_report_hpp, classification_report);
SIGMA_WORD_OF(include_sigma_trainer_terminal_confusion_hpp, confusion_matrix);
SIGMA_WORD_OF(include_sigma_trainer_terminal_show_progress_hpp, show_progress);
SIGMA_WORD_OF(include_sigma_xtensor_hpp, evaluate);
SIGMA_WORD_OF(include_sigma_xtensor_hpp, gradient);
SIGMA_WORD_OF(include_sigma_xtensor_hpp, to_xtensor);
SIGMA_WORD_OF(include_sigma_xtensor_hpp, value_and_gradient);
// clang-format on

// Declared with a trainer, which cannot be copied.
struct include_sigma_trainer_averages_hpp;
template <class Trainer>
    requires detail::NotIncluded<Trainer, include_sigma_trainer_averages_hpp>
error_word_is_not_included<include_sigma_trainer_averages_hpp> averaged_model(Trainer&);
template <class Trainer, class F>
    requires detail::NotIncluded<Trainer, include_sigma_trainer_averages_hpp>
error_word_is_not_included<include_sigma_trainer_averages_hpp> with_averages(Trainer&, F);

struct include_sigma_execution_batch_trainer_hpp;
template <AnyNetwork N, AnyOptimizer O, class T = float>
class SIGMA_BY_INSTRUCTIONS BatchTrainer;
template <class... X>
    requires detail::NotIncluded<void(X...), include_sigma_execution_batch_trainer_hpp>
BatchTrainer(X&&...)
    -> BatchTrainer<detail::NoNetwork<error_word_is_not_included<include_sigma_execution_batch_trainer_hpp>>,
                    detail::NoOptimizer, float>;

}  // namespace sigma
