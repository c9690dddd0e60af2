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

/// What the last operations before a loss do, as a network's tape has them.
namespace sigma::detail {

/// The value that copies and reshapes pass on.
constexpr int behind_views(const Tape& tape, int node) {
    while (tape[node].operation == Operation::copy || tape[node].operation == Operation::reshape) node = tape[node].a;
    return node;
}

/// Is a value made by the function that makes `made` of the leaf `argument`, of whatever it makes it?
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

/// What the sum in a loss is divided by, where that is another sum over the batch: as detail::reduced divides by
/// max(Σ counted, 1), and SoftmaxCE of weighted classes by Σ weights. -1 where the loss has another form.
constexpr int divisor_of_loss(const Tape& tape, int node) {
    // A reshape that only takes axes of extent 1 away is an expand.
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

/// Between which numbers outputs are, by the last operation that says so.
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
    bool counts = false;         ///< is it a sum divided by how much of the targets counts, which batches differ in?
    LabelRange labels{};
    Ignored ignored{};  ///< targets that count for nothing
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
