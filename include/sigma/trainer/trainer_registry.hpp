// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/field.hpp>
#include <sigma/hook/group.hpp>
#include <sigma/network/parameter_rows.hpp>
#include <sigma/registry/registry.hpp>
#include <sigma/worker/gradients.hpp>

#include <xtensor/xarray.hpp>

namespace sigma::detail {

/// Everything in a trainer under a name. Numbers of the run are read at once from any thread. What is large, or not made
/// for several threads, is read and set between two iterations: whoever asks from another thread waits for the next one,
/// and training takes the time of a copy, never that of a reader.
template <class Trainer>
class TrainerRegistry {
    using Model = std::remove_cvref_t<decltype(std::declval<Trainer&>().model())>;
    using T = typename Model::Element;

public:
    explicit TrainerRegistry(Trainer& trainer) : trainer_(trainer) {
        registry.add("name", trainer.name());
        number<std::uint64_t>("epoch", [](Trainer& t) { return t.epoch(); });
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

    /// What hooks compute, under `shared` and where the name is free at the top: those hooks that are there now.
    template <class Groups>
    void link_shared(const Groups& groups) {
        for (const std::string& name : shared_) registry.remove(name);
        shared_.clear();
        for (const auto& group : groups)
            group->visit_computed([&](std::string_view key, std::shared_ptr<const Slot> slot) {
                for (const std::string& name : {sentence("shared.", key), std::string(key)}) {
                    if (registry.contains(name)) continue;
                    registry.link<double>(name, [slot] { return slot->value.load(std::memory_order_relaxed); });
                    shared_.push_back(name);
                }
            });
    }

private:
    Trainer& trainer_;
    std::vector<std::string> shared_;

    template <class X>
    void number(const std::string& name, X (*get)(Trainer&)) {
        registry.link<X>(name, [&trainer = trainer_, get] { return get(trainer); });
    }
    /// f() while no step is under way.
    template <class F>
    static void between_steps(Trainer& trainer, F f) {
        if (trainer.control().on_training_thread()) f();
        else trainer.post(f).wait();
    }
    void link_iterator() {
        registry.add("iterator.data", trainer_.minibatches().dataset.name());
        registry.add("iterator.records", static_cast<std::uint64_t>(trainer_.minibatches().dataset.size()));
        registry.add("iterator.minibatch_size", static_cast<std::uint64_t>(trainer_.minibatches().size));
        registry.add("iterator.batches_per_epoch", static_cast<std::uint64_t>(trainer_.batches_per_epoch()));
    }
    void link_optimizer() {
        using O = decltype(trainer_.optimizer);
        if constexpr (requires { O::name.view(); }) registry.add("optimizer.name", std::string(O::name.view()));
        else registry.child("optimizer");
        for_each_field(trainer_.optimizer, [&](std::string_view field, double& place) {
            registry.link<double>(
                sentence("optimizer.", field),
                [&trainer = trainer_, &place] {
                    double x = 0;
                    between_steps(trainer, [&] { x = place; });
                    return x;
                },
                // Not waited for: a hook in the background may set it too.
                [&trainer = trainer_, &place](double x) {
                    if (trainer.control().on_training_thread()) place = x;
                    else trainer.post([&place, x] { place = x; });
                });
        });
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
            registry.link<xt::xarray<T>>(at + ".outputs", [&trainer = trainer_, i] {
                xt::xarray<T> values;
                between_steps(trainer, [&] { values = outputs(trainer, i); });
                return values;
            });
        }
        for (int p = 0; p < Model::parameter_count; ++p) {
            const std::string name = sentence("network.layers.", records.parameters[p].name.view());
            registry.link<xt::xarray<T>>(
                name,
                [&trainer = trainer_, p] {
                    xt::xarray<T> values;
                    between_steps(trainer, [&] { values = trainer.model().parameter(p); });
                    return values;
                },
                [&trainer = trainer_, p](const xt::xarray<T>& values) { set_parameter(trainer, p, values); });
            if (!records.parameters[p].trained) continue;
            registry.link<xt::xarray<T>>(gradient_name(records.parameters[p].name.view()), [&trainer = trainer_, p] {
                xt::xarray<T> values;
                between_steps(trainer, [&] { values = gradient(trainer, p); });
                return values;
            });
        }
    }
    static xt::xarray<T> outputs(Trainer& trainer, int layer) {
        const auto all = trainer.outputs();
        std::vector<std::size_t> extents;
        const Shape& shape = Model::records.layers[layer].output;
        for (int i = 0; i < shape.rank; ++i)
            extents.push_back(static_cast<std::size_t>(resolve(shape[i], trainer.records_of_last_step())));
        xt::xarray<T> values(extents);
        std::ranges::copy(all[static_cast<std::size_t>(layer)], values.data());
        return values;
    }
    static xt::xarray<T> gradient(Trainer& trainer, int parameter) {
        const Shape& shape = Model::records.parameters[parameter].shape;
        xt::xarray<T> values(std::vector<std::size_t>(shape.extent, shape.extent + shape.rank));
        std::ranges::copy(trainer.gradients().values(parameter), values.data());
        return values;
    }
    /// "network.layers.1-dense.gradients.weights"
    static std::string gradient_name(std::string_view parameter) {
        const std::size_t dot = parameter.find('.');
        return sentence("network.layers.", parameter.substr(0, dot), ".gradients", parameter.substr(dot));
    }
    static void set_parameter(Trainer& trainer, int p, const xt::xarray<T>& values) {
        const std::vector<std::size_t> found(values.shape().begin(), values.shape().end());
        std::vector<std::size_t> wanted;
        const Shape& shape = Model::records.parameters[p].shape;
        for (int i = 0; i < shape.rank; ++i) wanted.push_back(static_cast<std::size_t>(shape[i]));
        if (found != wanted)
            throw ShapeError(sentence("parameter '", Model::records.parameters[p].name.view(), "'"),
                             sentence("shape ", shape_text(wanted)), sentence("shape ", shape_text(found)));
        between_steps(trainer, [&] { trainer.model().parameter(p) = values; });
    }
    void link_costs() {
        const auto& costs = Model::records.costs;
        for (int i = 0; i < costs.size(); ++i)
            registry.link<double>(sentence("costs.", costs[i].name.view()),
                                  [&trainer = trainer_, i] { return trainer.cost(i); });
    }
};

}  // namespace sigma::detail
