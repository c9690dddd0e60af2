// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>
#include <sigma/core/array.hpp>
#include <sigma/execution/maximise_options.hpp>
#include <sigma/execution/maximised.hpp>
#include <sigma/network/model_session.hpp>

#include <cstdint>
#include <vector>

namespace sigma::detail {

/// Looks for the input of one record of a network with one input. The program is to maximise a prediction.
template <class T>
class InputSearch {
public:
    /// A class as the prediction of one record; where there is one output, its value. Throws ArgumentError and
    /// ShapeError.
    static std::vector<T> target_of(const Shape& prediction, std::int64_t number);
    /// An array of as many elements as the prediction of one record, whose batch has this shape. Throws ShapeError.
    static std::vector<T> target_of(const Shape& prediction, const ArrayShape& found, const T* dense);

    InputSearch(const ModelStore<T>& model, const CompiledProgram<T>& program, int cost, std::vector<T> target,
                const MaximiseOptions& options);
    ~InputSearch();

    /// Until it succeeds, all attempts are used up, or `halted()`, while nobody changes the parameters.
    Maximised<T> run(const AnyFunction<bool()>& halted);

private:
    const MaximiseOptions& options_;
    const Shape &input_shape_, &output_shape_;
    std::vector<T> target_, input_, gradient_, prediction_;
    T distance_ = 0;
    ModelSession<T> session_;
};

}  // namespace sigma::detail

#ifdef SIGMA_COMPILED
extern template class sigma::detail::InputSearch<float>;
extern template class sigma::detail::InputSearch<double>;
#else
#include <sigma/execution/impl/input_search.ipp>
#endif
