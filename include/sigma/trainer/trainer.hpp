// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/scope.hpp>
#include <sigma/data/minibatches.hpp>
#include <sigma/hook/group.hpp>
#include <sigma/hook/misfit.hpp>
#include <sigma/trainer/constraints.hpp>
#include <sigma/trainer/control.hpp>
#include <sigma/trainer/fault.hpp>
#include <sigma/worker/debug_step.hpp>
#include <sigma/worker/device.hpp>
#include <sigma/worker/evaluator.hpp>
#include <sigma/worker/step.hpp>

#include <array>
#include <cstdio>
#include <functional>
#include <limits>
#include <mutex>

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
        : optimizer(optimizer_), name_(std::move(name)), batches_(std::move(batches)), model_(seed), step_(model_),
          control_(name_, [this](ControlEvent event) { handle(event); }) {
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
        initializers_.emplace_back(pattern, initializer);
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
    // ---- hooks ----

    /// Sentences: `add(every(1, epoch).then(score(validation), report(error, accuracy)), when(…).then(stop))`. Those that
    /// are added together share the values they compute, and their order follows from what they read and compute; what
    /// does not fit together does not compile. Returns a number for `remove`.
    template <class... H>
        requires(is_hook<H> && ...) && (detail::Hooks<H...>::good) && (!detail::Misfit<Trainer, H...>::found)
    int add(H... hooks) {
        groups_.push_back(make_hook_group(*this, std::move(hooks)...));
        group_numbers_.push_back(++last_group_);
        listen();
        return last_group_;
    }
    template <class... H>
        requires(is_hook<H> && ...) && (!detail::Hooks<H...>::good)
    typename decltype(detail::Hooks<H...>::mistake_type())::type add(H... hooks);
    template <class... H>
        requires(is_hook<H> && ...) && (detail::Hooks<H...>::good) && (detail::Misfit<Trainer, H...>::found)
    typename detail::Misfit<Trainer, H...>::type add(H... hooks);
    /// Takes away hooks that were added together; by a hook, when those of this moment are through.
    void remove(int number) {
        const auto found = std::ranges::find(group_numbers_, number);
        if (found == group_numbers_.end())
            throw ArgumentError(sentence("remove of trainer '", name_, "'"), "the number of hooks that were added", sentence(number));
        removed_.push_back(number);
        if (firing_ == 0) forget_removed();
    }
    /// Called after every step, and after every epoch, in the order of registration and after the hooks.
    void on_iteration(Callback f) { on_iteration_.push_back(std::move(f)); }
    void on_epoch(Callback f) { on_epoch_.push_back(std::move(f)); }
    /// What `report` and others write to, a line at a time; the terminal unless changed.
    std::function<void(std::string_view)> output;
    /// Writes a line; from any thread.
    void print(std::string_view line) {
        const std::lock_guard lock(print_mutex_);
        if (output) output(line);
        else std::printf("%.*s\n", static_cast<int>(line.size()), line.data()), std::fflush(stdout);
    }

    // ---- runs ----

    /// Trains for `epochs` more epochs, or until `stop`: a run goes on where the one before has ended, also within an epoch.
    /// Throws NumericError when the loss or a parameter is no finite number any more; parameters and states are then those
    /// before the step in which it happened. Throws what hooks throw, and StateError when a run goes on.
    void run(Cpu device, std::int64_t epochs = std::numeric_limits<std::int64_t>::max()) {
        check_epochs(epochs);
        control_.run([&] { train(device, epochs); });
    }
    /// The same on the debug device: a NumericError comes before the step it speaks of, of the type OperationError where
    /// an operation is to blame.
    void run(Debug, std::int64_t epochs) {
        check_epochs(epochs);
        control_.run([&] {
            DebugStep<N, O, T> step(model_, step_);
            const detail::Restore leave(debug_step_, [&](const O& with, std::uint64_t number, std::ptrdiff_t records) {
                std::vector<const T*> data;
                for (const T* x : buffers_.inputs()) data.push_back(x);
                for (const T* y : buffers_.targets()) data.push_back(y);
                return step(with, number, data, records);
            });
            train(cpu(), epochs);
        });
    }
    /// The same on a thread of its own; `wait` returns when the run has ended, and throws what ended it.
    void start(Cpu device, std::int64_t epochs = std::numeric_limits<std::int64_t>::max()) {
        check_epochs(epochs);
        control_.start([this, device, epochs] { train(device, epochs); });
    }
    void wait() { control_.wait(); }
    RunState state() const { return control_.state(); }

    // Commands from any thread; each can be waited for (control.hpp). They take effect between two iterations.

    /// Ends the run after the present step, or moment where a hook says so.
    Acknowledgement stop() { return control_.stop(); }
    Acknowledgement pause() { return control_.pause(); }
    Acknowledgement resume() { return control_.resume(); }
    /// One iteration of a paused run.
    Acknowledgement step_once() { return control_.step(); }
    /// Back to the beginning: parameters are drawn anew, states, counters and hooks start again; a run ends.
    Acknowledgement reset() { return control_.reset(); }
    /// Back to where the present or last run began.
    Acknowledgement rewind() { return control_.rewind(); }
    /// Calls a function between two iterations: `post([&] { trainer.optimizer.learning_rate = 0.01; })`.
    Acknowledgement post(std::function<void()> f) { return control_.post(std::move(f)); }
    /// The same commands as a handle that may outlive the trainer.
    Remote remote() const { return control_; }

    // ---- what callbacks read ----

    const std::string& name() const { return name_; }
    std::uint64_t epoch() const { return epoch_; }            ///< epochs finished
    std::uint64_t epochs_planned() const { return epochs_planned_; }
    std::uint64_t iteration() const { return iteration_; }    ///< steps taken
    std::uint64_t batch() const { return batch_ == 0 ? 0 : batch_ - 1; }  ///< of the last step, from 0 in each epoch
    std::uint64_t batches_per_epoch() const { return batches_.batches_per_epoch(); }
    double loss() const { return loss_; }                     ///< of the last step
    /// Of each cost in the last step, without its importance; their names are `model().records.costs`.
    const std::array<double, N::cost_count>& losses() const { return losses_; }
    double error() const { return error_; }                   ///< mean loss of the epoch so far
    double samples_per_second() const { return samples_per_second_; }
    double runtime() const { return control_.running_time(); }  ///< seconds of all runs, without pauses
    const MomentCounts& counts() const { return counts_; }
    const Minibatches& minibatches() const { return batches_; }
    Model<N, T>& model() { return model_; }
    Step<N, O, T>& step() { return step_; }

    /// Mean loss and accuracy on a data set, in total and for each cost, without training.
    typename Model<N, T>::Score evaluate(const Dataset& data) { return evaluate(model_, data); }
    static typename Model<N, T>::Score evaluate(Model<N, T>& model, const Dataset& data) {
        return Evaluator<N, T>(data)(model);
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
    using Group = AnyHookGroup<Trainer>;

    std::string name_;
    Minibatches batches_;
    Model<N, T> model_;
    Step<N, O, T> step_;
    std::vector<std::pair<std::string, Initializer>> initializers_;
    std::vector<Callback> on_iteration_, on_epoch_;
    std::vector<std::size_t> order_;
    detail::BatchBuffers<N, T> buffers_;
    Fault<N, O, T> fault_;
    Constraints<N, O, T> constraints_;
    std::function<double(const O&, std::uint64_t, std::ptrdiff_t)> debug_step_;
    std::uint64_t epoch_ = 0, epochs_planned_ = 0, iteration_ = 0;
    std::uint64_t batch_ = 0;  ///< steps taken in this epoch
    double total_ = 0;         ///< Σ loss · records of this epoch
    std::uint64_t seen_ = 0;   ///< records of this epoch
    double loss_ = 0, error_ = 0, samples_per_second_ = 0;
    std::array<double, N::cost_count> losses_{};
    MomentCounts counts_;
    std::mutex print_mutex_;
    bool moved_ = false;  ///< a command has set another position

    std::vector<int> group_numbers_, removed_;
    int last_group_ = 0, firing_ = 0;
    std::array<std::vector<Group*>, moment_count> listeners_;
    // These two end first: their threads use what is above.
    std::vector<std::unique_ptr<Group>> groups_;
    Control control_;

    void check_epochs(std::int64_t epochs) const {
        if (epochs < 0) throw ArgumentError(sentence("run of trainer '", name_, "'"), "0 epochs or more", sentence(epochs));
    }

    // ---- the loop ----

    void train(Cpu device, std::int64_t epochs) {
        const auto pool = device.threads > 1 ? std::make_unique<simd::Pool>(device.threads) : nullptr;
        constexpr auto most = std::numeric_limits<std::uint64_t>::max();
        const auto more = static_cast<std::uint64_t>(epochs);
        epochs_planned_ = more > most - epoch_ ? most : epoch_ + more;
        const double started = runtime();
        std::uint64_t records_done = 0;
        happen(Moment::start);
        while (epoch_ < epochs_planned_ && !control_.stopping()) {
            moved_ = false;
            batches_.order(epoch_, order_);
            fault_.begin(batch_, iteration_, model_.parameter_memory(), step_.state_memory());
            constraints_.settle();
            while (batch_ < batches_.batches_per_epoch()) {
                if (control_.pending()) control_.handle();
                if (moved_ || control_.stopping()) break;
                records_done += iterate(pool.get());
                samples_per_second_ = static_cast<double>(records_done) / std::max(runtime() - started, 1e-9);
                happen(Moment::iteration);
            }
            if (moved_ || batch_ < batches_.batches_per_epoch()) continue;
            if (!fault_.finite(model_)) fail(batch_, pool.get());
            ++epoch_;
            batch_ = seen_ = 0;
            total_ = 0;
            happen(Moment::epoch);
        }
        happen(Moment::stop);
        for (const auto& group : groups_) group->finish(*this);
    }
    /// The next step of the epoch; returns how many records it took.
    std::uint64_t iterate(simd::Pool* pool) {
        const std::ptrdiff_t records = gather(batch_);
        fault_.note(optimizer);
        loss_ = advance(optimizer, iteration_ + 1, records, pool);
        ++iteration_;
        if (!std::isfinite(loss_)) fail(batch_, pool);
        ++batch_;
        total_ += loss_ * static_cast<double>(records);
        seen_ += static_cast<std::uint64_t>(records);
        error_ = total_ / static_cast<double>(seen_);
        for (int i = 0; i < N::cost_count; ++i) losses_[static_cast<std::size_t>(i)] = step_.loss(i);
        return static_cast<std::uint64_t>(records);
    }
    /// Counts a moment and runs what waits for it.
    void happen(Moment moment) {
        ++counts_[moment];
        counts_[Moment::iteration] = iteration_;
        counts_[Moment::epoch] = epoch_;
        auto& groups = listeners_[static_cast<std::size_t>(moment)];
        ++firing_;
        const detail::AtExit done([&] { --firing_; });
        for (std::size_t i = 0; i < groups.size(); ++i) groups[i]->fire(moment, *this);
        if (moment == Moment::iteration || moment == Moment::epoch)
            for (const Callback& f : moment == Moment::epoch ? on_epoch_ : on_iteration_) f(*this);
        for (std::size_t i = 0; i < groups.size(); ++i) groups[i]->settle(moment, *this);
        if (!removed_.empty() && firing_ == 1) forget_removed();
    }
    void listen() {
        for (int m = 0; m < moment_count; ++m) {
            auto& listeners = listeners_[static_cast<std::size_t>(m)];
            listeners.clear();
            for (const auto& group : groups_)
                if (group->moments().has(static_cast<Moment>(m))) listeners.push_back(group.get());
        }
    }
    void forget_removed() {
        for (const int number : removed_) {
            const auto at = std::ranges::find(group_numbers_, number) - group_numbers_.begin();
            if (static_cast<std::size_t>(at) == group_numbers_.size()) continue;  // removed twice
            groups_.erase(groups_.begin() + at);
            group_numbers_.erase(group_numbers_.begin() + at);
        }
        removed_.clear();
        listen();
    }
    void handle(ControlEvent event) {
        switch (event) {
            case ControlEvent::pause: happen(Moment::pause); break;
            case ControlEvent::resume: happen(Moment::resume); break;
            case ControlEvent::reset: start_again(); break;
            case ControlEvent::rewind: break;
        }
    }
    void start_again() {
        model_.reset();
        for (const auto& [pattern, initializer] : initializers_) model_.initialize(pattern, initializer);
        std::ranges::fill(step_.state_memory(), T{});
        epoch_ = iteration_ = batch_ = seen_ = 0;
        total_ = loss_ = error_ = 0;
        const std::uint64_t resets = counts_[Moment::reset];
        counts_ = {};
        counts_[Moment::reset] = resets;
        moved_ = true;
        control_.stop();
        for (const auto& group : groups_) group->restart(*this);
        happen(Moment::reset);
    }

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
        const char* const problem = std::isnan(loss_) ? "the loss became NaN" : "the loss became infinite";
        const auto repeat = [&](std::uint64_t batches) {
            fault_.restore(model_.parameter_memory(), step_.state_memory());
            iteration_ = fault_.iterations_before();
            for (batch_ = fault_.first_batch(); batch_ < batches; ++batch_) {
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
            throw NumericError(iteration_ + 1, layer, sentence(problem, layer.empty() ? ", though every layer is finite" : ""));
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
Trainer(std::string, N, O, Minibatches) -> Trainer<N, O, float>;
template <class N, class O, class T>
Trainer(std::string, N, O, Minibatches, Element<T>) -> Trainer<N, O, T>;
template <class N, class O, class T>
Trainer(std::string, N, O, Minibatches, Element<T>, std::uint64_t) -> Trainer<N, O, T>;

}  // namespace sigma
