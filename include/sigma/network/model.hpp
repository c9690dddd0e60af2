// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/pattern.hpp>
#include <sigma/initializer/fill.hpp>
#include <sigma/network/programs.hpp>

#include <xtensor/xadapt.hpp>
#include <xtensor/xstrided_view.hpp>

#include <cmath>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>

namespace sigma {

/// A writable window on a tensor that lives in a model: an xtensor view of run-time shape and strides, with `row`
/// elements from one row to the next. Valid as long as the model.
template <class T>
auto window(T* data, const Shape& shape, int row, std::ptrdiff_t records = 1) {
    std::vector<std::size_t> extents;
    std::vector<std::ptrdiff_t> strides(static_cast<std::size_t>(shape.rank));
    std::ptrdiff_t step = 1;
    for (int i = 0; i < shape.rank; ++i) extents.push_back(static_cast<std::size_t>(resolve(shape[i], records)));
    for (int i = shape.rank - 1; i >= 0; --i) {
        const auto at = static_cast<std::size_t>(i);
        strides[at] = extents[at] == 1 ? 0 : step;
        step *= i == shape.rank - 1 && shape.rank > 1 ? row : static_cast<std::ptrdiff_t>(extents[at]);
    }
    const auto elements = static_cast<std::size_t>(step);
    return xt::strided_view(xt::adapt(data, elements, xt::no_ownership(), std::array<std::size_t, 1>{elements}),
                            std::move(extents), std::move(strides), 0, xt::layout_type::dynamic);
}

/// A network with its parameters, in element type T. Parameters are found by name, `model.parameter<"1-dense.weights">()`,
/// or by position, and read and written as xtensor views. Not for use from several threads at a time.
template <AnyNetwork N, class T = float>
class Model {
public:
    static constexpr auto& records = detail::NetworkRecords<N>::records;
    static constexpr int parameter_count = records.parameters.size();
    static constexpr int layer_count = records.layers.size();
    static constexpr int outputs = N::output.last();

    /// Parameters as their layers say, drawn with this seed.
    explicit Model(std::uint64_t seed = 0) : seed_(seed), memory_(static_cast<std::size_t>(offset(parameter_count))) {
        initialize_where([](const ParameterRecord& r) { return &r.initializer; });
    }
    Model(const Model&) = delete;
    Model& operator=(const Model&) = delete;

    std::uint64_t seed() const { return seed_; }

    /// Draws anew every parameter whose name matches the pattern (`*` stands for any characters; statistics match
    /// under their full names only). Returns how many did.
    template <class I>
    int initialize(std::string_view pattern, const I& initializer) {
        return initialize_where([&](const ParameterRecord& r) {
            return detail::reaches(pattern, r.name.view(), r.trained) ? &initializer : nullptr;
        });
    }
    /// The same for several patterns at a time, of which the most specific one that matches decides.
    int initialize(std::initializer_list<InitializerRule> rules) {
        return initialize_where([&](const ParameterRecord& r) {
            const InitializerRule* rule = detail::choose({rules.begin(), rules.size()}, r.name.view(), r.trained);
            return rule ? &rule->initializer : nullptr;
        });
    }

    // ---- parameters ----

    static constexpr int find_parameter(std::string_view name) {
        for (int i = 0; i < parameter_count; ++i)
            if (records.parameters[i].name.view() == name) return i;
        return -1;
    }
    template <Text name>
    auto parameter() {
        constexpr int i = find_parameter(name.view());
        static_assert(i >= 0, "the network has no parameter of this name");
        return parameter(i);
    }
    auto parameter(int i) {
        check_position(i, parameter_count, "parameter");
        return window(parameter_data(i), records.parameters[i].shape, row(i));
    }
    T* parameter_data(int i) { return memory_.data() + offset(i); }
    static constexpr int row(int i) { return padded_row(records.parameters[i].shape, simd::lanes<T>); }
    std::span<T> parameter_memory() { return {memory_.data(), memory_.size()}; }
    /// Elements in all parameters.
    static constexpr long long parameter_elements() {
        long long n = 0;
        for (const ParameterRecord& r : records.parameters) n += r.shape.count();
        return n;
    }

    // ---- use ----

    /// What the network says of each record: class probabilities for SoftmaxCE, outputs for SquaredDiff. `inputs` has
    /// shape (records, …); the result (records, outputs).
    template <class E>
    auto predict(const E& inputs) {
        const std::size_t records_given = inputs.dimension() > 0 ? inputs.shape()[0] : 0;
        check_inputs(inputs.shape());
        const detail::Elements<E, T> elements(inputs);
        std::vector<std::size_t> shape{records_given};
        for (int i = 1; i < N::output.rank; ++i) shape.push_back(static_cast<std::size_t>(N::output[i]));
        xt::xarray<T> result(shape);
        predict(elements.data(), result.data(), static_cast<std::ptrdiff_t>(records_given));
        return result;
    }
    /// The same from and to dense memory; allocates only when the batch outgrows every earlier one.
    void predict(const T* inputs, T* results, std::ptrdiff_t count) {
        constexpr std::ptrdiff_t most = 256;  // bounds the arena
        auto& executor = executor_of<detail::PredictionProgram<N>>(prediction_);
        for (std::ptrdiff_t i = 0; i < count; i += most) {
            executor.bind_input(0, inputs + i * N::input.count());
            executor.bind_output(0, results + i * N::output.count());
            executor.prepare(std::min(most, count - i));
            executor.run();
        }
    }

    struct Score {
        double error = 0;     ///< mean loss
        double accuracy = 0;  ///< share of records classified right; 0 for other losses
    };
    /// Scores dense inputs and targets; the mean is over all records.
    Score evaluate(const T* inputs, const T* targets, std::ptrdiff_t count) {
        constexpr std::ptrdiff_t most = 256;
        auto& executor = executor_of<detail::EvaluationProgram<N>>(evaluation_);
        Score total;
        for (std::ptrdiff_t i = 0; i < count; i += most) {
            const std::ptrdiff_t n = std::min(most, count - i);
            T error = 0, right = 0;
            executor.bind_input(0, inputs + i * N::input.count());
            executor.bind_input(1, targets + i * N::target.count());
            executor.bind_output(0, &error);
            executor.bind_output(1, &right);
            executor.prepare(n);
            executor.run();
            total.error += static_cast<double>(error) * static_cast<double>(n);
            total.accuracy += static_cast<double>(right) * static_cast<double>(n);
        }
        total.error /= static_cast<double>(count);
        total.accuracy /= static_cast<double>(count);
        return total;
    }

    /// Bytes of working memory that predicting `count` records together takes.
    static constexpr std::size_t prediction_bytes(std::size_t count) {
        using P = Planned<detail::PredictionProgram<N>, simd::lanes<T>>;
        return sizeof(T) * (static_cast<std::size_t>(P::plan.fixed_size) +
                            static_cast<std::size_t>(P::plan.batched_size) * count);
    }

    template <class Shape_>
    static void check_inputs(const Shape_& given) {
        bool fits = static_cast<int>(given.size()) == N::input.rank && given[0] > 0;
        for (int i = 1; i < N::input.rank && fits; ++i)
            fits = static_cast<long long>(given[static_cast<std::size_t>(i)]) == N::input[i];
        if (fits) return;
        std::string wanted = "(records";
        for (int i = 1; i < N::input.rank; ++i) wanted += ", " + std::to_string(N::input[i]);
        throw ShapeError("inputs of the network", "shape " + wanted + ")", "shape " + shape_text(given));
    }
    static void check_position(int i, int count, const char* what) {
        if (i < 0 || i >= count) throw ArgumentError(sentence(what, " of the network"), sentence("a position from 0 to ", count - 1), sentence(i));
    }
    /// Binds the parameters to an executor of any program of this network.
    template <class E>
    void bind(E& executor) {
        for (int i = 0; i < parameter_count; ++i) executor.bind_parameter(i, parameter_data(i));
    }

private:
    std::uint64_t seed_;
    simd::Arena<T> memory_;
    // Made at first use, and without their type: a program that never predicts does not compile prediction.
    std::shared_ptr<void> prediction_, evaluation_;

    template <class Make>
    auto& executor_of(std::shared_ptr<void>& place) {
        using E = simd::Executor<Planned<Make, simd::lanes<T>>, T>;
        if (!place) {
            auto made = std::make_shared<E>();
            bind(*made);
            place = std::move(made);
        }
        return *static_cast<E*>(place.get());
    }

    static constexpr int offset(int parameter) {
        int n = 0;
        for (int i = 0; i < parameter; ++i) n += round_up(footprint(records.parameters[i].shape, row(i)), 16);
        return n;
    }
    /// Draws each parameter by the initializer that `choose` points to, if any; returns how many it drew.
    template <class Choose>
    int initialize_where(Choose choose) {
        int matched = 0;
        for (int i = 0; i < parameter_count; ++i) {
            const ParameterRecord& r = records.parameters[i];
            const auto* how = choose(r);
            if (!how) continue;
            ++matched;
            const Philox random(seed_, RandomUse::initialize, static_cast<std::uint64_t>(i));
            detail::fill(*how, r.shape, random, parameter_data(i), static_cast<std::size_t>(row(i)));
        }
        return matched;
    }
};

}  // namespace sigma
