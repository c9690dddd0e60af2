// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/hook_thread.hpp>
#include <sigma/network/parameter_rows.hpp>
#include <sigma/optimizer/check.hpp>
#include <sigma/trainer/run/control.hpp>
#include <sigma/trainer/trainer_registry.hpp>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace sigma::detail {

template <class T>
TrainerRegistry<T>::TrainerRegistry(TrainerCore<T>& trainer, Outputs outputs, Gradient gradient)
    : trainer_(trainer), outputs_(std::move(outputs)), gradient_(std::move(gradient)) {
    // Read-only, since setting one of these has no effect.
    registry.link<std::string>("name", [name = trainer.name()] { return name; });
    registry.link<std::uint64_t>("seed", [seed = trainer.model_.seed()] { return seed; });
    number<std::uint64_t>("epoch", [](TrainerCore<T>& t) { return t.epoch(); });
    number<std::uint64_t>("epochs_planned", [](TrainerCore<T>& t) { return t.epochs_planned(); });
    number<std::uint64_t>("iteration", [](TrainerCore<T>& t) { return t.iteration(); });
    number<std::uint64_t>("batch", [](TrainerCore<T>& t) { return t.batch(); });
    number<double>("runtime", [](TrainerCore<T>& t) { return t.runtime(); });
    number<double>("loss", [](TrainerCore<T>& t) { return t.loss(); });
    number<double>("error", [](TrainerCore<T>& t) { return t.training_loss(); });
    number<double>("samples_per_second", [](TrainerCore<T>& t) { return t.samples_per_second(); });
    registry.link<std::string>("state", [&trainer] { return std::string(state_text(trainer.state())); });
    read_iterator();
    link_iterator("data", &Iterator::data);
    link_iterator("records", &Iterator::records);
    link_iterator("minibatch_size", &Iterator::minibatch_size);
    link_iterator("batches_per_epoch", &Iterator::batches_per_epoch);
    link_iterator("shuffling", &Iterator::shuffling);
    link_iterator("seed", &Iterator::seed);
    link_optimizer();
    link_states();
    link_layers();
    link_costs();
    registry.child("shared");
    registry.tag({"trainer"});
}
template <class T>
TrainerRegistry<T>::~TrainerRegistry() = default;

template <class T>
void TrainerRegistry<T>::link(const HookList& hooks) {
    std::vector<Computed> now;
    hooks.visit_computed([&](std::string_view key, SharedOwner<const Slot> slot) {
        for (std::string name : {sentence("shared.", key), std::string(key)})
            if (std::ranges::find(now, name, &Computed::name) == now.end()) now.push_back({std::move(name), slot});
    });
    std::erase_if(shared_, [&](const Computed& old) {
        const bool stays = std::ranges::find(now, old) != now.end();
        if (!stays) registry.remove(old.name);
        return !stays;
    });
    for (Computed& one : now) {
        if (std::ranges::find(shared_, one) != shared_.end()) continue;
        try {
            registry.link<double>(one.name, [slot = one.slot]() -> double { return slot->value; });
            shared_.push_back(std::move(one));
        } catch (const Error&) {  // the name is used already, or is not valid in a registry
        }
    }
}

template <class T>
void TrainerRegistry<T>::close() noexcept {
    try {
        registry.clear();
    } catch (...) {  // thrown by a watcher; all entries are removed before watchers are called
    }
}

template <class T>
template <class X>
void TrainerRegistry<T>::number(const std::string& name, X (*get)(TrainerCore<T>&)) {
    registry.link<X>(name, [&trainer = trainer_, get] { return get(trainer); });
}

/// Calls f between two steps. Returns nothing if the trainer is destroyed meanwhile. Throws StateError in a background
/// hook of the same trainer, for which the end of a run waits.
template <class T>
template <class F>
auto TrainerRegistry<T>::between_steps(F f) {
    using Result = std::optional<decltype(f())>;
    if (trainer_.control().on_training_thread()) return Result(f());
    if (HookThread::works_for(&trainer_))
        throw StateError(sentence("registry of trainer '", trainer_.name(), "'"),
                         "a value without waiting, in a background hook", "a value read between two iterations");
    Result result;
    try {
        trainer_.post([&] { result.emplace(f()); }).wait();
    } catch (const StateError&) {
        if (!trainer_.control().closed()) throw;
    }
    return result;
}
/// Calls f between two steps without waiting, so that background hooks may set values. A later read sees the new value.
template <class T>
template <class F>
void TrainerRegistry<T>::set_between_steps(F f) {
    if (trainer_.control().on_training_thread()) f();
    else trainer_.post(std::move(f));
}
/// Computes a value from the records of the last step. Returns nothing before the first step.
template <class T>
template <class F>
auto TrainerRegistry<T>::after_a_step(F f) {
    auto all = between_steps([&] {
        return trainer_.iteration() > 0 && trainer_.training_.gathered > 0 ? std::optional<Array<T>>(f())
                                                                           : std::nullopt;
    });
    return all ? std::move(*all) : std::nullopt;
}

template <class T>
void TrainerRegistry<T>::read_iterator() {
    const Minibatches& batches = trainer_.minibatches();
    const Lock lock(iterator_mutex_);
    iterator_ = {batches.dataset.name(),
                 static_cast<std::uint64_t>(batches.dataset.size()),
                 static_cast<std::uint64_t>(batches.size),
                 static_cast<std::uint64_t>(trainer_.batches_per_epoch()),
                 batches.seed,
                 batches.shuffling};
}

template <class T>
template <class X>
void TrainerRegistry<T>::link_iterator(const char* name, X Iterator::* value) {
    registry.link<X>(sentence("iterator.", name), [this, value] {
        const Lock lock(iterator_mutex_);
        return iterator_.*value;
    });
}

template <class T>
void TrainerRegistry<T>::set_iterator() {
    read_iterator();
    for (const char* name : {"data", "records", "minibatch_size", "batches_per_epoch", "shuffling", "seed"})
        registry.announce(sentence("iterator.", name));
}

template <class T>
void TrainerRegistry<T>::link_optimizer() {
    const OptimizerPlaces& optimizer = trainer_.optimizers_;
    const std::string_view name = optimizer.table.name;
    if (!name.empty()) registry.link<std::string>("optimizer.name", [name = std::string(name)] { return name; });
    else registry.child("optimizer");
    optimizer.table.for_each_field(optimizer.now, [&](std::string_view field, const NumberRange& range, double& place) {
        registry.link<double>(
            sentence("optimizer.", field), [this, &place] { return between_steps([&] { return place; }); },
            [this, &place, name, field = std::string(field), range](double x) {
                check_number(name, field, range, x);
                set_between_steps([&place, x] { place = x; });
            });
    });
}

template <class T>
void TrainerRegistry<T>::link_layers() {
    const NetworkTable& network = trainer_.model_.network();
    std::int64_t elements = 0;
    for (const ParameterRecord& r : network.parameters) elements += r.shape.count();
    registry.add("network.parameters", elements);
    for (const LayerRecord& layer : network.layers) {
        const std::string at = sentence("network.layers.", layer.name.view());
        registry.child(at);
        std::vector<std::string> tags{std::string(layer.kind.view())};
        for (std::string_view all = layer.tags.view(); !all.empty();) {
            const std::size_t end = std::min(all.find(' '), all.size());
            if (end > 0) tags.emplace_back(all.substr(0, end));
            all.remove_prefix(std::min(end + 1, all.size()));
        }
        registry.tag(at, tags);
    }
    for (int p = 0; p < network.parameters.size(); ++p)
        registry.link<Array<T>>(
            sentence("network.layers.", network.parameters[p].name.view()),
            [this, p] { return between_steps([&] { return parameter(p); }); },
            [this, p](Array<T> values) { set_parameter(p, std::move(values)); });
    for (int i = 0; i < network.hyperparameters.size(); ++i) {
        const HyperparameterRecord& h = network.hyperparameters[i];
        const std::string at = sentence("network.hyperparameters.", h.name.view());
        if (!registry.contains(at))
            registry.link<double>(
                at, [this, i] { return between_steps([&] { return trainer_.model_.hyperparameter(i); }); },
                [this, &h](double x) {
                    check_hyperparameter(h, x);
                    set_between_steps([this, &h, x] { trainer_.model_.set_hyperparameter(h.name.view(), x); });
                });
    }
    for (int i = 0; i < network.layers.size(); ++i)
        registry.link<Array<T>>(sentence("network.layers.", network.layers[i].name.view(), ".outputs"),
                                [this, i] { return after_a_step([&] { return outputs(i); }); });
    for (int p = 0; p < network.parameters.size(); ++p) {
        if (!network.parameters[p].trained) continue;
        const std::string_view name = network.parameters[p].name.view();  // "1-dense.weights"
        const std::size_t dot = name.find('.');
        const auto of = [&](const char* what) {
            return sentence("network.layers.", name.substr(0, dot), what, name.substr(dot));
        };
        registry.link<Array<T>>(of(".gradients"), [this, p] { return after_a_step([&] { return gradient(p); }); });
        registry.link<Array<T>>(of(".updates"), [this, p] {
            auto all = between_steps([&] { return update(p); });
            return all ? std::move(*all) : std::nullopt;
        });
    }
    StepRecord<T>& kept = trainer_.training_.step_record;
    registry.link<bool>(
        "network.keep_updates", [this, &kept] { return between_steps([&] { return kept.keeps_before(); }); },
        [this, &kept](bool yes) { set_between_steps([&kept, yes] { kept.keep_before(yes); }); });
}

template <class T>
void TrainerRegistry<T>::link_states() {
    const StepCore<T>& step = trainer_.training_.step;
    for (int s = 0; s < step.state_table().size(); ++s) {
        const StateRecord& r = step.state_table()[s];
        const std::string_view of = trainer_.model_.network().parameters[r.parameter].name.view();
        registry.link<Array<T>>(
            sentence("optimizer.state.", of, ".", r.name.view()),
            [this, &step, s, shape = r.shape] {
                return between_steps([&] { return Array<T>(window(step.state_data(s), shape, step.pitch(s))); });
            },
            [this, s, shape = r.shape, name = sentence("state '", r.name.view(), ".", of, "'")](Array<T> values) {
                check_shape(name, shape, values);
                set_between_steps([&training = trainer_.training_, s, fresh = std::move(values)] {
                    training.step.state(s) = fresh;
                    training.begin_here();
                });
            });
    }
}

template <class T>
Array<T> TrainerRegistry<T>::outputs(int layer) {
    const auto all = outputs_();
    const auto& values = all[static_cast<std::size_t>(layer)];
    return {array_extents(trainer_.model_.network().layers[layer].output, trainer_.training_.gathered),
            std::vector<T>(values.begin(), values.end())};
}
template <class T>
Array<T> TrainerRegistry<T>::gradient(int parameter) {
    const auto values = gradient_(parameter);
    return {array_extents(trainer_.model_.network().parameters[parameter].shape),
            std::vector<T>(values.begin(), values.end())};
}
/// Returns the values of a parameter. Reads a constant model: a read that may write would give the workers of a run
/// their merged parameters.
template <class T>
Array<T> TrainerRegistry<T>::parameter(int p) {
    const ModelStore<T>& model = trainer_.model_;
    return Array<T>(window(model.parameter_data(p), model.network().parameters[p].shape, model.pitch(p)));
}
/// Returns the change of a parameter by the last step, or nothing if that step was not kept.
template <class T>
std::optional<Array<T>> TrainerRegistry<T>::update(int p) {
    const ModelStore<T>& model = trainer_.model_;
    const auto before = trainer_.training_.step_record.before(p, model, trainer_.iteration());
    if (!before) return std::nullopt;
    Array<T> change = parameter(p);
    const auto was = dense_elements(rows_of(before->data(), model.network().parameters[p].shape, model.pitch(p)));
    for (std::size_t i = 0; i < was.size(); ++i) change.data()[i] -= was[i];
    return change;
}

template <class T>
void TrainerRegistry<T>::check_shape(const std::string& what, const Shape& shape, const Array<T>& values) {
    if (const auto wanted = array_extents(shape); values.shape() != wanted)
        throw ShapeError(what, sentence("shape ", shape_text(wanted)), sentence("shape ", shape_text(values.shape())));
}

template <class T>
void TrainerRegistry<T>::set_parameter(int p, Array<T> values) {
    const ParameterRecord& r = trainer_.model_.network().parameters[p];
    check_shape(sentence("parameter '", r.name.view(), "'"), r.shape, values);
    set_between_steps([&trainer = trainer_, p, fresh = std::move(values)] {
        trainer.model_.write([&] { window_of(trainer.model_, p) = fresh; });
        trainer.training_.begin_here();
    });
}

template <class T>
void TrainerRegistry<T>::link_costs() {
    const auto& costs = trainer_.model_.network().costs;
    for (int i = 0; i < costs.size(); ++i)
        registry.link<double>(sentence("costs.", costs[i].name.view()),
                              [&trainer = trainer_, i] { return trainer.cost(i); });
}

}  // namespace sigma::detail

SIGMA_INSTANTIATE(class sigma::detail::TrainerRegistry);
