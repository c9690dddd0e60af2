// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/core/pattern.hpp>
#include <sigma/device/cpu/packed_weights.hpp>
#include <sigma/device/session.hpp>
#include <sigma/network/model_store.hpp>

#include <algorithm>

namespace sigma::detail {

SIGMA_IMPL void check_position(int i, int count, const char* what) {
    if (i < 0 || i >= count)
        throw ArgumentError(sentence(what, " of the network"), sentence("a position from 0 to ", count - 1),
                            sentence(i));
}

/// Returns the offsets of the parameters and, behind them, the hyperparameters.
inline std::vector<std::size_t> store_offsets(const NetworkTable& network, int lanes) {
    List<Shape> shapes;
    for (const ParameterRecord& r : network.parameters) shapes.push(r.shape);
    for (int i = 0; i < network.hyperparameters.size(); ++i) shapes.push({});
    return memory_offsets(shapes, lanes);
}

template <class T>
ModelStore<T>::ModelStore(const NetworkTable& network, int lanes)
    : network_(&network), lanes_(lanes), seed_(0), memory_(store_offsets(network, lanes)) {}

template <class T>
ModelStore<T>::ModelStore(const ModelStore& other)
    : network_(other.network_), lanes_(other.lanes_), seed_(0), memory_(store_offsets(*other.network_, other.lanes_)) {
    other.read([&] {
        const bool left = other.left_;
        if (left) leave_to(other.other_products_);
        take(other, left);
        other_products_ = other.other_products_;
    });
}

template <class T>
void ModelStore<T>::leave_to(SharedOwner<const on_cpu::OtherProducts<T>> others) {
    other_products_ = std::move(others);
    for (int i = 0; i < network_->parameters.size(); ++i)
        if (other_products_->has(i)) left_ = true, release_memory(memory_.place(i), memory_.size(i) * sizeof(T));
}
template <class T>
void ModelStore<T>::unpack(int parameter) const {
    const int all = network_->parameters.size();
    if (parameter >= all || (parameter >= 0 && !other_products_->has(parameter))) return;
    const Lock lock(unpacking_);
    for (int i = 0; left_ && i < all; ++i)
        if (other_products_->has(i)) other_products_->write(i, memory_.place(i), pitch(i));
    left_ = false;
}

template <class T>
void ModelStore<T>::bind(Session<T>& session, const on_cpu::OtherProducts<T>* by) const {
    for (int i = 0; left_ && i < network_->parameters.size(); ++i)
        if (other_products_->has(i) && (by != other_products_.get() || session.reads(i, *by))) unpack();
    require_lanes(session.plan());
    session.bind_parameters(memory_);
}
template <class T>
void ModelStore<T>::require_lanes(const PlanView& plan) const {
    if (plan.lanes != lanes_)
        throw MismatchError("parts of a program that use one model", "the same -march for all of them",
                            sentence("a model for vectors of ", lanes_, " elements and a plan for ", plan.lanes));
}

/// Returns whether two networks have the same parameters and states. Compile-time networks have one table each.
inline bool same_parameters_of(const NetworkTable& a, const NetworkTable& b) {
    if (&a == &b) return true;
    bool same = a.parameters.size() == b.parameters.size() && a.states.size() == b.states.size();
    for (int i = 0; same && i < a.parameters.size(); ++i)
        same = a.parameters[i].name == b.parameters[i].name && a.parameters[i].shape == b.parameters[i].shape;
    for (int i = 0; same && i < a.states.size(); ++i) same = a.states[i].units == b.states[i].units;
    return same;
}
SIGMA_IMPL void require_same_parameters(const char* where, const NetworkTable& own, const NetworkTable& other) {
    if (!same_parameters_of(own, other))
        throw MismatchError(where, sentence("a model with parameters ", parameter_names(own, false)),
                            sentence("a model of another network, with parameters ", parameter_names(other, false)));
}
template <class T>
ModelStore<T>& ModelStore<T>::operator=(const ModelStore& other) {
    if (this == &other) return *this;
    require_same_parameters("assignment of a model", *network_, *other.network_);
    if (other.access_.held_here()) {
        write([&] { take(other); });
    } else {  // copies first: no thread waits for one model while it holds the other
        const ModelStore values(other);
        write([&] { take(values); });
    }
    return *this;
}

template <class T>
ModelStore<T>::~ModelStore() = default;

template <class T>
void ModelStore<T>::set_classes(std::vector<std::string> names) {
    auto fresh = detail::SharedOwner<const std::vector<std::string>>::make(std::move(names));
    write([&] { std::swap(classes_, fresh); });
}

template <class T>
void ModelStore<T>::to(const Device& device) {
    const auto refuse = [] {
        throw MismatchError("model.to(device)", "a model without a run", "a model that a run trains");
    };
    if (access_.owned()) refuse();
    const void* const here = this_thread();
    write([&] {
        if (this_thread() != here) refuse();  // a run has begun meanwhile: this is its thread
        known();
        memory_.detach();
        if (device.compute_device()) memory_.attach(device.compute_device(), "parameters");
    });
}

template <class T>
int ModelStore<T>::initialize(std::string_view pattern, const Initializer& initializer) {
    return forget_state(pattern) + initialize_where([&](const ParameterRecord& r) {
               return reaches(pattern, r.name.view(), r.trained) ? &initializer : nullptr;
           });
}

template <class T>
int ModelStore<T>::initialize_by(std::span<const InitializerRule> rules, std::string_view among) {
    return forget_state(among) + initialize_where([&](const ParameterRecord& r) {
               const bool drawn = among.empty() || reaches(among, r.name.view(), r.trained);
               const InitializerRule* rule = drawn ? choose(rules, r.name.view(), r.trained) : nullptr;
               return rule ? &rule->initializer : nullptr;
           });
}

template <class T>
void ModelStore<T>::reset() {
    initialize_where([](const ParameterRecord& r) { return &r.initializer; });
    for (int i = 0; i < network_->hyperparameters.size(); ++i)
        put_hyperparameter(i, network_->hyperparameters[i].value);
    forget();
}

// ---- hyperparameters ----

template <class T>
double ModelStore<T>::hyperparameter(int i) const {
    // That of as few digits as give the same element: 0.1, though a float is a little more.
    std::string text;
    append_exact(text, *parameter_data(network_->parameters.size() + i));
    double x{};
    read_number(text, x);
    return x;
}
template <class T>
void ModelStore<T>::put_hyperparameter(int i, double value) {
    write([&] { *memory_.write(network_->parameters.size() + i) = static_cast<T>(value); });
}
template <class T>
void ModelStore<T>::hyperparameters_to(double* to) const {
    for (int p = network_->parameters.size(); p < memory_.count(); ++p) *to++ = static_cast<double>(*parameter_data(p));
}
template <class T>
void ModelStore<T>::hyperparameters_from(const double* from) {
    for (int p = network_->parameters.size(); p < memory_.count(); ++p) *memory_.write(p) = static_cast<T>(*from++);
}
template <class T>
double ModelStore<T>::hyperparameter(std::string_view name) const {
    const auto& all = network_->hyperparameters;
    for (int i = 0; i < all.size(); ++i)
        if (all[i].name.view() == name) return hyperparameter(i);
    refuse_hyperparameter(*network_, name);
}
template <class T>
int ModelStore<T>::set_hyperparameter(std::string_view pattern, double value) {
    return change_hyperparameters(pattern, [value](const HyperparameterRecord&, double) { return value; });
}
template <class T>
int ModelStore<T>::change_hyperparameters(std::string_view pattern,
                                          const AnyFunction<double(const HyperparameterRecord&, double)>& f) {
    const auto& all = network_->hyperparameters;
    std::vector<std::pair<int, double>> changed;
    for (int i = 0; i < all.size(); ++i) {
        if (!matches(pattern, all[i].name.view())) continue;
        const double x = f(all[i], hyperparameter(i));
        check_hyperparameter(all[i], x);
        check_hyperparameter(all[i], static_cast<double>(static_cast<T>(x)));
        changed.emplace_back(i, x);
    }
    if (changed.empty())
        throw ArgumentError("hyperparameter",
                            all.empty() ? std::string("a network with hyperparameters")
                                        : sentence("a pattern that matches some of ", hyperparameter_names(*network_)),
                            sentence("'", pattern, all.empty() ? "' and a network without hyperparameters" : "'"));
    write([&] {
        for (const auto& [i, x] : changed) put_hyperparameter(i, x);
    });
    return static_cast<int>(changed.size());
}

template <class T>
int ModelStore<T>::forget_state(std::string_view name) {
    int named = 0;
    for (const CarriedState& s : network_->states) named += s.name.view() == name;
    if (named > 0) forget();
    return named;
}

template <class T>
void ModelStore<T>::freeze() {
    frozen_ = true;
    packed_weights_ = on_cpu::packed_weights<T>(network_->parameters.size());
}

template <class T>
void ModelStore<T>::take(const ModelStore& other, bool left) {
    if (frozen_) freeze();  // discards weights that were packed from other values
    set_processor(other.processor());
    other.read([&] {
        seed_ = other.seed_;
        classes_ = other.classes_;
        streams_ = other.streams_;
        if (!left) std::ranges::copy(other.parameter_memory(), parameter_memory().begin());
        for (int i = 0; left && i < network_->parameters.size(); ++i)
            if (!other_products_->has(i)) std::copy_n(other.memory_.read(i), memory_.size(i), memory_.place(i));
        const auto &mine = network_->hyperparameters, &theirs = other.network_->hyperparameters;
        for (int i = 0; i < mine.size() && i < theirs.size(); ++i)
            if (mine[i].name == theirs[i].name)
                *memory_.write(network_->parameters.size() + i) =
                    *other.memory_.read(other.network_->parameters.size() + i);
    });
}

template <class T>
std::size_t ModelStore<T>::elements_of_parameters() const {
    const int all = network_->parameters.size();
    return all < memory_.count() ? memory_.offset(all) : memory_.size();
}
template <class T>
Philox ModelStore<T>::random_of(int parameter) const {
    return Philox(seed_, RandomUse::initialize, static_cast<std::uint64_t>(parameter));
}

template <class T>
template <class Choose>
int ModelStore<T>::initialize_where(Choose choose) {
    int matched = 0;
    write([&] {
        for (int i = 0; i < network_->parameters.size(); ++i) {
            const ParameterRecord& r = network_->parameters[i];
            const Initializer* how = choose(r);
            if (!how) continue;
            ++matched;
            fill(*how, r.shape, random_of(i), parameter_data(i), static_cast<std::size_t>(pitch(i)));
        }
    });
    return matched;
}

template <class T>
bool equal_parameters(const ModelStore<T>& a, const ModelStore<T>& b) {
    if (!same_parameters_of(a.network(), b.network())) return false;
    std::vector<T> values;  // a copy: no thread waits for one model while it holds the other
    a.read([&] {
        const auto all = a.parameter_memory();
        values.assign(all.begin(), all.end());
    });
    bool equal = true;
    b.read([&] {
        const ListView<ParameterRecord> parameters = b.network().parameters;
        for (int i = 0; i < parameters.size(); ++i) {  // without the padding behind rows
            const auto columns = static_cast<std::ptrdiff_t>(parameters[i].shape.last());
            const auto rows = static_cast<std::ptrdiff_t>(parameters[i].shape.count()) / columns;
            const T* const of_a = values.data() + a.dual_buffer().offset(i);
            const T* const of_b = b.parameter_data(i);
            for (std::ptrdiff_t r = 0; r < rows && equal; ++r)
                equal = std::equal(of_a + r * a.pitch(i), of_a + r * a.pitch(i) + columns, of_b + r * b.pitch(i));
        }
    });
    return equal;
}

}  // namespace sigma::detail

#ifdef SIGMA_COMPILED
SIGMA_INSTANTIATE(class sigma::detail::ModelStore);
template bool sigma::detail::equal_parameters(const ModelStore<float>&, const ModelStore<float>&);
template bool sigma::detail::equal_parameters(const ModelStore<double>&, const ModelStore<double>&);
#endif
