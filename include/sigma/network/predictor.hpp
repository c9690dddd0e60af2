// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Predictors: trained networks for programs that only predict, and streams. Included by `<sigma/sigma.hpp>`.
#include <sigma/network/model.hpp>

#include <array>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <utility>

namespace sigma {

/// A trained network for programs that only predict.
///
/// A predictor copies the parameters of a model and keeps them unchanged on one device. You can call its const members
/// from several threads, with any number of records. `predict` starts stateful layers with states of zero. A `Stream`
/// keeps the states of one sequence of records.
///
/// @tparam N  the network
/// @tparam T  type of the parameters and predictions: `float` (default) or `double`
///
/// @par Example
/// @code
/// const Predictor predictor(model);
/// Array<float> probabilities = predictor.predict(images);  // (100, 10)
/// @endcode
///
/// @see Model, quantize
template <AnyNetwork N, class T = float>
class SIGMA_BY_INSTRUCTIONS Predictor {
    Model<N, T> model_;
    Device device_;

public:
    using InputPointers = typename Model<N, T>::InputPointers;    ///< One pointer for each input.
    using ResultPointers = typename Model<N, T>::ResultPointers;  ///< One pointer for each loss.

    /// Constructs a predictor with a copy of a model's parameters.
    /// @param trained  the model. The predictor does not need the model afterwards.
    /// @param device   the device that predicts, such as `cpu(4)` or `gpu()`. Default: one thread of the CPU.
    /// @throws DeviceError  if the device fails
    explicit Predictor(const Model<N, T>& trained, Device device = cpu(1))
        : model_(trained), device_(std::move(device)) {
        model_.freeze();
        if (device_.compute_device()) model_.to(device_);
        else model_.set_processor(device_.processor());
    }

    /// Copies a predictor, with its parameters and its device.
    Predictor(const Predictor& other) : Predictor(other.model_, other.device_) {}
    /// Copies the parameters and the device of another predictor.
    Predictor& operator=(const Predictor&) = default;

    /// Returns the predictor's copy of the model.
    /// @return the model, which does not change
    const Model<N, T>& model() const { return model_; }

    /// Predicts arrays, or one record.
    /// @param from  one array (records, …) for each input, or the numbers of one record for each input
    /// @return as `Model::predict`
    /// @throws ShapeError  if an input has a wrong shape
    template <class... E>
        requires((AnyArray<E> && ...) || (detail::NumbersInRow<E> && ...))
    auto predict(const E&... from) const {
        return model_.predict(from...);
    }
    /// Predicts one record, written in braces: `predict({5.1f, 3.5f, 1.4f, 0.2f})`.
    /// @param record  the elements of the record
    /// @return an Array with one record, (1, …)
    auto predict(std::initializer_list<T> record) const { return model_.predict(record); }
    /// Predicts one output, or computes the outputs of layers: `predict<"price">(x)`, `predict<"1-dense">(x)`.
    /// @tparam names  the name of a loss, or the names of up to four layers
    /// @param from    one array (records, …) for each input
    /// @return as `Model::predict` with names
    template <Text... names, class... E>
        requires(sizeof...(names) > 0 && (AnyArray<E> && ...))
    auto predict(const E&... from) const {
        return model_.template predict<names...>(from...);
    }
    /// Predicts the class of each record.
    /// @param from  what `Model::classify` accepts: arrays, one record, and a threshold
    /// @return the numbers of the classes, and their names if the model has names
    template <class... X>
    Classified classify(const X&... from) const {
        return model_.classify(from...);
    }
    /// Allocates all memory that later predictions need.
    ///
    /// Afterwards `predict` from pointers, and `step` of streams, allocate nothing, their first call included. The call
    /// predicts records of zeros once for each thread.
    ///
    /// @param threads  number of threads that predict at once, at least 1
    /// @param count    greatest number of records of one call, at least 1. Default: 1.
    /// @throws ArgumentError  if `threads` or `count` is less than 1
    void reserve(std::size_t threads, std::ptrdiff_t count = 1) const {
        model_.reserve_predictions(device_, threads, count);
    }
    /// Predicts from dense memory to dense memory.
    ///
    /// Allocates only if more threads, or more records, than ever before are predicted at once. See `reserve`.
    ///
    /// @param from   one pointer for each input, to `count` records
    /// @param to     one pointer for each loss, to memory for `count` predictions
    /// @param count  number of records
    void predict(const InputPointers& from, const ResultPointers& to, std::ptrdiff_t count) const {
        model_.predict(device_, nullptr, from, to, count);
    }
    /// Predicts from dense memory to dense memory, for a network with one input and one loss.
    /// @param from   `count` records
    /// @param to     memory for `count` predictions
    /// @param count  number of records
    void predict(const T* from, T* to, std::ptrdiff_t count) const
        requires(Model<N, T>::of_one_each)
    {
        model_.predict(device_, nullptr, from, to, count);
    }

    /// The states of stateful layers for one sequence of records, such as the values of one sensor.
    ///
    /// A predictor can have thousands of streams. Each stream may be used by one thread at a time. The predictor must
    /// outlive its streams.
    ///
    /// @see stream
    class Stream {
    public:
        /// Predicts the next record of the sequence, or its next piece.
        /// @param input   the numbers of one record
        /// @param result  memory for its prediction
        /// @throws ShapeError  if the size of `input` or `result` differs from the network
        void step(std::span<const T> input, std::span<T> result)
            requires(Model<N, T>::of_one_each)
        {
            examine(input.size(), input_, "input of a stream");
            examine(result.size(), result_, "result of a stream");
            const T* const from[]{input.data()};
            T* const to[]{result.data()};
            if (own_) own_->step(from, to);
            else of_->model_.predict(of_->device_, &states_, input.data(), result.data(), 1);
        }
        /// Predicts the next record. The compiler checks the sizes of the arrays.
        ///
        /// The function is `noexcept`: the program ends if memory cannot be allocated. Call `reserve` before to avoid
        /// allocations.
        ///
        /// @param input   the numbers of one record
        /// @param result  receives its prediction
        template <std::size_t inputs, std::size_t results>
            requires(ConstantNetwork<N> && Model<N, T>::of_one_each)
        void step(const std::array<T, inputs>& input, std::array<T, results>& result) noexcept {
            static_assert(inputs == detail::network_table<N>.inputs[0].count() &&
                              results == detail::network_table<N>.costs[0].prediction.count(),
                          "step takes an array of the numbers of one record, and one for those of its prediction");
            const T* const from[]{input.data()};
            T* const to[]{result.data()};
            if (own_) own_->step(from, to);
            else of_->model_.predict(of_->device_, &states_, input.data(), result.data(), 1);
        }
        /// Predicts the next record of a network with several inputs or losses.
        /// @param from  one pointer for each input, to one record
        /// @param to    one pointer for each loss, to memory for one prediction
        /// @throws ShapeError  if there is not one pointer for each input and each loss
        void step(const InputPointers& from, const ResultPointers& to) {
            if (!own_) return of_->model_.predict(of_->device_, &states_, from, to, 1);
            detail::check_numbers_of_pointers(of_->model_.network(), from.size(), to.size());
            own_->step(from, to);
        }
        /// Predicts the next record, and returns its prediction.
        /// @param input  the numbers of one record
        /// @return an Array with one record, (1, …)
        /// @throws ShapeError  if the size of `input` differs from the network
        Array<T> step(std::span<const T> input)
            requires(Model<N, T>::of_one_each)
        {
            auto result = Array<T>::from_shape(detail::array_extents(of_->model_.records.costs[0].prediction, 1));
            step(input, {result.data(), result.size()});
            return result;
        }
        /// Resets the states: the next record is the first of a sequence.
        void forget() {
            states_.forget();
            if (own_) own_->forget();
        }
        /// Copies a stream with its states.
        Stream(const Stream& other)
            : of_(other.of_), input_(other.input_), result_(other.result_), states_(other.states_),
              own_(other.own_ ? detail::make_owned<detail::StreamSession<T>>(*other.own_) : nullptr) {}
        /// Moves a stream.
        Stream(Stream&&) = default;
        /// Replaces this stream by another one.
        Stream& operator=(Stream other) {
            std::swap(of_, other.of_), std::swap(input_, other.input_), std::swap(result_, other.result_);
            std::swap(states_, other.states_), std::swap(own_, other.own_);
            return *this;
        }

    private:
        friend class Predictor;
        explicit Stream(const Predictor& of)
            : of_(&of), input_(of.model_.records.inputs[0].count()),
              result_(of.model_.records.costs[0].prediction.count()) {
            const auto& program = of.model_.template program<detail::to_predict>();
            if (detail::StreamSession<T>::suits(of.model_, program, of.device_))
                own_ = detail::make_owned<detail::StreamSession<T>>(of.model_, program);
            else states_.reserve(of.model_.network().states, 1);
        }

        const Predictor* of_;
        std::ptrdiff_t input_, result_;  ///< Elements of a record of the first input and the first loss.
        detail::Streams<T> states_{};
        detail::Owned<detail::StreamSession<T>> own_{};  ///< A session with states of its own, or null.

        static void examine(std::size_t given, std::ptrdiff_t wanted, const char* what) {
            if (given != static_cast<std::size_t>(wanted))
                throw ShapeError(what, sentence(wanted, " numbers"), sentence(given));
        }
    };
    /// Opens a stream, with states of zero.
    /// @return the stream. The predictor must outlive it.
    ///
    /// @par Example
    /// @code
    /// struct Sensor : Network<Input(1, 1) + LSTM(8, {.stateful = true}) + Dense(1) + SquaredDiff()> {};
    /// const Predictor predictor{Model<Sensor>(1)};
    /// auto stream = predictor.stream();
    /// const float value[] = {0.5f};
    /// Array<float> next = stream.step(value);  // (1, 1)
    /// @endcode
    Stream stream() const { return Stream(*this); }
};

}  // namespace sigma
