// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/network/table.hpp>

#include <cstddef>

namespace sigma::detail {

template <class Record>
std::string names_of(const ListView<Record>& records, bool (*counts)(const Record&)) {
    constexpr std::size_t enough = 120;  // characters
    std::string names;
    int more = 0;
    for (const Record& r : records) {
        if (!counts(r)) continue;
        if (more > 0 || names.size() + r.name.view().size() > enough) ++more;
        else names += sentence(names.empty() ? "'" : ", '", r.name.view(), "'");
    }
    if (names.empty() && more == 0) return "none";
    if (names.empty()) return sentence(more);
    return more == 0 ? names : sentence(names, " and ", more, " more");
}

SIGMA_IMPL std::string parameter_names(const NetworkTable& network, bool trained_only) {
    return trained_only ? names_of<ParameterRecord>(network.parameters, [](const auto& r) { return r.trained; })
                        : names_of<ParameterRecord>(network.parameters, [](const auto&) { return true; });
}
SIGMA_IMPL std::string hyperparameter_names(const NetworkTable& network) {
    return names_of<HyperparameterRecord>(network.hyperparameters, [](const auto&) { return true; });
}

SIGMA_IMPL void check_hyperparameter(const HyperparameterRecord& h, double value) {
    if (!h.range.contains(value))
        throw ArgumentError(sentence("hyperparameter '", h.name.view(), "'"), std::string(h.range.text),
                            sentence(value));
}

SIGMA_IMPL std::string pattern_without_match(std::string_view pattern, const NetworkTable& network, bool trained_only) {
    return sentence("'", pattern.substr(0, 60), "'; parameters: ", parameter_names(network, trained_only));
}

SIGMA_IMPL int parameter_at(const NetworkTable& network, std::string_view name) {
    const int i = network.find_parameter(name);
    if (i < 0)
        throw ArgumentError("parameter", "one of " + parameter_names(network, false),
                            sentence("'", name.substr(0, 60), "'"));
    return i;
}
SIGMA_IMPL int cost_at(const NetworkTable& network, std::string_view name) {
    const int found = network.find_cost(name);
    if (found >= 0) return found;
    std::string names;
    for (const CostRecord& c : network.costs) names += sentence(names.empty() ? "'" : ", '", c.name.view(), "'");
    throw ArgumentError("output", "one of " + names, sentence("'", name.substr(0, 60), "'"));
}

SIGMA_IMPL int layer_at(const NetworkTable& network, std::string_view name) {
    const int i = network.find_layer(name);
    if (i < 0)
        throw ArgumentError("layer",
                            "one of " + names_of<LayerRecord>(network.layers, [](const auto&) { return true; }),
                            sentence("'", name.substr(0, 60), "'"));
    return i;
}

SIGMA_IMPL std::string input_text(const NetworkTable& network, int input) {
    if (network.inputs.size() == 1) return "inputs of the network";
    return sentence("input '", network.layers[input].name.view(), "' of the network");
}
SIGMA_IMPL std::string target_text(const NetworkTable& network, int cost) {
    if (network.costs.size() == 1) return "targets of the network";
    return sentence("targets of cost '", network.costs[cost].name.view(), "' of the network");
}

SIGMA_IMPL void check_number_of_inputs(const NetworkTable& network, std::size_t given) {
    if (static_cast<std::size_t>(network.inputs.size()) != given)
        throw ShapeError("inputs of the network", sentence(network.inputs.size(), " arrays"), sentence(given));
}
SIGMA_IMPL void check_number_of_arrays(const NetworkTable& network, std::size_t given) {
    if (static_cast<std::size_t>(network.inputs.size() + network.costs.size()) != given)
        throw ShapeError("arrays", sentence(network.inputs.size(), " inputs and ", network.costs.size(), " targets"),
                         sentence(given));
}
SIGMA_IMPL void check_numbers_of_pointers(const NetworkTable& network, std::size_t inputs, std::size_t of_costs) {
    if (static_cast<std::size_t>(network.inputs.size()) != inputs ||
        static_cast<std::size_t>(network.costs.size()) != of_costs)
        throw ShapeError("arrays", sentence(network.inputs.size(), " inputs and ", network.costs.size(), " results"),
                         sentence(inputs, " inputs and ", of_costs, " results"));
}
SIGMA_IMPL void check_sized(const NetworkTable& named, const NetworkTable& network) {
    bool alike = named.parameters.size() == network.parameters.size() && named.layers.size() == network.layers.size() &&
                 named.inputs.size() == network.inputs.size() && named.costs.size() == network.costs.size();
    for (int i = 0; alike && i < named.parameters.size(); ++i)
        alike = named.parameters[i].name == network.parameters[i].name &&
                named.parameters[i].shape.rank == network.parameters[i].shape.rank;
    if (!alike)
        throw MismatchError("network of a model", sentence("parameters ", parameter_names(named, false)),
                            sentence("parameters ", parameter_names(network, false)));
}
SIGMA_IMPL void check_one_output(const NetworkTable& network) {
    if (network.costs.size() != 1)
        throw ArgumentError("predict", "a network with one output (use predict_all or predict<0> for several)",
                            sentence("a network with ", network.costs.size(), " outputs"));
}
SIGMA_IMPL void check_classes(const NetworkTable& network, bool by_threshold) {
    const CostRecord& c = network.costs[0];
    if (network.costs.size() != 1 || !(c.yes_or_no || (c.says_class() && !by_threshold)))
        throw ArgumentError(
            "classify",
            by_threshold ? "a network with one loss of yes and no (BinaryCE)"
                         : "a network with one loss of classes (SoftmaxCE) or of yes and no (BinaryCE)",
            sentence("a network with loss '", c.name.view(), "'", network.costs.size() > 1 ? " and others" : ""));
}

SIGMA_IMPL void check_judged(const NetworkTable& network) {
    if (!network.judges())
        throw ArgumentError("network to be trained or evaluated", "a network with a loss",
                            "a network without a loss, which can only predict");
}

}  // namespace sigma::detail
