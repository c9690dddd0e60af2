// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owned.hpp>
#include <sigma/core/shared_owner.hpp>
#include <sigma/hook/early_stop.hpp>
#include <sigma/hook/parameter_copy.hpp>
#include <sigma/hook/reduce_on_plateau.hpp>
#include <sigma/optimizer/adam.hpp>
#include <sigma/trainer/fit_options.hpp>
#include <sigma/trainer/trainer.hpp>
#include <sigma/worker/evaluator.hpp>

#include <limits>

namespace sigma {

namespace detail {

using WatchedError = Computed<"watched_error">;

/// What a fit knows while it runs and after.
template <AnyNetwork N>
struct FitRecord {
    std::optional<Dataset> validation{};
    std::optional<Evaluator<N>> evaluator{};  ///< of that
    std::vector<FitEpoch> history{};
    ParameterCopy best{};
    std::size_t best_at = 0;  ///< in the history
    double least = 0;         ///< the error of that epoch
    bool quiet = false;
    std::string checkpoint{};
};

/// Looks at the network after each epoch: scores it, notes and prints that, and keeps the best parameters.
template <AnyNetwork N>
class FitLook : public Action<FitLook<N>> {
public:
    using Writes = Types<WatchedError>;
    static constexpr bool in_background = false;

    explicit FitLook(detail::SharedOwner<FitRecord<N>> record) : record_(std::move(record)) {}
    void run(auto& context) {
        auto& trainer = context.trainer();
        FitRecord<N>& r = *record_;
        FitEpoch now{.epoch = trainer.epoch(), .error = trainer.error()};
        if (r.evaluator) {
            const auto score = (*r.evaluator)(trainer.model());
            now.validation_error = score.error;
            if (classifies<N>) now.accuracy = score.accuracy;
        }
        now.seconds = trainer.runtime() - std::exchange(before_, trainer.runtime());
        const double watched = r.evaluator ? now.validation_error : now.error;
        now.best = r.history.empty() || watched < r.least || (r.least != r.least && watched == watched);
        r.history.push_back(now);
        if (now.best) {
            r.least = watched;
            r.best_at = r.history.size() - 1;
            r.best.take(trainer.model());
            if (!r.checkpoint.empty()) context.save(r.checkpoint);
        }
        if (!r.quiet) context.print(fit_line(now, trainer.epochs_planned()));
        context.template publish<WatchedError>(watched);
    }
    void restart(auto& context) { before_ = context.runtime(); }
    void archive(Archive& a) { a(before_); }
    static std::string text() { return "look of fit"; }

private:
    detail::SharedOwner<FitRecord<N>> record_;
    double before_ = 0;
};

}  // namespace detail

/// A network that `fit` has trained, with the parameters of its best epoch.
template <AnyNetwork N, AnyOptimizer O>
class Fitted {
public:
    /// Each epoch, and the best of them.
    const std::vector<FitEpoch>& history() const { return record_->history; }
    const FitEpoch& best() const { return record_->history[record_->best_at]; }
    /// Did it end before all epochs were over?
    bool stopped_early() const { return stopped_early_; }

    /// Predictions for inputs (records, …), from many threads at a time: see Model::predict. Of several outputs
    /// `predict<1>(…)` and `predict<"price">(…)` give one.
    template <class... E>
    auto predict(const E&... inputs) const {
        return model().predict(inputs...);
    }
    template <int cost, class... E>
    auto predict(const E&... inputs) const {
        return model().template predict<cost>(inputs...);
    }
    template <Text cost, class... E>
    auto predict(const E&... inputs) const {
        return model().template predict<cost>(inputs...);
    }
    /// Mean loss and accuracy. Throws ArgumentError where data did not go through what the training data went through;
    /// of arrays only the user knows.
    typename Model<N>::Score evaluate(const Dataset& data) const {
        if (!by_hand_) trainer_->require_like_training(data);
        return trainer_->evaluate(model(), data);
    }
    /// What the network was scored on after each epoch; none where there were no validation data.
    const std::optional<Dataset>& validation() const { return record_->validation; }

    Model<N>& model() { return trainer_->model(); }
    const Model<N>& model() const { return trainer_->model(); }
    /// For whatever else; a further run goes on from the best epoch's parameters, and adds to the history.
    Trainer<N, O>& trainer() { return *trainer_; }

    /// Trains; what users call is `fit`.
    Fitted(const Dataset& data, O optimizer, const FitOptions& o, bool by_hand = false)
        : record_(detail::SharedOwner<detail::FitRecord<N>>::make()), by_hand_(by_hand) {
        detail::check_fit_options(o);
        auto parts = detail::fit_data(data, o, detail::classifies<N>);
        record_->validation = std::move(parts.validation);
        if (record_->validation) record_->evaluator.emplace(*record_->validation);
        record_->quiet = o.quiet;
        record_->checkpoint = o.checkpoint;
        const auto wanted = static_cast<std::size_t>(o.batch_size);
        const std::size_t size = wanted < parts.training.size() ? wanted : parts.training.size();
        trainer_ = detail::make_owned<Trainer<N, O>>(
            "fit", N{}, optimizer, minibatches(std::move(parts.training), size, o.seed), element<float>, o.seed);
        if (record_->validation && !by_hand_) trainer_->require_like_training(*record_->validation);
        const auto never = std::numeric_limits<std::int64_t>::max();
        const auto look = every(1, epoch).then(detail::FitLook<N>(record_));
        const auto end =
            early_stop(detail::WatchedError{}, {.patience = o.patience ? o.patience : never, .restore_best = false});
        if constexpr (detail::HasLearningRate<O>)
            trainer_->add(look, end,
                          reduce_on_plateau(detail::WatchedError{}, {.patience = o.plateau ? o.plateau : never}));
        else trainer_->add(look, end);
        trainer_->run(o.device, o.epochs);
        stopped_early_ = trainer_->epoch() < static_cast<std::uint64_t>(o.epochs);
        record_->best.put(model());
    }

private:
    detail::SharedOwner<detail::FitRecord<N>> record_;
    detail::Owned<Trainer<N, O>> trainer_;
    bool stopped_early_ = false;
    bool by_hand_ = false;  ///< trained on arrays
};

/// Trains a network with what has proved good: a tenth of the records, with each class in its proportion, is kept for
/// validation; Adam; a learning rate that is halved on plateaus; an end when the validation error does not get smaller
/// any more; the best parameters at the end.
///
///     auto iris = fit(Iris{}, data::iris(), {.epochs = 50});
///     const auto p = iris.predict(flowers);
///
/// Throws ArgumentError where an option makes no sense or validation data went through other preprocessing, and what
/// Trainer throws.
template <AnyNetwork N>
Fitted<N, Adam> fit(N, const Dataset& data, const FitOptions& options = {}) {
    return {data, Adam{}, options};
}
/// With another optimizer: fit(Iris{}, data, Adam{.learning_rate = 0.01}).
template <AnyNetwork N, AnyOptimizer O>
Fitted<N, O> fit(N, const Dataset& data, O optimizer, const FitOptions& options = {}) {
    return {data, optimizer, options};
}
/// On arrays: inputs (records, …), and targets (records, …) or class numbers (records).
template <AnyNetwork N, AnyArray X, AnyArray Y>
Fitted<N, Adam> fit(N, const X& inputs, const Y& targets, const FitOptions& options = {}) {
    return {make_dataset(inputs, targets), Adam{}, options, true};
}
template <AnyNetwork N, AnyArray X, AnyArray Y, AnyOptimizer O>
Fitted<N, O> fit(N, const X& inputs, const Y& targets, O optimizer, const FitOptions& options = {}) {
    return {make_dataset(inputs, targets), optimizer, options, true};
}

}  // namespace sigma
