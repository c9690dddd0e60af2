// SPDX-License-Identifier: BSL-1.0
#pragma once

/// Mistakes in sentences. These types are declared and never defined: a wrong sentence has such a type, and the first
/// error of the compiler, at the user's line, names it. order.hpp has those of sentences that do not fit together.
namespace sigma {

/// when(3), when(accuracy): a criterion is a comparison of a value, a time step, a toggle, or made of these.
template <class Given>
struct error_when_takes_a_criterion;
/// every(1, 5), every(1.5, epoch), after(2)
template <class Number, class Scale>
struct error_time_step_takes_a_whole_number_and_a_scale;
/// every(30): of what? every(30s), or every(30, iteration)
template <class Given>
struct error_time_without_a_unit;
/// .then(5), .then(accuracy), .then(): actions of the library, or functions of nothing or of a trainer.
template <class... Given>
struct error_then_takes_actions_or_functions;
/// An action that changes what trains, or a function of the trainer.
template <class Action>
struct error_action_cannot_run_in_the_background;
template <class Hook>
struct error_only_hooks_in_the_background_have_a_limit;
/// add(5)
template <class... Given>
struct error_add_takes_sentences;
/// add(when(c)): what is to be done?
template <class Criterion>
struct error_sentence_without_then;

/// score(data, accuracy): a metric is said by `binary`, `regression`, `top<1, 3>`; accuracy is there without.
struct write_score_of_the_data_alone_for_accuracy_and_validation_error;
template <class Write>
struct error_score_takes_metrics_not_values;
/// schedule(cosine(100)): 100 of what?
struct write_epoch_or_iteration_behind_the_schedule;
template <class Write>
struct error_schedule_needs_a_scale;
/// modify(max_norm(3), "*.weights"), initialize(gaussian(0.1), "*.weights")
struct write_the_pattern_first;
template <class Write>
struct error_pattern_stands_before_what_is_done;

}  // namespace sigma
