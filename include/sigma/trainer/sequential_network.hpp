// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/data/minibatches.hpp>
#include <sigma/data/same_data.hpp>
#include <sigma/data/transform/preprocessing.hpp>
#include <sigma/network/summary.hpp>
#include <sigma/trainer/trainer.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sigma::detail {

/// The network under a name of its own.
template <auto expression>
struct SequentialNetwork : Network<expression> {};

/// A network with its optimizer, and the trainer of the data it has met last: what `Sequential` ends in. Moves, and is
/// not copied.
template <AnyNetwork N, AnyOptimizer O, class T = float>
class TrainableSequential : public detail::Inference<TrainableSequential<N, O, T>, N, T> {
    using Base = detail::Inference<TrainableSequential, N, T>;
    friend Base;

public:
    TrainableSequential(O optimizer, std::uint64_t seed) : state_(detail::make_owned<State>(optimizer, seed)) {}

    /// Trains for so many more epochs. With the data and batch size of the time before it goes on where that ended;
    /// with others the parameters stay, and the optimizer begins anew. Throws what Trainer throws, and ArgumentError
    /// where validation data did not go through what these went through, or where data number classes otherwise than
    /// those before.
    History train(const Dataset& data, const RunOptions& options = {}) { return train(data, options, true); }
    /// The same on arrays: inputs (records, …), and targets (records, …) or, for losses that classify, class
    /// numbers (records).
    template <class X, class Y>
        requires(AnyArray<X> && AnyArray<Y>)
    History train(const X& inputs, const Y& targets, const RunOptions& options = {}) {
        return train(make_dataset(inputs, targets), options, false);
    }

    using Base::evaluate;
    template <class X, class Y>
        requires(AnyArray<X> && AnyArray<Y>)
    typename Model<N, T>::Score evaluate(const X& inputs, const Y& targets) const {
        return evaluate(model(), make_dataset(inputs, targets));
    }
    /// Throws ArgumentError where data did not go through what the training data went through; of arrays only the user
    /// knows.
    void require_like_training(const Dataset& data) const {
        if (state_->trainer) state_->trainer->require_like_training(data);
    }

    /// Layers, shapes and parameters as a table.
    std::string summary() const { return sigma::summary<N, T>(); }
    /// Hyper-parameters; they may change between calls of train, and within them by callbacks of the trainer.
    /// References to this and to the model hold until other data are trained on.
    O& optimizer() { return state_->trainer ? state_->trainer->optimizer : state_->optimizer; }
    Model<N, T>& model() { return state_->trainer ? state_->trainer->model() : *state_->untrained; }
    const Model<N, T>& model() const { return state_->trainer ? state_->trainer->model() : *state_->untrained; }
    /// The trainer of the data that were trained on last, for whatever this class has no word for.
    Trainer<N, O, T>& trainer() {
        if (!state_->trainer)
            throw Error("trainer of a sequential network: expected a call of train before, found none");
        return *state_->trainer;
    }

private:
    /// `predict`: a single record, an array or numbers in a row, is without the axis of records in and out. Before
    /// training predictions are those of the initial parameters. From many threads at a time, but not while other data
    /// are met.
    template <AnyArray E>
        requires(N::input_count == 1 && N::cost_count == 1)
    auto predicted(const E& x) const {
        std::vector<std::size_t> shape = detail::shape_of(x);
        if (shape.size() + 1 != static_cast<std::size_t>(N::input.rank)) return model().predict(x);
        const detail::DenseElements<T> record(x);
        shape.insert(shape.begin(), 1);
        Array<T> result = model().predict(ArrayView<const T>(record.data(), std::move(shape)));
        result.reshape({result.shape().begin() + 1, result.shape().end()});
        return result;
    }
    template <detail::NumbersInRow R>
        requires(N::input_count == 1 && N::cost_count == 1)
    auto predicted(const R& record) const {
        return predicted(ArrayView(record, detail::array_extents(N::inputs[0], 1, 1)));
    }

    struct State {
        O optimizer;
        std::uint64_t seed;
        detail::Owned<Model<N, T>> untrained;  ///< until there is a trainer
        detail::Owned<Trainer<N, O, T>> trainer{};
        std::optional<Dataset> data{};
        std::size_t batch_size = 0;

        State(O o, std::uint64_t s) : optimizer(o), seed(s), untrained(detail::make_owned<Model<N, T>>(s)) {}
    };
    detail::Owned<State> state_;

    History train(const Dataset& data, RunOptions options, bool compare) {
        const auto size = std::exchange(options.batch_size, 0);
        if (size < 0)
            throw ArgumentError("training of a sequential network", "a batch size of 1 or more, or 0 for 32",
                                sentence(size));
        meet(data, static_cast<std::size_t>(size == 0 ? 32 : size));
        state_->trainer->compare_data(compare);
        return state_->trainer->run(options);
    }

    /// Has a trainer for these data.
    void meet(const Dataset& data, std::size_t batch_size) {
        State& s = *state_;
        if (batch_size > data.size()) batch_size = data.size();
        if (s.trainer && s.batch_size == batch_size && data::detail::same_records(*s.data, data)) return;
        if (!detail::classes_agree(model().classes(), data.classes()))
            detail::throw_other_classes<ArgumentError>(
                sentence("dataset '", data.name(), "'"), model().classes(),
                "as of the data before (labels(column, training.classes()) numbers them so)", data.classes());
        auto next = detail::make_owned<Trainer<N, O, T>>("sequential", N{}, optimizer(),
                                                         minibatches(data, batch_size, s.seed), element<T>, s.seed);
        next->model() = model();
        s.trainer = std::move(next);
        s.untrained = nullptr;
        s.data = data;
        s.batch_size = batch_size;
    }
};

}  // namespace sigma::detail
