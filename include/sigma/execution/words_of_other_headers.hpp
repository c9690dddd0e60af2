// SPDX-License-Identifier: BSL-1.0
#pragma once
// Words whose headers sigma.hpp does not include say so, where nothing else fits. As functions of any arguments they
// are worse than every function of a program.
#include <sigma/core/words.hpp>
#include <sigma/network/model.hpp>
#include <sigma/optimizer/update.hpp>

namespace sigma {

SIGMA_WORD_OF(include_sigma_gpu_hpp, gpu);
SIGMA_WORD_OF(include_sigma_gpus_hpp, gpus);
SIGMA_WORD_OF(include_sigma_execution_lbfgs_hpp, lbfgs);
SIGMA_WORD_OF(include_sigma_trainer_terminal_classification_report_hpp, classification_report);
SIGMA_WORD_OF(include_sigma_trainer_terminal_confusion_hpp, confusion_matrix);
SIGMA_WORD_OF(include_sigma_xtensor_hpp, evaluate);
SIGMA_WORD_OF(include_sigma_xtensor_hpp, value_and_gradient);
SIGMA_WORD_OF(include_sigma_xtensor_hpp, gradient);
SIGMA_WORD_OF(include_sigma_xtensor_hpp, to_xtensor);

template <AnyNetwork N, AnyOptimizer O, class T = float>
class BatchTrainer;
template <class... X>
    requires detail::NotIncluded<void(X...), include_sigma_execution_batch_trainer_hpp>
BatchTrainer(X&&...)
    -> BatchTrainer<detail::NoNetwork<error_word_is_not_included<include_sigma_execution_batch_trainer_hpp>>,
                    detail::NoOptimizer, float>;

}  // namespace sigma
