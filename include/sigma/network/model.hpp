// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Models: a network with its parameters, predictions, classes and scores. Included by `<sigma/sigma.hpp>`.
#include <sigma/core/array.hpp>
#include <sigma/core/optimized.hpp>
#include <sigma/core/pattern.hpp>
#include <sigma/data/classes.hpp>
#include <sigma/device/cpu/compiled_program.hpp>
#include <sigma/device/cpu/packed.hpp>
#include <sigma/device/session.hpp>
#include <sigma/initializer/fill.hpp>
#include <sigma/network/access.hpp>
#include <sigma/network/classified.hpp>
#include <sigma/network/dynamic_network.hpp>
#include <sigma/network/memory.hpp>
#include <sigma/network/model_session.hpp>
#include <sigma/network/model_store.hpp>
#include <sigma/network/parameter_rows.hpp>
#include <sigma/network/programs.hpp>
#include <sigma/network/use_mistakes.hpp>
#include <sigma/tape/mistake.hpp>

#include <array>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace sigma {

template <class T>
class DeviceArray;

namespace detail {

template <AnyNetwork N, class T>
class Evaluator;

}  // namespace detail

/// Names the mistake of a call of `classify` for a network without classes. `classify` needs one loss, either of
/// classes (such as `SoftmaxCE`) or of yes and no (such as `BinaryCE`).
template <class Network>
struct error_classify_needs_one_cost_of_classes_or_of_yes_and_no;

namespace detail {

/// True if the only cost of the network distinguishes yes and no. Always true for run-time networks: their tables
/// decide.
template <class N>
inline constexpr bool says_yes_or_no = [] {
    if constexpr (MadeNetwork<N>) return true;
    else if constexpr (N::cost_count != 1) return false;
    else return N::records.costs[0].yes_or_no;
}();
/// True if the only cost of the network distinguishes classes, or yes and no. Always true for run-time networks.
template <class N>
inline constexpr bool says_class = [] {
    if constexpr (MadeNetwork<N>) return true;
    else if constexpr (N::cost_count != 1) return false;
    else return N::records.costs[0].says_class() || says_yes_or_no<N>;
}();

template <class T>
consteval auto store_or_mistake() {
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) return std::type_identity<ModelStore<T>>{};
    else return Mistake<error_element_type_must_be_float_or_double<T>>{};
}
/// The base class of a model with elements of type T, or the type that names the mistake.
template <class T>
using StoreOf = typename TypeOrMistake<decltype(store_or_mistake<T>())>::type;

/// The plan of a network's program for one purpose.
template <class N, Purpose purpose, class T>
using NetworkPlan = Planned<NetworkProgram<N, purpose>, on_cpu::lanes<T>>;
template <class N, Purpose purpose, class T, class = on_cpu::Instructions>
const CompiledProgram<T>& network_program() {
    using P = NetworkPlan<N, purpose, T>;
    if constexpr (purpose.cold()) return on_cpu::compiled_program<P, T, on_cpu::interprets_cold<P>()>;
    else return on_cpu::compiled_program<P, T>;
}

/// Returns whether the network may have a parameter of this name. Always true for run-time networks.
template <class N>
constexpr bool may_have_parameter([[maybe_unused]] std::string_view name) {
    if constexpr (ConstantNetwork<N>) return network_table<N>.find_parameter(name) >= 0;
    else return true;
}
template <class N>
constexpr bool may_have_cost([[maybe_unused]] std::string_view name) {
    if constexpr (ConstantNetwork<N>) return network_table<N>.find_cost(name) >= 0;
    else return true;
}
template <class N>
constexpr bool has_layer([[maybe_unused]] std::string_view name) {
    if constexpr (ConstantNetwork<N>) return network_table<N>.find_layer(name) >= 0;
    else return true;
}
template <class N>
constexpr Text nearest_cost([[maybe_unused]] std::string_view name) {
    if constexpr (ConstantNetwork<N>) {  // or layer
        const Text cost = nearest_name(network_table<N>.costs, name),
                   layer = nearest_name(network_table<N>.layers, name);
        return edits(layer.view(), name) < edits(cost.view(), name) ? layer : cost;
    } else return {};
}
/// True if a record of the only input has one axis. Always true for run-time networks.
template <class N>
inline constexpr bool takes_rows = [] {
    if constexpr (MadeNetwork<N>) return true;
    else return N::inputs[0].rank == 2;
}();

/// The part of a model that describes its network: constants of a compile-time network, or the tables of a run-time
/// network.
template <AnyNetwork N>
class ModelFacts {
public:
    static constexpr auto& records = N::records;
    static constexpr int parameter_count = records.parameters.size();
    static constexpr int layer_count = records.layers.size();
    static constexpr int outputs = N::output.last();

    /// Finds a parameter by its name.
    /// @param name  name of the parameter, such as "1-dense.weights"
    /// @return its position, or -1 if there is no such parameter
    static constexpr int find_parameter(std::string_view name) { return network_table<N>.find_parameter(name); }
    /// Finds a loss by its name.
    /// @param name  name of the loss, such as "price" or "2-softmax_ce"
    /// @return its position, or -1 if there is no such loss
    static constexpr int find_cost(std::string_view name) { return network_table<N>.find_cost(name); }
    /// Returns the position of an existing parameter.
    template <Text name>
    static constexpr int position_of() {
        constexpr int i = find_parameter(name.view());
        return i;
    }
    /// Returns the number of elements of all parameters together.
    static constexpr long long parameter_elements() { return network_table<N>.parameter_elements(); }

    /// The type of the network.
    using Definition = N;
    static constexpr N definition() { return {}; }

protected:
    ModelFacts() = default;
    explicit ModelFacts(const N&) {}
    static const NetworkTable& table() { return network_table<N>; }
};
template <MadeNetwork N>
class ModelFacts<N> {
    DynamicNetwork network_;

public:
    using Definition = DynamicNetwork;
    /// @cond internal
    const NetworkTable& records;
    /// @endcond

    /// Finds a parameter by its name.
    /// @param name  name of the parameter, such as "1-dense.weights"
    /// @return its position, or -1 if there is no such parameter
    int find_parameter(std::string_view name) const { return records.find_parameter(name); }
    /// Finds a loss by its name.
    /// @param name  name of the loss, such as "price" or "2-softmax_ce"
    /// @return its position, or -1 if there is no such loss
    int find_cost(std::string_view name) const { return records.find_cost(name); }
    /// @cond internal
    template <Text name>
    int position_of() const {
        return parameter_at(records, name.view());
    }
    /// @endcond
    /// Returns the number of elements of all parameters together.
    /// @return the number, statistics included
    long long parameter_elements() const { return records.parameter_elements(); }
    /// Returns the network, with the numbers of its named sizes. Another model of it has the same sizes.
    /// @return the network; of a compile-time network without named sizes, an object of its type
    const DynamicNetwork& definition() const { return network_; }

protected:
    explicit ModelFacts(const DynamicNetwork& network) : network_(network), records(network_.made().table()) {}
    ModelFacts(const ModelFacts& other) : ModelFacts(other.network_) {}
    const NetworkTable& table() const { return records; }
};

}  // namespace detail

/// A network with its parameters. It predicts, classifies and evaluates.
///
/// `model.parameter<"1-dense.weights">()` finds a parameter by name, and `model.parameter(0)` by position. Both return
/// an ArrayView that reads and writes the parameter. A copy of a model has parameters of its own. While a trainer runs
/// on an accelerator, the model predicts there too, and a view is valid only until the next step.
///
/// @par Threads
/// You can call const members of one model from several threads. Other threads may copy the model, load, draw or assign
/// its parameters, or train it at the same time. Each call sees the parameters as they are between two such changes or
/// steps. If layers of the network keep states between predictions, the threads predict one after the other. If other
/// threads may read the model, change parameters through views and pointers only within `write`.
///
/// @tparam N  the network, such as a struct derived from `Network`, or `DynamicNetwork`
/// @tparam T  type of the parameters and predictions: `float` (default) or `double`
///
/// @par Example
/// @code
/// Model<Digits> digits(42);
/// Array<float> probabilities = digits.predict(images);  // (100, 10)
/// digits.parameter<"1-dense.biases">().fill(0);
/// @endcode
///
/// @see Network, Trainer, save_model, Predictor, docs/networks.md
template <AnyNetwork N, class T = float>
class SIGMA_BY_INSTRUCTIONS Model : public detail::ModelFacts<N>, public detail::StoreOf<T> {
    using Facts = detail::ModelFacts<N>;
    using Store = detail::ModelStore<T>;

public:
    using Facts::find_parameter, Facts::find_cost;
    // Without seed, streams, threads and to: parameters have these names, and would shadow them.
    using Store::read, Store::write, Store::set_seed, Store::reset, Store::initialize, Store::classes,
        Store::set_classes, Store::hyperparameter, Store::set_hyperparameter, Store::forget, Store::set_threads;
    using Element = T;  ///< Type of the parameters and predictions.
    /// @cond internal
    using Facts::records;
    using Store::parameter_data, Store::dual_buffer, Store::access, Store::bind;
    using Inputs = detail::EachOf<const T*, N::input_count>;
    using Targets = detail::EachOf<const T*, N::cost_count>;
    using Results = detail::EachOf<T*, N::cost_count>;
    using InputPointers = typename Inputs::type;
    using TargetPointers = typename Targets::type;
    using ResultPointers = typename Results::type;
    /// True if the numbers of inputs and costs are known only when the program runs.
    static constexpr bool counts_when_run = N::cost_count == detail::when_run;
    /// True if the network has, or may have, one input.
    static constexpr bool of_one_input = detail::may_be(N::input_count, 1);
    static constexpr bool of_one_each = of_one_input && detail::may_be(N::cost_count, 1);
    /// @endcond

    /// Constructs a model of a compile-time network, and draws its parameters by the initializers of the layers.
    /// @param seed  seed of the random numbers. The same seed gives the same parameters. Default: 0.
    explicit Model(std::uint64_t seed = 0)
        requires(!MadeNetwork<N>)
        : Model(N{}, seed) {}
    /// Constructs a model of a network with named sizes.
    /// @param named  a network with a value for each size, such as `Table{dim<"width"> = 300}`
    /// @param seed   seed of the random numbers. Default: 0.
    /// @throws ArgumentError  if a size has no value
    /// @throws MistakeError   if a layer does not fit these sizes
    explicit Model(const N& named, std::uint64_t seed = 0)
        requires NamedNetwork<N>
        : Model(network(named), seed) {}
    /// @cond internal
    explicit Model(error_Model_needs_values_of_the_named_sizes<use_the_network_with_its_sizes_first>)
        requires NamedNetwork<N>
    = delete;
    /// @endcond
    /// Constructs a model of a network, and draws its parameters by the initializers of the layers.
    /// @param network  the network: a compile-time network, or a `DynamicNetwork`
    /// @param seed     seed of the random numbers. Default: 0.
    explicit Model(const typename Facts::Definition& network, std::uint64_t seed = 0)
        : Model(network, detail::NotDrawn{}) {
        Store::reset(seed);
    }
    /// @cond internal
    /// Constructs a model without drawing the parameters: the caller loads them.
    Model(const typename Facts::Definition& network, detail::NotDrawn)
        : Facts(network), Store(Facts::table(), on_cpu::lanes<T>) {
        if constexpr (NamedNetwork<N>) detail::check_sized(detail::primed_table<N>, Facts::table());
#if !defined(SIGMA_COMPILED) || (defined(SIGMA_INTERPRET) && !SIGMA_INTERPRET)  // else the library's kernels compute
        detail::warn_if_unoptimized();  // here, where a program begins to train or to predict
#endif
    }
    /// @endcond
    /// Copies a network and its parameters.
    /// @param other  the model to copy. A trainer may be training it.
    Model(const Model& other) : Facts(other), Store(other) {}
    /// Copies the parameters of another model of the same network. Views of this model stay valid.
    /// @param other  the model to copy from
    Model& operator=(const Model& other) {
        Store::operator=(other);
        return *this;
    }

    /// @cond internal
    /// Returns the network's program for a purpose, as it is traced.
    template <detail::Purpose purpose>
    detail::Program operations() const {
        if constexpr (MadeNetwork<N>) return Facts::definition().made().operations(purpose);
        else return detail::NetworkProgram<N, purpose>{}();
    }
    /// Returns the network's program for a purpose, planned and compiled.
    template <detail::Purpose purpose>
    const detail::CompiledProgram<T>& program() const {
        if constexpr (MadeNetwork<N>) return Facts::definition().made().template program<T>(purpose, on_cpu::lanes<T>);
        else return detail::network_program<N, purpose, T>();
    }

    /// @endcond

    // ---- parameters ----

    /// Returns a parameter by its name, as a view that reads and writes.
    ///
    /// Names consist of the layer and the parameter: `"1-dense.weights"`, or `"hidden.weights"` if the layer is named
    /// "hidden". A wrong name does not compile, and the error lists the names that exist. A run-time network checks the
    /// name when the program runs. A temporary model returns a copy.
    ///
    /// @tparam name  name of the parameter
    /// @return a view with the shape of the parameter, valid as long as the model
    /// @throws ArgumentError  if a run-time network has no parameter of this name
    ///
    /// @par Example
    /// @code
    /// model.parameter<"1-dense.weights">().shape();  // {784, 128}
    /// @endcode
    template <Text name>
        requires(detail::may_have_parameter<N>(name.view()))
    ArrayView<T> parameter() & {
        return parameter(this->template position_of<name>());
    }
    /// @copydoc parameter()
    template <Text name>
        requires(detail::may_have_parameter<N>(name.view()))
    Array<T> parameter() && {
        return Array<T>(parameter(this->template position_of<name>()));
    }
    /// @copydoc parameter()
    template <Text name>
        requires(detail::may_have_parameter<N>(name.view()))
    ArrayView<const T> parameter() const& {
        return parameter(this->template position_of<name>());
    }
    /// @cond internal
    template <Text name>
        requires(!detail::may_have_parameter<N>(name.view()))
    auto parameter()
        const& -> decltype(detail::plainly(std::type_identity<typename detail::NoParameter<name, Model>::type>{}));
    /// @endcond
    /// Returns a parameter by a name that is known when the program runs.
    /// @param name  name of the parameter, such as "1-dense.weights"
    /// @return a view with the shape of the parameter, valid as long as the model
    /// @throws ArgumentError  if the network has no parameter of this name
    ArrayView<T> parameter(std::string_view name) & { return parameter(detail::parameter_at(Facts::table(), name)); }
    /// Returns a parameter of a constant model by a name that is known when the program runs.
    /// @param name  name of the parameter, such as "1-dense.weights"
    /// @return a view for reading, valid as long as the model
    /// @throws ArgumentError  if the network has no parameter of this name
    ArrayView<const T> parameter(std::string_view name) const& {
        return parameter(detail::parameter_at(Facts::table(), name));
    }
    /// Returns a parameter by its position.
    /// @param index  position from 0, in the order of the layers
    /// @return a view with the shape of the parameter, valid as long as the model
    /// @throws ArgumentError  if there is no such position
    ArrayView<T> parameter(int index) & {
        check_position(index, records.parameters.size(), "parameter");
        return window(parameter_data(index), records.parameters[index].shape, Store::pitch(index));
    }
    /// Returns a copy of a parameter of a temporary model.
    /// @param index  position from 0, in the order of the layers
    /// @return an array with the shape of the parameter
    /// @throws ArgumentError  if there is no such position
    Array<T> parameter(int index) && { return Array<T>(parameter(index)); }
    /// Returns a parameter of a constant model by its position.
    /// @param index  position from 0, in the order of the layers
    /// @return a view for reading, valid as long as the model
    /// @throws ArgumentError  if there is no such position
    ArrayView<const T> parameter(int index) const& {
        check_position(index, records.parameters.size(), "parameter");
        return window(parameter_data(index), records.parameters[index].shape, Store::pitch(index));
    }
    /// Returns whether all parameters of two models are equal, including statistics such as those of `BatchNorm`. NaN
    /// differs from NaN.
    /// @param left  one model
    /// @param right  the other one
    friend bool operator==(const Model& left, const Model& right) { return detail::equal_parameters<T>(left, right); }

    // ---- several threads: see also `read` and `write` ----

    /// Calls a function of the model, with parameters that do not change during the call.
    ///
    /// If another thread is training this model, the function gets a copy, so that the run does not wait. Otherwise it
    /// gets this model.
    ///
    /// @param function  a function of a `const Model&`
    /// @return the result of the function
    /// @see read, write
    template <class F>
    auto at_rest(F function) const {
        if (access().owned_elsewhere()) {
            const Model copy(*this);
            return function(copy);
        } else if constexpr (std::is_void_v<decltype(function(*this))>) {
            read([&] { function(*this); });
        } else {
            std::optional<decltype(function(*this))> result;
            read([&] { result.emplace(function(*this)); });
            return std::move(*result);
        }
    }
    // ---- use ----

    /// Predicts: returns class probabilities for `SoftmaxCE`, probabilities for `BinaryCE`, and outputs for
    /// `SquaredDiff`.
    ///
    /// @param inputs  one array for each input of the network, (records, …): any class with the interface of an array,
    ///                see `AnyArray`
    /// @return an Array (records, …), or a `std::array` with one Array for each loss if the network has several. A
    ///         run-time network returns the predictions of its only loss; see `predict_all` for several.
    /// @throws ShapeError  if an input has a wrong shape, or the inputs have different numbers of records
    ///
    /// @par Example
    /// @code
    /// Array<float> probabilities = model.predict(images);  // (100, 10)
    /// @endcode
    ///
    /// @see classify, Predictor
    template <class... E>
        requires(detail::may_be(N::input_count, sizeof...(E)) && (AnyArray<E> && ...))
    auto predict(const E&... inputs) const {
        return predicted(Store::memory(), Store::processor(), inputs...);
    }
    /// Predicts on a device: `predict(cpu(2), x)`, `predict(gpu(), x)`.
    ///
    /// Without a device, the model predicts on the CPU with the number of threads of the last run, or on the
    /// accelerator that holds the parameters.
    ///
    /// @param device  the device that predicts, such as `cpu(2)` or `gpu()`
    /// @param inputs  one array for each input of the network, (records, …)
    /// @return as without a device
    /// @throws ShapeError   if an input has a wrong shape
    /// @throws DeviceError  if the device fails
    template <class... E>
        requires(detail::may_be(N::input_count, sizeof...(E)) && (AnyArray<E> && ...))
    auto predict(const Device& device, const E&... inputs) const {
        return predicted(Store::memory(), device, inputs...);
    }
    /// Predicts from arrays in the memory of a device, on that device. The results stay in its memory.
    ///
    /// The parameters are copied to the device for this call, unless the device holds them already, see `to`.
    ///
    /// @param inputs  one `DeviceArray` for each input of the network, (records, …), all on one device
    /// @return a `DeviceArray` (records, …), or a `std::array` of them if the network has several losses
    /// @throws ShapeError     if an input has a wrong shape
    /// @throws ArgumentError  if the inputs are on different devices
    /// @throws DeviceError    if the device fails
    template <class... E>
        requires(detail::may_be(N::input_count, sizeof...(E)) && (std::is_same_v<E, DeviceArray<T>> && ...))
    auto predict(const E&... inputs) const {
        const std::size_t count = check_inputs_of(inputs...);
        const DeviceArray<T>* const given[] = {&inputs...};
        const Device& device = given[0]->device();
        for (const DeviceArray<T>* x : given)
            if (!(x->device() == device)) detail::throw_other_device(device, x->device());
        const auto make = [&](std::size_t i) {
            return DeviceArray<T>::from_shape(
                device, detail::array_extents(prediction_shape(i), static_cast<std::ptrdiff_t>(count)));
        };
        const auto run = [&](auto& results) {
            ResultPointers to = Results::make(records.costs.size());
            for (std::size_t i = 0; i < to.size(); ++i) to[i] = results[i].data();
            prediction_.predict(*this, program<detail::to_predict>(), device, Store::memory(),
                                InputPointers{inputs.data()...}, to, static_cast<std::ptrdiff_t>(count),
                                given[0]->there());
        };
        if constexpr (counts_when_run) {
            check_one_output();
            std::vector<DeviceArray<T>> results{make(0)};
            run(results);
            return std::move(results[0]);
        } else {
            return [&]<std::size_t... i>(std::index_sequence<i...>) {
                std::array<DeviceArray<T>, N::cost_count> results{make(i)...};
                run(results);
                if constexpr (N::cost_count == 1) return std::move(results[0]);
                else return results;
            }(std::make_index_sequence<static_cast<std::size_t>(N::cost_count)>{});
        }
    }
    /// Predicts with states of zero: stateful layers neither use nor change the states that they keep.
    /// @param inputs  one array for each input of the network, (records, …)
    /// @return as `predict`
    /// @see predict, forget
    template <class... E>
        requires(detail::may_be(N::input_count, sizeof...(E)) && (AnyArray<E> && ...))
    auto predict_anew(const E&... inputs) const {
        return predicted(nullptr, Store::processor(), inputs...);
    }
    /// Predicts the outputs of all losses of a run-time network.
    /// @param inputs  one array for each input of the network, (records, …)
    /// @return one Array (records, …) for each loss
    /// @throws ShapeError  if an input has a wrong shape
    /// @see predict
    template <class... E>
        requires(MadeNetwork<N> && sizeof...(E) > 0 && (AnyArray<E> && ...))
    std::vector<Array<T>> predict_all(const E&... inputs) const {
        auto all = all_predicted(Store::memory(), Store::processor(), inputs...);
        std::vector<Array<T>> found;
        for (Array<T>& each : all) found.push_back(std::move(each));
        return found;
    }
    /// @cond internal
    template <class... E>
        requires(!detail::may_be(N::input_count, sizeof...(E)) && (AnyArray<E> && ...))
    error_network_has_other_number_of_inputs<inputs_wanted<N::input_count>,
                                             arrays_given<static_cast<int>(sizeof...(E))>>
    predict(const E&...) const;
    /// @endcond
    /// Predicts one record.
    /// @param record  the numbers of each input in one row: a vector, a span or a Record, such as `data.input(7)`
    /// @return an Array with one record, (1, …), or a `std::array` of them if the network has several losses
    /// @throws ShapeError  if the number of elements differs from a record of the input
    template <class... R>
        requires(detail::may_be(N::input_count, sizeof...(R)) && (detail::NumbersInRow<R> && ...))
    auto predict(const R&... record) const {
        if constexpr (MadeNetwork<N>) detail::check_number_of_inputs(records, sizeof...(R));
        return [&]<std::size_t... i>(std::index_sequence<i...>) {
            return predict(ArrayView(record, detail::array_extents(input_shape(i), 1))...);
        }(std::index_sequence_for<R...>{});
    }
    /// Predicts one record, written in braces: `predict({5.1f, 3.5f, 1.4f, 0.2f})`.
    /// @param record  the elements of the record
    /// @return an Array with one record, (1, …)
    /// @throws ShapeError  if the number of elements differs from a record of the input
    // A template, because {{1}, {2}} would otherwise match both overloads.
    template <class = void>
        requires(of_one_input)
    auto predict(std::initializer_list<T> record) const {
        return predicted(Store::memory(), Store::processor(),
                         ArrayView(record, detail::array_extents(input_shape(0), 1)));
    }
    /// Predicts several records, written in braces: `predict({{5.1f, 3.5f}, {4.9f, 3.0f}})`.
    /// @param rows  the elements of each record
    /// @return an Array (records, …)
    /// @throws ShapeError  if the number of elements differs from a record of the input
    auto predict(std::initializer_list<std::initializer_list<T>> rows) const
        requires(of_one_input && detail::takes_rows<N>)
    {
        return predict(Array<T>(rows));
    }
    /// @cond internal
    template <detail::DataOfRecords D>
    error_predict_takes_arrays<use_inputs_of_the_data_set> predict(const D&) const;
    template <class... E>
        requires(!counts_when_run && detail::NoInputs<N::input_count, E...> &&
                 !(std::is_same_v<E, DeviceArray<T>> && ...))
    error_predict_takes_arrays<use_an_array_or_ArrayView_of_numbers_and_their_shape> predict(const E&...) const;
    /// @endcond
    /// Predicts one output of a network with several losses, by its position: `predict<1>(x)`.
    /// @tparam cost   position of the loss, from 0
    /// @param inputs  one array for each input of the network, (records, …)
    /// @return an Array (records, …)
    /// @throws ArgumentError  if a run-time network has no such loss
    template <int cost, class... E>
        requires(counts_when_run || (cost >= 0 && cost < N::cost_count))
    Array<T> predict(const E&... inputs) const {
        if constexpr (counts_when_run) {
            check_position(cost, records.costs.size(), "output");
            return std::move(predict_all(inputs...)[static_cast<std::size_t>(cost)]);
        } else if constexpr (N::cost_count == 1) return predict(inputs...);
        else return std::move(predict(inputs...)[static_cast<std::size_t>(cost)]);
    }
    /// @cond internal
    template <int cost, class... E>
        requires(!counts_when_run && (cost < 0 || cost >= N::cost_count))
    error_network_has_no_output<number_given<cost>, outputs_of_the_network<N::cost_count>> predict(const E&...) const;
    /// @endcond
    /// Predicts one output of a network with several losses, by the name of the loss: `predict<"price">(x)`.
    /// @tparam name   name of the loss. A run-time network also accepts the name of a layer.
    /// @param inputs  one array for each input of the network, (records, …)
    /// @return an Array (records, …)
    /// @throws ArgumentError  if a run-time network has no loss and no layer of this name
    template <Text name, class... E>
        requires(detail::may_have_cost<N>(name.view()))
    Array<T> predict(const E&... inputs) const {
        if constexpr (MadeNetwork<N>)
            return records.find_cost(name.view()) < 0 && records.find_layer(name.view()) >= 0
                       ? std::move(tapped<name>(inputs...)[0])
                       : std::move(
                             all_predicted(Store::memory(), Store::processor(),
                                           inputs...)[static_cast<std::size_t>(detail::cost_at(records, name.view()))]);
        else return predict<Facts::find_cost(name.view())>(inputs...);
    }
    /// Computes the output of a layer: `predict<"1-dense">(x)`. Stateful layers begin with states of zero.
    /// @tparam name   name of the layer
    /// @param inputs  one array for each input of the network, (records, …)
    /// @return an Array (records, …) with the shape of the layer's output
    template <Text name, class... E>
        requires(!detail::may_have_cost<N>(name.view()) && detail::has_layer<N>(name.view()))
    Array<T> predict(const E&... inputs) const {
        return std::move(tapped<name>(inputs...)[0]);
    }
    /// Computes the outputs of two to four layers at once: `predict<"hidden", "1-dense">(x)`.
    /// @tparam first   name of the first layer
    /// @tparam second  name of the second layer
    /// @tparam more    names of up to two more layers
    /// @param inputs   one array for each input of the network, (records, …)
    /// @return one Array (records, …) for each layer
    template <Text first, Text second, Text... more, class... E>
    std::array<Array<T>, 2 + sizeof...(more)> predict(const E&... inputs) const {
        return tapped<first, second, more...>(inputs...);
    }
    /// @cond internal
    template <Text name, class... E>
        requires(!detail::may_have_cost<N>(name.view()) && !detail::has_layer<N>(name.view()))
    auto predict(const E&...) const -> decltype(detail::plainly(
        std::type_identity<typename detail::NoCost<name, detail::nearest_cost<N>(name.view())>::type>{}));
    /// @endcond
    /// Predicts the class of each record.
    ///
    /// The class is the position of the greatest prediction (the first one if several are equal). With `BinaryCE` it is
    /// 1 if the probability is at least 0.5, else 0.
    ///
    /// @param inputs  one array for each input of the network, (records, …)
    /// @return the numbers of the classes, and their names if the model has names
    /// @throws ArgumentError  if a prediction is NaN, or a run-time network does not predict classes
    /// @throws ShapeError     if an input has a wrong shape
    ///
    /// @par Example
    /// @code
    /// Classified digits = model.classify(images);
    /// std::size_t first = digits[0];
    /// @endcode
    template <class... E>
        requires(detail::says_class<N> && detail::may_be(N::input_count, sizeof...(E)) && (AnyArray<E> && ...))
    Classified classify(const E&... inputs) const {
        check_classes(false);
        if (says_yes_or_no()) return {detail::reached(numbers_of(predict(inputs...)), 0.5), names()};
        return {detail::greatest_of_rows(numbers_of(predict(inputs...)),
                                         static_cast<std::size_t>(prediction_shape(0).last())),
                names()};
    }
    /// Decides between 0 and 1 by a threshold of your own: `classify(x, 0.4)`. For losses such as `BinaryCE`.
    /// @param inputs     an array (records, …)
    /// @param threshold  the class is 1 if the probability is at least `threshold`, else 0
    /// @return the numbers of the classes, and their names if the model has names
    /// @throws ArgumentError  if a prediction or the threshold is NaN
    template <AnyArray E>
        requires(detail::says_yes_or_no<N> && of_one_input)
    Classified classify(const E& inputs, double threshold) const {
        check_classes(true);
        return {detail::reached(numbers_of(predict(inputs)), threshold), names()};
    }
    /// Predicts the class of one record: `classify(data.input(7)).name(0)`.
    /// @param record     the numbers of the record in one row: a vector, a span or a Record
    /// @param threshold  optional, for losses such as `BinaryCE`: the least probability of class 1. Default: 0.5.
    /// @return the class of this record
    /// @throws ShapeError  if the number of elements differs from a record of the input
    template <class R, class... Threshold>
        requires(detail::says_class<N> && of_one_input && !AnyArray<R> &&
                 std::is_arithmetic_v<detail::ElementInRow<const R>>)
    Classified classify(const R& record, Threshold... threshold) const {
        return classify(ArrayView(record, detail::array_extents(input_shape(0), 1)), threshold...);
    }
    /// Predicts the class of one record, written in braces: `classify({5.1f, 3.5f, 1.4f, 0.2f})`.
    /// @param record     the elements of the record
    /// @param threshold  optional, for losses such as `BinaryCE`: the least probability of class 1. Default: 0.5.
    /// @return the class of this record
    /// @throws ShapeError  if the number of elements differs from a record of the input
    template <std::same_as<double>... Threshold>
        requires(detail::says_class<N> && of_one_input)
    Classified classify(std::initializer_list<T> record, Threshold... threshold) const {
        return classify(std::span(record), threshold...);
    }
    /// Predicts the classes of several records, written in braces: `classify({{5.1f, 3.5f}, {4.9f, 3.0f}})`.
    /// @param rows  the elements of each record
    /// @return the classes of these records
    /// @throws ShapeError     if the number of elements differs from a record of the input
    /// @throws ArgumentError  if a prediction is NaN
    Classified classify(std::initializer_list<std::initializer_list<T>> rows) const
        requires(detail::says_class<N> && of_one_input && detail::takes_rows<N>)
    {
        return classify(Array<T>(rows));
    }
    /// Decides between 0 and 1 for several records, written in braces.
    /// @param rows       the elements of each record
    /// @param threshold  the class is 1 if the probability is at least `threshold`, else 0
    /// @return the classes of these records
    /// @throws ShapeError     if the number of elements differs from a record of the input
    /// @throws ArgumentError  if a prediction or the threshold is NaN
    Classified classify(std::initializer_list<std::initializer_list<T>> rows, double threshold) const
        requires(detail::says_yes_or_no<N> && of_one_input && detail::takes_rows<N>)
    {
        return classify(Array<T>(rows), threshold);
    }
    /// @cond internal
    template <class... E>
        requires(!detail::says_class<N>)
    error_classify_needs_one_cost_of_classes_or_of_yes_and_no<N> classify(const E&...) const;
    /// @endcond
    /// Predicts from dense memory to dense memory.
    ///
    /// Allocates memory only if more threads than ever before predict at once, or if `count` exceeds that of all
    /// earlier calls. To avoid these allocations, see `Predictor::reserve`.
    ///
    /// @param inputs   one pointer for each input of the network, to `count` records
    /// @param results  one pointer for each loss, to the memory for `count` predictions
    /// @param count    number of records
    void predict(const InputPointers& inputs, const ResultPointers& results, std::ptrdiff_t count) const {
        predict(Store::processor(), Store::memory(), inputs, results, count);
    }
    /// @cond internal
    /// Predicts with the states of these streams, which no other thread may use meanwhile. Null: with states of zero.
    void predict(const Device& device, detail::Streams<T>* streams, const InputPointers& inputs,
                 const ResultPointers& results, std::ptrdiff_t count) const {
        prediction_.predict(*this, program<detail::to_predict>(), device, streams, inputs, results, count);
    }
    /// Reserves memory, so that `threads` threads at once can predict `count` records without an allocation.
    void reserve_predictions(const Device& device, std::size_t threads, std::ptrdiff_t count) const {
        prediction_.reserve(*this, program<detail::to_predict>(), device, threads, count);
    }
    void predict_anew(const InputPointers& inputs, const ResultPointers& results, std::ptrdiff_t count) const {
        predict(Store::processor(), nullptr, inputs, results, count);
    }
    /// @endcond
    /// Predicts from dense memory to dense memory, for a network with one input and one loss.
    /// @param inputs   `count` records
    /// @param results  memory for `count` predictions
    /// @param count    number of records
    void predict(const T* inputs, T* results, std::ptrdiff_t count) const
        requires(of_one_each)
    {
        predict(Store::processor(), Store::memory(), inputs, results, count);
    }
    /// @cond internal
    void predict(const Device& device, detail::Streams<T>* streams, const T* inputs, T* results,
                 std::ptrdiff_t count) const
        requires(of_one_each)
    {
        const T* const from[]{inputs};
        T* const to[]{results};
        prediction_.predict(*this, program<detail::to_predict>(), device, streams, from, to, count);
    }

    // ---- names of other libraries ----

    template <class... X>
    error_Model_is_not_callable<use_model_predict_x> operator()(const X&...) const;
    template <class... X>
    error_Model_has_no_such_member<use_save_parameters_model_file> save(const X&...) const;
    template <class... X>
    error_Model_has_no_such_member<use_load_parameters_model_file> load(const X&...) const;
    template <class... X>
    error_Model_has_no_such_member<use_a_Trainer_or_fit> train(const X&...) const;
    template <class... X>
    error_Model_has_no_such_member<use_a_Trainer_or_fit> fit(const X&...) const;
    /// @endcond

    // ---- scores ----

    using CostScore = sigma::detail::CostScore;  ///< Error and accuracy of one loss.
    /// The result of `evaluate`.
    struct Score {
        double error = 0;  ///< Mean loss. With several losses: Σ weight · mean loss.
        /// Share of correct predictions, from 0 to 1, of the first loss that defines accuracy. NaN if no loss does.
        double accuracy = std::numeric_limits<double>::quiet_NaN();
        typename detail::EachOf<CostScore, N::cost_count>::type costs{};  ///< One score for each loss.

        /// @cond internal
        detail::ScoreView view() { return {error, accuracy, costs}; }
        /// @endcond
    };
    /// @cond internal
    /// Returns a score of this network without any records.
    Score empty_score() const {
        Score score;
        score.costs = detail::EachOf<CostScore, N::cost_count>::make(records.costs.size());
        return score;
    }
    /// @endcond
    /// Scores dense inputs and targets. The error is the mean over all records.
    /// @param inputs   one pointer for each input of the network, to `count` records
    /// @param targets  one pointer for each loss, to `count` targets
    /// @param count    number of records
    /// @param there    true if the memory belongs to the accelerator that holds the parameters. Default: false.
    /// @return error and accuracy
    Score evaluate(const InputPointers& inputs, const TargetPointers& targets, std::ptrdiff_t count,
                   bool there = false) const {
        Score total = empty_score();
        evaluation_.evaluate(*this, program<detail::to_evaluate>(), Store::processor(), inputs, targets, count, there,
                             total.view());
        return total;
    }
    /// Scores dense inputs and targets of a network with one input and one loss.
    /// @param inputs   `count` records
    /// @param targets  `count` targets
    /// @param count    number of records
    /// @return error and accuracy
    Score evaluate(const T* inputs, const T* targets, std::ptrdiff_t count) const
        requires(of_one_each)
    {
        return evaluate(InputPointers{inputs}, TargetPointers{targets}, count);
    }

    /// Scores all records of a data set.
    /// @param data  the data set. It is checked as a trainer checks its data.
    /// @return error and accuracy
    /// @throws ShapeError  if the data do not match the network
    /// @throws DataError   if the loss rejects a target
    ///
    /// @par Example
    /// @code
    /// double share_of_correct_digits = model.evaluate(testing).accuracy;
    /// @endcode
    template <detail::DataOfRecords D, class Records = detail::Evaluator<N, T>>
    Score evaluate(const D& data) const {
        return evaluate<D, Records>(Store::processor(), data);
    }
    /// Scores arrays, as `make_dataset` accepts them.
    /// @param inputs   an array (records, …)
    /// @param targets  an array (records, …), or the numbers of the classes (records)
    /// @return error and accuracy
    /// @throws ShapeError  if the arrays do not match the network
    /// @throws DataError   if the loss rejects a target
    template <AnyArray X, class Y, class Records = detail::Evaluator<N, T>>
        requires(!detail::DataOfRecords<Y>)
    Score evaluate(const X& inputs, const Y& targets) const {
        static_assert(requires { sizeof(Records); }, "#include <sigma/execution/evaluator.hpp> to evaluate arrays");
        return evaluate(Records::made_of(inputs, targets));
    }
    /// Scores all records of a data set on a device.
    /// @param device  the device that evaluates, such as `cpu(2)` or `gpu()`
    /// @param data    the data set
    /// @return error and accuracy
    /// @throws ShapeError   if the data do not match the network
    /// @throws DataError    if the loss rejects a target
    /// @throws DeviceError  if the device fails
    template <detail::DataOfRecords D, class Records = detail::Evaluator<N, T>>
    Score evaluate(const Device& device, const D& data) const {
        static_assert(requires { sizeof(Records); }, "#include <sigma/execution/evaluator.hpp> to evaluate a data set");
        Records all(Facts::table(), data);
        if (access().owned_elsewhere()) return all(device, Model(*this));  // a run need not wait for the evaluation
        return all(device, *this);
    }

    /// @cond internal
    /// Returns the sessions that evaluate.
    detail::ProgramRuns<T>& evaluation() const { return evaluation_; }
    /// @endcond

    /// Returns the working memory for predicting `count` records at once.
    /// @param count  number of records
    /// @return bytes
    std::size_t prediction_bytes(std::size_t count) const {
        return on_cpu::arena_bytes<T>(program<detail::to_predict>().plan(), count);
    }

    /// @cond internal
    /// Returns the name of an input in error texts.
    std::string input_text(int i) const { return detail::input_text(Facts::table(), i); }
    /// Returns the name of the targets of a cost in error texts.
    std::string target_text(int i) const { return detail::target_text(Facts::table(), i); }
    template <class Shape_>
    void check_inputs(const Shape_& given, int i = 0) const {
        detail::check_batch([&] { return input_text(i); }, records.inputs[i], given);
    }
    /// Checks all inputs. Throws ShapeError unless they have the same number of records, and returns this number.
    template <class... E>
    std::size_t check_inputs_of(const E&... inputs) const {
        if constexpr (MadeNetwork<N>) detail::check_number_of_inputs(records, sizeof...(E));
        int i = 0;
        (check_inputs(inputs.shape(), i++), ...);
        const std::size_t counts[] = {static_cast<std::size_t>(inputs.shape()[0])...};
        for (std::size_t k = 1; k < sizeof...(E); ++k)
            if (counts[k] != counts[0])
                throw ShapeError(input_text(static_cast<int>(k)), sentence(counts[0], " records, as the first input"),
                                 sentence(counts[k]));
        return counts[0];
    }
    static void check_position(int i, int count, const char* what) { detail::check_position(i, count, what); }
    /// @endcond

private:
    const Shape& input_shape(std::size_t i) const { return records.inputs[static_cast<int>(i)]; }
    const Shape& prediction_shape(std::size_t i) const { return records.costs[static_cast<int>(i)].prediction; }
    bool says_yes_or_no() const {
        if constexpr (MadeNetwork<N>) return records.costs[0].yes_or_no;
        else return detail::says_yes_or_no<N>;
    }
    /// Checks what the compiler checks of compile-time networks.
    void check_one_output() const {
        if constexpr (counts_when_run) detail::check_one_output(records);
    }
    void check_classes(bool by_threshold) const {
        if constexpr (MadeNetwork<N>) detail::check_classes(records, by_threshold);
    }
    template <class... E>
    auto all_predicted(detail::Streams<T>* streams, const Device& device, const E&... inputs) const {
        const auto count = static_cast<std::ptrdiff_t>(check_inputs_of(inputs...));
        auto results = detail::EachOf<Array<T>, N::cost_count>::make(records.costs.size());
        ResultPointers to = Results::make(records.costs.size());
        for (std::size_t i = 0; i < results.size(); ++i) {
            results[i] = Array<T>::from_shape(detail::array_extents(prediction_shape(i), count));
            to[i] = results[i].data();
        }
        prediction_.predict(*this, program<detail::to_predict>(), device, streams,
                            InputPointers{detail::DenseElements<T>(inputs).data()...}, to, count);
        return results;
    }
    /// Returns the purpose of a program that computes the outputs of these layers.
    template <Text... names>
    static constexpr detail::Purpose tapping(const auto& layer_at) {
        static_assert(sizeof...(names) <= detail::Purpose::most_tapped, "predict names up to four layers");
        detail::Purpose purpose;
        int i = 0;
        ((purpose.tapped[i++] = static_cast<short>(layer_at(names.view()))), ...);
        return purpose;
    }
    template <Text... names, class... E>
    std::array<Array<T>, sizeof...(names)> tapped(const E&... inputs) const {
        const auto count = static_cast<std::ptrdiff_t>(check_inputs_of(inputs...));
        std::array<Array<T>, sizeof...(names)> results;
        const auto run = [&](const detail::Purpose& purpose, const detail::CompiledProgram<T>& tapping_program) {
            std::array<T*, sizeof...(names)> to{};
            for (std::size_t i = 0; i < results.size(); ++i) {
                const Shape& layer = records.layers[purpose.tapped[i]].output;
                results[i] = Array<T>::from_shape(detail::array_extents(layer, count));
                to[i] = results[i].data();
            }
            tapped_.of(tapping_program)
                .tap(*this, tapping_program, purpose, Store::processor(),
                     InputPointers{detail::DenseElements<T>(inputs).data()...}, to, count);
        };
        if constexpr (MadeNetwork<N>) {
            const auto purpose = tapping<names...>([&](auto name) { return detail::layer_at(records, name); });
            run(purpose, Facts::definition().made().template program<T>(purpose, on_cpu::lanes<T>));
        } else {
            static_assert((detail::has_layer<N>(names.view()) && ...),
                          "predict: no layer of the network has this name");
            constexpr auto purpose =
                tapping<names...>([](auto name) { return detail::network_table<N>.find_layer(name); });
            run(purpose, program<purpose>());
        }
        return results;
    }
    template <class... E>
    auto predicted(detail::Streams<T>* streams, const Device& device, const E&... inputs) const {
        if constexpr (counts_when_run) check_one_output();
        auto results = all_predicted(streams, device, inputs...);
        if constexpr (N::cost_count == 1 || counts_when_run) return std::move(results[0]);
        else return results;
    }
    static std::vector<double> numbers_of(const Array<T>& a) { return {a.begin(), a.end()}; }
    /// Returns the names of the classes: two for yes and no, if a record has one such prediction.
    std::vector<std::string> names() const {
        std::vector<std::string> all;
        Store::read([&] { all = Store::classes(); });
        const bool one = prediction_shape(0).rank == 2 && prediction_shape(0).last() == 1;
        if (says_yes_or_no() && (!one || all.size() != 2)) all.clear();
        return all;
    }

    mutable detail::ProgramRuns<T> prediction_,
        evaluation_;  // a program that never predicts does not compile prediction
    mutable detail::RunsOfPrograms<T> tapped_;
};

/// Deduces a model with elements of type float from a network.
template <AnyNetwork N>
Model(const N&, std::uint64_t = 0) -> Model<N, float>;

/// @cond internal
// ---- rejects wrong arguments: the type in place of the network names the mistake ----

namespace detail {
template <class Why>
struct NoNetwork {
    static constexpr Shape input{}, target{};
    static constexpr int cost_count = 0;
};
}  // namespace detail

template <class Why, class T>
class Model<detail::NoNetwork<Why>, T>;
template <AnyLayer E, class... More>
Model(E, More...)
    -> Model<detail::NoNetwork<error_model_takes_no_expression<use_network_of_it_or_derive_a_struct_from_Network>>>;
/// @endcond

}  // namespace sigma
