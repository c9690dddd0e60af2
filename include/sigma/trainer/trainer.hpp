// SPDX-License-Identifier: BSL-1.0
#pragma once
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

/// What a trainer has of its types; it is made before its core and goes after it.
template <class N, class O, class T>
struct SIGMA_BY_INSTRUCTIONS TrainerParts {
    TrainerParts(const typename Model<N, T>::Definition& network, const O& given, std::uint64_t seed)
        : optimizer(given), model_(network, seed), first_optimizer_(given), optimizer_at_beginning_(given) {}

    /// Hyper-parameters; they may change between steps. Those that make no sense are refused when a run or an epoch
    /// begins.
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

struct write_cpu;
template <class Write>
struct error_run_begins_with_a_device;
struct write_run_cpu_and_epochs;
/// What other libraries call so: trainer.train(10), trainer.fit(x, y)
template <class Write>
struct error_training_is_begun_by_run;

namespace detail {

/// Selects the element type of a trainer: `Trainer trainer("iris", Iris{}, Adam{}, batches, element<double>)`.
template <class T>
struct Element {};

}  // namespace detail

template <class T>
inline constexpr detail::Element<T> element{};

/// Trains a network on minibatches with an optimizer. One seed decides initial parameters, dropout and, through the
/// minibatches, the order of records; the same seed gives the same bits on any number of threads.
template <AnyNetwork N, AnyOptimizer O, class T = float>
class SIGMA_BY_INSTRUCTIONS Trainer : public detail::TrainerParts<N, O, T>,
                                      public detail::TrainerCore<T>,
                                      public detail::Inference<Trainer<N, O, T>, N, T> {
    using Parts = detail::TrainerParts<N, O, T>;
    using Core = detail::TrainerCore<T>;

public:
    using Callback = detail::AnyFunction<void(Trainer&)>;

    Trainer(std::string name, const N& network, O given, Minibatches batches, detail::Element<T> = {},
            std::uint64_t seed = 0)
        : Parts(detail::definition_with(network, batches.dataset), given, seed),
          Core(std::move(name), std::move(batches), Parts::trained()) {}
    /// Records whose extents the compiler knows: those that the network does not take do not compile.
    template <class S, class Why = detail::Refused<N, S>>
        requires(!detail::takes<N, S>)
#ifdef __clang__  // names no template arguments of what is deleted, but those of immediate functions
    consteval Trainer(std::string, N, O, const data::MinibatchesOf<S>&, detail::Element<T> = {}, std::uint64_t = 0);
#else
    Trainer(std::string, N, O, const data::MinibatchesOf<S>&, detail::Element<T> = {}, std::uint64_t = 0) = delete;
#endif
    ~Trainer() { Core::close(); }

    // ---- hooks ----

    /// Sentences: `add(every(1, epoch).then(score(validation), report(error, accuracy)), when(…).then(stop))`. Those
    /// that are added together share the values they compute, and their order follows from what they read and compute;
    /// what does not fit together does not compile. Returns a number for `remove`.
    template <class... H>
        requires(detail::fit<Trainer, H...>())
    int add(H... hooks) {
        return Core::add_hooks([&] { return detail::make_hook_group(*this, hooks...); });
    }
    template <class... H>
        requires(!detail::fit<Trainer, H...>() && !(detail::is_of_workers<H> || ...))
    auto add(H... hooks) -> decltype(detail::called(detail::misfit_of<Trainer, H...>()));
    /// The same in each worker of runs to come: see `in_each_worker`. What hooks that are added together compute is
    /// their own.
    template <class... H>
        requires(detail::fit<InWorker<Trainer, T>, H...>())
    int add(const InEachWorker<H...>& of) {
        return Core::add_hooks_in_workers(
            detail::make_in_worker<T>(*this, of), [this]() -> detail::SharedOwner<detail::ModelStore<T>> {
                return detail::SharedOwner<Model<N, T>>::make(std::as_const(*this).model());
            });
    }
    template <class... H>
        requires(!detail::fit<InWorker<Trainer, T>, H...>())
    auto add(const InEachWorker<H...>&) -> decltype(detail::called(detail::misfit_of<InWorker<Trainer, T>, H...>()));
    template <class... H>
    auto add(const OverAllWorkers<H...>& of) -> decltype(add(std::declval<H>()...)) {
        return std::apply([this](const H&... hooks) { return add(hooks...); }, of.hooks);
    }
    template <class... H>
        requires(sizeof...(H) > 1 && (detail::is_of_workers<H> || ...))
    error_hooks_in_workers_are_added_by_themselves<write_one_add_for_hooks_in_workers_and_one_for_others> add(H...);
    /// Called after every step, and after every epoch, in the order of registration and after the hooks.
    void on_iteration(Callback f) {
        Core::add_callback(Moment::iteration, [this, each = std::move(f)] { each(*this); });
    }
    void on_epoch(Callback f) {
        Core::add_callback(Moment::epoch, [this, each = std::move(f)] { each(*this); });
    }
    /// Called when a run ends that no exception has ended.
    void on_stop(Callback f) {
        Core::add_callback(Moment::stop, [this, each = std::move(f)] { each(*this); });
    }

    // ---- runs with options, on several devices, and checked ones ----

    using Core::run, Core::start;
    /// With everything that can be said of a run. Throws ArgumentError, besides what `run(cpu())` throws, where
    /// validation data did not go through what the training data went through.
    const History& run(const RunOptions& options) {
        Core::examine(options);
        const auto scored = validation(options);
        Core::prepare(options);
        return Core::run_on(
            {.device = options.device, .stops_on_interrupt = options.stop_on_interrupt, .quiet = options.quiet},
            options.epochs, scored);
    }
    void start(const RunOptions& options) {
        Core::examine(options);
        const auto scored = validation(options);
        Core::prepare(options);
        Core::start_on({.device = options.device, .stops_on_interrupt = options.stop_on_interrupt}, options.epochs,
                       scored);
    }
    /// run(20): run(cpu(), 20), or run({.epochs = 20})
    template <std::integral Epochs>
    error_run_begins_with_a_device<write_cpu> run(Epochs);
    /// run(cpu(2), epoch, 3): run(cpu(2), 3)
    template <class Where, class What, class Epochs>
    error_training_is_begun_by_run<write_run_cpu_and_epochs> run(const Where&, What, Epochs);
    template <class... X>
    error_training_is_begun_by_run<write_run_cpu_and_epochs> train(const X&...);
    template <class... X>
    error_training_is_begun_by_run<write_run_cpu_and_epochs> fit(const X&...);
    /// On several accelerators, `run(gpus(2))`: each takes a part of each batch, and their gradients are added, so
    /// that a step is that on one device up to rounding. What is read, predicted and evaluated comes from the first.
    const History& run(const detail::DeviceGroup& devices, std::int64_t epochs = Core::without_end) {
        return Core::run_on(on(devices), epochs);
    }
    void start(const detail::DeviceGroup& devices, std::int64_t epochs = Core::without_end) {
        Core::start_on(on(devices), epochs);
    }
    /// With other processes, `run(machines(cpu(2)))` under mpirun, see <sigma/machines.hpp>: all of them call it, each
    /// takes a part of each batch, and a step is that of one process, with the same bits on any number of processes.
    /// Hooks act in rank 0; the others have its result when it returns. Throws MachineError.
    /// `run(machines(workers(2)))` trains networks apart in all of them, see `workers`.
    const History& run(const MachineSet& machines, std::int64_t epochs = Core::without_end) {
        return Core::run_on(on(machines), epochs);
    }
    /// The same on a thread of its own in each of them. Until `wait` has returned a process may do nothing else with
    /// the others.
    void start(const MachineSet& machines, std::int64_t epochs = Core::without_end) {
        Core::start_on(on(machines), epochs);
    }
    /// On the debug device: a NumericError comes before the step it speaks of, of the type OperationError where
    /// an operation is to blame.
    const History& run(detail::Debug, std::int64_t epochs) {
        const detail::Program step = Parts::step_.operations();
        const auto layers = detail::layers_of_programs(model().definition(), true);
        return Core::run_on({.checked = &step, .layers = {layers.begin(), layers.size()}}, epochs);
    }

    // ---- what callbacks read ----

    /// Of each cost in the last step, without its weight; their names are `model().records.costs`.
    auto losses() const {
        auto now = detail::EachOf<double, N::cost_count>::make(model().records.costs.size());
        for (int i = 0; i < model().records.costs.size(); ++i) now[static_cast<std::size_t>(i)] = Core::cost(i);
        return now;
    }
    Model<N, T>& model() { return Parts::model_; }
    const Model<N, T>& model() const { return Parts::model_; }
    /// What takes the steps on the processor, with the optimizer's states.
    [[nodiscard]] detail::Step<N, O, T>& training_step() { return Parts::step_; }

    /// The gradients of the loss in the present parameters, on the records of the last step and with its random
    /// numbers, computed anew: `trainer.gradients().of<"1-dense.weights">()`. Throws StateError when no step has been
    /// taken.
    Gradients<N, T>& gradients() {
        const std::ptrdiff_t count = Core::records_at_hand("gradients");
        if (!gradients_) gradients_ = detail::make_owned<Gradients<N, T>>(model());
        auto& batches = Core::training().buffers;
        gradients_->run(batches.inputs(), batches.targets(), count, Core::iteration());
        return *gradients_;
    }
    /// What each layer gives for the records of the last step, dense, computed anew as in prediction.
    std::vector<std::vector<T>> outputs() {
        const std::ptrdiff_t count = Core::records_at_hand("outputs");
        return layer_outputs(model(), Core::training().buffers.inputs(), count);
    }
    /// Everything in this trainer by name; safe from any thread. See docs/registry.md for what is there. Takes another
    /// header, <sigma/trainer/registry.hpp>.
    template <class Access = detail::TrainerRegistry<T>>
    auto& registry() {
        static_assert(
            requires { sizeof(Access); }, "#include <sigma/trainer/registry.hpp> to find what a trainer has by name");
        auto& entries = Core::entries([this]() -> detail::Owned<detail::TrainerEntries> {
            return detail::make_owned<Access>(
                static_cast<Core&>(*this), [this] { return outputs(); },
                [this](int p) { return gradients().values(p); });
        });
        return static_cast<Access&>(entries).registry;
    }

private:
    detail::Owned<Gradients<N, T>> gradients_;

    detail::RunPlace on(const detail::DeviceGroup& devices) {
        return {.device = devices.device(), .group = devices.group(), .plans = Parts::step_.data_parallel()};
    }

    detail::RunPlace on(const MachineSet& machines) {
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

template <class N, class O>
Trainer(std::string, N, O, Minibatches) -> Trainer<N, O, float>;
template <class N, class O, class T>
Trainer(std::string, N, O, Minibatches, detail::Element<T>) -> Trainer<N, O, T>;
template <class N, class O, class T>
Trainer(std::string, N, O, Minibatches, detail::Element<T>, std::uint64_t) -> Trainer<N, O, T>;

// ---- what is no trainer: the type that stands in place of the elements' says why ----

struct write_network_of_the_layers;
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
    -> Trainer<detail::NoNetwork<error_Layers_are_no_network<write_network_of_the_layers>>, detail::NoOptimizer, float>;
template <AnyNetwork N, detail::UpdatesByObject O, class... More>
Trainer(std::string, N, O, More...)
    -> Trainer<N, detail::NoOptimizer, Mistake<error_update_of_an_optimizer_must_be_static<O>>>;
template <AnyLayer E, class... More>
Trainer(std::string, E, More...)
    -> Trainer<detail::NoNetwork<error_model_takes_no_expression<write_network_of_it_or_derive_a_struct_from_Network>>,
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

}  // namespace sigma
