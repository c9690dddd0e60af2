// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/list.hpp>
#include <sigma/data/classes.hpp>
#include <sigma/layer/context.hpp>
#include <sigma/tape/tape.hpp>

#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

// The last operations before a loss, on the tape of a network.
namespace sigma::detail {

/// Returns the value that copies and reshapes pass on.
constexpr int behind_views(const Tape& tape, int node) {
    while (tape[node].operation == Operation::copy || tape[node].operation == Operation::reshape) node = tape[node].a;
    return node;
}

/// Compares functions on a tape: whether a value is the result of the same operations, applied to any value, as `made`
/// is of the leaf `argument`.
class SameFunction {
public:
    constexpr SameFunction(const Tape& tape, int argument) : tape_(tape), argument_(argument) {}

    constexpr bool operator()(int made, int node) {
        node = behind_views(tape_, node);
        if (made == argument_) {
            if (found_ < 0) found_ = node;
            return found_ == node;
        }
        made = behind_views(tape_, made);
        const Node &m = tape_[made], &n = tape_[node];
        if (m.operation != n.operation || m.attribute != n.attribute || m.shape.count() != n.shape.count() ||
            std::bit_cast<std::uint64_t>(m.constant) != std::bit_cast<std::uint64_t>(n.constant))
            return false;
        return same(m.a, n.a) && same(m.b, n.b) && same(m.c, n.c);
    }

private:
    const Tape& tape_;
    int argument_, found_ = -1;

    constexpr bool same(int made, int node) { return made < 0 || node < 0 ? made == node : (*this)(made, node); }
};

/// Returns the divisor of the sum in a loss, if the divisor is itself a sum over the batch: detail::reduced divides by
/// max(Σ counted, 1), and SoftmaxCE with weighted classes by Σ weights. Returns -1 for other forms.
constexpr int divisor_of_loss(const Tape& tape, int node) {
    // A reshape that only removes axes of extent 1 is an expand.
    const auto behind = [&](int i) {
        while (true) {
            i = behind_views(tape, i);
            const Node& n = tape[i];
            if (n.operation != Operation::expand || n.shape.count() != tape[n.a].shape.count()) return i;
            i = n.a;
        }
    };
    const auto constant = [&](int i) {
        i = behind(i);
        while (tape[i].operation == Operation::expand) i = behind(tape[i].a);
        return tape[i].operation == Operation::constant;
    };
    const auto is_sum = [&](int i) { return tape[behind(i)].operation == Operation::sum; };
    node = behind(node);
    // where(any, total / where(any, weight, 1), 0)
    if (tape[node].operation == Operation::where && constant(tape[node].c)) node = behind(tape[node].b);
    if (tape[node].operation != Operation::divide) return -1;
    const Node& by = tape[behind(tape[node].b)];
    const bool guarded = by.operation == Operation::where;
    if (!guarded && by.operation != Operation::maximum) return -1;
    const int a = guarded ? by.b : by.a, b = guarded ? by.c : by.b;
    return is_sum(a) && constant(b) ? a : !guarded && is_sum(b) && constant(a) ? b : -1;
}

/// The range of outputs, as the last operation that bounds them determines it.
struct OutputRange {
    double lowest = -std::numeric_limits<double>::infinity(), greatest = std::numeric_limits<double>::infinity();
};
constexpr OutputRange range_of(const Tape& tape, int node) {
    constexpr double inf = std::numeric_limits<double>::infinity();
    node = behind_views(tape, node);
    const Node& n = tape[node];
    const auto constant = [&](int i) {
        while (i >= 0 && (tape[i].operation == Operation::expand || tape[i].operation == Operation::copy))
            i = tape[i].a;
        return i >= 0 && tape[i].operation == Operation::constant ? &tape[i] : nullptr;
    };
    switch (n.operation) {
        case Operation::sigmoid: return {0, 1};
        case Operation::tanh: return {-1, 1};
        case Operation::exp:
        case Operation::absolute: return {0, inf};
        case Operation::maximum:
        case Operation::minimum: {
            const Node *const a = constant(n.a), *const b = constant(n.b);
            if ((a == nullptr) == (b == nullptr)) return {};
            OutputRange inner = range_of(tape, a != nullptr ? n.b : n.a);
            const double bound = a != nullptr ? a->constant : b->constant;
            if (n.operation == Operation::maximum) {
                if (bound > inner.lowest) inner.lowest = bound;
            } else if (bound < inner.greatest) inner.greatest = bound;
            return inner;
        }
        default: return {};
    }
}

}  // namespace sigma::detail

// Networks as data. Code that reads these tables is compiled once, and not for each network.
namespace sigma::detail {

/// A loss (cost) of a network.
struct CostRecord {
    Text name{};  ///< "5-squared_diff", or "price" if the expression names the loss.
    double loss_weight = 1;
    Text kind{};         ///< "squared_diff".
    bool named = false;  ///< True if the expression names the loss: its name does not begin with a number.
    bool judges = true;  ///< False for NoLoss.
    bool classifies = false;
    bool has_accuracy = false;   ///< The loss defines accuracy.
    bool has_labels = false;     ///< The loss restricts the numbers of classes, see `labels`.
    bool has_rule = false;       ///< The loss restricts the targets, see `rule`.
    bool weighs = false;         ///< The last number of a record's targets is the weight of the record.
    bool yes_or_no = false;      ///< Each prediction is the probability of yes.
    bool probabilities = false;  ///< Predictions are probabilities of classes.
    bool counts = false;         ///< The divisor of the loss differs from batch to batch, see divisor_of_loss.
    LabelRange labels{};
    Ignored ignored{};  ///< Targets that the loss ignores.
    TargetRule rule{TargetRule::Kind::share};
    Shape output{}, target{}, prediction{};
    Shape compared{};     ///< The targets without the weight of a record.
    OutputRange range{};  ///< The range of the outputs.

    /// Returns whether predictions distinguish classes. With NoLoss the greatest output is the class.
    constexpr bool says_class() const {
        return classifies || (!judges && prediction.rank > 1 && prediction.last() > 1);
    }
};
/// An input with row numbers of an Embedding's table.
struct IdInput {
    int rows = 0;  ///< Rows of the smallest table that reads the input. 0 for other inputs.
    int layer = -1;
};

/// Returns the name that the expression gives to a layer or a cost, or an empty text.
template <class Record>
constexpr Text own_name(const Record& r) {
    return r.named ? r.name : Text{};
}

/// A network as data, such as `network_table<Digits>`. There is one table for each network, so equal tables are the
/// same object.
struct NetworkTable {
    ListView<ParameterRecord> parameters;
    ListView<LayerRecord> layers;  ///< Inputs come first.
    ListView<detail::CostRecord> costs;
    ListView<Shape> inputs;
    ListView<detail::IdInput> ids;                     ///< One for each input.
    ListView<CarriedState> states;                     ///< States of stateful layers for each stream of records.
    std::uint64_t fingerprint = 0;                     ///< Fingerprint of the prediction, up to the losses.
    ListView<HyperparameterRecord> hyperparameters{};  ///< Values lie behind the parameters.

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
    /// Finds a cost by its name, "price". A cost without a name is found by its kind with or without its number:
    /// "6-squared_diff", "squared_diff".
    constexpr int find_cost(std::string_view name) const {
        for (int i = 0; i < costs.size(); ++i) {
            const std::string_view full = costs[i].name.view();
            if (full == name || (!costs[i].named && full.substr(full.find('-') + 1) == name)) return i;
        }
        return -1;
    }
    /// Returns the number of elements of all parameters together.
    constexpr long long parameter_elements() const {
        long long n = 0;
        for (const ParameterRecord& r : parameters) n += r.shape.count();
        return n;
    }
    /// Returns whether the network has a loss, so that it can be trained and evaluated.
    constexpr bool judges() const {
        for (const detail::CostRecord& c : costs)
            if (c.judges) return true;
        return false;
    }
    /// Returns whether one of the losses defines accuracy.
    constexpr bool classifies() const {
        for (const detail::CostRecord& c : costs)
            if (c.has_accuracy) return true;
        return false;
    }
};

/// Returns a list of parameters that is short enough for an error: "'1-dense.weights', '1-dense.biases' and 7 more".
[[gnu::cold]] std::string parameter_names(const NetworkTable& network, bool trained_only);
/// Returns a short list of hyperparameters, or "none".
[[gnu::cold]] std::string hyperparameter_names(const NetworkTable& network);
/// Throws an ArgumentError about an unknown hyperparameter, with the most similar name.
[[noreturn, gnu::cold]] void refuse_hyperparameter(const NetworkTable& network, std::string_view name);
/// Throws ArgumentError if the value is out of the range of the hyperparameter.
[[gnu::cold]] void check_hyperparameter(const HyperparameterRecord& h, double value);
/// Returns the text about a pattern that matches no parameter: "'9-*'; parameters: '1-dense.weights', …".
[[gnu::cold]] std::string pattern_without_match(std::string_view pattern, const NetworkTable& network,
                                                bool trained_only = false);

/// Returns the position of a parameter by its name. Throws ArgumentError with the existing names if there is none.
/// cost_at and layer_at do the same for costs and layers.
int parameter_at(const NetworkTable& network, std::string_view name);
int cost_at(const NetworkTable& network, std::string_view name);
int layer_at(const NetworkTable& network, std::string_view name);

/// Returns the name of an input in errors. target_text does the same for the targets of a cost.
[[gnu::cold]] std::string input_text(const NetworkTable& network, int input);
[[gnu::cold]] std::string target_text(const NetworkTable& network, int cost);

// Checks at run time, which the compiler does for compile-time networks. Each of them throws an error.
void check_number_of_inputs(const NetworkTable& network, std::size_t given);
void check_number_of_arrays(const NetworkTable& network, std::size_t given);
void check_one_output(const NetworkTable& network);
/// Checks the number of inputs, and the number of targets or results of all costs.
void check_numbers_of_pointers(const NetworkTable& network, std::size_t inputs, std::size_t of_costs);
/// Checks that a network is the one with named sizes, with values for them.
void check_sized(const NetworkTable& named, const NetworkTable& network);
void check_classes(const NetworkTable& network, bool by_threshold);
/// Throws ArgumentError if the network has no loss.
void check_judged(const NetworkTable& network);

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/network/impl/table.ipp>
#endif
