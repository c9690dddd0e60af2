// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Type-independent view of a trainer for monitors. An internal part of `<sigma/monitor/monitor.hpp>`.
#include <sigma/core/scope.hpp>
#include <sigma/data/dataset.hpp>
#include <sigma/execution/maximise.hpp>
#include <sigma/monitor/tap.hpp>
#include <sigma/network/graph.hpp>
#include <sigma/network/network_tape.hpp>
#include <sigma/trainer/registry.hpp>
#include <sigma/trainer/trainer.hpp>

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// @cond internal
namespace sigma::monitor {

/// A layer or a loss of a network.
struct GraphNode {
    std::string name, kind, shape;  ///< "1-dense", "dense", "(128)"
    long long parameters = 0;
};
/// A step that prepares the data: "dataset", "mnist, 60000 records".
struct PipelineStep {
    std::string kind, text;
    std::vector<std::size_t> from{};  ///< earlier steps that provide its input
};

/// An input that maximizes a class, and the network's prediction for it.
struct MaximisedInput {
    std::vector<double> input, prediction;
    double cost = 0;
    bool success = false;
};

/// Norms of a layer, and shares of its units from 0 to 1. Empty if unknown.
struct LayerHealth {
    std::string name{};
    std::optional<double> weights{}, gradients{};  ///< norms of the trained parameters, and of their gradients
    std::optional<double> update{};                ///< ‖w − w₀‖ / ‖w₀‖ of a step
    std::optional<double> dead{}, saturated{};
};

/// A trainer without its type, as a monitor sees it. All members may be used after the trainer was destroyed: the
/// functions throw StateError then. Call them on any thread except the one that trains.
struct Watched {
    std::string name{};
    Remote remote;
    Registry registry;  ///< empty after the trainer was destroyed

    std::string network{}, optimizer{};
    std::vector<GraphNode> nodes{};
    std::vector<std::pair<int, int>> edges{};  ///< pairs: from, to
    std::vector<PipelineStep> data{};
    std::shared_ptr<const Dataset> dataset{};  ///< data for a digest; null without need
    std::vector<std::string> classes{};
    std::size_t inputs = 0;                  ///< numbers of a record; 0 if `predict` is empty
    std::vector<std::size_t> input_shape{};  ///< shape of a record
    std::size_t outputs = 0;                 ///< numbers of its prediction

    /// Predicts one record. Call it through remote.post only, since it reads what an iteration changes.
    std::function<std::vector<double>(std::vector<double>)> predict{};
    std::function<std::vector<std::size_t>(const Dataset&, std::size_t)> classify{};  ///< classifies the first records
    std::function<std::vector<std::vector<double>>(const Dataset&)> predict_records{};
    std::function<ModelCopy()> copy_model{};  ///< Copies the model. Call it through remote.post only.
    /// Computes the output of each layer for one record, as in prediction. Call it through remote.post only.
    std::function<std::vector<std::vector<double>>(const std::vector<double>&)> activations{};
    /// Reads the health of all layers. If `after_a_step` is true, reads only the relative updates: call it so exactly
    /// one step after a call with false. Call it through remote.post only.
    std::function<std::vector<LayerHealth>(bool after_a_step)> health{};
    /// Maximizes inputs for the first classes, until halted() returns true.
    std::function<std::vector<MaximisedInput>(std::size_t, const MaximiseOptions&, const std::function<bool()>& halted)>
        maximise{};
    std::function<Acknowledgement(std::string)> save{};
    /// Loads a checkpoint, and calls a function before the next step if the function is not empty.
    std::function<Acknowledgement(std::string, std::function<void()>)> load{};
    const void* core = nullptr;  ///< the TrainerCore, by which threads of hooks know their trainer
    std::function<void(std::shared_ptr<Tap>)> attach{};  ///< sends the trainer's numbers and lines to it
};

namespace detail {

/// Describes network and data.
void describe(Watched& to, const sigma::detail::NetworkTable& network, const sigma::detail::GraphTable& graph,
              const Minibatches& batches);
/// Returns the kinds of layers of a trainer that is known by its registry only: "input + dense + dense".
std::string layers_of(const Registry& registry);
/// Prints a line to standard output.
void print_line(std::string_view line);

/// A mark that this thread is printing a line which the tap already has. While the object exists, the owner of the tap
/// ignores this line if a log or the terminal sends it again.
class KnownLine {
public:
    KnownLine(const Tap& tap, std::string_view line);
    ~KnownLine();
    KnownLine(const KnownLine&) = delete;
    KnownLine& operator=(const KnownLine&) = delete;

    /// Returns whether this thread is printing that line, and `owner` owns the tap that has it.
    static bool is_known(const void* owner, std::string_view line);

private:
    const Tap& tap_;
    std::string_view line_;
    const KnownLine* outer_;
};

/// Reads the health of a network's layers between two steps of its trainer.
template <class T>
class HealthReader {
    using Store = sigma::detail::ModelStore<T>;

public:
    static constexpr int batches = 3;  ///< A dead unit is 0 for all records of so many batches in a row.

    using Gradient = std::function<std::span<const T>(int parameter)>;

    HealthReader(const sigma::detail::NetworkTable& network, const sigma::detail::NetworkTape& tape);
    /// Reads everything except updates, and copies the parameters for these. `gradients` and `outputs` compute the
    /// gradients and outputs for the records of the last step. They throw StateError if there are none.
    std::vector<LayerHealth> read(const Store& model, const std::function<Gradient()>& gradients,
                                  const std::function<std::vector<std::vector<T>>()>& outputs);
    /// Reads updates: compares the parameters with the copy.
    std::vector<LayerHealth> updates(const Store& model) const;

private:
    struct Row {
        int layer = 0;
        std::vector<int> parameters{};
        double low = 0, high = 0;  ///< range of the activation; equal if it has no two ends
        std::size_t units = 1;
        std::vector<int> silent{};  ///< batches in a row in which each unit was 0
    };
    const sigma::detail::NetworkTable& network_;
    std::vector<Row> rows_;
    std::vector<std::vector<T>> before_;  ///< parameters
    int read_ = 0;                        ///< batches

    std::vector<T> values(const Store& model, int parameter) const;
    void look(Row& row, const std::vector<T>& output, LayerHealth& found) const;
};

/// Sends the trainer's numbers, lines and checkpoints to the tap from now on, except checkpoints that are saved while
/// `by_client` is true. Call it on the thread that trains, or while none does.
template <class Trained>
void attach(Trained& trainer, const std::shared_ptr<Tap>& tap, const std::shared_ptr<const bool>& by_client) {
    const Registry registry = trainer.registry();
    const std::uint32_t loss = tap->number_of("loss");
    const auto now = [&trainer] { return static_cast<double>(trainer.iteration()); };
    // The results of earlier epochs.
    const std::uint32_t error = tap->number_of("error", true);
    for (const EpochResult& result : trainer.history().epochs)
        tap->put_change(error, {static_cast<double>(result.epoch * trainer.batches_per_epoch()), result.training_loss,
                                std::numeric_limits<double>::quiet_NaN()});
    tap->set_device(trainer.device_text());
    const auto sample = [tap, registry, now](Trained& t, bool last) {
        tap->set_device(t.device_text());
        std::vector<WorkerStatus> workers;
        t.visit_workers([&](const WorkerStatus& one) { workers.push_back(one); });
        tap->set_workers(std::move(workers));
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
    trainer.on_save([tap, by_client](Trained&, const std::string& file) {
        if (tap->open() && !*by_client) tap->saved(file);
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

/// Puts copies of the model to the tap if the monitor wants some. Call it like `attach`.
template <class Trained>
void attach_copies(Trained& trainer, const std::shared_ptr<Tap>& tap, const std::function<ModelCopy()>& copy) {
    const auto put = [tap, copy](const Trained& t, bool last) {
        if (!tap->open() || !tap->model_wanted(t.epoch(), last)) return;
        try {
            ModelCopy found = copy();
            found.last = last;
            tap->put_model(std::move(found));
        } catch (const std::bad_alloc&) {  // the run matters more
            tap->line("too little memory for a copy of the model: no predictions of this epoch");
        }
    };
    trainer.on_epoch([put](Trained& t) { put(t, false); });
    trainer.on_stop([put](Trained& t) { put(t, true); });
}

/// Returns a copy of the parameters, so that using it delays no run.
template <class N, class O, class T>
std::shared_ptr<const Model<N, T>> copied(Trainer<N, O, T>& trainer, const Remote& remote) {
    std::shared_ptr<const Model<N, T>> model;
    remote.post([&] { model = std::make_shared<const Model<N, T>>(trainer.model()); }).wait();
    return model;
}

/// Calls f(inputs) for groups of at most 500 records, so that memory is not needed for all at once.
template <class T, class F>
void in_parts(const Dataset& data, std::size_t count, F f) {
    constexpr std::size_t most = 500;
    for (std::size_t first = 0; first < count; first += most)
        f(data.range(first, std::min(most, count - first)).template inputs<T>());
}

/// Returns a copy of the model of a trainer of one input. Call it between two iterations.
template <class N, class O, class T>
ModelCopy model_copy(const Trainer<N, O, T>& trainer) {
    const auto model = std::make_shared<Model<N, T>>(trainer.model());
    model->set_threads(1);  // the other cores belong to the run
    const auto predict = [model = std::shared_ptr<const Model<N, T>>(model)](const Dataset& data) {
        std::vector<std::vector<double>> found;
        in_parts<T>(data, data.size(), [&](const Array<T>& inputs) {
            const Array<T> predicted = model->template predict<0>(inputs);
            const std::size_t records = inputs.shape()[0], each = predicted.size() / records;
            for (std::size_t i = 0; i < records; ++i)
                found.emplace_back(predicted.data() + i * each, predicted.data() + (i + 1) * each);
        });
        return found;
    };
    return {trainer.epoch(), trainer.iteration(), predict};
}

/// Maximizes an input for each class.
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

/// Returns a view of a trainer, which the caller still owns.
template <class N, class O, class T>
Watched watch(Trainer<N, O, T>& trainer) {
    using Trained = Trainer<N, O, T>;
    Watched result{.name = trainer.name(), .remote = trainer.control(), .registry = trainer.registry()};
    const sigma::detail::NetworkTable& network = trainer.model().network();
    detail::describe(result, network, sigma::detail::graph_of(trainer.model().definition()), trainer.minibatches());
    const bool one_input = network.inputs.size() == 1;
    const Remote remote = result.remote;
    // Runs between two iterations: nothing is read within one, nor from a trainer that was destroyed.
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
    if constexpr (takes_one)
        if (one_input)
            result.activations = [&trainer](const std::vector<double>& input) {
                const std::vector<T> record(input.begin(), input.end());
                std::vector<std::vector<double>> found;
                for (const auto& layer : layer_outputs(std::as_const(trainer).model(), {record.data()}, 1))
                    found.emplace_back(layer.begin(), layer.end());
                return found;
            };
    const sigma::detail::NetworkTape* tape = nullptr;
    if constexpr (MadeNetwork<N>) tape = &trainer.model().definition().made().tape();
    else tape = &sigma::detail::network_tape<N>;
    result.health = [&trainer, reader = std::make_shared<detail::HealthReader<T>>(network, *tape)](bool after_a_step) {
        const auto& model = std::as_const(trainer).model();
        if (after_a_step) return reader->updates(model);
        return reader->read(
            model,
            [&trainer] {
                auto& gradients = trainer.gradients();
                return [&gradients](int p) { return gradients.values(p); };
            },
            [&trainer] { return trainer.outputs(); });
    };
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
        if (one_input) {
            result.copy_model = [&trainer] { return detail::model_copy(trainer); };
            result.predict_records = [copy = result.copy_model, remote](const Dataset& data) {
                ModelCopy model;
                remote.post([&] { model = copy(); }).wait();
                return model.predict(data);
            };
        }
    // Token numbers have no gradient.
    if constexpr (sigma::detail::says_class<N> && takes_one)
        if (one_input && says_class && network.ids[0].rows == 0)
            result.maximise = [&trainer, remote](std::size_t classes, const MaximiseOptions& options,
                                                 const std::function<bool()>& halted) {
                return detail::maximised_inputs(*detail::copied(trainer, remote), classes, options, halted);
            };
    const auto by_client = std::make_shared<bool>(false);  // used between two iterations
    result.save = [&trainer, remote, by_client](std::string file) {
        return remote.post([&trainer, by_client, to = std::move(file)] {
            const sigma::detail::Restore during(*by_client, true);
            trainer.save(to);
        });
    };
    result.load = [&trainer, remote](std::string file, std::function<void()> loaded) {
        return remote.post([&trainer, from = std::move(file), then = std::move(loaded)] {
            trainer.load(from);
            if (then) then();
        });
    };
    result.core = static_cast<const sigma::detail::TrainerCore<T>*>(&trainer);
    result.attach = [&trainer, remote, by_client, copy = result.copy_model](std::shared_ptr<Tap> tap) {
        const auto done = remote.post([&trainer, by_client, copy, to = std::move(tap)] {
            detail::attach(static_cast<Trained&>(trainer), to, by_client);
            if (copy) detail::attach_copies(static_cast<Trained&>(trainer), to, copy);
        });
        if (!remote.on_training_thread()) done.wait();
    };
    return result;
}

}  // namespace sigma::monitor
/// @endcond
