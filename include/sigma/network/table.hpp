// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/list.hpp>
#include <sigma/data/classes.hpp>
#include <sigma/layer/context.hpp>
#include <sigma/network/last_function.hpp>

#include <cstdint>
#include <string>
#include <string_view>

/// What is known of a network where it only matters as data: what reads these tables is compiled once, and not for each
/// network.
namespace sigma::detail {

struct CostRecord {
    Text name{};  ///< "5-squared_diff"; "price" where the expression names it
    double loss_weight = 1;
    Text kind{};         ///< "squared_diff"
    bool named = false;  ///< its name does not begin with its number
    bool judges = true;  ///< is it a loss, and not NoLoss?
    bool classifies = false;
    bool has_accuracy = false;   ///< is there right and wrong?
    bool has_labels = false;     ///< does the loss say which class numbers it understands?
    bool has_rule = false;       ///< does it say which targets make sense?
    bool weighs = false;         ///< is the last number of a record's targets its weight?
    bool yes_or_no = false;      ///< is each prediction the probability of a yes?
    bool probabilities = false;  ///< are predictions those of classes?
    LabelRange labels{};
    TargetRule rule{TargetRule::Kind::share};
    Shape output{}, target{}, prediction{};
    Shape compared{};     ///< the targets, without a weight
    OutputRange range{};  ///< of the outputs

    /// Do predictions tell classes from each other? Of NoLoss the greatest counts.
    constexpr bool says_class() const {
        return classifies || (!judges && prediction.rank > 1 && prediction.last() > 1);
    }
};
/// An input whose numbers name rows of an Embedding's table.
struct IdInput {
    int rows = 0;  ///< of the smallest such table; 0 where the input is none
    int layer = -1;
};

/// The name that a layer or a cost was given; nothing where it has none.
template <class Record>
constexpr Text own_name(const Record& r) {
    return r.named ? r.name : Text{};
}

/// A network as data. `network_table<Digits>` is that of Digits; there is one for each network, so that equal tables
/// are the same object.
struct NetworkTable {
    ListView<ParameterRecord> parameters;
    ListView<LayerRecord> layers;  ///< inputs come first
    ListView<detail::CostRecord> costs;
    ListView<Shape> inputs;
    ListView<detail::IdInput> ids;                     ///< of each input
    ListView<CarriedState> states;                     ///< what stateful layers remember of each stream of records
    std::uint64_t fingerprint = 0;                     ///< of what it computes in prediction, up to its losses
    ListView<HyperparameterRecord> hyperparameters{};  ///< which lie behind the parameters

    constexpr int find_parameter(std::string_view name) const {
        for (int i = 0; i < parameters.size(); ++i)
            if (parameters[i].name.view() == name) return i;
        return -1;
    }
    constexpr int find_layer(std::string_view name) const {
        for (int i = 0; i < layers.size(); ++i)
            if (layers[i].name.view() == name) return i;
        return -1;
    }
    /// Costs are found by their name, "price", or where they have none by their kind with or without its number:
    /// "6-squared_diff", "squared_diff".
    constexpr int find_cost(std::string_view name) const {
        for (int i = 0; i < costs.size(); ++i) {
            const std::string_view full = costs[i].name.view();
            if (full == name || (!costs[i].named && full.substr(full.find('-') + 1) == name)) return i;
        }
        return -1;
    }
    /// Elements in all parameters.
    constexpr long long parameter_elements() const {
        long long n = 0;
        for (const ParameterRecord& r : parameters) n += r.shape.count();
        return n;
    }
    /// Has it a loss, so that it can be trained and evaluated?
    constexpr bool judges() const {
        for (const detail::CostRecord& c : costs)
            if (c.judges) return true;
        return false;
    }
    /// Does one of its losses know right from wrong?
    constexpr bool classifies() const {
        for (const detail::CostRecord& c : costs)
            if (c.has_accuracy) return true;
        return false;
    }
};

/// "'1-dense.weights', '1-dense.biases' and 7 more": as many names as an error's line has room for.
[[gnu::cold]] std::string parameter_names(const NetworkTable& network, bool trained_only);
/// The same of the numbers that may change while a network is trained; "none" where there are none.
[[gnu::cold]] std::string hyperparameter_names(const NetworkTable& network);
/// Throws ArgumentError where it cannot be so much.
[[gnu::cold]] void check_hyperparameter(const HyperparameterRecord& h, double value);
/// "'9-*', where there are '1-dense.weights', …": a pattern that matches none.
[[gnu::cold]] std::string pattern_without_match(std::string_view pattern, const NetworkTable& network,
                                                bool trained_only = false);

/// The position of a parameter, or of a cost, by its name. Throws ArgumentError, with those that there are, where there
/// is none.
int parameter_at(const NetworkTable& network, std::string_view name);
int cost_at(const NetworkTable& network, std::string_view name);
int layer_at(const NetworkTable& network, std::string_view name);

/// What errors call an input and the targets of a cost.
[[gnu::cold]] std::string input_text(const NetworkTable& network, int input);
[[gnu::cold]] std::string target_text(const NetworkTable& network, int cost);

// What the compiler checks of networks that are constants. Each throws an error.
void check_number_of_inputs(const NetworkTable& network, std::size_t given);
void check_number_of_arrays(const NetworkTable& network, std::size_t given);
void check_one_output(const NetworkTable& network);
/// So many inputs, and so many targets or results of all costs.
void check_numbers_of_pointers(const NetworkTable& network, std::size_t inputs, std::size_t of_costs);
/// A network with the sizes of one whose sizes have names.
void check_sized(const NetworkTable& named, const NetworkTable& network);
void check_classes(const NetworkTable& network, bool by_threshold);
/// Throws ArgumentError where it has no loss.
void check_judged(const NetworkTable& network);

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/network/impl/table.ipp>
#endif
