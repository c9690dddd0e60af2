// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/core/text.hpp>
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

/// Throws an error about an unknown name, with the most similar name and all names.
template <class Record>
[[noreturn]] void refuse_name(std::string_view what, std::string_view name, const ListView<Record>& records) {
    const std::string all = names_of<Record>(records, [](const Record&) { return true; });
    std::string_view nearest;
    int least = 2 * Text::most;
    for (const Record& r : records)
        if (const int found = edits(r.name.view(), name); found < least) least = found, nearest = r.name.view();
    std::string text = sentence("no ", what, " '", name.substr(0, 60), "'");
    if (nearest.empty()) text += sentence("; the network has no ", what, "s");
    else if (least <= 3) text += sentence("; did you mean '", nearest, "'? The network has ", all);
    else text += sentence("; the network has ", all);
    throw ArgumentError::with_text(std::move(text), "one of " + all, sentence("'", name.substr(0, 60), "'"));
}

SIGMA_IMPL std::string parameter_names(const NetworkTable& network, bool trained_only) {
    return trained_only ? names_of<ParameterRecord>(network.parameters, [](const auto& r) { return r.trained; })
                        : names_of<ParameterRecord>(network.parameters, [](const auto&) { return true; });
}
SIGMA_IMPL std::string hyperparameter_names(const NetworkTable& network) {
    return names_of<HyperparameterRecord>(network.hyperparameters, [](const auto&) { return true; });
}

SIGMA_IMPL void refuse_hyperparameter(const NetworkTable& network, std::string_view name) {
    refuse_name("hyperparameter", name, network.hyperparameters);
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
    if (i < 0) refuse_name("parameter", name, network.parameters);
    return i;
}
SIGMA_IMPL int cost_at(const NetworkTable& network, std::string_view name) {
    const int found = network.find_cost(name);
    if (found >= 0) return found;
    refuse_name("output", name, network.costs);
}

SIGMA_IMPL int layer_at(const NetworkTable& network, std::string_view name) {
    const int i = network.find_layer(name);
    if (i < 0) refuse_name("layer", name, network.layers);
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
