// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/network/model.hpp>

#include <array>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <utility>

namespace sigma {

/// A trained network that answers, with parameters of its own that nobody changes any more, on a device: for programs
/// that only predict. All that is const may be called from many threads at a time, with any number of records from 1
/// on. What the network remembers between records belongs to a `Stream`; `predict` begins anew.
template <AnyNetwork N, class T = float>
class SIGMA_BY_INSTRUCTIONS Predictor {
    Model<N, T> model_;
    Device device_;

public:
    using InputPointers = typename Model<N, T>::InputPointers;
    using ResultPointers = typename Model<N, T>::ResultPointers;

    explicit Predictor(const Model<N, T>& trained, Device device = cpu(1))
        : model_(trained), device_(std::move(device)) {
        model_.freeze();
        if (device_.compute_device()) model_.to(device_);
        else model_.set_processor(device_.processor());
    }

    Predictor(const Predictor& other) : Predictor(other.model_, other.device_) {}
    Predictor& operator=(const Predictor&) = default;

    const Model<N, T>& model() const { return model_; }

    /// As of Model: arrays (records, …), or numbers of one record; `predict<"price">(x)`, `predict<"1-dense">(x)`.
    template <class... E>
        requires((AnyArray<E> && ...) || (detail::NumbersInRow<E> && ...))
    auto predict(const E&... from) const {
        return model_.predict(from...);
    }
    auto predict(std::initializer_list<T> record) const { return model_.predict(record); }
    template <Text... names, class... E>
        requires(sizeof...(names) > 0 && (AnyArray<E> && ...))
    auto predict(const E&... from) const {
        return model_.template predict<names...>(from...);
    }
    template <class... X>
    Classified classify(const X&... from) const {
        return model_.classify(from...);
    }
    /// From then on `predict` of up to `count` records in dense rows, by up to `threads` threads at a time, and `step`
    /// of streams allocate nothing, their first call included. A pass of zeros for each thread makes what they need.
    /// Throws ArgumentError where one of both is below 1.
    void reserve(std::size_t threads, std::ptrdiff_t count = 1) const {
        model_.reserve_predictions(device_, threads, count);
    }
    /// Of so many records in dense rows. Allocates only where more threads predict at a time than ever before, or more
    /// records than ever before; see `reserve`.
    void predict(const InputPointers& from, const ResultPointers& to, std::ptrdiff_t count) const {
        model_.predict(device_, nullptr, from, to, count);
    }
    void predict(const T* from, T* to, std::ptrdiff_t count) const
        requires(Model<N, T>::of_one_each)
    {
        model_.predict(device_, nullptr, from, to, count);
    }

    /// What a network with stateful layers remembers of one source of records, a sensor or a caller: a thousand may run
    /// beside each other, each on one thread at a time. The predictor outlives it.
    class Stream {
    public:
        /// The next record, or the next piece of a sequence: numbers in a row, inputs and results dense rows.
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
        /// Of arrays whose sizes the compiler compares with the network's. Ends the program where there is no memory
        /// for a thread that the predictor has not met: `reserve` before.
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
        void step(const InputPointers& from, const ResultPointers& to) {
            if (!own_) return of_->model_.predict(of_->device_, &states_, from, to, 1);
            detail::check_numbers_of_pointers(of_->model_.network(), from.size(), to.size());
            own_->step(from, to);
        }
        /// The same, as an array of one record.
        Array<T> step(std::span<const T> input)
            requires(Model<N, T>::of_one_each)
        {
            auto result = Array<T>::from_shape(detail::array_extents(of_->model_.records.costs[0].prediction, 1));
            step(input, {result.data(), result.size()});
            return result;
        }
        /// The next record is the first of a sequence.
        void forget() {
            states_.forget();
            if (own_) own_->forget();
        }
        Stream(const Stream& other)
            : of_(other.of_), input_(other.input_), result_(other.result_), states_(other.states_),
              own_(other.own_ ? detail::make_owned<detail::StreamSession<T>>(*other.own_) : nullptr) {}
        Stream(Stream&&) = default;
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
        std::ptrdiff_t input_, result_;  ///< numbers of a record, of the first each
        detail::Streams<T> states_{};
        detail::Owned<detail::StreamSession<T>> own_{};  ///< which has states of its own; or none

        static void examine(std::size_t given, std::ptrdiff_t wanted, const char* what) {
            if (given != static_cast<std::size_t>(wanted))
                throw ShapeError(what, sentence(wanted, " numbers"), sentence(given));
        }
    };
    Stream stream() const { return Stream(*this); }
};

}  // namespace sigma
