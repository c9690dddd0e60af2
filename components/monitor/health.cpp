// SPDX-License-Identifier: BSL-1.0
// The health of layers: norms of parameters and gradients, updates, dead and saturated units.
#include "answer.hpp"
#include "board.hpp"
#include "panels.hpp"

#include <sigma/core/scope.hpp>
#include <sigma/network/parameter_rows.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

namespace sigma::monitor {

namespace detail {

namespace {

constexpr double near_end = 0.01;  ///< largest distance of a saturated output to an end of its range

/// Returns the node that computes the output of a layer, behind copies and reshapes.
int source_of(const sigma::detail::NetworkTape& tape, int layer) {
    using sigma::detail::Operation;
    int node = tape.layers[layer];
    while (tape.nodes[node].operation == Operation::copy || tape.nodes[node].operation == Operation::reshape)
        node = tape.nodes[node].a;
    return node;
}

template <class T>
double squares(std::span<const T> values) {
    double sum = 0;
    for (const T x : values) sum += static_cast<double>(x) * static_cast<double>(x);
    return sum;
}

}  // namespace

/// A layer without parameters has a row only if its own activation can be dead or saturated.
template <class T>
HealthReader<T>::HealthReader(const sigma::detail::NetworkTable& network, const sigma::detail::NetworkTape& tape)
    : network_(network), before_(static_cast<std::size_t>(network.parameters.size())) {
    using sigma::detail::Operation;
    std::vector<int> sources;
    for (int i = 0; i < network.layers.size(); ++i) {
        const sigma::detail::LayerRecord& layer = network.layers[i];
        Row row{.layer = i, .units = layer.output.rank > 1 ? static_cast<std::size_t>(layer.output.last()) : 1};
        for (int p = 0; p < network.parameters.size(); ++p) {
            const std::string_view name = network.parameters[p].name.view();
            if (network.parameters[p].trained && name.substr(0, name.find('.')) == layer.name.view())
                row.parameters.push_back(p);
        }
        const int source = source_of(tape, i);
        const Operation last = tape.nodes[source].operation;
        const bool bounded = last == Operation::sigmoid || last == Operation::tanh || last == Operation::maximum;
        const bool activates = layer.kind.view() == "activation" && bounded;
        if (last == Operation::sigmoid) row.high = 1;
        if (last == Operation::tanh) row.low = -1, row.high = 1;
        const bool of_another = std::ranges::find(sources, source) != sources.end();
        sources.push_back(source);
        if (!row.parameters.empty() || (activates && !of_another)) rows_.push_back(std::move(row));
    }
}

template <class T>
std::vector<T> HealthReader<T>::values(const Store& model, int parameter) const {
    const Array<T> dense(
        window(model.parameter_data(parameter), network_.parameters[parameter].shape, model.pitch(parameter)));
    return {dense.begin(), dense.end()};
}

template <class T>
std::vector<LayerHealth> HealthReader<T>::read(const Store& model, const std::function<Gradient()>& gradients,
                                               const std::function<std::vector<std::vector<T>>()>& outputs) {
    std::vector<LayerHealth> all(rows_.size());
    const auto norm_of = [](const Row& row, const auto& values_of) -> std::optional<double> {
        double sum = 0;
        for (const int p : row.parameters) sum += squares<T>(values_of(p));
        return row.parameters.empty() ? std::nullopt : std::optional(std::sqrt(sum));
    };
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        all[i].name = network_.layers[rows_[i].layer].name.view();
        all[i].weights = norm_of(rows_[i], [&](int p) {
            return std::span<const T>(before_[static_cast<std::size_t>(p)] = values(model, p));
        });
    }
    try {
        const Gradient gradient = gradients();
        for (std::size_t i = 0; i < rows_.size(); ++i) all[i].gradients = norm_of(rows_[i], gradient);
        const auto found = outputs();
        ++read_;
        for (std::size_t i = 0; i < rows_.size(); ++i)
            look(rows_[i], found[static_cast<std::size_t>(rows_[i].layer)], all[i]);
    } catch (const StateError&) {  // before the first step
    }
    return all;
}

/// Counts dead units and saturated outputs of a batch.
template <class T>
void HealthReader<T>::look(Row& row, const std::vector<T>& output, LayerHealth& found) const {
    if (output.empty()) return;
    std::vector<char> active(row.units, 0);
    std::size_t saturated = 0, dead = 0;
    const T low = static_cast<T>(row.low + near_end), high = static_cast<T>(row.high - near_end);
    for (std::size_t i = 0; i < output.size(); ++i) {
        if (output[i] != 0) active[i % row.units] = 1;
        saturated += output[i] <= low || output[i] >= high;
    }
    row.silent.resize(row.units, 0);
    for (std::size_t unit = 0; unit < row.units; ++unit) {
        row.silent[unit] = active[unit] != 0 ? 0 : row.silent[unit] + 1;
        dead += row.silent[unit] >= batches;
    }
    if (read_ >= batches) found.dead = static_cast<double>(dead) / static_cast<double>(row.units);
    if (row.low < row.high) found.saturated = static_cast<double>(saturated) / static_cast<double>(output.size());
}

template <class T>
std::vector<LayerHealth> HealthReader<T>::updates(const Store& model) const {
    std::vector<LayerHealth> all(rows_.size());
    for (std::size_t row = 0; row < rows_.size(); ++row) {
        double change = 0, size = 0;
        for (const int p : rows_[row].parameters) {
            const auto& before = before_[static_cast<std::size_t>(p)];
            std::vector<T> now = values(model, p);
            for (std::size_t i = 0; i < before.size(); ++i) now[i] -= before[i];
            change += squares<T>(now), size += squares<T>(before);
        }
        if (size > 0) all[row].update = std::sqrt(change / size);
    }
    return all;
}

template class HealthReader<float>;
template class HealthReader<double>;

}  // namespace detail

namespace {

constexpr std::pair<const char*, std::optional<double> LayerHealth::*> health_parts[] = {
    {"weights", &LayerHealth::weights},
    {"gradients", &LayerHealth::gradients},
    {"update", &LayerHealth::update},
    {"dead", &LayerHealth::dead},
    {"saturated", &LayerHealth::saturated}};

std::string series_of(std::string_view layer, const char* part) { return sentence("health.", layer, ".", part); }

/// Adds what the trainer finds now to a reading, between two of its steps.
void read_between_steps(const std::shared_ptr<Shown>& trainer, bool after_a_step) {
    HealthReading& reading = trainer->health;
    const ReadOnlyRegistry& registry = trainer->watched.registry;
    const std::uint64_t iteration = registry.find<std::uint64_t>("iteration").value_or(0);
    if (iteration != reading.iteration + 1 && after_a_step) return;
    if (iteration == reading.iteration && !after_a_step) return;
    if (!after_a_step) reading.iteration = iteration;
    const auto began = std::chrono::steady_clock::now();
    const sigma::detail::AtExit counted(
        [&] { reading.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count(); });
    const auto found = trainer->watched.health(after_a_step);
    if (after_a_step)
        for (std::size_t i = 0; i < found.size(); ++i) reading.found[i].update = found[i].update;
    else {
        reading.found = found;
        reading.runtime = trainer->watched.remote.runtime();
    }
}

}  // namespace

/// Reads the health of layers without waiting for the trainer, if a panel shows it or a client wanted it in the last
/// minute.
void Board::read_health(const std::shared_ptr<Shown>& trainer, bool first) {
    constexpr auto interest = std::chrono::minutes(1);
    HealthReading& reading = trainer->health;
    const auto now = std::chrono::steady_clock::now();
    if (reading.request) {
        if (!reading.request->done() || (reading.after && !reading.after->done())) return;
        reading.request.reset(), reading.after.reset();
        const double rest = std::max(std::chrono::duration<double>(options_.tensors).count(),
                                     std::exchange(reading.seconds, 0) / HealthReading::part);
        reading.due =
            now + std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(rest));
        const std::scoped_lock lock(mutex_);
        for (const LayerHealth& layer : std::exchange(reading.found, {}))
            for (const auto& [part, member] : health_parts) {
                if (!(layer.*member)) continue;
                const std::string name = series_of(layer.name, part);
                const Point point{static_cast<double>(reading.iteration), *(layer.*member), reading.runtime};
                trainer->unkept.insert(name);
                trainer->series[name].append(point);
                trainer->fresh[name].push_back(point);
            }
    }
    if (now < reading.due || !trainer->watched.health) return;
    {
        const std::scoped_lock lock(mutex_);
        if (!shows("health", *trainer, first) && (!reading.asked || now - *reading.asked > interest)) return;
    }
    try {
        const Remote& remote = trainer->watched.remote;
        if (remote.closed()) return;
        reading.request = remote.post([weak = std::weak_ptr(trainer)] {
            const auto one = weak.lock();
            // Without a run, this is the monitor's thread, and the program may use the model.
            if (!one || !one->watched.remote.on_training_thread()) return;
            try {
                read_between_steps(one, false);
                // A function that is posted here runs after the next step.
                if (!one->health.found.empty() && one->watched.remote.state() == RunState::running)
                    one->health.after = one->watched.remote.post([weak] {
                        if (const auto same = weak.lock()) read_between_steps(same, true);
                    });
            } catch (...) { one->health.found.clear(); }
        });
    } catch (...) {  // the trainer was destroyed
    }
}

Json Board::health(std::string_view trainer) {
    constexpr std::size_t columns = 40;
    const auto one = find(trainer);
    if (!one->watched.health)
        throw Refusal{400, sentence("health of trainer '", one->name,
                                    "': only the layers of a network that was passed to watch() can be read")};
    Json result = Json::array();
    const std::scoped_lock lock(mutex_);
    one->health.asked = std::chrono::steady_clock::now();
    constexpr double all = std::numeric_limits<double>::max();
    for (const GraphNode& node : one->watched.nodes) {
        Json layer{{"name", node.name}, {"kind", node.kind}};
        for (const auto& [part, member] : health_parts) {
            const auto found = one->series.find(series_of(node.name, part));
            if (found == one->series.end() || found->second.empty()) continue;
            Json& told =
                layer["values"][part] = {{"series", found->first}, {"last", number_or_word(found->second.last().y)}};
            for (const Bucket& bucket : found->second.history(-all, all, columns))
                told["y"].push_back(number_or_null(bucket.mean()));
        }
        if (layer.contains("values")) result.push_back(std::move(layer));
    }
    return {{"layers", std::move(result)}};
}

}  // namespace sigma::monitor
