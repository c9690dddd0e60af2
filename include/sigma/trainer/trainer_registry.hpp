// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/field.hpp>
#include <sigma/hook/group.hpp>
#include <sigma/hook/hook_thread.hpp>
#include <sigma/network/parameter_rows.hpp>
#include <sigma/optimizer/check.hpp>
#include <sigma/registry/registry.hpp>
#include <sigma/trainer/run_state.hpp>
#include <sigma/worker/gradients.hpp>

#include <optional>

namespace sigma::detail {

/// Everything in a trainer under a name. Numbers of the run are read at once from any thread. What is large, or not made
/// for several threads, is read and set between two iterations: whoever reads from another thread waits for the next one,
/// and training takes the time of a copy (outputs and gradients: of a pass through the network), never that of a reader.
/// Where there is nothing to read, as gradients before the first step, the value is missing.
template <class Trainer>
class TrainerRegistry {
    using Model = std::remove_cvref_t<decltype(std::declval<Trainer&>().model())>;
    using T = typename Model::Element;

public:
    explicit TrainerRegistry(Trainer& trainer) : trainer_(trainer) {
        registry.add("name", trainer.name());
        registry.add("seed", trainer.model().seed());
        number<std::uint64_t>("epoch", [](Trainer& t) { return t.epoch(); });
        number<std::uint64_t>("epochs_planned", [](Trainer& t) { return t.epochs_planned(); });
        number<std::uint64_t>("iteration", [](Trainer& t) { return t.iteration(); });
        number<std::uint64_t>("batch", [](Trainer& t) { return t.batch(); });
        number<double>("runtime", [](Trainer& t) { return t.runtime(); });
        number<double>("loss", [](Trainer& t) { return t.loss(); });
        number<double>("error", [](Trainer& t) { return t.error(); });
        number<double>("samples_per_second", [](Trainer& t) { return t.samples_per_second(); });
        registry.link<std::string>("state", [&trainer] { return std::string(state_text(trainer.state())); });
        link_iterator();
        link_optimizer();
        link_layers();
        link_costs();
        registry.child("shared");
        registry.tag({"trainer"});
    }

    Registry registry;

    /// What hooks compute, under `shared` and where the name is free at the top: those hooks that are there now. Names of
    /// hooks that stay do not vanish meanwhile.
    template <class Groups>
    void link_shared(const Groups& groups) {
        std::vector<Computed> now;
        for (const auto& group : groups)
            group->visit_computed([&](std::string_view key, std::shared_ptr<const Slot> slot) {
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
            } catch (const Error&) {  // the name is another's, or none that a registry can hold
            }
        }
    }
    /// Takes everything away; no reader is within the trainer afterwards.
    void close() noexcept {
        try {
            registry.clear();
        } catch (...) {  // by who watches; all is gone before they are told
        }
    }

private:
    struct Computed {
        std::string name;
        std::shared_ptr<const Slot> slot;
        friend bool operator==(const Computed&, const Computed&) = default;
    };
    Trainer& trainer_;
    std::vector<Computed> shared_;

    template <class X>
    void number(const std::string& name, X (*get)(Trainer&)) {
        registry.link<X>(name, [&trainer = trainer_, get] { return get(trainer); });
    }
    /// f() while no step is under way; none where the trainer was destroyed meanwhile. Throws StateError in a hook in the
    /// background of the same trainer, for which the end of a run waits.
    template <class F>
    static auto between_steps(Trainer& trainer, F f) -> std::optional<decltype(f())> {
        if (trainer.control().on_training_thread()) return f();
        if (HookThread::works_for(&trainer))
            throw StateError(sentence("registry of trainer '", trainer.name(), "'"),
                             "values that a hook in the background need not wait for", "one that is read between two iterations");
        std::optional<decltype(f())> result;
        try {
            trainer.post([&] { result.emplace(f()); }).wait();
        } catch (const StateError&) {
            if (!trainer.control().closed()) throw;
        }
        return result;
    }
    /// The same without waiting: hooks in the background may set, too. Who set a value reads what it set.
    template <class F>
    static void set_between_steps(Trainer& trainer, F f) {
        if (trainer.control().on_training_thread()) f();
        else trainer.post(std::move(f));
    }
    void link_iterator() {
        registry.add("iterator.data", trainer_.minibatches().dataset.name());
        registry.add("iterator.records", static_cast<std::uint64_t>(trainer_.minibatches().dataset.size()));
        registry.add("iterator.minibatch_size", static_cast<std::uint64_t>(trainer_.minibatches().size));
        registry.add("iterator.batches_per_epoch", static_cast<std::uint64_t>(trainer_.batches_per_epoch()));
        registry.add("iterator.shuffling", trainer_.minibatches().shuffling);
        registry.add("iterator.seed", trainer_.minibatches().seed);
    }
    void link_optimizer() {
        using O = decltype(trainer_.optimizer);
        constexpr std::string_view name = name_of_optimizer<O>();
        if (!name.empty()) registry.add("optimizer.name", std::string(name));
        else registry.child("optimizer");
        const auto link = [this](std::string_view field, const NumberRange& range, double& place) {
            registry.link<double>(
                sentence("optimizer.", field),
                [&trainer = trainer_, &place] { return between_steps(trainer, [&] { return place; }); },
                [&trainer = trainer_, &place, name = std::string(field), range](double x) {
                    check_number(name_of_optimizer<O>(), name, range, x);
                    set_between_steps(trainer, [&place, x] { place = x; });
                });
        };
        std::apply(
            [&](const auto&... field) {
                (link(field.name.view(), field.range, trainer_.optimizer.*field.member), ...);
            },
            fields_of<O>());
    }
    void link_layers() {
        const auto& records = Model::records;
        registry.add("network.parameters", static_cast<std::int64_t>(Model::parameter_elements()));
        for (int i = 0; i < records.layers.size(); ++i) {
            const LayerRecord& layer = records.layers[i];
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
        for (int p = 0; p < Model::parameter_count; ++p) {
            const std::string name = sentence("network.layers.", records.parameters[p].name.view());
            registry.link<Array<T>>(
                name,
                [&trainer = trainer_, p] {
                    return between_steps(trainer, [&] { return Array<T>(trainer.model().parameter(p)); });
                },
                [&trainer = trainer_, p](Array<T> values) { set_parameter(trainer, p, std::move(values)); });
        }
        for (int i = 0; i < records.layers.size(); ++i)
            registry.link<Array<T>>(sentence("network.layers.", records.layers[i].name.view(), ".outputs"), [&trainer = trainer_, i] {
                return after_a_step(trainer, [&] { return outputs(trainer, i); });
            });
        for (int p = 0; p < Model::parameter_count; ++p) {
            if (!records.parameters[p].trained) continue;
            registry.link<Array<T>>(gradient_name(records.parameters[p].name.view()), [&trainer = trainer_, p] {
                return after_a_step(trainer, [&] { return gradient(trainer, p); });
            });
        }
    }
    /// What is computed anew from the records of the last step; none where there was none.
    template <class F>
    static std::optional<Array<T>> after_a_step(Trainer& trainer, F f) {
        auto all = between_steps(trainer, [&] {
            return trainer.iteration() > 0 && trainer.records_of_last_step() > 0 ? std::optional<Array<T>>(f()) : std::nullopt;
        });
        return all ? std::move(*all) : std::nullopt;
    }
    static Array<T> outputs(Trainer& trainer, int layer) {
        const auto all = trainer.outputs();
        const Shape& shape = Model::records.layers[layer].output;
        const auto& values = all[static_cast<std::size_t>(layer)];
        return {array_extents(shape, trainer.records_of_last_step()), std::vector<T>(values.begin(), values.end())};
    }
    static Array<T> gradient(Trainer& trainer, int parameter) {
        const auto values = trainer.gradients().values(parameter);
        return {array_extents(Model::records.parameters[parameter].shape), std::vector<T>(values.begin(), values.end())};
    }
    /// "network.layers.1-dense.gradients.weights"
    static std::string gradient_name(std::string_view parameter) {
        const std::size_t dot = parameter.find('.');
        return sentence("network.layers.", parameter.substr(0, dot), ".gradients", parameter.substr(dot));
    }
    static void set_parameter(Trainer& trainer, int p, Array<T> values) {
        if (const auto wanted = array_extents(Model::records.parameters[p].shape); values.shape() != wanted)
            throw ShapeError(sentence("parameter '", Model::records.parameters[p].name.view(), "'"),
                             sentence("shape ", shape_text(wanted)), sentence("shape ", shape_text(values.shape())));
        set_between_steps(trainer, [&trainer, p, fresh = std::move(values)] {
            trainer.model().write([&] { trainer.model().parameter(p) = fresh; });
            trainer.parameters_changed();
        });
    }
    void link_costs() {
        const auto& costs = Model::records.costs;
        for (int i = 0; i < costs.size(); ++i)
            registry.link<double>(sentence("costs.", costs[i].name.view()),
                                  [&trainer = trainer_, i] { return trainer.cost(i); });
    }
};

}  // namespace sigma::detail
