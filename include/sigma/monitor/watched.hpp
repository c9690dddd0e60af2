// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/dataset.hpp>
#include <sigma/monitor/tap.hpp>
#include <sigma/network/graph.hpp>
#include <sigma/trainer/registry.hpp>
#include <sigma/trainer/trainer.hpp>

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sigma::monitor {

/// A layer or a cost of a network.
struct GraphNode {
    std::string name, kind, shape;  ///< "1-dense", "dense", "(128)"
    long long parameters = 0;
};
/// A step of the way to the network: "data", "mnist, 60000 records".
struct PipelineStep {
    std::string kind, text;
};

/// A trainer without its type, as a monitor sees it. All of it may be used when the trainer is gone: functions throw
/// StateError then. They are called on any thread but the one that trains.
struct Watched {
    std::string name{};
    Remote remote;
    Registry registry;  ///< empty when the trainer is gone

    std::string network{}, optimizer{};
    std::vector<GraphNode> nodes{};
    std::vector<std::pair<int, int>> edges{};  ///< from, to
    std::vector<PipelineStep> data{};
    std::vector<std::string> classes{};
    std::size_t inputs = 0;  ///< numbers of a record; 0 where `predict` is empty

    std::function<std::vector<double>(std::vector<double>)> predict{};                ///< for one record
    std::function<std::vector<std::size_t>(const Dataset&, std::size_t)> classify{};  ///< the first so many records
    std::function<Acknowledgement(std::string)> save{}, load{};
    std::function<void(std::shared_ptr<Tap>)> attach{};  ///< numbers and lines of the trainer go there
};

namespace detail {

void describe(Watched& to, const NetworkTable& network, const sigma::detail::GraphTable& graph,
              const Minibatches& batches);
void print_line(std::string_view line);

/// What a trainer tells from now on; on the thread that trains, or while none does.
template <class Trained>
void attach(Trained& trainer, const std::shared_ptr<Tap>& tap) {
    const Registry registry = trainer.registry();
    const std::uint32_t loss = tap->number_of("loss");
    const auto now = [&trainer] { return static_cast<double>(trainer.iteration()); };
    // What is known of the epochs before.
    const std::uint32_t error = tap->number_of("error");
    for (const EpochResult& result : trainer.history().epochs)
        tap->put(error, {static_cast<double>(result.epoch * trainer.batches_per_epoch()), result.training_loss,
                         std::numeric_limits<double>::quiet_NaN()});
    tap->tell_device(trainer.device_text());
    trainer.on_iteration([tap, registry, loss, now](Trained& t) {
        if (!tap->open()) return;
        const double x = now(), seconds = t.runtime();
        const bool wanted = tap->wanted();
        if (wanted || !t.losses_are_elsewhere()) tap->put(loss, {x, t.loss(), seconds});
        if (!wanted) return;
        tap->tell_device(t.device_text());
        tap->sample(registry, x, seconds, "loss");
    });
    trainer.on_epoch([tap, registry, now](Trained& t) {
        if (!tap->open()) return;
        tap->tell_device(t.device_text());
        tap->sample(registry, now(), t.runtime(), "loss");
    });
    trainer.output = [tap, before = trainer.output](std::string_view line) {
        if (tap->open()) tap->line(line);
        if (before) before(line);
        else print_line(line);
    };
}

}  // namespace detail

/// The trainer stays the caller's.
template <class N, class O, class T>
Watched watch(Trainer<N, O, T>& trainer) {
    using Trained = Trainer<N, O, T>;
    Watched result{.name = trainer.name(), .remote = trainer.control(), .registry = trainer.registry()};
    detail::describe(result, network_table<N>, sigma::detail::NetworkGraph<N>::table, trainer.minibatches());
    const Remote remote = result.remote;
    // Between two iterations, so that nothing is read within one, and never of a trainer that is gone.
    if constexpr (N::input_count == 1) {
        result.inputs = static_cast<std::size_t>(N::inputs[0].count());
        result.predict = [&trainer, remote](const std::vector<double>& input) {
            std::vector<double> output;
            remote
                .post([&] {
                    const std::vector<T> from(input.begin(), input.end());
                    const Array<T> record(sigma::detail::array_extents(N::inputs[0], 1), from);
                    const Array<T> found = trainer.model().template predict<0>(record);
                    output.assign(found.data(), found.data() + found.size());
                })
                .wait();
            return output;
        };
    }
    if constexpr (sigma::detail::says_class<N> && N::input_count == 1)
        result.classify = [&trainer, remote](const Dataset& data, std::size_t count) {
            std::shared_ptr<const Model<N, T>> model;  // a copy: a run waits for that only
            remote.post([&] { model = std::make_shared<const Model<N, T>>(trainer.model()); }).wait();
            std::vector<std::size_t> found;
            for (std::size_t first = 0; first < std::min(count, data.size()); first += 500) {
                const Dataset part =
                    data.range(first, std::min<std::size_t>(500, std::min(count, data.size()) - first));
                const auto classes = model->classify(part.template inputs<T>());
                for (std::size_t i = 0; i < part.size(); ++i) found.push_back(classes[i]);
            }
            return found;
        };
    result.save = [&trainer, remote](std::string file) {
        return remote.post([&trainer, to = std::move(file)] { trainer.save(to); });
    };
    result.load = [&trainer, remote](std::string file) {
        return remote.post([&trainer, from = std::move(file)] { trainer.load(from); });
    };
    result.attach = [&trainer, remote](std::shared_ptr<Tap> tap) {
        const auto done =
            remote.post([&trainer, to = std::move(tap)] { detail::attach(static_cast<Trained&>(trainer), to); });
        if (!remote.on_training_thread()) done.wait();
    };
    return result;
}

}  // namespace sigma::monitor
