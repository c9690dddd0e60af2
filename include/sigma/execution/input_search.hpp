// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>
#include <sigma/core/array.hpp>
#include <sigma/core/shape.hpp>
#include <sigma/execution/maximise_options.hpp>
#include <sigma/network/model_session.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace sigma::detail {

/// Moves an input of one record down a gradient: Adam (Kingma and Ba 2015) with one second moment for all elements, the
/// mean over them. So the step does not depend on the network's scale, and an element that hardly matters hardly moves,
/// which leaves the background of pictures clean.
template <class T>
class InputDescent {
public:
    /// `shape` is that of a batch.
    InputDescent(const MaximiseOptions& options, const Shape& shape, std::span<T> input);
    /// At a random input, another for each attempt.
    void begin(std::int64_t attempt);
    /// Of decay and smoothing.
    double penalty() const;
    /// One step down the gradient of the cost and the penalties.
    void step(std::span<const T> cost_gradient);

private:
    const MaximiseOptions& options_;
    std::span<T> input_;
    std::vector<double> moments_, gradient_;
    std::size_t rows_, columns_, inner_;
    double square_ = 0;
    double taken_ = 0;

    T bounded(double x) const;
    template <class F>
    void for_each_neighbours(F f) const;
    /// Along an axis of `extent` positions, `apart` elements from each other.
    template <class F>
    void along(std::size_t extent, std::size_t apart, std::size_t from, F& f) const;
};

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
extern template class sigma::detail::InputDescent<float>;
extern template class sigma::detail::InputDescent<double>;
extern template class sigma::detail::InputSearch<float>;
extern template class sigma::detail::InputSearch<double>;
#else
#include <sigma/execution/impl/input_search.ipp>
#endif
