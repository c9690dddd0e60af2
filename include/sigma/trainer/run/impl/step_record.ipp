// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/trainer/run/step_record.hpp>

namespace sigma::detail {

template <class T>
StepRecord<T>::~StepRecord() = default;

template <class T>
void StepRecord<T>::before(Wants wanted, const Store& model, std::uint64_t number, detail::Rows<T> inputs,
                           detail::Rows<T> targets, std::ptrdiff_t count) {
    // A trainer may repeat a step after a rewind.
    if (parameters_of_ == number) parameters_of_ = 0;
    if (gradients_of_ == number) gradients_of_ = 0;
    if (outputs_of_ == number) outputs_of_ = 0;
    if (wanted.before || keeps_before_) {
        const auto memory = model.parameter_memory();
        parameters_.assign(memory.begin(), memory.end());
        parameters_of_ = number;
    }
    if (wanted.gradients && gradients_) {
        gradients_->run(inputs, targets, count, number);
        gradients_of_ = number;
        ++computed_;
    }
    if (wanted.outputs && outputs_) {
        outputs_->run(inputs, {}, count);
        outputs_of_ = number;
    }
}

template <class T>
std::optional<std::span<const T>> StepRecord<T>::gradient(int parameter, std::uint64_t number) const {
    if (number == 0 || gradients_of_ != number) return {};
    return gradients_->values(parameter);
}

template <class T>
std::optional<std::span<const T>> StepRecord<T>::before(int parameter, const Store& model, std::uint64_t number) const {
    if (number == 0 || parameters_of_ != number) return {};
    return std::span<const T>(parameters_).subspan(model.dual_buffer().offset(parameter));
}

template <class T>
KeptTensor StepRecord<T>::output(int layer, std::uint64_t number) const {
    if (number == 0 || outputs_of_ != number) return {};
    const std::vector<T>& all = outputs_->outputs()[static_cast<std::size_t>(layer)];
    return {all.data(), std::ssize(all)};
}

}  // namespace sigma::detail

SIGMA_INSTANTIATE(class sigma::detail::StepRecord);
