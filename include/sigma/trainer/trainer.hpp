// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// The class Trainer, which trains a network on minibatches. Included by `<sigma/sigma.hpp>`.
#include <sigma/core/any_function.hpp>
#include <sigma/core/owners.hpp>
#include <sigma/data/pipeline/typed.hpp>
#include <sigma/execution/debug.hpp>
#include <sigma/execution/evaluator.hpp>
#include <sigma/execution/inspect.hpp>
#include <sigma/execution/named_sizes.hpp>
#include <sigma/execution/step.hpp>
#include <sigma/hook/order.hpp>
#include <sigma/network/network_tape.hpp>
#include <sigma/tape/mistake.hpp>
#include <sigma/trainer/inference.hpp>
#include <sigma/trainer/network_takes.hpp>
#include <sigma/trainer/trainer_core.hpp>

#include <concepts>

namespace sigma {

namespace detail {

/// The typed part of a trainer: constructed before TrainerCore, destroyed after it.
template <class N, class O, class T>
struct SIGMA_BY_INSTRUCTIONS TrainerParts {
    TrainerParts(const typename Model<N, T>::Definition& network, const O& optimizer_, std::uint64_t seed)
        : optimizer(optimizer_), model_(network, seed), first_optimizer_(optimizer_),
          optimizer_at_beginning_(optimizer_) {}

    /// The optimizer with its hyperparameters, which you may change between two steps. A run and each epoch begin with
    /// a check of them and throw ArgumentError if one is out of range.
    O optimizer;

protected:
    Model<N, T> model_;
    Step<N, O, T> step_{model_};
    O first_optimizer_, optimizer_at_beginning_;

    Trained<T> trained() {
        const OptimizerPlaces places{optimizer_table<O>, &optimizer, &first_optimizer_, &optimizer_at_beginning_};
        if constexpr (MadeNetwork<N>) {
            const auto& made = model_.definition().made();
            return {model_, step_, places, made.tape(), made.training_fingerprint()};
        } else {
            return {model_, step_, places, network_tape<N>, constant_fingerprint<N>};
        }
    }
};

}  // namespace detail

/// @cond internal
struct use_cpu;
template <class Write>
struct error_run_begins_with_a_device;
struct use_run_cpu_and_epochs;
// Names of other libraries: trainer.train(10), trainer.fit(x, y).
template <class Write>
struct error_training_is_begun_by_run;
/// @endcond

namespace detail {

/// The type of `element`.
template <class T>
struct Element {};

}  // namespace detail

/// Selects the element type of a trainer.
///
/// @tparam T  `float` (the default of a trainer) or `double`
///
/// @par Example
/// @code
/// Trainer precise("digits", Digits{}, Adam{}, minibatches(training, 100), element<double>, 42);
/// @endcode
template <class T>
inline constexpr detail::Element<T> element{};

/// Trains a network on minibatches with an optimizer.
///
/// The seed determines the initial parameters and dropout. The order of the records has the seed of the minibatches.
/// Runs with equal seeds are bit-identical, with any number of threads.
///
/// A trainer cannot be copied or moved. To keep several, use `std::deque` with `emplace_back`, or pointers.
///
/// @tparam N  the network
/// @tparam O  the optimizer
/// @tparam T  type of parameters, states of the optimizer and predictions: `float` or `double`
///
/// @par Example
/// @code
/// Trainer mine("digits", Digits{}, Adam{.learning_rate = 0.002}, minibatches(training, 100));
/// mine.add(every(1, epoch).then(score(testing), report(epoch, error, accuracy)));
/// mine.run(cpu(2), 5);
/// const Array<float> probabilities = mine.predict(testing.inputs());
/// @endcode
///
/// @see fit, Sequential, docs/training.md
template <AnyNetwork N, AnyOptimizer O, class T = float>
class SIGMA_BY_INSTRUCTIONS Trainer : public detail::TrainerParts<N, O, T>,
                                      public detail::TrainerCore<T>,
                                      public detail::Inference<Trainer<N, O, T>, N, T> {
    using Parts = detail::TrainerParts<N, O, T>;
    using Core = detail::TrainerCore<T>;

public:
    /// A function that `on_iteration`, `on_epoch`, `on_stop` and `on_reset` call with the trainer.
    using Callback = detail::AnyFunction<void(Trainer&)>;
    /// A function that `on_save` and `on_load` call with the trainer and the name of a file.
    using FileCallback = detail::AnyFunction<void(Trainer&, const std::string&)>;

    /// Constructs a trainer with initial parameters.
    /// @param name        name in messages and monitors, and of checkpoints without a file name
    /// @param network     the network, such as `Digits{}`, or one made at run time
    /// @param optimizer_  the optimizer with its hyperparameters
    /// @param batches     the training data with the batch size and the seed of their order, see `minibatches`
    /// @param seed        seed of initial parameters and dropout
    /// @throws ShapeError  if the shapes of the records do not match the network. Compilation fails instead if the
    ///                     compiler knows the shapes.
    /// @throws DataError   if the records do not match the network
    Trainer(std::string name, const N& network, O optimizer_, Minibatches batches, detail::Element<T> = {},
            std::uint64_t seed = 0)
        : Parts(detail::definition_with(network, batches.dataset), optimizer_, seed),
          Core(std::move(name), std::move(batches), Parts::trained()) {}
    /// @cond internal
    // Rejects records with compile-time extents that do not match the network.
    template <class S, class Why = detail::Refused<N, S>>
        requires(!detail::takes<N, S>)
#ifdef __clang__  // names template arguments of immediate functions, but not those of deleted functions
    consteval Trainer(std::string, N, O, const data::MinibatchesOf<S>&, detail::Element<T> = {}, std::uint64_t = 0);
#else
    Trainer(std::string, N, O, const data::MinibatchesOf<S>&, detail::Element<T> = {}, std::uint64_t = 0) = delete;
#endif
    /// @endcond
    /// Stops a run on another thread, waits for its end, and destroys the trainer.
    ~Trainer() { Core::close(); }

    // ---- hooks ----

    /// Adds hooks, which run actions at certain points of a run.
    ///
    /// Hooks of one call share the values that they compute. A hook that computes a value runs before those that read
    /// it. Hooks that contradict each other do not compile. You can call `add` from any thread. Hooks that are added
    /// during a run take effect between two iterations.
    ///
    /// @param hooks  hooks such as `every(1, epoch).then(…)`, `when(…).then(…)` or `early_stop(…)`
    /// @return a number for `remove`
    /// @throws ArgumentError  if no hook computes a value that one of these hooks reads
    ///
    /// @par Example
    /// @code
    /// trainer.add(every(1, epoch).then(score(testing), report(epoch, error, accuracy)),
    ///             when(accuracy.reaches(0.98)).then(stop));
    /// @endcode
    /// @see docs/hooks.md
    template <class... H>
        requires(detail::fit<Trainer, H...>())
    int add(H... hooks) {
        return Core::add_hooks([&] { return detail::make_hook_group(*this, hooks...); });
    }
    /// @cond internal
    template <class... H>
        requires(!detail::fit<Trainer, H...>() && !(detail::is_of_workers<H> || ...))
    auto add(H... hooks) -> decltype(detail::called(detail::misfit_of<Trainer, H...>()));
    /// @endcond
    /// Adds hooks to each worker of later runs. Values that they compute belong to that worker.
    /// @param hooks  hooks within `in_each_worker(…)`
    /// @return a number for `remove`
    /// @see in_each_worker, workers
    template <class... H>
        requires(detail::fit<InWorker<Trainer, T>, H...>())
    int add(const InEachWorker<H...>& hooks) {
        return Core::add_hooks_in_workers(
            detail::make_in_worker<T>(*this, hooks), [this]() -> detail::SharedOwner<detail::ModelStore<T>> {
                return detail::SharedOwner<Model<N, T>>::make(std::as_const(*this).model());
            });
    }
    /// @cond internal
    template <class... H>
        requires(!detail::fit<InWorker<Trainer, T>, H...>())
    auto add(const InEachWorker<H...>&) -> decltype(detail::called(detail::misfit_of<InWorker<Trainer, T>, H...>()));
    /// @endcond
    /// Adds hooks that read what the workers would be merged to. They act as hooks without `over_all_workers`.
    /// @param hooks  hooks within `over_all_workers(…)`
    /// @return a number for `remove`
    /// @see over_all_workers, workers
    template <class... H>
    auto add(const OverAllWorkers<H...>& hooks) -> decltype(add(std::declval<H>()...)) {
        return std::apply([this](const H&... each) { return add(each...); }, hooks.hooks);
    }
    /// @cond internal
    template <class... H>
        requires(sizeof...(H) > 1 && (detail::is_of_workers<H> || ...))
    error_hooks_in_workers_are_added_by_themselves<use_one_add_for_hooks_in_workers_and_one_for_others> add(H...);
    /// @endcond
    /// Calls a function after each iteration, after the hooks. Several functions are called in the order of
    /// registration.
    /// @param function  called with the trainer, on the thread that trains
    ///
    /// @par Example
    /// @code
    /// trainer.on_iteration([](auto& t) {
    ///     if (t.loss() < 0.01) t.stop();
    /// });
    /// @endcode
    void on_iteration(Callback function) {
        Core::add_callback(Moment::iteration, [this, each = std::move(function)] { each(*this); });
    }
    /// Calls a function after each epoch, after the hooks. Several functions are called in the order of registration.
    /// @param function  called with the trainer, on the thread that trains
    /// @see on_iteration
    void on_epoch(Callback function) {
        Core::add_callback(Moment::epoch, [this, each = std::move(function)] { each(*this); });
    }
    /// Calls a function when a run ends, unless an exception has ended it.
    /// @param function  called with the trainer, on the thread that trains
    /// @see on_iteration
    void on_stop(Callback function) {
        Core::add_callback(Moment::stop, [this, each = std::move(function)] { each(*this); });
    }

    /// Calls a function after each checkpoint that was saved to a file, by `save` of the trainer or of a hook.
    ///
    /// The state of hooks in the file is that before the call. If a background hook has written the checkpoint, the
    /// function is called before the next iteration, or at the end of the run.
    /// @param function  called with the trainer and the name of the file, on the thread that trains
    ///
    /// @par Example
    /// @code
    /// trainer.on_save([](auto& t, const std::string& file) { t.print("saved " + file); });
    /// @endcode
    /// @see on_load, on_reset, Action
    void on_save(FileCallback function) {
        Core::add_callback(detail::CheckpointEvent::saved,
                           [this, each = std::move(function)](const std::string& file) { each(*this, file); });
    }
    /// Calls a function after each checkpoint that was loaded from a file, by `load` or by a hook's `restore`.
    /// @param function  called with the trainer and the name of the file, on the thread that trains
    /// @see on_save
    void on_load(FileCallback function) {
        Core::add_callback(detail::CheckpointEvent::loaded,
                           [this, each = std::move(function)](const std::string& file) { each(*this, file); });
    }
    /// Calls a function after each reset, when the trainer is in its initial state again.
    /// @param function  called with the trainer, on the thread that trains
    /// @see on_save
    void on_reset(Callback function) {
        Core::add_callback(Moment::reset, [this, each = std::move(function)] { each(*this); });
    }

    // ---- runs with options, on several devices, and checked ones ----

    using Core::run, Core::start;
    /// Trains with options, and returns when the run has ended. A run continues where the previous one ended.
    /// @param options  number of epochs, validation data, device, batch size and others
    /// @return the results of each epoch, until the next run begins
    /// @throws ArgumentError  if an option is out of range, or if the validation data have other preprocessing or other
    ///                        classes than the training data
    /// @throws Error          as `run(device, epochs)` does
    ///
    /// @par Example
    /// @code
    /// const History history = trainer.run({.epochs = 5, .validation = testing, .device = cpu(2)});
    /// const double accuracy_of_best = history.best().accuracy;
    /// @endcode
    const History& run(const RunOptions& options) {
        Core::examine(options);
        const auto scored = validation(options);
        Core::prepare(options);
        return Core::run_on(
            {.device = options.device, .stops_on_interrupt = options.stop_on_interrupt, .quiet = options.quiet},
            options.epochs, scored);
    }
    /// Begins a run with options on another thread, and returns. Call `wait` for its end.
    /// @param options  as for `run`
    /// @throws StateError     if the trainer is running already, or in a function that `with_averages` calls
    /// @throws ArgumentError  if an option is out of range, or if the validation data have other preprocessing or other
    ///                        classes than the training data. `wait` throws all errors of the run.
    /// @see run, wait
    void start(const RunOptions& options) {
        Core::examine(options);
        const auto scored = validation(options);
        Core::prepare(options);
        Core::start_on({.device = options.device, .stops_on_interrupt = options.stop_on_interrupt}, options.epochs,
                       scored);
    }
    /// @cond internal
    // run(20) is run(cpu(), 20), or run({.epochs = 20}).
    template <std::integral Epochs>
    error_run_begins_with_a_device<use_cpu> run(Epochs);
    // run(cpu(2), epoch, 3) is run(cpu(2), 3).
    template <class Where, class What, class Epochs>
    error_training_is_begun_by_run<use_run_cpu_and_epochs> run(const Where&, What, Epochs);
    template <class... X>
    error_training_is_begun_by_run<use_run_cpu_and_epochs> train(const X&...);
    template <class... X>
    error_training_is_begun_by_run<use_run_cpu_and_epochs> fit(const X&...);
    /// @endcond
    /// Trains on several accelerators.
    ///
    /// Each device computes the gradients of a part of each batch, and all add them up. A step equals that of one
    /// device up to rounding. Values, predictions and scores come from the first device.
    ///
    /// @param devices  the accelerators, such as `gpus(2)`
    /// @param epochs   number of further epochs; default: until the run is stopped
    /// @return the results of each epoch, until the next run begins
    /// @throws DeviceError  if a device fails. The state of the trainer is then as at the beginning of the epoch.
    /// @throws Error        as `run(device, epochs)` does
    /// @see gpus, docs/gpu.md
    const History& run(const detail::DeviceGroup& devices, std::int64_t epochs = Core::without_end) {
        return Core::run_on(on(devices), epochs);
    }
    /// Begins a run on several accelerators on another thread, and returns. Call `wait` for its end.
    /// @param devices  the accelerators, such as `gpus(2)`
    /// @param epochs   number of further epochs; default: until the run is stopped
    /// @throws StateError     if the trainer is running already, or in a function that `with_averages` calls
    /// @throws ArgumentError  if `epochs` is negative. `wait` throws all errors of the run.
    /// @see run
    void start(const detail::DeviceGroup& devices, std::int64_t epochs = Core::without_end) {
        Core::start_on(on(devices), epochs);
    }
    /// Trains in several processes. All processes make the same call.
    ///
    /// `machines(cpu(2))` splits each batch among the processes. The results are bit-identical for any number of
    /// processes. `machines(workers(2))` trains separate networks in all processes and merges them, see `workers`.
    /// Hooks act in rank 0. The other processes have its result when the call returns.
    ///
    /// @param machines  the processes, see `<sigma/machines.hpp>`
    /// @param epochs    number of further epochs; default: until the run is stopped
    /// @return the results of each epoch, until the next run begins
    /// @throws MachineError  if a process fails, is missing, or has another program, network or data
    /// @throws Error         as `run(device, epochs)` does
    /// @see machines, workers, docs/machines.md
    const History& run(const MachineSet& machines, std::int64_t epochs = Core::without_end) {
        return Core::run_on(on(machines), epochs);
    }
    /// Begins a run in several processes on another thread of each, and returns.
    ///
    /// Until `wait` returns, a process must not communicate with the others in any other way.
    ///
    /// @param machines  the processes, see `<sigma/machines.hpp>`
    /// @param epochs    number of further epochs; default: until the run is stopped
    /// @throws StateError     if the trainer is running already, or in a function that `with_averages` calls
    /// @throws ArgumentError  if `epochs` is negative. `wait` throws all errors of the run.
    /// @see run
    void start(const MachineSet& machines, std::int64_t epochs = Core::without_end) {
        Core::start_on(on(machines), epochs);
    }
    /// Trains on the debug device, which checks each operation. Slow, for finding the source of a NaN.
    /// @param epochs  number of further epochs
    /// @return the results of each epoch, until the next run begins
    /// @throws OperationError  before the step in which an operation first gives a NaN or an infinity
    /// @throws NumericError    before the step if a parameter, state or hyperparameter is not finite
    /// @throws Error           as `run(device, epochs)` does
    /// @see debug
    const History& run(detail::Debug, std::int64_t epochs) {
        const detail::Program step = Parts::step_.operations();
        const auto layers = detail::layers_of_programs(model().definition(), true);
        return Core::run_checked(step, {layers.begin(), layers.size()}, epochs);
    }

    // ---- what callbacks read ----

    /// Returns the loss of each cost in the last step, without the weight of the cost.
    /// @return one number for each cost, in the order of `model().records.costs`; 0 before the first step
    auto losses() const {
        auto now = detail::EachOf<double, N::cost_count>::make(model().records.costs.size());
        for (int i = 0; i < model().records.costs.size(); ++i) now[static_cast<std::size_t>(i)] = Core::cost(i);
        return now;
    }
    /// Returns the model with the current parameters.
    Model<N, T>& model() { return Parts::model_; }
    /// Returns the model with the current parameters.
    const Model<N, T>& model() const { return Parts::model_; }
    /// @cond internal
    /// Returns the training step of the CPU, which holds the states of the optimizer.
    [[nodiscard]] detail::Step<N, O, T>& training_step() { return Parts::step_; }
    /// @endcond

    /// Computes the gradients of the loss at the current parameters, for the records of the last step.
    ///
    /// The random numbers, as of dropout, are those of the last step.
    ///
    /// @return the gradients, until the next call
    /// @throws StateError  before the first step, and while another thread trains
    ///
    /// @par Example
    /// @code
    /// trainer.run(cpu(), 1);
    /// const auto of_weights = trainer.gradients().of<"1-dense.weights">();
    /// @endcode
    Gradients<N, T>& gradients() {
        const std::ptrdiff_t count = Core::records_at_hand("gradients");
        if (!gradients_) gradients_ = detail::make_owned<Gradients<N, T>>(model());
        auto& batches = Core::training().buffers;
        gradients_->run(batches.inputs(), batches.targets(), count, Core::iteration());
        return *gradients_;
    }
    /// Computes the output of each layer for the records of the last step, as in prediction.
    /// @return for each layer its output, with the records one after the other and without padding
    /// @throws StateError  before the first step, and while another thread trains
    std::vector<std::vector<T>> outputs() {
        const std::ptrdiff_t count = Core::records_at_hand("outputs");
        return layer_outputs(model(), Core::training().buffers.inputs(), count);
    }
    /// Returns everything in this trainer by name: numbers of the run, parameters, states, gradients and others.
    ///
    /// Include `<sigma/trainer/registry.hpp>`. You can use the registry from any thread.
    ///
    /// @see Registry, docs/registry.md
    template <class Access = detail::TrainerRegistry<T>>
    auto& registry() {
        static_assert(
            requires { sizeof(Access); }, "#include <sigma/trainer/registry.hpp> to read a trainer's values by name");
        auto& entries = Core::entries([this]() -> detail::Owned<detail::TrainerEntries> {
            return detail::make_owned<Access>(
                static_cast<Core&>(*this), [this] { return outputs(); },
                [this](int p) { return gradients().values(p); });
        });
        return static_cast<Access&>(entries).registry;
    }

private:
    detail::Owned<Gradients<N, T>> gradients_;

    detail::RunPlace<T> on(const detail::DeviceGroup& devices) {
        return {.device = devices.device(), .group = devices.group(), .plans = Parts::step_.data_parallel()};
    }

    detail::RunPlace<T> on(const MachineSet& machines) {
        return Core::place_of(machines, [this] { return Parts::step_.in_parts(); });
    }

    detail::Validation validation(const RunOptions& options) {
        if (!options.validation) return {};
        return [this, evaluator = detail::SharedOwner<detail::Evaluator<N, T>>::make(
                          model().network(), *options.validation)](double& mean_loss, double& right) {
            const auto score = (*evaluator)(model());
            mean_loss = score.error;
            right = score.accuracy;
        };
    }
};

/// @cond internal
template <class N, class O>
Trainer(std::string, N, O, Minibatches) -> Trainer<N, O, float>;
template <class N, class O, class T>
Trainer(std::string, N, O, Minibatches, detail::Element<T>) -> Trainer<N, O, T>;
template <class N, class O, class T>
Trainer(std::string, N, O, Minibatches, detail::Element<T>, std::uint64_t) -> Trainer<N, O, T>;

// ---- invalid constructor calls: the third template argument names the mistake ----

struct use_network_of_the_layers;
template <class Write>
struct error_Layers_are_no_network;
struct error_Trainer_begins_with_a_name;
struct error_Trainer_takes_the_network_before_the_optimizer;
struct error_Trainer_ends_with_minibatches;
struct error_Trainer_takes_an_optimizer_between_network_and_minibatches;
struct error_Trainer_takes_minibatches_not_a_data_set;

template <AnyNetwork N, AnyOptimizer O, class E>
class Trainer<N, O, Mistake<E>>;
template <AnyLayer E, class... More>
    requires std::same_as<E, Layers>
Trainer(std::string, E, More...)
    -> Trainer<detail::NoNetwork<error_Layers_are_no_network<use_network_of_the_layers>>, detail::NoOptimizer, float>;
template <AnyNetwork N, detail::UpdatesByObject O, class... More>
Trainer(std::string, N, O, More...)
    -> Trainer<N, detail::NoOptimizer, Mistake<error_update_of_an_optimizer_must_be_static<O>>>;
template <AnyLayer E, class... More>
Trainer(std::string, E, More...)
    -> Trainer<detail::NoNetwork<error_model_takes_no_expression<use_network_of_it_or_derive_a_struct_from_Network>>,
               detail::NoOptimizer, float>;
template <class Why, AnyOptimizer O, class T>
class Trainer<detail::NoNetwork<Why>, O, T>;
template <AnyNetwork N, AnyOptimizer O, class... More>
Trainer(N, O, More...) -> Trainer<N, O, Mistake<error_Trainer_begins_with_a_name>>;
template <AnyOptimizer O, AnyNetwork N, class... More>
Trainer(std::string, O, N, More...) -> Trainer<N, O, Mistake<error_Trainer_takes_the_network_before_the_optimizer>>;
template <AnyNetwork N, AnyOptimizer O>
Trainer(std::string, N, O) -> Trainer<N, O, Mistake<error_Trainer_ends_with_minibatches>>;
template <AnyNetwork N, class D, class... More>
    requires(std::derived_from<D, Minibatches> || std::derived_from<D, Dataset>)
Trainer(std::string, N, D, More...)
    -> Trainer<N, detail::NoOptimizer, Mistake<error_Trainer_takes_an_optimizer_between_network_and_minibatches>>;
template <AnyNetwork N, AnyOptimizer O, class S>
    requires(!detail::takes<N, S>)
Trainer(std::string, N, O, const data::MinibatchesOf<S>&) -> Trainer<N, O, Mistake<detail::Refused<N, S>>>;
template <AnyNetwork N, AnyOptimizer O, class S, class T>
    requires(!detail::takes<N, S>)
Trainer(std::string, N, O, const data::MinibatchesOf<S>&, detail::Element<T>, std::uint64_t = 0)
    -> Trainer<N, O, Mistake<detail::Refused<N, S>>>;
template <AnyNetwork N, AnyOptimizer O, std::derived_from<Dataset> D, class... More>
Trainer(std::string, N, O, D, More...) -> Trainer<N, O, Mistake<error_Trainer_takes_minibatches_not_a_data_set>>;
/// @endcond

}  // namespace sigma
