// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/config.hpp>
#include <sigma/data/finite.hpp>
#include <sigma/data/transform/mixing.hpp>
#include <sigma/execution/check_data.hpp>
#include <sigma/network/memory.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace sigma::detail {

/// Returns the description of a valid id. `is_id` returns whether a number is one.
SIGMA_IMPL std::string ids_wanted(int rows, std::string_view layer) {
    return sentence("a whole number from 0 to ", rows - 1, " for layer '", layer, "'");
}
SIGMA_IMPL bool is_id(double number, int rows) { return number >= 0 && number < rows && number == std::floor(number); }

/// Throws DataError if a number of this input is no row of the table of the embedding `layer`. Does not read records in
/// blocks: an invalid id among them is found in the step.
[[gnu::cold]] SIGMA_IMPL void check_ids(const Dataset& data, std::size_t which, int rows, std::string_view layer) {
    if (!data.in_memory()) return;
    std::vector<double> ids(data.input_size(which));  // exact, for any type of the data's numbers
    for (std::size_t r = 0; r < data.size(); ++r) {
        data.copy_inputs(std::array{r}, ids.data(), ids.size(), which);
        for (std::size_t i = 0; i < ids.size(); ++i) {
            if (is_id(ids[i], rows)) continue;
            throw DataError::in_dataset(data.name(), sentence("record ", r, ", position ", i), ids_wanted(rows, layer),
                                        sentence(static_cast<float>(ids[i])));
        }
    }
}

/// The check of a record's targets by the rule of a loss. `row` targets are a row.
class TargetCheck {
public:
    /// The first invalid target, and what it is; `count` is 0 if the record is valid.
    struct Fault {
        std::size_t first = 0, count = 0;
        std::string expected{}, found{};
    };

    TargetCheck(const TargetRule& rule, std::size_t row)
        : rule_(rule), row_(row), ignored_(static_cast<float>(rule.ignore.value)) {}

    Fault operator()(std::span<const float> record) const {
        switch (rule_.kind) {
            case TargetRule::Kind::share:
                return alone(record, "a target from 0 to 1",
                             [](float y) { return y >= -TargetRule::rounding && y <= 1 + TargetRule::rounding; });
            case TargetRule::Kind::sign:
                return alone(record, "a target of -1, 0 or 1", [](float y) { return y == 0 || y == 1 || y == -1; });
            case TargetRule::Kind::distribution:
                if (Fault one =
                        alone(record, "a target of 0 or more", [](float y) { return y >= -TargetRule::rounding; });
                    one.count > 0)
                    return one;
                return by_rows(record, [this](std::span<const float> row) { return distribution(row); });
            case TargetRule::Kind::spelling:
                return by_rows(record, [this](std::span<const float> row) { return spelling(row); });
        }
        return {};
    }
    std::size_t row() const { return row_; }

private:
    TargetRule rule_;
    std::size_t row_;
    float ignored_;

    bool ignores(float y) const { return rule_.ignore.exists && y == ignored_; }

    template <class Allowed>
    Fault alone(std::span<const float> record, const char* expected, const Allowed& allowed) const {
        unsigned bad = 0;
        for (const float y : record) bad |= allowed(y) || ignores(y) ? 0u : 1u;  // no early exit, for vectorization
        if (bad == 0) return {};
        std::size_t at = 0;
        while (allowed(record[at]) || ignores(record[at])) ++at;
        std::string range = expected;
        if (rule_.ignore.exists) range += sentence(", or ", rule_.ignore.value);
        return {at, 1, std::move(range), sentence(record[at])};
    }
    template <class OfRow>
    Fault by_rows(std::span<const float> record, const OfRow& of_row) const {
        for (std::size_t first = 0; first < record.size(); first += row_)
            if (Fault one = of_row(record.subspan(first, row_)); one.count > 0) {
                one.first += first;
                return one;
            }
        return {};
    }
    Fault distribution(std::span<const float> row) const {
        double sum = 0;
        bool any = false;
        for (const float y : row) {
            if (ignores(y)) continue;
            sum += static_cast<double>(y);
            any = true;
        }
        if (!any || std::abs(sum - 1) <= TargetRule::sum_rounding) return {};
        return {0, row.size(), "targets of a row whose sum is 1", sentence("the sum ", sum)};
    }
    Fault spelling(std::span<const float> row) const {
        std::size_t count = 0, repeated = 0;
        while (count < row.size() && row[count] > 0) {
            if (count > 0 && row[count] == row[count - 1]) ++repeated;
            ++count;
        }
        for (std::size_t i = count; i < row.size(); ++i)
            if (row[i] > 0) return {i, 1, "0 or -1 behind the end of the labels", sentence(row[i])};
        const auto longest = static_cast<std::size_t>(rule_.longest);
        if (longest == 0 || count + repeated <= longest) return {};
        return {0, row.size(), sentence("labels that ", longest, " times can spell"),
                sentence(count, " labels with ", repeated, " repetitions")};
    }
};

/// Throws the DataError of an invalid record of `size` targets.
[[noreturn]] SIGMA_IMPL void throw_fault(const std::string& data, std::size_t record, const TargetCheck& examine,
                                         std::size_t size, const TargetCheck::Fault& fault) {
    std::string place = sentence("record ", record);
    if (fault.count == 1 && size > 1) place += sentence(", position ", fault.first);
    if (fault.count > 1 && size > examine.row())
        place += sentence(", positions ", fault.first, " to ", fault.first + fault.count - 1);
    throw DataError::in_dataset(data, place, fault.expected, fault.found);
}

/// Throws DataError if targets of this section break the rule of a loss, except the last `others` numbers of each
/// record. Reads each block once, as check_labels does.
[[gnu::cold]] SIGMA_IMPL void check_targets(const Dataset& data, const TargetRule& rule, std::size_t row,
                                            std::size_t which, std::size_t others) {
    const TargetCheck examine(rule, row);
    data.for_each_position([&](std::size_t r) {
        const Record record = data.target(r, which);
        const TargetCheck::Fault fault = examine(std::span(record.data(), record.size() - others));
        if (fault.count > 0) throw_fault(data.name(), r, examine, record.size(), fault);
    });
}

}  // namespace sigma::detail

namespace sigma::detail::data_check {

SIGMA_IMPL std::string counts(int inputs, int targets) {
    return sentence(inputs, inputs == 1 ? " input and " : " inputs and ", targets,
                    targets == 1 ? " target" : " targets");
}

SIGMA_IMPL std::string called(const Dataset& data, const char* what, const std::string& name) {
    if (name.empty()) return sentence(what, "s of dataset '", data.name(), "'");
    return sentence(what, " '", name, "' of dataset '", data.name(), "'");
}

/// Assigns arrays of a data set to names. `what` is "input" or "target".
SIGMA_IMPL std::vector<std::size_t> assign(const std::vector<Text>& names, const Dataset& data, const char* what,
                                           const std::string& (Dataset::*name_of)(std::size_t) const&) {
    const std::size_t n = names.size();
    std::vector<std::size_t> from(n);
    std::vector<char> taken(n), found(n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = 0; k < n && !found[i] && names[i].size > 0; ++k)
            if (!taken[k] && (data.*name_of)(k) == names[i].view()) {
                from[i] = k;
                taken[k] = found[i] = 1;
            }
    for (std::size_t i = 0, next = 0; i < n; ++i) {
        if (found[i]) continue;
        while (taken[next]) ++next;
        if (names[i].size > 0 && !(data.*name_of)(next).empty())
            throw DataError::in_dataset(data.name(), "", sentence("an array for ", what, " '", names[i].view(), "'"),
                                        sentence("'", (data.*name_of)(next), "'"));
        from[i] = next++;
    }
    return from;
}

/// Checks the shape of an input. An input of one number accepts one number a record, in any shape.
SIGMA_IMPL void check_input(const std::string& where, const Shape& wanted, const std::vector<std::size_t>& found) {
    if (found.size() == 1 && wanted.count() == 1) return;
    try {
        check_batch([&] { return where; }, wanted, found);
    } catch (const ShapeError& wrong) {
        if (found.size() > 1) throw;
        throw ShapeError(where, wrong.expected,
                         sentence(wrong.found, ", one number each (one_hot makes several of a class)"));
    }
}

SIGMA_IMPL std::vector<std::size_t> with_records(const Dataset& data, std::span<const std::size_t> shape) {
    std::vector<std::size_t> all{data.size()};
    all.insert(all.end(), shape.begin(), shape.end());
    return all;
}

/// Returns whether targets are class numbers: those of a loss with a range of labels, and those of a loss that
/// classifies if the targets have the axes of the output without that of the classes. A loss of the user's own may
/// compare rows of probabilities.
SIGMA_IMPL bool are_class_numbers(const CostRecord& cost) {
    if (cost.has_labels || !cost.classifies) return cost.has_labels;
    bool same = cost.compared.rank == cost.output.rank - 1;
    for (int i = 0; same && i < cost.compared.rank; ++i) same = cost.compared[i] == cost.output[i];
    return same;
}

SIGMA_IMPL void check_cost(const CostRecord& cost, const Dataset& data, std::size_t from) {
    std::vector<std::size_t> shape = with_records(data, data.target_shape(from));
    if (shape.size() == 1 && cost.target.rank == 2) shape.push_back(1);  // one number a record
    const auto check_shape = [&] {
        check_batch([&] { return called(data, "target", data.target_name(from)); }, cost.target, shape);
    };
    const std::size_t others = cost.weighs ? 1 : 0;
    if (cost.weighs) check_shape();
    if (are_class_numbers(cost)) {
        if (cost.target.rank > 1) check_shape();
        else check_has_labels(data, from);
        check_labels(data, cost.has_labels ? cost.labels : LabelRange{0, cost.output.last()}, from, others);
    } else {
        check_shape();
    }
    if (cost.has_rule) check_targets(data, cost.rule, static_cast<std::size_t>(cost.compared.last()), from, others);
    if (cost.weighs)
        data.for_each_position([&](std::size_t position) {
            const Record targets = data.target(position, from);
            if (!(targets.back() >= 0))
                throw DataError::in_dataset(data.name(), sentence("record ", position), "a weight of 0 or more",
                                            sentence(targets.back()));
        });
}

/// Throws the DataError of an invalid number. `name` is its array if there are several, else empty. `width` is the
/// number of elements of a record.
template <class T>
[[noreturn]] void refuse_number(std::string_view name, std::ptrdiff_t record, std::size_t width, std::size_t at,
                                std::string expected, T found) {
    std::string place = name.empty() ? "" : sentence("'", name, "', ");
    place += sentence("record ", record);
    if (width > 1) place += sentence(", position ", at);
    throw DataError::in_dataset("batch", std::move(place), std::move(expected), sentence(found));
}

template <class T>
void check_finite_rows(std::string_view name, const T* rows, std::ptrdiff_t count, long long width,
                       const char* expected) {
    const std::span<const T> all(rows, static_cast<std::size_t>(count * width));
    using Bits = NumberBits<T>;
    const std::size_t at = find_bits(all, Bits::infinite, Bits::most);
    if (at == all.size()) return;
    const auto one = static_cast<std::size_t>(width);
    refuse_number(name, static_cast<std::ptrdiff_t>(at / one), one, at % one, expected, all[at]);
}

}  // namespace sigma::detail::data_check

namespace sigma::detail {

SIGMA_IMPL std::vector<std::size_t> arrays_of(const NetworkTable& network, const Dataset& data) {
    using namespace data_check;
    const int inputs = network.inputs.size(), targets = network.costs.size();
    const int given_inputs = static_cast<int>(data.input_count()),
              given_targets = static_cast<int>(data.target_count());
    if (given_inputs != inputs || given_targets != targets)
        throw DataError::in_dataset(data.name(), "", counts(inputs, targets), counts(given_inputs, given_targets));
    std::vector<Text> input_names, cost_names;
    for (int i = 0; i < inputs; ++i) input_names.push_back(own_name(network.layers[i]));
    for (const CostRecord& c : network.costs) cost_names.push_back(own_name(c));
    std::vector<std::size_t> from = assign(input_names, data, "input", &Dataset::input_name);
    const std::vector<std::size_t> of_targets = assign(cost_names, data, "target", &Dataset::target_name);
    from.insert(from.end(), of_targets.begin(), of_targets.end());
    return from;
}

SIGMA_IMPL std::vector<std::size_t> check_data(const NetworkTable& network, const Dataset& data) {
    using namespace data_check;
    const std::vector<std::size_t> from = arrays_of(network, data);
    const int inputs = network.inputs.size(), targets = network.costs.size();
    for (int i = 0; i < inputs; ++i) {
        const std::size_t which = from[static_cast<std::size_t>(i)];
        check_input(called(data, "input", data.input_name(which)), network.inputs[i],
                    with_records(data, data.input_shape(which)));
    }
    data.check_complete();
    for (int i = 0; i < inputs; ++i)
        if (const IdInput& ids = network.ids[i]; ids.rows > 0)
            check_ids(data, from[static_cast<std::size_t>(i)], ids.rows, network.layers[ids.layer].name.view());
    for (int i = 0; i < targets; ++i) check_cost(network.costs[i], data, from[static_cast<std::size_t>(inputs + i)]);
    return from;
}

SIGMA_IMPL void check_mixing(const NetworkTable& network, const data::Mixing& mixing, const Dataset& data) {
    if (mixing.empty()) return;
    const auto refuse = [&](const char* wanted, const std::string& found) {
        throw ArgumentError(sentence(mixing.text(), " of minibatches of dataset '", data.name(), "'"), wanted, found);
    };
    for (const IdInput& ids : network.ids)
        if (ids.rows > 0)
            refuse("inputs that can be mixed", sentence("ids for layer '", network.layers[ids.layer].name.view(), "'"));
    for (const CostRecord& cost : network.costs) {
        const auto found = [&](const char* what) { return sentence(what, " for cost '", cost.name.view(), "'"); };
        const char* const wanted = "targets that can be mixed";
        if (data_check::are_class_numbers(cost))
            refuse(wanted, sentence(found("class numbers"), "; use one_hot(targets, ", cost.output.last(),
                                    ") and SoftmaxDistributionCE"));
        if (cost.has_rule && cost.rule.kind == TargetRule::Kind::sign) refuse(wanted, found("signs"));
        if (cost.ignored.exists) refuse(wanted, found("targets that are ignored"));
    }
}

template <class T>
void check_inputs_of_batch(const NetworkTable& network, std::span<const T* const> inputs, std::ptrdiff_t count) {
    using namespace data_check;
    for (int i = 0; i < network.inputs.size(); ++i) {
        const T* const rows = inputs[static_cast<std::size_t>(i)];
        const long long width = network.inputs[i].count();
        const std::string_view name = network.inputs.size() > 1 ? network.layers[i].name.view() : std::string_view();
        const IdInput& ids = network.ids[i];
        if (ids.rows == 0) {
            check_finite_rows(name, rows, count, width, "a finite number");
            continue;
        }
        for (std::ptrdiff_t k = 0; k < count * width; ++k)
            if (!is_id(static_cast<double>(rows[k]), ids.rows))
                refuse_number(name, k / width, static_cast<std::size_t>(width), static_cast<std::size_t>(k % width),
                              ids_wanted(ids.rows, network.layers[ids.layer].name.view()), rows[k]);
    }
}

template <class T>
void check_upstream_of_batch(const NetworkTable& network, std::span<const T* const> upstream, std::ptrdiff_t count) {
    for (int i = 0; i < network.costs.size(); ++i) {
        const CostRecord& cost = network.costs[i];
        const std::string_view name = network.costs.size() > 1 ? cost.name.view() : std::string_view();
        data_check::check_finite_rows(name, upstream[static_cast<std::size_t>(i)], count, cost.prediction.count(),
                                      "a finite gradient of the prediction");
    }
}

template <class T>
void check_numbers_of_batch(const NetworkTable& network, std::span<const T* const> inputs,
                            std::span<const T* const> targets, std::ptrdiff_t count) {
    using namespace data_check;
    check_inputs_of_batch(network, inputs, count);
    std::vector<float> numbers;
    for (int i = 0; i < network.costs.size(); ++i) {
        const CostRecord& cost = network.costs[i];
        const bool classes = are_class_numbers(cost);
        const std::string_view name = network.costs.size() > 1 ? cost.name.view() : std::string_view();
        const LabelRange range = cost.has_labels ? cost.labels : LabelRange{0, cost.output.last()};
        const TargetCheck examine(cost.rule, static_cast<std::size_t>(cost.compared.last()));
        const auto width = static_cast<std::size_t>(cost.target.count()), alone = width - (cost.weighs ? 1 : 0);
        for (std::ptrdiff_t r = 0; r < count && (classes || cost.has_rule || cost.weighs); ++r) {
            const std::span<const T> row(targets[static_cast<std::size_t>(i)] + r * static_cast<std::ptrdiff_t>(width),
                                         width);
            for (std::size_t k = 0; k < alone && classes; ++k)
                if (!range.contains(static_cast<double>(row[k])))
                    refuse_number(name, r, alone, k, labels_wanted(range), row[k]);
            if (cost.has_rule) {
                numbers.assign(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(alone));
                if (const TargetCheck::Fault fault = examine(numbers); fault.count > 0)
                    throw_fault("batch", static_cast<std::size_t>(r), examine, numbers.size(), fault);
            }
            if (cost.weighs && !(row.back() >= 0)) refuse_number(name, r, 1, 0, "a weight of 0 or more", row.back());
        }
        check_finite_rows(name, targets[static_cast<std::size_t>(i)], count, static_cast<long long>(width),
                          "a finite number");
    }
}

#ifdef SIGMA_COMPILED
template void check_numbers_of_batch(const NetworkTable&, std::span<const float* const>, std::span<const float* const>,
                                     std::ptrdiff_t);
template void check_numbers_of_batch(const NetworkTable&, std::span<const double* const>,
                                     std::span<const double* const>, std::ptrdiff_t);
template void check_inputs_of_batch(const NetworkTable&, std::span<const float* const>, std::ptrdiff_t);
template void check_inputs_of_batch(const NetworkTable&, std::span<const double* const>, std::ptrdiff_t);
template void check_upstream_of_batch(const NetworkTable&, std::span<const float* const>, std::ptrdiff_t);
template void check_upstream_of_batch(const NetworkTable&, std::span<const double* const>, std::ptrdiff_t);
#endif

SIGMA_IMPL std::vector<std::string> doubtful_targets(const NetworkTable& network, const Dataset& data) {
    std::vector<std::string> all;
    const std::vector<std::size_t> arrays = arrays_of(network, data);
    for (int i = 0; i < network.costs.size(); ++i) {
        const CostRecord& cost = network.costs[i];
        const std::size_t which = arrays[static_cast<std::size_t>(network.inputs.size() + i)];
        if (cost.classifies || cost.has_labels || cost.has_rule) continue;  // check_data checks these targets
        // A data set has class names for one column of targets: that of a loss that classifies, if there is one.
        const std::size_t classes = data.classes().size();
        if (classes > 0 && data.has_labels(which) && !network.classifies())
            all.push_back(sentence("cost '", cost.name.view(), "' uses the numbers of ", classes,
                                   " classes as regression targets (SoftmaxCE learns classes, BinaryCE yes and no)"));
        const OutputRange& range = cost.range;
        if (!data.in_memory() || !(range.lowest > -1e30 || range.greatest < 1e30)) continue;
        float lowest = 0, greatest = 0;
        bool any = false;
        data.for_each_position([&](std::size_t r) {
            const Record targets = data.target(r, which);
            for (std::size_t k = 0; k + (cost.weighs ? 1 : 0) < targets.size(); ++k) {
                lowest = any ? std::min(lowest, targets[k]) : targets[k];
                greatest = any ? std::max(greatest, targets[k]) : targets[k];
                any = true;
            }
        });
        const double rounding = TargetRule::rounding;
        const auto beyond = [&](const char* side, double bound, float target) {
            all.push_back(sentence("predictions of cost '", cost.name.view(), "' are never ", side, " ", bound,
                                   ", because of the last activation, but targets go to ", target));
        };
        if (static_cast<double>(lowest) < range.lowest - rounding) beyond("below", range.lowest, lowest);
        if (static_cast<double>(greatest) > range.greatest + rounding) beyond("above", range.greatest, greatest);
    }
    return all;
}

}  // namespace sigma::detail
