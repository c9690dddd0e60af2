// SPDX-License-Identifier: BSL-1.0
#pragma once
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

/// A network that says no class: `classify` asks for one cost, of classes (SoftmaxCE) or of yes and no (BinaryCE).
template <class Network>
struct error_classify_needs_one_cost_of_classes_or_of_yes_and_no;

namespace detail {

/// Does its only cost say yes or no, or a class? True where only its tables know.
template <class N>
inline constexpr bool says_yes_or_no = [] {
    if constexpr (MadeNetwork<N>) return true;
    else if constexpr (N::cost_count != 1) return false;
    else return N::records.costs[0].yes_or_no;
}();
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
/// What a model derives from.
template <class T>
using StoreOf = typename TypeOrMistake<decltype(store_or_mistake<T>())>::type;

/// Of a network's program for a purpose.
template <class N, Purpose purpose, class T>
using NetworkPlan = Planned<NetworkProgram<N, purpose>, on_cpu::lanes<T>>;
template <class N, Purpose purpose, class T, class = on_cpu::Instructions>
const CompiledProgram<T>& network_program() {
    using P = NetworkPlan<N, purpose, T>;
    if constexpr (purpose.cold()) return on_cpu::compiled_program<P, T, on_cpu::interprets_cold<P>()>;
    else return on_cpu::compiled_program<P, T>;
}

/// Of networks that are made while the program runs nobody knows before.
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
/// Is a record of its only input numbers in a row?
template <class N>
inline constexpr bool takes_rows = [] {
    if constexpr (MadeNetwork<N>) return true;
    else return N::inputs[0].rank == 2;
}();

/// What a model knows of its network: all at compile time, or what stands in its tables.
template <AnyNetwork N>
class ModelFacts {
public:
    static constexpr auto& records = N::records;
    static constexpr int parameter_count = records.parameters.size();
    static constexpr int layer_count = records.layers.size();
    static constexpr int outputs = N::output.last();

    /// The position of a parameter, of a cost; -1 where there is none of this name.
    static constexpr int find_parameter(std::string_view name) { return network_table<N>.find_parameter(name); }
    static constexpr int find_cost(std::string_view name) { return network_table<N>.find_cost(name); }
    /// That of a parameter of this name, which is there.
    template <Text name>
    static constexpr int position_of() {
        constexpr int i = find_parameter(name.view());
        return i;
    }
    /// Elements in all parameters.
    static constexpr long long parameter_elements() { return network_table<N>.parameter_elements(); }

    /// The network.
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
    const NetworkTable& records;

    int find_parameter(std::string_view name) const { return records.find_parameter(name); }
    int find_cost(std::string_view name) const { return records.find_cost(name); }
    template <Text name>
    int position_of() const {
        return parameter_at(records, name.view());
    }
    long long parameter_elements() const { return records.parameter_elements(); }
    const DynamicNetwork& definition() const { return network_; }

protected:
    explicit ModelFacts(const DynamicNetwork& network) : network_(network), records(network_.made().table()) {}
    ModelFacts(const ModelFacts& other) : ModelFacts(other.network_) {}
    const NetworkTable& table() const { return records; }
};

}  // namespace detail

/// A network with its parameters, in element type T. Parameters are found by name,
/// `model.parameter<"1-dense.weights">()`, or by position, and read and written as an ArrayView. A copy has parameters
/// of its own. While a trainer runs on an accelerator, what the model does happens there, and a view is right until the
/// next step.
///
/// What is const may be called from many threads at a time, also while others copy the model, load, draw or assign its
/// parameters, or train it: it sees the parameters as they are between two such changes or steps. A network that
/// remembers something between predictions predicts for one thread after the other. Who writes through views and
/// pointers does it within `write`, where other threads may be reading.
template <AnyNetwork N, class T = float>
class SIGMA_BY_INSTRUCTIONS Model : public detail::ModelFacts<N>, public detail::StoreOf<T> {
    using Facts = detail::ModelFacts<N>;
    using Store = detail::ModelStore<T>;

public:
    using Facts::records, Facts::find_parameter, Facts::find_cost;
    using Store::parameter_data, Store::dual_buffer, Store::read, Store::access, Store::bind;
    using Element = T;
    using Inputs = detail::EachOf<const T*, N::input_count>;
    using Targets = detail::EachOf<const T*, N::cost_count>;
    using Results = detail::EachOf<T*, N::cost_count>;
    using InputPointers = typename Inputs::type;
    using TargetPointers = typename Targets::type;
    using ResultPointers = typename Results::type;
    /// Does nobody know how many inputs and costs there are before it runs?
    static constexpr bool counts_when_run = N::cost_count == detail::when_run;
    /// Is it, or may it be, of one input; of one input and one output?
    static constexpr bool of_one_input = detail::may_be(N::input_count, 1);
    static constexpr bool of_one_each = of_one_input && detail::may_be(N::cost_count, 1);

    /// Parameters as their layers say, drawn with this seed.
    explicit Model(std::uint64_t seed = 0)
        requires(!MadeNetwork<N>)
        : Model(N{}, seed) {}
    /// Of a network with named sizes, all of which have values.
    explicit Model(const N& named, std::uint64_t seed = 0)
        requires NamedNetwork<N>
        : Model(network(named), seed) {}
    explicit Model(error_Model_needs_values_of_the_named_sizes<write_the_network_with_its_sizes_first>)
        requires NamedNetwork<N>
    = delete;
    explicit Model(const typename Facts::Definition& network, std::uint64_t seed = 0)
        : Model(network, detail::NotDrawn{}) {
        Store::reset(seed);
    }
    /// For who reads the parameters from somewhere.
    Model(const typename Facts::Definition& network, detail::NotDrawn)
        : Facts(network), Store(Facts::table(), on_cpu::lanes<T>) {
        if constexpr (NamedNetwork<N>) detail::check_sized(detail::primed_table<N>, Facts::table());
#if !defined(SIGMA_COMPILED) || (defined(SIGMA_INTERPRET) && !SIGMA_INTERPRET)  // else the library's kernels compute
        detail::tell_if_slow();  // here, where a program begins to train or to predict
#endif
    }
    Model(const Model& other) : Facts(other), Store(other) {}
    /// Takes over the values; whatever is bound to this model's memory stays so.
    Model& operator=(const Model& other) {
        Store::operator=(other);
        return *this;
    }

    /// The network's program for a purpose, as it is traced.
    template <detail::Purpose purpose>
    detail::Program operations() const {
        if constexpr (MadeNetwork<N>) return Facts::definition().made().operations(purpose);
        else return detail::NetworkProgram<N, purpose>{}();
    }
    /// The same, planned.
    template <detail::Purpose purpose>
    const detail::CompiledProgram<T>& program() const {
        if constexpr (MadeNetwork<N>) return Facts::definition().made().template program<T>(purpose, on_cpu::lanes<T>);
        else return detail::network_program<N, purpose, T>();
    }

    // ---- parameters ----

    template <Text name>
        requires(detail::may_have_parameter<N>(name.view()))
    ArrayView<T> parameter() & {
        return parameter(this->template position_of<name>());
    }
    template <Text name>
        requires(detail::may_have_parameter<N>(name.view()))
    Array<T> parameter() && {
        return Array<T>(parameter(this->template position_of<name>()));
    }
    template <Text name>
        requires(detail::may_have_parameter<N>(name.view()))
    ArrayView<const T> parameter() const& {
        return parameter(this->template position_of<name>());
    }
    template <Text name>
        requires(!detail::may_have_parameter<N>(name.view()))
    auto parameter()
        const& -> decltype(detail::plainly(std::type_identity<typename detail::NoParameter<name, Model>::type>{}));
    /// By a name that is known when the program runs. Throws ArgumentError where there is none.
    ArrayView<T> parameter(std::string_view name) & { return parameter(detail::parameter_at(Facts::table(), name)); }
    ArrayView<const T> parameter(std::string_view name) const& {
        return parameter(detail::parameter_at(Facts::table(), name));
    }
    ArrayView<T> parameter(int i) & {
        check_position(i, records.parameters.size(), "parameter");
        return window(parameter_data(i), records.parameters[i].shape, Store::pitch(i));
    }
    Array<T> parameter(int i) && { return Array<T>(parameter(i)); }
    ArrayView<const T> parameter(int i) const& {
        check_position(i, records.parameters.size(), "parameter");
        return window(parameter_data(i), records.parameters[i].shape, Store::pitch(i));
    }
    /// Are all parameters, statistics among them, equal? NaN equals nothing.
    friend bool operator==(const Model& a, const Model& b) { return detail::equal_parameters<T>(a, b); }

    // ---- several threads: see also `read` and `write` ----

    /// f(model) with parameters that stay what they are meanwhile: of this model, or of a copy while a run goes on in
    /// another thread, which then does not have to wait for f.
    template <class F>
    auto at_rest(F f) const {
        if (access().owned_elsewhere()) {
            const Model copy(*this);
            return f(copy);
        } else if constexpr (std::is_void_v<decltype(f(*this))>) {
            read([&] { f(*this); });
        } else {
            std::optional<decltype(f(*this))> result;
            read([&] { result.emplace(f(*this)); });
            return std::move(*result);
        }
    }
    // ---- use ----

    /// What the network says of each record: class probabilities for SoftmaxCE, outputs for SquaredDiff. Each input is
    /// any array (records, …); see AnyArray. The result is an Array (records, …), or a std::array of one for each cost.
    /// A network that is made while the program runs gives that of its only cost; of several see `predict_all`.
    template <class... E>
        requires(detail::may_be(N::input_count, sizeof...(E)) && (AnyArray<E> && ...))
    auto predict(const E&... inputs) const {
        return predicted(Store::memory(), Store::processor(), inputs...);
    }
    /// The same on a device: `predict(cpu(2), x)`, `predict(gpu(), x)`. Where none is named it is the processor, with
    /// the threads of the last run, or the accelerator that a run has given the parameters to.
    template <class... E>
        requires(detail::may_be(N::input_count, sizeof...(E)) && (AnyArray<E> && ...))
    auto predict(const Device& device, const E&... inputs) const {
        return predicted(Store::memory(), device, inputs...);
    }
    /// Of arrays in the memory of a device, which predicts; the results stay there. The parameters are brought over for
    /// this call, unless they are there: see `to`.
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
    /// The same where stateful layers begin `anew` and leave no trace.
    template <class... E>
        requires(detail::may_be(N::input_count, sizeof...(E)) && (AnyArray<E> && ...))
    auto predict_anew(const E&... inputs) const {
        return predicted(nullptr, Store::processor(), inputs...);
    }
    /// One array for each cost of a network that is made while the program runs.
    template <class... E>
        requires(MadeNetwork<N> && sizeof...(E) > 0 && (AnyArray<E> && ...))
    std::vector<Array<T>> predict_all(const E&... inputs) const {
        auto all = all_predicted(Store::memory(), Store::processor(), inputs...);
        std::vector<Array<T>> found;
        for (Array<T>& each : all) found.push_back(std::move(each));
        return found;
    }
    template <class... E>
        requires(!detail::may_be(N::input_count, sizeof...(E)) && (AnyArray<E> && ...))
    error_network_has_other_number_of_inputs<inputs_wanted<N::input_count>,
                                             arrays_given<static_cast<int>(sizeof...(E))>>
    predict(const E&...) const;
    /// Of one record, each input given as numbers in a row, a vector, a span or a Record: `predict(data.input(7))`. The
    /// result is of one record, too. Throws ShapeError where there are more numbers or fewer.
    template <class... R>
        requires(detail::may_be(N::input_count, sizeof...(R)) && (detail::NumbersInRow<R> && ...))
    auto predict(const R&... record) const {
        if constexpr (MadeNetwork<N>) detail::check_number_of_inputs(records, sizeof...(R));
        return [&]<std::size_t... i>(std::index_sequence<i...>) {
            return predict(ArrayView(record, detail::array_extents(input_shape(i), 1))...);
        }(std::index_sequence_for<R...>{});
    }
    /// `predict({5.1f, 3.5f, 1.4f, 0.2f})`, and of several records `predict({{5.1f, …}, {4.9f, …}})`. A template, since
    /// {{1}, {2}} might be both.
    template <class = void>
        requires(of_one_input)
    auto predict(std::initializer_list<T> record) const {
        return predict(std::span(record));
    }
    auto predict(std::initializer_list<std::initializer_list<T>> rows) const
        requires(of_one_input && detail::takes_rows<N>)
    {
        return predict(Array<T>(rows));
    }
    template <detail::DataOfRecords D>
    error_predict_takes_arrays<write_inputs_of_the_data_set> predict(const D&) const;
    template <class... E>
        requires(!counts_when_run && detail::NoInputs<N::input_count, E...> &&
                 !(std::is_same_v<E, DeviceArray<T>> && ...))
    error_predict_takes_arrays<write_an_array_or_ArrayView_of_numbers_and_their_shape> predict(const E&...) const;
    /// What it says at one output, by the position or the name of its cost: `predict<1>(x)`, `predict<"price">(x)`.
    template <int cost, class... E>
        requires(counts_when_run || (cost >= 0 && cost < N::cost_count))
    Array<T> predict(const E&... inputs) const {
        if constexpr (counts_when_run) {
            check_position(cost, records.costs.size(), "output");
            return std::move(predict_all(inputs...)[static_cast<std::size_t>(cost)]);
        } else if constexpr (N::cost_count == 1) return predict(inputs...);
        else return std::move(predict(inputs...)[static_cast<std::size_t>(cost)]);
    }
    template <int cost, class... E>
        requires(!counts_when_run && (cost < 0 || cost >= N::cost_count))
    error_network_has_no_output<number_given<cost>, outputs_of_the_network<N::cost_count>> predict(const E&...) const;
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
    /// The output of a layer, `predict<"1-dense">(x)`, (records, …). States begin with zeros.
    template <Text name, class... E>
        requires(!detail::may_have_cost<N>(name.view()) && detail::has_layer<N>(name.view()))
    Array<T> predict(const E&... inputs) const {
        return std::move(tapped<name>(inputs...)[0]);
    }
    /// Those of several layers, up to four, in one go: `predict<"hidden", "1-dense">(x)`.
    template <Text first, Text second, Text... more, class... E>
    std::array<Array<T>, 2 + sizeof...(more)> predict(const E&... inputs) const {
        return tapped<first, second, more...>(inputs...);
    }
    template <Text name, class... E>
        requires(!detail::may_have_cost<N>(name.view()) && !detail::has_layer<N>(name.view()))
    auto predict(const E&...) const -> decltype(detail::plainly(
        std::type_identity<typename detail::NoCost<name, detail::nearest_cost<N>(name.view())>::type>{}));
    /// For which class it takes each record: the first greatest of its predictions, or with BinaryCE 1 from a
    /// probability of 0.5 on. Inputs as of `predict`. Throws ArgumentError where a prediction is NaN.
    template <class... E>
        requires(detail::says_class<N> && detail::may_be(N::input_count, sizeof...(E)) && (AnyArray<E> && ...))
    Classified classify(const E&... inputs) const {
        check_classes(false);
        if (says_yes_or_no()) return {detail::reached(numbers_of(predict(inputs...)), 0.5), names()};
        return {detail::greatest_of_rows(numbers_of(predict(inputs...)),
                                         static_cast<std::size_t>(prediction_shape(0).last())),
                names()};
    }
    /// `classify(x, 0.4)`: 1 from another probability on.
    template <AnyArray E>
        requires(detail::says_yes_or_no<N> && of_one_input)
    Classified classify(const E& inputs, double threshold) const {
        check_classes(true);
        return {detail::reached(numbers_of(predict(inputs)), threshold), names()};
    }
    /// The same of one record, given as numbers in a row: `classify(data.input(7)).name(0)`.
    template <class R, class... Threshold>
        requires(detail::says_class<N> && of_one_input && !AnyArray<R> &&
                 std::is_arithmetic_v<detail::ElementInRow<const R>>)
    Classified classify(const R& record, Threshold... threshold) const {
        return classify(ArrayView(record, detail::array_extents(input_shape(0), 1)), threshold...);
    }
    /// `classify({5.1f, 3.5f, 1.4f, 0.2f})`, and of several records `classify({{5.1f, …}, {4.9f, …}})`. A template, as
    /// with predict.
    template <std::same_as<double>... Threshold>
        requires(detail::says_class<N> && of_one_input)
    Classified classify(std::initializer_list<T> record, Threshold... threshold) const {
        return classify(std::span(record), threshold...);
    }
    Classified classify(std::initializer_list<std::initializer_list<T>> rows) const
        requires(detail::says_class<N> && of_one_input && detail::takes_rows<N>)
    {
        return classify(Array<T>(rows));
    }
    Classified classify(std::initializer_list<std::initializer_list<T>> rows, double threshold) const
        requires(detail::says_yes_or_no<N> && of_one_input && detail::takes_rows<N>)
    {
        return classify(Array<T>(rows), threshold);
    }
    template <class... E>
        requires(!detail::says_class<N>)
    error_classify_needs_one_cost_of_classes_or_of_yes_and_no<N> classify(const E&...) const;
    /// Predicts from and to dense memory; allocates only when more threads predict at a time than ever before, or the
    /// batch outgrows every earlier one.
    void predict(const InputPointers& inputs, const ResultPointers& results, std::ptrdiff_t count) const {
        predict(Store::processor(), Store::memory(), inputs, results, count);
    }
    /// Of these streams, which are no other thread's meanwhile; null: states begin anew.
    void predict(const Device& device, detail::Streams<T>* streams, const InputPointers& inputs,
                 const ResultPointers& results, std::ptrdiff_t count) const {
        prediction_.predict(*this, program<detail::to_predict>(), device, streams, inputs, results, count);
    }
    /// From then on so many threads at a time predict so many records without allocating.
    void reserve_predictions(const Device& device, std::size_t threads, std::ptrdiff_t count) const {
        prediction_.reserve(*this, program<detail::to_predict>(), device, threads, count);
    }
    void predict_anew(const InputPointers& inputs, const ResultPointers& results, std::ptrdiff_t count) const {
        predict(Store::processor(), nullptr, inputs, results, count);
    }
    void predict(const T* inputs, T* results, std::ptrdiff_t count) const
        requires(of_one_each)
    {
        predict(Store::processor(), Store::memory(), inputs, results, count);
    }
    void predict(const Device& device, detail::Streams<T>* streams, const T* inputs, T* results,
                 std::ptrdiff_t count) const
        requires(of_one_each)
    {
        const T* const from[]{inputs};
        T* const to[]{results};
        prediction_.predict(*this, program<detail::to_predict>(), device, streams, from, to, count);
    }

    // ---- what other libraries call so ----

    template <class... X>
    error_model_is_no_function<write_model_predict_x> operator()(const X&...) const;
    template <class... X>
    error_model_has_no_such_word<write_save_parameters_model_file> save(const X&...) const;
    template <class... X>
    error_model_has_no_such_word<write_load_parameters_model_file> load(const X&...) const;
    template <class... X>
    error_model_has_no_such_word<write_a_Trainer_or_fit> train(const X&...) const;
    template <class... X>
    error_model_has_no_such_word<write_a_Trainer_or_fit> fit(const X&...) const;

    // ---- scores ----

    using CostScore = sigma::detail::CostScore;
    struct Score {
        double error = 0;  ///< mean loss; of several costs Σ weight · mean loss
        /// Share of what is right, of the first cost that knows right and wrong; NaN where none does.
        double accuracy = std::numeric_limits<double>::quiet_NaN();
        typename detail::EachOf<CostScore, N::cost_count>::type costs{};

        detail::ScoreView view() { return {error, accuracy, costs}; }
    };
    /// Of this network, of nothing yet.
    Score empty_score() const {
        Score score;
        score.costs = detail::EachOf<CostScore, N::cost_count>::make(records.costs.size());
        return score;
    }
    /// Scores dense inputs and targets; the mean is over all records. `there`: they are in the memory of the
    /// accelerator that works on the parameters.
    Score evaluate(const InputPointers& inputs, const TargetPointers& targets, std::ptrdiff_t count,
                   bool there = false) const {
        Score total = empty_score();
        evaluation_.evaluate(*this, program<detail::to_evaluate>(), Store::processor(), inputs, targets, count, there,
                             total.view());
        return total;
    }
    Score evaluate(const T* inputs, const T* targets, std::ptrdiff_t count) const
        requires(of_one_each)
    {
        return evaluate(InputPointers{inputs}, TargetPointers{targets}, count);
    }

    /// The same of all records of a data set, with what a trainer checks of data.
    template <detail::DataOfRecords D, class Records = detail::Evaluator<N, T>>
    Score evaluate(const D& data) const {
        return evaluate<D, Records>(Store::processor(), data);
    }
    /// On arrays, as `make_dataset` takes them: inputs (records, …), and targets (records, …) or class numbers
    /// (records).
    template <AnyArray X, class Y, class Records = detail::Evaluator<N, T>>
        requires(!detail::DataOfRecords<Y>)
    Score evaluate(const X& inputs, const Y& targets) const {
        static_assert(requires { sizeof(Records); }, "#include <sigma/execution/evaluator.hpp> to evaluate arrays");
        return evaluate(Records::made_of(inputs, targets));
    }
    template <detail::DataOfRecords D, class Records = detail::Evaluator<N, T>>
    Score evaluate(const Device& device, const D& data) const {
        static_assert(requires { sizeof(Records); }, "#include <sigma/execution/evaluator.hpp> to evaluate a data set");
        Records all(Facts::table(), data);
        return at_rest([&](const Model& now) { return all(device, now); });
    }

    /// What evaluates.
    detail::ProgramRuns<T>& evaluation() const { return evaluation_; }

    /// Bytes of working memory that predicting `count` records together takes.
    std::size_t prediction_bytes(std::size_t count) const {
        return on_cpu::arena_bytes<T>(program<detail::to_predict>().plan(), count);
    }

    /// What errors call an input and the targets of a cost.
    std::string input_text(int i) const { return detail::input_text(Facts::table(), i); }
    std::string target_text(int i) const { return detail::target_text(Facts::table(), i); }
    template <class Shape_>
    void check_inputs(const Shape_& given, int i = 0) const {
        detail::check_batch([&] { return input_text(i); }, records.inputs[i], given);
    }
    /// Checks all inputs, which must be of equally many records; returns how many.
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

private:
    const Shape& input_shape(std::size_t i) const { return records.inputs[static_cast<int>(i)]; }
    const Shape& prediction_shape(std::size_t i) const { return records.costs[static_cast<int>(i)].prediction; }
    bool says_yes_or_no() const {
        if constexpr (MadeNetwork<N>) return records.costs[0].yes_or_no;
        else return detail::says_yes_or_no<N>;
    }
    /// What the compiler sees of other networks.
    void check_one_output() const {
        if constexpr (counts_when_run) detail::check_one_output(records);
    }
    void check_classes(bool by_threshold) const {
        if constexpr (MadeNetwork<N>) detail::check_classes(records, by_threshold);
    }
    /// run(pointers to inputs, pointers to results, records), where result i is of shape(i).
    template <class Shape_, class Pointers, class Arrays, class F, class... E>
    void into(Arrays& results, Pointers to, Shape_ shape, F run, const E&... inputs) const {
        const auto count = static_cast<std::ptrdiff_t>(check_inputs_of(inputs...));
        for (std::size_t i = 0; i < results.size(); ++i) {
            results[i] = Array<T>::from_shape(detail::array_extents(shape(i), count));
            to[i] = results[i].data();
        }
        [&](const auto&... from) {
            run(InputPointers{from.data()...}, to, count);
        }(detail::DenseElements<T>(inputs)...);
    }
    template <class... E>
    auto all_predicted(detail::Streams<T>* streams, const Device& device, const E&... inputs) const {
        auto results = detail::EachOf<Array<T>, N::cost_count>::make(records.costs.size());
        into(
            results, Results::make(records.costs.size()), [&](std::size_t i) { return prediction_shape(i); },
            [&](const auto& from, const auto& to, auto count) { predict(device, streams, from, to, count); },
            inputs...);
        return results;
    }
    /// The layers of these names, as what a program is for.
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
        std::array<Array<T>, sizeof...(names)> results;
        const auto run = [&](const detail::Purpose& purpose, const detail::CompiledProgram<T>& tapping_program) {
            into(
                results, std::array<T*, sizeof...(names)>{},
                [&](std::size_t i) { return records.layers[purpose.tapped[i]].output; },
                [&](const auto& from, const auto& to, auto count) {
                    tapped_.of(tapping_program)
                        .tap(*this, tapping_program, purpose, Store::processor(), from, to, count);
                },
                inputs...);
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
    /// Of the classes: of yes and no where a record has one such answer.
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

template <AnyNetwork N>
Model(const N&, std::uint64_t = 0) -> Model<N, float>;

// ---- what is no model: the type that stands in place of the network says why ----

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
    -> Model<detail::NoNetwork<error_model_takes_no_expression<write_network_of_it_or_derive_a_struct_from_Network>>>;

}  // namespace sigma
