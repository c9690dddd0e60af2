// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/same_data.hpp>
#include <sigma/execution/batch_trainer_core.hpp>
#include <sigma/execution/check_data.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace sigma::detail {

/// A program that finds gradients, and its results.
template <class T>
struct BatchTrainerCore<T>::Pass {
    const CompiledProgram<T>* program;
    ModelSession<T> session;
    std::vector<std::vector<T>> found{};

    /// The first outputs of the program are the losses.
    Pass(const CompiledProgram<T>& of, const BatchTrainerCore& core, std::span<T> losses)
        : program(&of), session(of, core.model_), found(core.sums_) {
        session.random.seed = core.model_.seed();
        int output = 0;
        for (T& loss : losses) session.bind_output(output++, &loss);
        for (std::vector<T>& values : found) session.bind_output(output++, values.data());
    }
};

template <class T>
BatchTrainerCore<T>::BatchTrainerCore(ModelStore<T>& model, const CompiledProgram<T>& update,
                                      ListView<StateRecord> states, int scalars, ListView<int> statistics)
    : model_(model), state_table_(states), scalars_(static_cast<std::size_t>(scalars)),
      states_(memory_offsets(states, model.lanes())), update_(update, model) {
    model.compute_by(nullptr);  // updates change the parameters in the host's memory
    const NetworkTable& network = model.network();
    for (int i = 0; i < network.parameters.size(); ++i)
        if (network.parameters[i].trained) numbers_.push_back(i);
    trained_ = numbers_.size();
    for (const int i : statistics) numbers_.push_back(i);
    for (const int i : numbers_) sums_.emplace_back(static_cast<std::size_t>(network.parameters[i].shape.count()));
    losses_.resize(static_cast<std::size_t>(network.costs.size() == 1 ? 1 : 1 + network.costs.size()));
    update_.bind_states(states_);
    int number = 0;
    for (T& scalar : scalars_) update_.bind_input(number++, &scalar);
    for (const std::vector<T>& sum : sums_) update_.bind_input(number++, sum.data());
}
template <class T>
BatchTrainerCore<T>::~BatchTrainerCore() = default;

template <class T>
void BatchTrainerCore<T>::run(Pass& pass, std::ptrdiff_t count) {
    pass.session.random.step = batches_ + 1;
    pass.session.run_beside_others(count);
}

/// Returns whether the square of a number, which optimizers add up, may be infinite, or the number is NaN.
template <class T>
bool is_large(T x) {
    constexpr T bound = sizeof(T) == 4 ? T(1e18) : static_cast<T>(1e150);
    return !(std::abs(x) <= bound);
}

template <class T>
void BatchTrainerCore<T>::add(const Pass& pass, double share) {
    if (sum_is_used_) forget();
    sum_is_used_ = false;
    ++batches_;
    unsigned large = 0;  // no early exit, for vectorization
    for (std::size_t i = 0; i < sums_.size(); ++i) {
        const T weight = i < trained_ ? T(1) : static_cast<T>(share);
        const T* const found = pass.found[i].data();
        T* const sum = sums_[i].data();
        for (std::size_t k = 0; k < sums_[i].size(); ++k) {
            sum[k] += weight * found[k];
            large |= is_large(sum[k]) ? 1u : 0u;
        }
    }
    large_ |= large != 0;
    shares_ += share;
}

template <class T>
auto BatchTrainerCore<T>::gradients_by(const CompiledProgram<T>& program) -> Pass& {
    for (Owned<Pass>& pass : gradients_)
        if (pass->program == &program) return *pass;
    gradients_.push_back(Owned<Pass>(new Pass(program, *this, losses_)));
    return *gradients_.back();
}

template <class T>
void BatchTrainerCore<T>::check_next(std::ptrdiff_t count) const {
    if (streams_.count() == 0) throw ArgumentError("train_on_next_batch", "an earlier batch", "the first batch");
    if (streams_.count() != count)
        throw ArgumentError("train_on_next_batch", sentence(streams_.count(), " records, as in the batch before"),
                            sentence(count));
}

template <class T>
struct BatchTrainerCore<T>::Source {
    Dataset data;
    const NetworkTable* network;
    std::vector<std::size_t> from;  ///< number of the data set's array for each array of a batch
    std::vector<std::vector<T>> values{};
    std::vector<const T*> rows{};
};

template <class T>
Rows<T> BatchTrainerCore<T>::rows_of(const NetworkTable& network, const Batch& batch) {
    const Dataset& data = batch.dataset();
    if (!source_ || source_->network != &network || !data::detail::same_records(source_->data, data))
        source_ = Owned<Source>(new Source{data, &network, check_data(network, data)});
    check_mixing(network, batch.mixing(), data);
    const auto inputs = static_cast<std::size_t>(network.inputs.size()), all = source_->from.size();
    source_->values.resize(all);
    source_->rows.resize(all);
    for (std::size_t i = 0; i < all; ++i) {
        const std::size_t which = source_->from[i];
        const std::span<const float> given = i < inputs ? batch.inputs(which) : batch.targets(which);
        source_->values[i].assign(given.begin(), given.end());
        source_->rows[i] = source_->values[i].data();
    }
    return source_->rows;
}

template <class T>
double BatchTrainerCore<T>::add_gradients(const NetworkTable& network, const CompiledProgram<T>& program,
                                          Rows<T> inputs, Rows<T> targets, std::ptrdiff_t count, double share,
                                          BatchBegin begin) {
    if (!(share > 0) || !std::isfinite(share))
        throw ArgumentError("gradients of a batch", "a share above 0 and finite", sentence(share));
    check_numbers_of_batch<T>(network, inputs, targets, count);
    const bool continues = begin == BatchBegin::at_states;
    if (continues) check_next(count);
    const T weights[] = {static_cast<T>(share), T(1)};
    Pass& pass = gradients_by(program);
    pass.session.bind_records(inputs, targets);
    const int first = static_cast<int>(inputs.size() + targets.size());
    for (int i = 0; i < 2; ++i) pass.session.bind_input(first + i, &weights[i]);
    if (!continues) streams_.forget();
    const ListView<CarriedState> states = model_.network().states;
    streams_.begin(states, count, carried_);
    streams_.forget();  // a batch that fails leaves no states
    carried_.bind(pass.session, states, first + 2, static_cast<int>(losses_.size() + sums_.size()));
    run(pass, count);
    if (!std::isfinite(losses_[0]))
        throw NumericError(steps_ + 1, "",
                           sentence("the loss of a batch became ", std::isnan(losses_[0]) ? "NaN" : "infinite",
                                    "; the batch has trained nothing"));
    if (begin != BatchBegin::beside) forget();
    add(pass, share);
    streams_.end(carried_);
    return static_cast<double>(losses_[0]);
}

template <class T>
void BatchTrainerCore<T>::add_backward(const CompiledProgram<T>& program, Rows<T> inputs, Rows<T> upstream,
                                       std::ptrdiff_t count) {
    check_inputs_of_batch<T>(model_.network(), inputs, count);
    check_upstream_of_batch<T>(model_.network(), upstream, count);
    if (!backward_) backward_ = Owned<Pass>(new Pass(program, *this, {}));
    backward_->session.bind_records(inputs, upstream);
    run(*backward_, count);
    add(*backward_, 1);
}

template <class T>
void BatchTrainerCore<T>::input_gradients(const CompiledProgram<T>& program, Rows<T> inputs, Rows<T> targets,
                                          std::span<T* const> to, std::ptrdiff_t count) {
    check_numbers_of_batch<T>(model_.network(), inputs, targets, count);
    if (!inputs_) {
        inputs_ = make_owned<ModelSession<T>>(program, model_);
        inputs_->random.seed = model_.seed();
    }
    inputs_->bind_records(inputs, targets);
    int output = 0;
    for (T* values : to) inputs_->bind_output(output++, values);
    inputs_->random.step = ++batches_;
    inputs_->run_beside_others(count);
}

template <class T>
double BatchTrainerCore<T>::loss(int cost) const {
    check_position(cost, model_.network().costs.size(), "cost");
    return static_cast<double>(losses_[losses_.size() == 1 ? 0 : static_cast<std::size_t>(1 + cost)]);
}

template <class T>
ArrayView<T> BatchTrainerCore<T>::gradient(int parameter) {
    check_position(parameter, model_.network().parameters.size(), "parameter");
    for (std::size_t i = 0; i < trained_; ++i)
        if (numbers_[i] == parameter) {
            changed_ = true;
            const Shape& shape = model_.network().parameters[parameter].shape;
            return window(sums_[i].data(), shape, shape.last());
        }
    throw ArgumentError("gradient", "a parameter that is trained",
                        sentence("'", model_.network().parameters[parameter].name.view(), "'"));
}

template <class T>
void BatchTrainerCore<T>::forget() {
    for (std::vector<T>& sum : sums_) sum.assign(sum.size(), T(0));
    shares_ = 0;
    sum_is_used_ = true;
    large_ = changed_ = false;
}

template <class T>
std::string BatchTrainerCore<T>::name_of_not_finite() const {
    const auto finite = [](const auto& rows) {
        for (std::size_t r = 0; r < rows.count; ++r)
            for (const T x : rows[r])
                if (!std::isfinite(x)) return false;
        return true;
    };
    const auto& parameters = model_.network().parameters;
    const auto name = [&](int p) { return parameters[p].name.view(); };
    for (int p = 0; p < parameters.size(); ++p)
        if (!finite(parameter_rows(std::as_const(model_), p))) return sentence("parameter '", name(p), "'");
    for (int s = 0; s < state_table_.size(); ++s) {
        const Shape& shape = state_table_[s].shape;
        if (!finite(detail::rows_of(states_.read(s), shape, row_pitch(shape, model_.lanes()))))
            return sentence("the optimizer's state '", state_table_[s].name.view(), ".",
                            name(state_table_[s].parameter), "'");
    }
    return "";
}

template <class T>
void BatchTrainerCore<T>::apply(const double* scalars) {
    if (sum_is_used_) throw ArgumentError("apply", "gradients of a batch since the last update", "no batch");
    for (T& scalar : scalars_) scalar = static_cast<T>(*scalars++);
    if (changed_)
        for (const std::vector<T>& sum : sums_) large_ |= std::ranges::any_of(sum, is_large<T>);
    model_.write([&] {
        // An update of numbers that are not large keeps finite numbers finite, unless the rate is absurd.
        std::vector<T> parameters, states;
        if (large_) {
            const auto p = std::as_const(model_).parameter_memory(), s = std::as_const(states_).read_all();
            parameters.assign(p.begin(), p.end());
            states.assign(s.begin(), s.end());
        }
        update_.prepare(1);
        for (std::size_t i = trained_; i < sums_.size(); ++i)
            for (T& x : sums_[i]) x = static_cast<T>(x / static_cast<T>(shares_));
        update_.run();
        if (!large_) return;
        const std::string bad = name_of_not_finite();
        if (bad.empty()) return;
        std::ranges::copy(parameters, model_.parameter_memory().begin());
        std::ranges::copy(states, states_.write_all().begin());
        forget();
        throw NumericError(steps_ + 1, "",
                           sentence("the update would make ", bad,
                                    " infinite or NaN, since a gradient is too large or "
                                    "NaN; nothing has changed, and the gradients are forgotten"));
    });
    sum_is_used_ = true;
    ++steps_;
}

}  // namespace sigma::detail

SIGMA_INSTANTIATE(class sigma::detail::BatchTrainerCore);
