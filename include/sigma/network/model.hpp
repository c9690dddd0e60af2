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

template <class N>
inline constexpr bool says_yes_or_no = [] {
    if constexpr (N::cost_count != 1) return false;
    else return N::records.costs[0].yes_or_no;
}();
template <class N>
inline constexpr bool says_class = [] {
    if constexpr (N::cost_count != 1) return false;
    else return N::records.costs[0].classifies || says_yes_or_no<N>;
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
template <class N, Purpose purpose, class T>
const CompiledProgram<T>& network_program() {
    using P = NetworkPlan<N, purpose, T>;
    if constexpr (purpose.cold()) return on_cpu::compiled_program<P, T, on_cpu::interprets_cold<P>()>;
    else return on_cpu::compiled_program<P, T>;
}

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
class Model : public detail::StoreOf<T> {
    using Store = detail::ModelStore<T>;

public:
    using Store::parameter_data, Store::dual_buffer, Store::read, Store::access, Store::bind;
    using Element = T;
    static constexpr auto& records = N::records;
    static constexpr int parameter_count = records.parameters.size();
    static constexpr int layer_count = records.layers.size();
    static constexpr int outputs = N::output.last();
    using InputPointers = std::array<const T*, static_cast<std::size_t>(N::input_count)>;
    using TargetPointers = std::array<const T*, static_cast<std::size_t>(N::cost_count)>;
    using ResultPointers = std::array<T*, static_cast<std::size_t>(N::cost_count)>;

    /// Parameters as their layers say, drawn with this seed.
    explicit Model(std::uint64_t seed = 0) : Store(detail::network_table<N>, on_cpu::lanes<T>, seed) {
#if !defined(SIGMA_COMPILED) || (defined(SIGMA_INTERPRET) && !SIGMA_INTERPRET)  // else the library's kernels compute
        detail::tell_if_slow();  // here, where a program begins to train or to predict
#endif
    }
    Model(const Model& other) : Store(other) {}
    /// Takes over the values; whatever is bound to this model's memory stays so.
    Model& operator=(const Model& other) {
        Store::operator=(other);
        return *this;
    }

    // ---- parameters ----

    static constexpr int find_parameter(std::string_view name) {
        for (int i = 0; i < parameter_count; ++i)
            if (records.parameters[i].name.view() == name) return i;
        return -1;
    }
    template <Text name>
        requires(find_parameter(name.view()) >= 0)
    ArrayView<T> parameter() & {
        return parameter(find_parameter(name.view()));
    }
    template <Text name>
        requires(find_parameter(name.view()) >= 0)
    Array<T> parameter() && {
        return Array<T>(parameter(find_parameter(name.view())));
    }
    template <Text name>
        requires(find_parameter(name.view()) >= 0)
    ArrayView<const T> parameter() const& {
        return parameter(find_parameter(name.view()));
    }
    template <Text name>
        requires(find_parameter(name.view()) < 0)
    auto parameter()
        const& -> decltype(detail::plainly(std::type_identity<typename detail::NoParameter<name, Model>::type>{}));
    ArrayView<T> parameter(int i) & {
        check_position(i, parameter_count, "parameter");
        return window(parameter_data(i), records.parameters[i].shape, pitch(i));
    }
    Array<T> parameter(int i) && { return Array<T>(parameter(i)); }
    ArrayView<const T> parameter(int i) const& {
        check_position(i, parameter_count, "parameter");
        return window(parameter_data(i), records.parameters[i].shape, pitch(i));
    }
    /// Are all parameters, statistics among them, equal? NaN equals nothing.
    friend bool operator==(const Model& a, const Model& b) { return detail::equal_parameters<T>(a, b); }
    static constexpr int pitch(int i) { return detail::row_pitch(records.parameters[i].shape, on_cpu::lanes<T>); }

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
    /// Elements in all parameters.
    static constexpr long long parameter_elements() {
        long long n = 0;
        for (const detail::ParameterRecord& r : records.parameters) n += r.shape.count();
        return n;
    }

    /// Costs are found by their name, "price", or where they have none by their kind with or without its number:
    /// "6-squared_diff", "squared_diff".
    static constexpr int find_cost(std::string_view name) {
        for (int i = 0; i < N::cost_count; ++i) {
            const std::string_view full = records.costs[i].name.view();
            if (full == name || (!records.costs[i].named && full.substr(full.find('-') + 1) == name)) return i;
        }
        return -1;
    }

    // ---- use ----

    /// What the network says of each record: class probabilities for SoftmaxCE, outputs for SquaredDiff. Each input is
    /// any array (records, …); see AnyArray. The result is an Array (records, …), or a std::array of one for each cost.
    template <class... E>
        requires(sizeof...(E) == N::input_count && (AnyArray<E> && ...))
    auto predict(const E&... inputs) const {
        return predicted(false, detail::Cpu{Store::threads()}, inputs...);
    }
    /// The same on a device: `predict(cpu(2), x)`, `predict(gpu(), x)`. Where none is named it is the processor, with
    /// the threads of the last run, or the accelerator that a run has given the parameters to.
    template <class... E>
        requires(sizeof...(E) == N::input_count && (AnyArray<E> && ...))
    auto predict(const Device& device, const E&... inputs) const {
        return predicted(false, device, inputs...);
    }
    /// Of arrays in the memory of a device, which predicts; the results stay there. The parameters are brought over for
    /// this call, unless they are there: see `to`.
    template <class... E>
        requires(sizeof...(E) == N::input_count && (std::is_same_v<E, DeviceArray<T>> && ...))
    auto predict(const E&... inputs) const {
        const std::size_t count = check_inputs_of(inputs...);
        const DeviceArray<T>* const given[] = {&inputs...};
        const Device& device = given[0]->device();
        for (const DeviceArray<T>* x : given)
            if (!(x->device() == device)) detail::throw_other_device(device, x->device());
        const auto make = [&](std::size_t i) {
            return DeviceArray<T>::from_shape(
                device, detail::array_extents(N::predictions[i], static_cast<std::ptrdiff_t>(count)));
        };
        return [&]<std::size_t... i>(std::index_sequence<i...>) {
            std::array<DeviceArray<T>, N::cost_count> results{make(i)...};
            prediction_.predict(*this, detail::network_program<N, detail::to_predict, T>(), device, false,
                                InputPointers{inputs.data()...}, ResultPointers{results[i].data()...},
                                static_cast<std::ptrdiff_t>(count), given[0]->there());
            if constexpr (N::cost_count == 1) return std::move(results[0]);
            else return results;
        }(std::make_index_sequence<N::cost_count>{});
    }
    /// The same where stateful layers begin `anew` and leave no trace.
    template <class... E>
        requires(sizeof...(E) == N::input_count && (AnyArray<E> && ...))
    auto predict_anew(const E&... inputs) const {
        return predicted(true, detail::Cpu{Store::threads()}, inputs...);
    }
    template <class... E>
        requires(sizeof...(E) != N::input_count && (AnyArray<E> && ...))
    error_network_has_other_number_of_inputs<inputs_wanted<N::input_count>,
                                             arrays_given<static_cast<int>(sizeof...(E))>>
    predict(const E&...) const;
    /// Of one record, each input given as numbers in a row, a vector, a span or a Record: `predict(data.input(7))`. The
    /// result is of one record, too. Throws ShapeError where there are more numbers or fewer.
    template <class... R>
        requires(sizeof...(R) == N::input_count && (detail::NumbersInRow<R> && ...))
    auto predict(const R&... record) const {
        return [&]<std::size_t... i>(std::index_sequence<i...>) {
            return predict(ArrayView(record, detail::array_extents(N::inputs[i], 1))...);
        }(std::index_sequence_for<R...>{});
    }
    /// `predict({5.1f, 3.5f, 1.4f, 0.2f})`, and of several records `predict({{5.1f, …}, {4.9f, …}})`. A template, since
    /// {{1}, {2}} might be both.
    template <class = void>
        requires(N::input_count == 1)
    auto predict(std::initializer_list<T> record) const {
        return predict(std::span(record));
    }
    auto predict(std::initializer_list<std::initializer_list<T>> rows) const
        requires(N::input_count == 1 && N::inputs[0].rank == 2)
    {
        return predict(Array<T>(rows));
    }
    template <detail::DataOfRecords D>
    error_predict_takes_arrays<write_inputs_of_the_data_set> predict(const D&) const;
    template <class... E>
        requires(detail::NoInputs<N::input_count, E...> && !(std::is_same_v<E, DeviceArray<T>> && ...))
    error_predict_takes_arrays<write_an_array_or_ArrayView_of_numbers_and_their_shape> predict(const E&...) const;
    /// What it says at one output, by the position or the name of its cost: `predict<1>(x)`, `predict<"price">(x)`.
    template <int cost, class... E>
        requires(cost >= 0 && cost < N::cost_count)
    Array<T> predict(const E&... inputs) const {
        if constexpr (N::cost_count == 1) return predict(inputs...);
        else return std::move(predict(inputs...)[static_cast<std::size_t>(cost)]);
    }
    template <int cost, class... E>
        requires(cost < 0 || cost >= N::cost_count)
    error_network_has_no_output<number_given<cost>, outputs_of_the_network<N::cost_count>> predict(const E&...) const;
    template <Text name, class... E>
        requires(find_cost(name.view()) >= 0)
    Array<T> predict(const E&... inputs) const {
        return predict<find_cost(name.view())>(inputs...);
    }
    template <Text name, class... E>
        requires(find_cost(name.view()) < 0)
    auto predict(const E&...) const -> decltype(detail::plainly(
        std::type_identity<
            typename detail::NoCost<name, detail::nearest_name(detail::network_table<N>.costs, name.view())>::type>{}));
    /// For which class it takes each record: the first greatest of its predictions, or with BinaryCE 1 from a
    /// probability of 0.5 on. Inputs as of `predict`. Throws ArgumentError where a prediction is NaN.
    template <class... E>
        requires(detail::says_class<N> && sizeof...(E) == N::input_count && (AnyArray<E> && ...))
    Classified classify(const E&... inputs) const {
        if constexpr (detail::says_yes_or_no<N>) return {detail::reached(numbers_of(predict(inputs...)), 0.5), names()};
        else
            return {detail::greatest_of_rows(numbers_of(predict(inputs...)),
                                             static_cast<std::size_t>(N::predictions[0].last())),
                    names()};
    }
    /// `classify(x, 0.4)`: 1 from another probability on.
    template <AnyArray E>
        requires(detail::says_yes_or_no<N> && N::input_count == 1)
    Classified classify(const E& inputs, double threshold) const {
        return {detail::reached(numbers_of(predict(inputs)), threshold), names()};
    }
    /// The same of one record, given as numbers in a row: `classify(data.input(7)).name(0)`.
    template <class R, class... Threshold>
        requires(detail::says_class<N> && N::input_count == 1 && !AnyArray<R> &&
                 std::is_arithmetic_v<detail::ElementInRow<const R>>)
    Classified classify(const R& record, Threshold... threshold) const {
        return classify(ArrayView(record, detail::array_extents(N::inputs[0], 1)), threshold...);
    }
    template <class... E>
        requires(!detail::says_class<N>)
    error_classify_needs_one_cost_of_classes_or_of_yes_and_no<N> classify(const E&...) const;
    /// Predicts from and to dense memory; allocates only when more threads predict at a time than ever before, or the
    /// batch outgrows every earlier one.
    void predict(const InputPointers& inputs, const ResultPointers& results, std::ptrdiff_t count) const {
        predict(detail::Cpu{Store::threads()}, false, inputs, results, count);
    }
    void predict_anew(const InputPointers& inputs, const ResultPointers& results, std::ptrdiff_t count) const {
        predict(detail::Cpu{Store::threads()}, true, inputs, results, count);
    }
    void predict(const T* inputs, T* results, std::ptrdiff_t count) const
        requires(N::input_count == 1 && N::cost_count == 1)
    {
        predict(InputPointers{inputs}, ResultPointers{results}, count);
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
        std::array<CostScore, N::cost_count> costs{};

        detail::ScoreView view() { return {error, accuracy, costs}; }
    };
    /// Scores dense inputs and targets; the mean is over all records. `there`: they are in the memory of the
    /// accelerator that works on the parameters.
    Score evaluate(const InputPointers& inputs, const TargetPointers& targets, std::ptrdiff_t count,
                   bool there = false) const {
        Score total;
        evaluation_.evaluate(*this, evaluation_program(), detail::Cpu{Store::threads()}, inputs, targets, count, there,
                             total.view());
        return total;
    }
    Score evaluate(const T* inputs, const T* targets, std::ptrdiff_t count) const
        requires(N::input_count == 1 && N::cost_count == 1)
    {
        return evaluate(InputPointers{inputs}, TargetPointers{targets}, count);
    }

    /// The same of all records of a data set, with what a trainer checks of data.
    template <detail::DataOfRecords D, class Records = detail::Evaluator<N, T>>
    Score evaluate(const D& data) const {
        return evaluate<D, Records>(detail::Cpu{Store::threads()}, data);
    }
    template <detail::DataOfRecords D, class Records = detail::Evaluator<N, T>>
    Score evaluate(const Device& device, const D& data) const {
        static_assert(requires { sizeof(Records); }, "#include <sigma/execution/evaluator.hpp> to evaluate a data set");
        Records all(data);
        return at_rest([&](const Model& now) { return all(device, now); });
    }

    /// What evaluates, and its program.
    detail::ProgramRuns<T>& evaluation() const { return evaluation_; }
    static const detail::CompiledProgram<T>& evaluation_program() {
        return detail::network_program<N, detail::to_evaluate, T>();
    }

    /// Bytes of working memory that predicting `count` records together takes.
    static std::size_t prediction_bytes(std::size_t count) {
        return on_cpu::arena_bytes<T>(on_cpu::plan_of<Prediction, T>(), count);
    }

    /// What errors call an input and the targets of a cost.
    static std::string input_text(int i) {
        if (N::input_count == 1) return "inputs of the network";
        return sentence("input '", records.layers[i].name.view(), "' of the network");
    }
    static std::string target_text(int i) {
        if (N::cost_count == 1) return "targets of the network";
        return sentence("targets of cost '", records.costs[i].name.view(), "' of the network");
    }
    template <class Shape_>
    static void check_inputs(const Shape_& given, int i = 0) {
        detail::check_batch(input_text(i), N::inputs[static_cast<std::size_t>(i)], given);
    }
    /// Checks all inputs, which must be of equally many records; returns how many.
    template <class... E>
    static std::size_t check_inputs_of(const E&... inputs) {
        int i = 0;
        (check_inputs(inputs.shape(), i++), ...);
        const std::size_t counts[] = {static_cast<std::size_t>(inputs.shape()[0])...};
        for (int k = 1; k < N::input_count; ++k)
            if (counts[k] != counts[0])
                throw ShapeError(input_text(k), sentence(counts[0], " records, as the first input"),
                                 sentence(counts[k]));
        return counts[0];
    }
    static void check_position(int i, int count, const char* what) { detail::check_position(i, count, what); }

private:
    void predict(const Device& device, bool anew, const InputPointers& inputs, const ResultPointers& results,
                 std::ptrdiff_t count) const {
        prediction_.predict(*this, detail::network_program<N, detail::to_predict, T>(), device, anew, inputs, results,
                            count);
    }
    template <class... E>
    auto predicted(bool anew, const Device& device, const E&... inputs) const {
        const std::size_t count = check_inputs_of(inputs...);
        const auto records_given = static_cast<std::ptrdiff_t>(count);
        std::array<Array<T>, N::cost_count> results;
        ResultPointers to;
        for (std::size_t i = 0; i < results.size(); ++i) {
            results[i] = Array<T>::from_shape(detail::array_extents(N::predictions[i], records_given));
            to[i] = results[i].data();
        }
        [&](const auto&... from) {
            predict(device, anew, InputPointers{from.data()...}, to, records_given);
        }(detail::DenseElements<T>(inputs)...);
        if constexpr (N::cost_count == 1) return std::move(results[0]);
        else return results;
    }
    static std::vector<double> numbers_of(const Array<T>& a) { return {a.begin(), a.end()}; }
    /// Of the classes: of yes and no where a record has one such answer.
    std::vector<std::string> names() const {
        std::vector<std::string> all;
        Store::read([&] { all = Store::classes(); });
        const bool one = N::predictions[0].rank == 2 && N::predictions[0].last() == 1;
        if (detail::says_yes_or_no<N> && (!one || all.size() != 2)) all.clear();
        return all;
    }

    using Prediction = detail::NetworkPlan<N, detail::to_predict, T>;
    mutable detail::ProgramRuns<T> prediction_,
        evaluation_;  // a program that never predicts does not compile prediction
};

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
    -> Model<detail::NoNetwork<error_model_takes_no_expression<derive_a_struct_from_Network_of_the_expression>>>;

}  // namespace sigma
