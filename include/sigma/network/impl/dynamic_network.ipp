// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/threads.hpp>
#include <sigma/device/made_program.hpp>
#include <sigma/network/dynamic_network.hpp>
#include <sigma/network/edges.hpp>
#include <sigma/network/network_tape.hpp>
#include <sigma/network/programs.hpp>

#include <optional>
#include <utility>

namespace sigma::detail {

/// The programs that have been made so far for one element type.
template <class T>
struct MadePrograms {
    struct Entry {
        Purpose purpose;
        int lanes;
        Owned<MadeProgram<T>> program;
    };
    std::vector<Entry> all;
};

struct MadeTables::Lists : MadePrograms<float>, MadePrograms<double> {
    Layers layers;
    NetworkFacts facts;
    NetworkTable table;
    Mutex mutex;  // protects the members below

    std::vector<char> edges;
    std::vector<long long> multiply_adds;
    std::optional<GraphTable> graph;

    Program predicted;
    List<int> outputs, losses;
    std::optional<NetworkTape> tape;
    std::optional<std::uint64_t> fingerprint;

    explicit Lists(Layers given) : layers(std::move(given)), facts(network_facts(layers)) {
        const auto view = []<class R>(const List<R>& list) { return ListView<R>{list.begin(), list.size()}; };
        table = {view(facts.parameters), view(facts.layers), view(facts.costs), view(facts.inputs),
                 view(facts.ids),        view(facts.states), facts.fingerprint, view(facts.hyperparameters)};
    }
    Lists(const Lists&) = delete;
    Lists& operator=(const Lists&) = delete;

    void find_graph() {
        const auto count = static_cast<std::size_t>(facts.layers.size());
        edges.resize(count * (count + static_cast<std::size_t>(facts.costs.size())));
        multiply_adds.resize(count);
        find_edges(facts, edges.data(), multiply_adds.data());
        graph = {{edges.data(), static_cast<int>(edges.size())}, {multiply_adds.data(), facts.layers.size()}};
    }
    void trace_tape() {
        Context context(predicted.tape, false);
        trace_network(layers, context);
        for (const Variable& part : trace_losses(predicted, layers, context).parts) losses.push(part.id);
        for (const LayerRecord& layer : context.layers) outputs.push(layer.variable);
        const Tape& t = predicted.tape;
        tape = {{t.begin(), t.size()},
                {t.loops().begin(), t.loops().size()},
                {outputs.begin(), outputs.size()},
                {losses.begin(), losses.size()}};
    }
};

SIGMA_IMPL MadeTables::MadeTables(Layers layers) : lists_(make_owned<Lists>(std::move(layers))) {}
SIGMA_IMPL MadeTables::~MadeTables() = default;

SIGMA_IMPL const Layers& MadeTables::layers() const { return lists_->layers; }
SIGMA_IMPL const NetworkTable& MadeTables::table() const { return lists_->table; }
SIGMA_IMPL const GraphTable& MadeTables::graph() const {
    const Lock lock(lists_->mutex);
    if (!lists_->graph) lists_->find_graph();
    return *lists_->graph;
}
SIGMA_IMPL const NetworkTape& MadeTables::tape() const {
    const Lock lock(lists_->mutex);
    if (!lists_->tape) lists_->trace_tape();
    return *lists_->tape;
}
SIGMA_IMPL std::uint64_t MadeTables::training_fingerprint() const {
    const Lock lock(lists_->mutex);
    if (!lists_->fingerprint) lists_->fingerprint = detail::training_fingerprint(lists_->layers);
    return *lists_->fingerprint;
}
SIGMA_IMPL List<LayerRecord> MadeTables::layers_of_programs(bool training) const {
    return traced_layers(lists_->layers, lists_->table.inputs.size(), training);
}
SIGMA_IMPL Program MadeTables::operations(const Purpose& purpose) const {
    if (purpose.judges()) check_judged(lists_->table);
    Program p;
    trace_program(p, lists_->layers, purpose, lists_->table.inputs.size());
    return p;
}
template <class T>
const CompiledProgram<T>& MadeTables::program(const Purpose& purpose, int lanes) const {
    const Lock lock(lists_->mutex);
    auto& all = static_cast<MadePrograms<T>&>(*lists_).all;
    for (const auto& each : all)
        if (each.purpose == purpose && each.lanes == lanes) return each.program->compiled();
    all.push_back({purpose, lanes, make_owned<MadeProgram<T>>(operations(purpose), lanes)});
    return all.back().program->compiled();
}

// ---- sizes ----

inline constexpr int other_prime = 1409;  // greater than the primes of all names

SIGMA_IMPL SizeBinding::SizeBinding(const SizeNames& names, std::span<const SizeGiven> given, const Layers& layers)
    : names_(names), layers_(layers), values_(static_cast<std::size_t>(names.count)),
      tried_(static_cast<std::size_t>(names.count + 1)) {
    for (const SizeGiven& g : given)
        if (g.name != nullptr) set(names.find(*g.name), g.value, "the program");
}
SIGMA_IMPL SizeBinding::~SizeBinding() = default;

/// Returns the facts with the primes that the compiler has checked (0), or with another prime for name i - 1.
SIGMA_IMPL const NetworkFacts& SizeBinding::tried(int i) const {
    auto& known = tried_[static_cast<std::size_t>(i)];
    if (!known) {
        std::vector<SizeValue> values;
        for (int k = 0; k < names_.count; ++k)
            values.push_back({*names_.names[k], k == i - 1 ? other_prime : SizeNames::primes[k]});
        known = make_owned<NetworkFacts>(network_facts(layers_, {values.data(), names_.count}));
    }
    return *known;
}
SIGMA_IMPL const NetworkFacts& SizeBinding::example() const { return tried(0); }

SIGMA_IMPL void SizeBinding::set(int name, long long value, const std::string& source) {
    Value& known = values_[static_cast<std::size_t>(name)];
    const auto what = [&] { return sentence("size '", names_.names[name]->view(), "' of the network"); };
    if (value < 1 || value > 2147483647)
        throw ArgumentError(what(), "a number from 1 to 2147483647", sentence(value, " (from ", source, ")"));
    if (known.value != 0 && known.value != value)
        throw ArgumentError(what(), sentence(known.value, " (from ", known.source, ")"),
                            sentence(value, " (from ", source, ")"));
    if (known.value == 0) known = {static_cast<int>(value), source};
}
SIGMA_IMPL void SizeBinding::found(const Look& look, long long value, const std::string& source) {
    const long long here = look(example());
    int name = -1;
    long long times = 0;
    for (int i = 0; i < names_.count; ++i) {
        const long long more = look(tried(1 + i)) - here, step = other_prime - SizeNames::primes[i];
        if (more == 0) continue;
        if (name >= 0 || more % step != 0) return;
        name = i, times = more / step;
    }
    if (name < 0) return;
    const long long number = here - times * SizeNames::primes[name], rest = value - number;
    if (rest % times != 0 || rest < times)
        throw ArgumentError(sentence("size '", names_.names[name]->view(), "' of the network"),
                            sentence("a value x with ", times, "·x", number == 0 ? "" : sentence(" + ", number),
                                     " equal to the number of ", source),
                            sentence(value));
    set(name, rest / times, source);
}
SIGMA_IMPL DynamicNetwork SizeBinding::make() const {
    std::vector<SizeValue> all;
    for (int i = 0; i < names_.count; ++i) {
        const Text& name = *names_.names[i];
        const int value = values_[static_cast<std::size_t>(i)].value;
        if (value == 0)
            throw ArgumentError(sentence("size '", name.view(), "' of the network"),
                                sentence("a value, dim<\"", name.view(), "\"> = …"), "no value");
        all.push_back({name, value});
    }
    return DynamicNetwork(layers_.with_sizes(std::move(all)));
}

}  // namespace sigma::detail

namespace sigma {

SIGMA_IMPL DynamicNetwork::DynamicNetwork(const Layers& layers)
    : made_(detail::SharedOwner<const detail::MadeTables>::make(layers.complete())) {}

}  // namespace sigma

#ifdef SIGMA_COMPILED
template const sigma::detail::CompiledProgram<float>& sigma::detail::MadeTables::program<float>(const Purpose&,
                                                                                                int) const;
template const sigma::detail::CompiledProgram<double>& sigma::detail::MadeTables::program<double>(const Purpose&,
                                                                                                  int) const;
#endif
