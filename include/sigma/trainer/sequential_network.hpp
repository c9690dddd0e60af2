// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owned.hpp>
#include <sigma/data/minibatches.hpp>
#include <sigma/data/same_data.hpp>
#include <sigma/data/transform/steps_alike.hpp>
#include <sigma/network/summary.hpp>
#include <sigma/trainer/trainer.hpp>

#include <optional>
#include <string>
#include <vector>

namespace sigma {

/// How a network is trained: `network.train(x, y, {.epochs = 20})`.
struct TrainOptions {
    int epochs = 1;
    int batch_size = 32;                  ///< records in a step; all of them where there are fewer
    std::optional<Dataset> validation{};  ///< what the network is scored on after each epoch
    Device device = cpu();
};

/// What one call of train has seen.
template <class Score>
struct TrainHistory {
    std::vector<double> losses;     ///< mean loss of each epoch
    std::vector<Score> validation;  ///< after each epoch, where validation data were given
};

/// The network under a name of its own.
template <auto expression>
struct SequentialNetwork : Network<expression> {};

/// A network with its optimizer, and the trainer of the data it has met last: what `Sequential` ends in. Moves, and is
/// not copied.
template <AnyNetwork N, AnyOptimizer O, class T = float>
class TrainableSequential {
public:
    using Score = typename Model<N, T>::Score;
    using History = TrainHistory<Score>;
    using Options = TrainOptions;

    TrainableSequential(O optimizer, std::uint64_t seed) : state_(detail::make_owned<State>(optimizer, seed)) {}

    /// Trains for so many more epochs. With the data and batch size of the time before it goes on where that ended;
    /// with others the parameters stay, and the optimizer begins anew. Throws what Trainer throws, and ArgumentError
    /// where validation data did not go through what these went through, or where data number classes otherwise than
    /// those before.
    History train(const Dataset& data, const Options& options = {}) { return train(data, options, true); }
    /// The same on arrays: inputs (records, …), and targets (records, …) or, for losses that classify, class
    /// numbers (records).
    template <class X, class Y>
        requires(AnyArray<X> && AnyArray<Y>)
    History train(const X& inputs, const Y& targets, const Options& options = {}) {
        return train(make_dataset(inputs, targets), options, false);
    }

    /// Mean loss and accuracy on data. Throws ArgumentError where they did not go through what the training data went
    /// through; of arrays only the user knows.
    Score evaluate(const Dataset& data) {
        if (!state_->trainer) meet(data, data.size());
        if (state_->compares) state_->trainer->require_like_training(data);
        return state_->trainer->evaluate(model(), data);
    }
    template <class X, class Y>
        requires(AnyArray<X> && AnyArray<Y>)
    Score evaluate(const X& inputs, const Y& targets) {
        const Dataset data = make_dataset(inputs, targets);
        if (!state_->trainer) meet(data, data.size());
        return state_->trainer->evaluate(model(), data);
    }

    /// Predictions for inputs (records, …), as Model::predict; of a single record, without that axis in and out. Before
    /// training they are those of the initial parameters. From many threads at a time, but not while other data are
    /// met.
    template <class... E>
        requires(AnyArray<E> && ...)
    auto predict(const E&... inputs) const {
        if constexpr (N::input_count == 1 && N::cost_count == 1 && sizeof...(E) == 1) {
            const auto& x = std::get<0>(std::tie(inputs...));
            std::vector<std::size_t> shape = detail::shape_of(x);
            if (shape.size() + 1 == static_cast<std::size_t>(N::input.rank)) {
                const detail::DenseElements<T> record(x);
                shape.insert(shape.begin(), 1);
                Array<T> result = model().predict(ArrayView<const T>(record.data(), std::move(shape)));
                result.reshape({result.shape().begin() + 1, result.shape().end()});
                return result;
            }
        }
        return model().predict(inputs...);
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
    /// What does not move when the network does: the trainer's callbacks point here.
    struct State {
        O optimizer;
        std::uint64_t seed;
        detail::Owned<Model<N, T>> untrained;  ///< until there is a trainer
        detail::Owned<Trainer<N, O, T>> trainer{};
        std::optional<Dataset> data{};
        std::size_t batch_size = 0;
        History* history = nullptr;
        const Dataset* validation = nullptr;
        bool compares = false;  ///< is it known what the training data went through?

        State(O o, std::uint64_t s) : optimizer(o), seed(s), untrained(detail::make_owned<Model<N, T>>(s)) {}
    };
    /// Keeps history while it lives.
    struct Watch {
        State& state;

        Watch(State& s, History* history, const Dataset* validation) : state(s) {
            state.history = history;
            state.validation = validation;
        }
        Watch(const Watch&) = delete;
        Watch& operator=(const Watch&) = delete;
        ~Watch() {
            state.history = nullptr;
            state.validation = nullptr;
        }
    };
    detail::Owned<State> state_;

    History train(const Dataset& data, const Options& options, bool known) {
        if (options.batch_size < 1)
            throw ArgumentError("training of a sequential network", "a batch size of 1 or more",
                                sentence(options.batch_size));
        meet(data, static_cast<std::size_t>(options.batch_size));
        state_->compares = known;
        if (options.validation && known) state_->trainer->require_like_training(*options.validation);
        History history;
        const Watch watch(*state_, &history, options.validation ? &*options.validation : nullptr);
        state_->trainer->run(options.device, options.epochs);
        return history;
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
        next->on_epoch([&s](auto& trainer) {
            if (!s.history) return;
            s.history->losses.push_back(trainer.error());
            if (s.validation) s.history->validation.push_back(trainer.evaluate(trainer.model(), *s.validation));
        });
        s.trainer = std::move(next);
        s.untrained = nullptr;
        s.data = data;
        s.batch_size = batch_size;
    }
};

}  // namespace sigma
