// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/dataset.hpp>
#include <sigma/execution/maximise.hpp>
#include <sigma/monitor/tap.hpp>
#include <sigma/network/graph.hpp>
#include <sigma/trainer/registry.hpp>
#include <sigma/trainer/trainer.hpp>

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sigma::monitor {

/// A layer or a cost of a network.
struct GraphNode {
    std::string name, kind, shape;  ///< "1-dense", "dense", "(128)"
    long long parameters = 0;
};
/// A step of the records' way to the network: "dataset", "mnist, 60000 records".
struct PipelineStep {
    std::string kind, text;
    std::vector<std::size_t> from{};  ///< the steps that it takes from, all of them earlier ones
};

/// An input that maximises a class, and what the network says of it.
struct MaximisedInput {
    std::vector<double> input, prediction;
    double cost = 0;
    bool success = false;
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
    std::size_t inputs = 0;                  ///< numbers of a record; 0 where `predict` is empty
    std::vector<std::size_t> input_shape{};  ///< of a record
    std::size_t outputs = 0;                 ///< numbers of its prediction

    /// For one record; called by remote.post only, since it reads what an iteration changes.
    std::function<std::vector<double>(std::vector<double>)> predict{};
    std::function<std::vector<std::size_t>(const Dataset&, std::size_t)> classify{};  ///< the first so many records
    std::function<std::vector<std::vector<double>>(const Dataset&)> predict_records{};
    /// Of the first so many classes, until halted().
    std::function<std::vector<MaximisedInput>(std::size_t, const MaximiseOptions&, const std::function<bool()>& halted)>
        maximise{};
    std::function<Acknowledgement(std::string)> save{}, load{};
    std::function<void(std::shared_ptr<Tap>)> attach{};  ///< numbers and lines of the trainer go there
};

namespace detail {

void describe(Watched& to, const sigma::detail::NetworkTable& network, const sigma::detail::GraphTable& graph,
              const Minibatches& batches);
/// The kinds of layers of a trainer that is known by its registry only: "input + dense + dense".
std::string layers_of(const Registry& registry);
void print_line(std::string_view line);

/// While it lives this thread tells a line of a trainer, which is in that tap already: a log that it writes it to, or
/// the terminal, says nothing new to whoever has the tap.
class KnownLine {
public:
    KnownLine(const Tap& tap, std::string_view line);
    ~KnownLine();
    KnownLine(const KnownLine&) = delete;
    KnownLine& operator=(const KnownLine&) = delete;

    /// Does this thread tell that line, and has who owns the tap got it?
    static bool told(const void* owner, std::string_view line);

private:
    const Tap& tap_;
    std::string_view line_;
    const KnownLine* outer_;
};

/// What a trainer tells from now on; on the thread that trains, or while none does.
template <class Trained>
void attach(Trained& trainer, const std::shared_ptr<Tap>& tap) {
    const Registry registry = trainer.registry();
    const std::uint32_t loss = tap->number_of("loss");
    const auto now = [&trainer] { return static_cast<double>(trainer.iteration()); };
    // What is known of the epochs before.
    const std::uint32_t error = tap->number_of("error", true);
    for (const EpochResult& result : trainer.history().epochs)
        tap->put_change(error, {static_cast<double>(result.epoch * trainer.batches_per_epoch()), result.training_loss,
                                std::numeric_limits<double>::quiet_NaN()});
    tap->tell_device(trainer.device_text());
    const auto sample = [tap, registry, now](Trained& t, bool last) {
        tap->tell_device(t.device_text());
        std::vector<WorkerStatus> workers;
        t.visit_workers([&](const WorkerStatus& one) { workers.push_back(one); });
        tap->tell_workers(std::move(workers));
        tap->sample(registry, now(), t.runtime(), "loss", last);
    };
    trainer.on_iteration([tap, loss, now, sample](Trained& t) {
        if (!tap->open()) return;
        const double x = now();
        tap->at(x);
        const bool wanted = tap->wanted();
        if (wanted || !t.losses_are_elsewhere()) tap->put(loss, {x, t.loss(), t.runtime()});
        if (wanted) sample(t, false);
    });
    trainer.on_epoch([tap, sample](Trained& t) {
        if (tap->open() && tap->epoch_wanted()) sample(t, false);
    });
    trainer.on_stop([tap, sample](Trained& t) {
        if (tap->open()) sample(t, true);
    });
    trainer.output = [tap, before = trainer.output](std::string_view line) {
        std::optional<KnownLine> known;
        if (tap->open()) {
            tap->line(line);
            known.emplace(*tap, line);
        }
        if (before) before(line);
        else print_line(line);
    };
}

/// A copy of the parameters: what is done with it holds up no run.
template <class N, class O, class T>
std::shared_ptr<const Model<N, T>> copied(Trainer<N, O, T>& trainer, const Remote& remote) {
    std::shared_ptr<const Model<N, T>> model;
    remote.post([&] { model = std::make_shared<const Model<N, T>>(trainer.model()); }).wait();
    return model;
}

/// f(inputs) of some records after the others, so that no memory is taken for all at once.
template <class T, class F>
void in_parts(const Dataset& data, std::size_t count, F f) {
    constexpr std::size_t most = 500;
    for (std::size_t first = 0; first < count; first += most)
        f(data.range(first, std::min(most, count - first)).template inputs<T>());
}

template <class N, class T>
std::vector<MaximisedInput> maximised_inputs(const Model<N, T>& model, std::size_t classes,
                                             const MaximiseOptions& options, const std::function<bool()>& halted) {
    const auto numbers = [](const Array<T>& array) { return std::vector<double>(array.begin(), array.end()); };
    std::vector<MaximisedInput> result;
    for (std::size_t i = 0; i < classes && !halted(); ++i) {
        const Maximised<T> found = sigma::detail::search_input<0>(
            model, sigma::detail::maximise_target<0>(model, static_cast<std::int64_t>(i)), options,
            [&] { return halted(); });
        result.push_back({numbers(found.input), numbers(found.prediction), found.cost, found.success});
    }
    return result;
}

}  // namespace detail

/// The trainer stays the caller's.
template <class N, class O, class T>
Watched watch(Trainer<N, O, T>& trainer) {
    using Trained = Trainer<N, O, T>;
    Watched result{.name = trainer.name(), .remote = trainer.control(), .registry = trainer.registry()};
    const sigma::detail::NetworkTable& network = trainer.model().network();
    detail::describe(result, network, sigma::detail::graph_of(trainer.model().definition()), trainer.minibatches());
    const bool one_input = network.inputs.size() == 1;
    const Remote remote = result.remote;
    // Between two iterations, so that nothing is read within one, and never of a trainer that is gone.
    constexpr bool takes_one = Model<N, T>::of_one_input;
    if constexpr (takes_one)
        if (one_input) {
            result.inputs = static_cast<std::size_t>(network.inputs[0].count());
            result.input_shape = sigma::detail::array_extents(network.inputs[0], 1);
            result.input_shape.erase(result.input_shape.begin());
            result.outputs = static_cast<std::size_t>(network.costs[0].prediction.count());
            result.predict = [&trainer](const std::vector<double>& input) {
                const std::vector<T> from(input.begin(), input.end());
                const Array<T> record(sigma::detail::array_extents(trainer.model().network().inputs[0], 1), from);
                const Array<T> found = trainer.model().template predict<0>(record);
                return std::vector<double>(found.data(), found.data() + found.size());
            };
        }
    const auto& first = network.costs[0];
    const bool says_class = network.costs.size() == 1 && (first.classifies || first.yes_or_no);
    if constexpr (sigma::detail::says_class<N> && takes_one)
        if (one_input && says_class)
            result.classify = [&trainer, remote](const Dataset& data, std::size_t count) {
                const auto model = detail::copied(trainer, remote);
                std::vector<std::size_t> found;
                detail::in_parts<T>(data, std::min(count, data.size()), [&](const Array<T>& inputs) {
                    const auto classes = model->classify(inputs);
                    for (std::size_t i = 0; i < inputs.shape()[0]; ++i) found.push_back(classes[i]);
                });
                return found;
            };
    if constexpr (takes_one)
        if (one_input)
            result.predict_records = [&trainer, remote](const Dataset& data) {
                const auto model = detail::copied(trainer, remote);
                std::vector<std::vector<double>> found;
                detail::in_parts<T>(data, data.size(), [&](const Array<T>& inputs) {
                    const Array<T> said = model->template predict<0>(inputs);
                    const std::size_t records = inputs.shape()[0], each = said.size() / records;
                    for (std::size_t i = 0; i < records; ++i)
                        found.emplace_back(said.data() + i * each, said.data() + (i + 1) * each);
                });
                return found;
            };
    // Numbers of tokens have no gradient.
    if constexpr (sigma::detail::says_class<N> && takes_one)
        if (one_input && says_class && network.ids[0].rows == 0)
            result.maximise = [&trainer, remote](std::size_t classes, const MaximiseOptions& options,
                                                 const std::function<bool()>& halted) {
                return detail::maximised_inputs(*detail::copied(trainer, remote), classes, options, halted);
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
