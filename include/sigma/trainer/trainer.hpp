// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/relaxed.hpp>
#include <sigma/core/scope.hpp>
#include <sigma/data/minibatches.hpp>
#include <sigma/hook/misfit.hpp>
#include <sigma/trainer/beginning.hpp>
#include <sigma/trainer/checkpoint.hpp>
#include <sigma/trainer/constraints.hpp>
#include <sigma/trainer/control.hpp>
#include <sigma/trainer/fault.hpp>
#include <sigma/trainer/hook_list.hpp>
#include <sigma/trainer/step_record.hpp>
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

namespace detail {
template <class Trainer>
class TrainerRegistry;
}  // namespace detail

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
        : optimizer(optimizer_), first_optimizer_(optimizer_), name_(std::move(name)), batches_(std::move(batches)), model_(seed), step_(model_),
          control_(name_, [this](ControlEvent event) { handle(event); }) {
        buffers_.bind(batches_.dataset, batches_.size);
        fault_.reserve(batches_.batches_per_epoch());
    }
    ~Trainer() {
        control_.close();  // what hooks in the background want of it from now on is refused
        if (close_registry_) close_registry_();  // waits for its readers
        hooks_.changed = nullptr;
        hooks_.clear();
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
    bool frozen(int parameter) const { return constraints_.frozen(parameter); }
    /// To be called by who has changed parameters between two steps of a run: steps before cannot be repeated any more.
    void parameters_changed() {
        fault_.begin(batch_, iteration_, model_.parameter_memory(), step_.state_memory());
        constraints_.settle();
    }

    // ---- hooks ----

    /// Sentences: `add(every(1, epoch).then(score(validation), report(error, accuracy)), when(…).then(stop))`. Those that
    /// are added together share the values they compute, and their order follows from what they read and compute; what
    /// does not fit together does not compile. Returns a number for `remove`.
    template <class... H>
        requires(detail::fit<Trainer, H...>())
    int add(H... hooks) {
        return hooks_.add(make_hook_group(*this, std::move(hooks)...));
    }
    template <class... H>
        requires(!detail::fit<Trainer, H...>())
    auto add(H... hooks) -> decltype(detail::called(detail::misfit_of<Trainer, H...>()));
    /// Takes away hooks that were added together; by a hook, when those of this moment are through.
    void remove(int number) {
        if (!hooks_.remove(number))
            throw ArgumentError(sentence("remove of trainer '", name_, "'"), "the number of hooks that were added", sentence(number));
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
    /// Back to the beginning: parameters are drawn anew, the optimizer is what the trainer was made with, counters and hooks
    /// start again; a run ends.
    Acknowledgement reset() { return control_.reset(); }
    /// Back to where the present or last run began.
    Acknowledgement rewind() { return control_.rewind(); }
    /// Calls a function between two iterations: `post([&] { trainer.optimizer.learning_rate = 0.01; })`.
    Acknowledgement post(std::function<void()> f) { return control_.post(std::move(f)); }
    /// The same commands as a handle whose copies may outlive the trainer.
    const Remote& control() const { return control_; }

    // ---- checkpoints ----

    /// Everything that decides how training goes on, as a safetensors file: parameters, the optimizer with its states, the
    /// position within the epoch, seeds and the state of hooks. A trainer made by the same program that loads it continues
    /// bit by bit as this one. Modifiers and functions belong to the program. The file is replaced as a whole, or not at
    /// all: StorageError.
    void save(const std::string& file) { write_checkpoint(checkpoint(), file); }
    /// Goes on from a checkpoint, between runs. Throws, and changes nothing, where it does not fit: MismatchError names the
    /// tensors that differ, DataError what is wrong with the file.
    void load(const std::string& file, HooksFromFile hooks = HooksFromFile::all) {
        control_.post([&] { go_to(file, hooks); }).wait();
    }
    /// Within a run, which goes on from there: when the hooks of this moment are through.
    void load_after_hooks(std::string file) {
        after_hooks([this, from = std::move(file)] { go_to(from, HooksFromFile::all); });
    }
    /// Parameters alone, from any safetensors file; see load_parameters of models.
    int load_parameters(const std::string& file, std::string_view pattern = "*", Transfer how = Transfer::whole,
                        const std::function<std::string(std::string_view)>& rename = {}) {
        return sigma::load_parameters(model_, file, pattern, how, rename);
    }
    void save_parameters(const std::string& file) { sigma::save_parameters(model_, file); }
    /// A checkpoint in memory, and how one is written.
    std::vector<std::byte> checkpoint() {
        return detail::write_checkpoint(parts(), record(), runtime(), constraints_.frozen_names());
    }
    static void write_checkpoint(const std::vector<std::byte>& image, const std::string& file) {
        write_file_atomically(file, std::span<const std::byte>(image));
    }
    /// Writes a checkpoint when the hooks of this moment are through, so that what it continues with is the next step.
    void save_after_hooks(std::string file) {
        after_hooks([this, to = std::move(file)] { save(to); });
    }
    /// Calls a function when the hooks of this moment are through.
    void after_hooks(std::function<void()> f) { after_hooks_.push_back(std::move(f)); }

    // ---- what callbacks read ----

    const std::string& name() const { return name_; }
    std::uint64_t epoch() const { return epoch_; }            ///< epochs finished
    std::uint64_t epochs_planned() const { return epochs_planned_; }
    std::uint64_t iteration() const { return iteration_; }    ///< steps taken
    std::uint64_t batch() const { return std::max<std::uint64_t>(batch_, 1) - 1; }  ///< of the last step, from 0 in each epoch
    std::uint64_t batches_per_epoch() const { return batches_.batches_per_epoch(); }
    double loss() const { return loss_; }                     ///< of the last step
    /// Of each cost in the last step, without its importance; their names are `model().records.costs`.
    std::array<double, N::cost_count> losses() const {
        std::array<double, N::cost_count> now;
        std::ranges::copy(losses_, now.begin());
        return now;
    }
    double cost(int i) const { return losses_[static_cast<std::size_t>(i)]; }
    double error() const { return error_; }                   ///< mean loss of the epoch so far
    double samples_per_second() const { return samples_per_second_; }
    double runtime() const { return control_.running_time(); }  ///< seconds of all runs, without pauses
    const MomentCounts& counts() const { return counts_; }
    const Minibatches& minibatches() const { return batches_; }
    Model<N, T>& model() { return model_; }
    Step<N, O, T>& step() { return step_; }

    /// The gradients of the loss in the present parameters, on the records of the last step and with its random numbers,
    /// computed anew: `trainer.gradients().of<"1-dense.weights">()`. Throws StateError when no step has been taken.
    Gradients<N, T>& gradients() {
        if (iteration_ == 0 || gathered_ == 0)
            throw StateError(sentence("gradients of trainer '", name_, "'"), "a step that was taken before", "none");
        auto& g = step_record_.present(model_);
        g.run(iteration_, buffers_.inputs(), buffers_.targets(), gathered_);
        return g;
    }
    /// One of them as an array.
    xt::xarray<T> gradient(int parameter) {
        const Shape& shape = Model<N, T>::records.parameters[parameter].shape;
        xt::xarray<T> values(std::vector<std::size_t>(shape.extent, shape.extent + shape.rank));
        std::ranges::copy(gradients().values(parameter), values.data());
        return values;
    }
    /// What layer i gives for the records of the last step, computed anew as in prediction: (records, …).
    xt::xarray<T> outputs(int layer) {
        if (gathered_ == 0) throw StateError(sentence("outputs of trainer '", name_, "'"), "a step that was taken before", "none");
        const auto all = layer_outputs(model_, buffers_.joined_inputs(gathered_).data(), gathered_);
        std::vector<std::size_t> extents;
        const Shape& shape = Model<N, T>::records.layers[layer].output;
        for (int i = 0; i < shape.rank; ++i) extents.push_back(static_cast<std::size_t>(resolve(shape[i], gathered_)));
        xt::xarray<T> values(extents);
        std::ranges::copy(all[static_cast<std::size_t>(layer)], values.data());
        return values;
    }
    /// Everything in this trainer by name; safe from any thread. See docs/registry.md for what is there. Takes another
    /// header, <sigma/trainer/registry.hpp>.
    template <class Access = detail::TrainerRegistry<Trainer>>
    auto& registry() {
        static_assert(requires { sizeof(Access); }, "#include <sigma/trainer/registry.hpp> to find what a trainer has by name");
        if (!registry_made_.load(std::memory_order_acquire)) {
            const auto make = [this] {  // between two steps: it looks at hooks
                if (registry_) return;
                auto made = std::make_shared<Access>(*this);
                made->link_shared(hooks_.groups());
                hooks_.changed = [this, made] { made->link_shared(hooks_.groups()); };
                close_registry_ = [made] { made->close(); };
                registry_ = std::move(made);
                registry_made_.store(true, std::memory_order_release);
            };
            if (control_.on_training_thread()) make();
            else control_.post(make).wait();
        }
        return static_cast<Access*>(registry_.get())->registry;
    }
    /// Has a step been taken, on whose records gradients and outputs can be computed?
    bool has_records() const { return iteration_ > 0 && gathered_ > 0; }
    /// What was kept of the last step for hooks.
    StepRecord<N, T>& step_record() { return step_record_; }

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
    O first_optimizer_;
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
    StepRecord<N, T> step_record_;
    std::ptrdiff_t gathered_ = 0;  ///< records in the buffers
    std::function<double(const O&, std::uint64_t, std::ptrdiff_t)> debug_step_;
    // Hooks and the registry read these from other threads.
    detail::Relaxed<std::uint64_t> epoch_, epochs_planned_, iteration_;
    detail::Relaxed<std::uint64_t> batch_;  ///< steps taken in this epoch
    double total_ = 0;         ///< Σ loss · records of this epoch
    std::uint64_t seen_ = 0;   ///< records of this epoch
    detail::Relaxed<double> loss_, error_, samples_per_second_;
    std::array<detail::Relaxed<double>, N::cost_count> losses_{};
    MomentCounts counts_;
    std::mutex print_mutex_;
    std::atomic<bool> registry_made_{false};
    std::shared_ptr<void> registry_;
    std::function<void()> close_registry_;
    bool moved_ = false;  ///< a command has set another position

    std::vector<std::function<void()>> after_hooks_;
    detail::Beginning<O, T> beginning_;
    // These two end first: their threads use what is above.
    detail::HookList<Trainer> hooks_;
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
        after_hooks_.clear();  // of a run that failed
        beginning_.take(optimizer, model_, step_, hooks_.groups(), record());
        beginning_.frozen = constraints_.frozen_names();
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
        hooks_.finish(*this);
    }
    /// The next step of the epoch; returns how many records it took.
    std::uint64_t iterate(simd::Pool* pool) {
        const std::ptrdiff_t records = gather(batch_);
        fault_.note(optimizer);
        if (step_record_.used())
            step_record_.before(wanted(), model_, iteration_ + 1, buffers_.inputs(), buffers_.targets(), records, pool);
        const double loss_before = advance(optimizer, iteration_ + 1, records, pool);
        loss_ = loss_before;
        ++iteration_;
        if (!std::isfinite(loss_before)) fail(batch_, pool);
        ++batch_;
        total_ += loss_before * static_cast<double>(records);
        seen_ += static_cast<std::uint64_t>(records);
        error_ = total_ / static_cast<double>(seen_);
        for (int i = 0; i < N::cost_count; ++i) losses_[static_cast<std::size_t>(i)] = step_.loss(i);
        return static_cast<std::uint64_t>(records);
    }
    /// What hooks may ask of the next step.
    Wants wanted() {
        Wants all;
        for (const auto& group : hooks_.groups()) all = all | group->wants(*this, batch_ + 1 == batches_.batches_per_epoch());
        return all;
    }
    /// Counts a moment and runs what waits for it.
    void happen(Moment moment) {
        ++counts_[moment];
        counts_[Moment::iteration] = iteration_;
        counts_[Moment::epoch] = epoch_;
        hooks_.fire(moment, *this, [&] {
            if (moment != Moment::iteration && moment != Moment::epoch) return;
            for (const Callback& f : moment == Moment::epoch ? on_epoch_ : on_iteration_) f(*this);
        });
        if (!hooks_.firing())
            for (const auto& f : std::exchange(after_hooks_, {})) f();
    }
    void handle(ControlEvent event) {
        switch (event) {
            case ControlEvent::pause: happen(Moment::pause); break;
            case ControlEvent::resume: happen(Moment::resume); break;
            case ControlEvent::reset: start_again(); break;
            case ControlEvent::rewind: go_back(); break;
        }
    }
    void start_again() {
        optimizer = first_optimizer_;
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
        for (const auto& group : hooks_.groups()) group->restart(*this);
        happen(Moment::reset);
    }
    void go_back() {
        if (!beginning_.taken) return start_again();
        const bool hooks_too = beginning_.restore(optimizer, model_, step_, hooks_.groups());
        set(beginning_.run);
        constraints_.set_frozen(beginning_.frozen, iteration_);
        if (!hooks_too)
            for (const auto& group : hooks_.groups()) group->restart(*this);
    }
    void go_to(const std::string& file, HooksFromFile hooks) {
        const auto loaded = detail::read_checkpoint(SafetensorsFile::open(file), parts(), hooks);
        set(loaded.run);
        constraints_.set_frozen(loaded.frozen, iteration_);
        control_.clock().add(loaded.runtime - runtime());
    }
    detail::CheckpointParts<N, O, T, Trainer> parts() {
        return {name_, model_, step_, optimizer, batches_, hooks_.groups()};
    }
    detail::RunRecord record() const { return {epoch_, iteration_, batch_, total_, seen_, loss_, error_, counts_}; }
    void set(const detail::RunRecord& r) {
        epoch_ = r.epoch, iteration_ = r.iteration, batch_ = r.batch, seen_ = r.seen;
        total_ = r.total, loss_ = r.loss, error_ = r.error;
        counts_ = r.counts;
        moved_ = true;
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
        return gathered_ = static_cast<std::ptrdiff_t>(records.size());
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
