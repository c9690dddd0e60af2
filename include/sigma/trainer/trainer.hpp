// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/minibatches.hpp>
#include <sigma/trainer/batch_buffers.hpp>
#include <sigma/trainer/constraints.hpp>
#include <sigma/trainer/fault.hpp>
#include <sigma/worker/debug_step.hpp>
#include <sigma/worker/device.hpp>
#include <sigma/worker/step.hpp>

#include <array>
#include <chrono>
#include <functional>

namespace sigma {

/// Selects the element type of a trainer: `Trainer trainer("iris", Iris{}, Adam{}, batches, element<double>)`.
template <class T>
struct Element {};
template <class T>
inline constexpr Element<T> element{};

/// Trains a network on minibatches with an optimizer. One seed decides initial parameters, dropout and, through the
/// minibatches, the order of records; the same seed gives the same bits on any number of threads.
template <AnyNetwork N, AnyOptimizer O, class T = float>
class Trainer {
public:
    using Callback = std::function<void(Trainer&)>;

    Trainer(std::string name, N, O optimizer_, Minibatches batches, Element<T> = {}, std::uint64_t seed = 0)
        : optimizer(optimizer_), name_(std::move(name)), batches_(std::move(batches)), model_(seed), step_(model_) {
        buffers_.bind(batches_.dataset, batches_.size);
        fault_.reserve(batches_.batches_per_epoch());
    }
    Trainer(const Trainer&) = delete;
    Trainer& operator=(const Trainer&) = delete;

    /// Hyper-parameters; they may change between steps.
    O optimizer;

    /// Draws anew the parameters whose names match: `initialize("*.weights", gaussian(0.1))`.
    void initialize(std::string_view pattern, const Initializer& initializer) {
        check_matched("initialize", pattern, model_.initialize(pattern, initializer));
    }
    /// Changes the matching parameters after every step from now on, `modify("*.weights", clip(-1, 1))`; several modifiers
    /// act in the order they were given. `unmodify` takes them away from the parameters that match.
    template <ModifierOf<T> M>
    void modify(std::string_view pattern, M modifier) {
        check_matched("modify", pattern, constraints_.modify(pattern, std::move(modifier), iteration_));
    }
    void unmodify(std::string_view pattern) { check_matched("unmodify", pattern, constraints_.unmodify(pattern, iteration_)); }
    /// The matching parameters, and what the optimizer keeps for them, stay what they are, bit by bit, until `unfreeze`:
    /// neither steps nor modifiers change them.
    void freeze(std::string_view pattern) { check_matched("freeze", pattern, constraints_.freeze(pattern, iteration_)); }
    void unfreeze(std::string_view pattern) { check_matched("unfreeze", pattern, constraints_.unfreeze(pattern, iteration_)); }
    /// Called after every step, and after every epoch, in the order of registration.
    void on_iteration(Callback f) { on_iteration_.push_back(std::move(f)); }
    void on_epoch(Callback f) { on_epoch_.push_back(std::move(f)); }

    /// Trains for `epochs` more epochs, or until `stop` is called. Throws NumericError when the loss or a parameter is
    /// no finite number any more; parameters and states are then those before the step in which it happened.
    void run(Cpu device, int epochs) {
        if (epochs < 0) throw ArgumentError(sentence("run of trainer '", name_, "'"), "0 epochs or more", sentence(epochs));
        const auto pool = device.threads > 1 ? std::make_unique<simd::Pool>(device.threads) : nullptr;
        stopping_ = false;
        epochs_planned_ = epoch_ + static_cast<std::uint64_t>(epochs);
        const auto started = std::chrono::steady_clock::now();
        std::uint64_t records_done = 0;
        while (epoch_ < epochs_planned_ && !stopping_) {
            batches_.order(epoch_, order_);
            fault_.begin_epoch(model_.parameter_memory(), step_.state_memory());
            constraints_.settle();
            double total = 0;
            std::uint64_t seen = 0;
            for (batch_ = 0; batch_ < batches_.batches_per_epoch() && !stopping_; ++batch_) {
                const std::ptrdiff_t records = gather(batch_);
                fault_.note(optimizer);
                loss_ = advance(optimizer, iteration_ + 1, records, pool.get());
                ++iteration_;
                if (!std::isfinite(loss_)) fail(batch_, pool.get());
                total += loss_ * static_cast<double>(records);
                for (int i = 0; i < N::cost_count; ++i) losses_[static_cast<std::size_t>(i)] = step_.loss(i);
                seen += static_cast<std::uint64_t>(records);
                error_ = total / static_cast<double>(seen);
                records_done += static_cast<std::uint64_t>(records);
                const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - started;
                samples_per_second_ = static_cast<double>(records_done) / std::max(passed.count(), 1e-9);
                for (const Callback& f : on_iteration_) f(*this);
            }
            if (!fault_.finite(model_)) fail(batch_, pool.get());
            if (batch_ < batches_.batches_per_epoch()) break;  // stopped within the epoch
            ++epoch_;
            for (const Callback& f : on_epoch_) f(*this);
        }
    }
    /// The same on the debug device: a NumericError comes before the step it speaks of, of the type OperationError where
    /// an operation is to blame.
    void run(Debug, int epochs) {
        DebugStep<N, O, T> step(model_, step_);
        debug_step_ = [&](const O& with, std::uint64_t number, std::ptrdiff_t records) {
            std::vector<const T*> data;
            for (const T* x : buffers_.inputs()) data.push_back(x);
            for (const T* y : buffers_.targets()) data.push_back(y);
            return step(with, number, data, records);
        };
        try {
            run(cpu(), epochs);
        } catch (...) {
            debug_step_ = nullptr;
            throw;
        }
        debug_step_ = nullptr;
    }
    /// Ends the run after the present step.
    void stop() { stopping_ = true; }

    // ---- what callbacks read ----

    const std::string& name() const { return name_; }
    std::uint64_t epoch() const { return epoch_; }            ///< epochs finished
    std::uint64_t epochs_planned() const { return epochs_planned_; }
    std::uint64_t iteration() const { return iteration_; }    ///< steps taken
    std::uint64_t batch() const { return batch_; }            ///< position in the epoch, from 0
    std::uint64_t batches_per_epoch() const { return batches_.batches_per_epoch(); }
    double loss() const { return loss_; }                     ///< of the last step
    /// Of each cost in the last step, without its importance; their names are `model().records.costs`.
    const std::array<double, N::cost_count>& losses() const { return losses_; }
    double error() const { return error_; }                   ///< mean loss of the epoch so far
    double samples_per_second() const { return samples_per_second_; }
    const Minibatches& minibatches() const { return batches_; }
    Model<N, T>& model() { return model_; }
    Step<N, O, T>& step() { return step_; }

    /// Mean loss and accuracy on a data set, in total and for each cost, without training.
    typename Model<N, T>::Score evaluate(const Dataset& data) {
        constexpr std::size_t most = 256;
        detail::BatchBuffers<N, T> buffers;
        buffers.bind(data, std::min(most, data.size()));
        std::vector<std::size_t> positions;
        typename Model<N, T>::Score total;
        for (std::size_t i = 0; i < data.size(); i += most) {
            positions.resize(std::min(most, data.size() - i));
            std::iota(positions.begin(), positions.end(), i);
            buffers.gather(data, positions);
            const auto score = model_.evaluate(buffers.inputs(), buffers.targets(), static_cast<std::ptrdiff_t>(positions.size()));
            total.add(score, static_cast<double>(positions.size()) / static_cast<double>(data.size()));
        }
        return total;
    }
    /// Predictions for inputs of shape (records, …); see Model::predict. With several outputs, `predict<1>(…)` and
    /// `predict<"price">(…)` give one.
    template <class... E>
    auto predict(const E&... inputs) {
        return model_.predict(inputs...);
    }
    template <int cost, class... E>
    auto predict(const E&... inputs) {
        return model_.template predict<cost>(inputs...);
    }
    template <Text cost, class... E>
    auto predict(const E&... inputs) {
        return model_.template predict<cost>(inputs...);
    }
    /// The same with every operation checked.
    template <class E>
    auto predict(Debug, const E& inputs) {
        static_assert(N::input_count == 1 && N::cost_count == 1, "predict(debug(), x) is for networks of one input and one output");
        Model<N, T>::check_inputs(inputs.shape());
        const detail::Elements<E, T> elements(inputs);
        const T* const data[] = {elements.data()};
        const auto records = static_cast<std::ptrdiff_t>(inputs.shape()[0]);
        const auto done = DebugRunner<N, T>(model_).run(detail::PredictionProgram<N>{}(), false, data, {}, {}, records, 0);
        constexpr Shape shape = N::template Cost<0>::prediction;
        std::vector<std::size_t> extents;
        for (int i = 0; i < shape.rank; ++i) extents.push_back(static_cast<std::size_t>(resolve(shape[i], records)));
        xt::xarray<T> result(extents);
        std::ranges::copy(done.outputs[0], result.data());
        return result;
    }

private:
    std::string name_;
    Minibatches batches_;
    Model<N, T> model_;
    Step<N, O, T> step_;
    std::vector<Callback> on_iteration_, on_epoch_;
    std::vector<std::size_t> order_;
    detail::BatchBuffers<N, T> buffers_;
    Fault<N, O, T> fault_;
    Constraints<N, O, T> constraints_;
    std::function<double(const O&, std::uint64_t, std::ptrdiff_t)> debug_step_;
    std::uint64_t epoch_ = 0, epochs_planned_ = 0, iteration_ = 0, batch_ = 0;
    double loss_ = 0, error_ = 0, samples_per_second_ = 0;
    std::array<double, N::cost_count> losses_{};
    bool stopping_ = false;

    /// One step on the records gathered, with all that surrounds it; returns the loss before it.
    double advance(const O& with, std::uint64_t number, std::ptrdiff_t records, simd::Pool* pool) {
        constraints_.before(model_, step_, number);
        const double loss = debug_step_ ? debug_step_(with, number, records)
                                        : step_(with, number, buffers_.inputs(), buffers_.targets(), records, pool);
        constraints_.after(model_, step_, number);
        return loss;
    }
    void check_matched(const char* what, std::string_view pattern, int matched) const {
        if (matched == 0)
            throw ArgumentError(sentence(what, " of trainer '", name_, "'"), "a pattern that matches a parameter",
                                sentence("'", pattern, "'"));
    }
    /// Records of a batch of this epoch as dense rows; returns how many.
    std::ptrdiff_t gather(std::uint64_t batch) {
        const auto records = batches_.batch(order_, batch);
        buffers_.gather(batches_.dataset, records);
        return static_cast<std::ptrdiff_t>(records.size());
    }
    /// After `sound` steps of this epoch, the next loss or the parameters are not finite. The parameters before the
    /// faulty step are gone, but steps can be repeated exactly: start again from the epoch's beginning, stop before the
    /// step that loses the finite numbers, and look where it does.
    [[noreturn]] void fail(std::uint64_t sound, simd::Pool* pool) {
        const std::uint64_t before = iteration_ - batch_ - (std::isfinite(loss_) ? 0 : 1);
        const char* const loss = std::isnan(loss_) ? "the loss became NaN" : "the loss became infinite";
        const auto repeat = [&](std::uint64_t steps) {
            fault_.restore(model_.parameter_memory(), step_.state_memory());
            iteration_ = before;
            for (batch_ = 0; batch_ < steps; ++batch_) {
                const std::ptrdiff_t records = gather(batch_);
                advance(fault_.optimizer(batch_), iteration_ + 1, records, pool);
                if (!fault_.finite(model_)) return;
                ++iteration_;
            }
        };
        repeat(sound);
        if (batch_ == sound) {
            constraints_.settle();  // rules that callbacks made in steps that never were hold from here on
            const std::ptrdiff_t records = gather(sound);
            const std::string layer = faulty_layer(records);
            throw NumericError(iteration_ + 1, layer, sentence(loss, layer.empty() ? ", though every layer is finite" : ""));
        }
        const std::string layer = fault_.find_parameter(model_);
        repeat(std::uint64_t{batch_});
        constraints_.settle();
        throw NumericError(iteration_ + 1, layer, "a parameter became infinite or NaN");
    }
    /// The first layer whose output is not finite on the batch in the buffers, or the first such cost.
    std::string faulty_layer(std::ptrdiff_t records) {
        const std::string found = fault_.find(model_, buffers_.joined_inputs(records).data(), records);
        if constexpr (N::cost_count > 1) {
            const auto& costs = model_.records.costs;
            if (!found.empty()) return found;
            const auto score = model_.evaluate(buffers_.inputs(), buffers_.targets(), records);
            for (int i = 0; i < N::cost_count; ++i)
                if (!std::isfinite(score.costs[static_cast<std::size_t>(i)].error)) return std::string(costs[i].name.view());
        }
        return found;
    }
};

template <class N, class O>
Trainer(const char*, N, O, Minibatches) -> Trainer<N, O, float>;
template <class N, class O, class T>
Trainer(const char*, N, O, Minibatches, Element<T>) -> Trainer<N, O, T>;
template <class N, class O, class T>
Trainer(const char*, N, O, Minibatches, Element<T>, std::uint64_t) -> Trainer<N, O, T>;

}  // namespace sigma
