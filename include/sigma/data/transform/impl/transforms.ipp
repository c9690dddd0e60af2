// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/transform/fitted.hpp>
#include <sigma/data/transform/statistics.hpp>
#include <sigma/data/transform/transforms.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace sigma::data::detail {

/// Computes (x - mean) / deviation in double, or 0 if the deviation is 0. One mean and deviation for all numbers, or
/// one for each number.
class Standardize final : public InPlace {
public:
    Standardize(std::vector<double> mean, std::vector<double> deviation)
        : InPlace(mean.size()), mean_(std::move(mean)), deviation_(std::move(deviation)) {
        if (mean_.empty()) throw ArgumentError("standardize", "at least one mean", "none");
        require_as_many("standardize", "deviations", deviation_, mean_.size());
        require_finite("standardize", mean_);
        require_finite("standardize", deviation_);
        for (const double d : deviation_)
            if (d < 0) throw ArgumentError("standardize", "deviations of at least 0", sentence(d));
    }
    std::string kind() const override { return "standardize"; }
    void apply(NumberList& values, std::size_t, const std::vector<std::size_t>&) const override {
        change_each(values, [&](double x, std::size_t i) {
            const double distance = x - mean_[i];
            // Multiplies 0 by the distance, so that missing numbers stay missing.
            return deviation_[i] > 0 ? distance / deviation_[i] : 0.0 * distance + 0.0;
        });
    }
    bool undo(NumberList& values, const std::vector<std::size_t>& shape) const override {
        InPlace::shape(shape);
        change_each(values, [&](double x, std::size_t i) { return x * deviation_[i] + mean_[i]; });
        return true;
    }
    std::vector<TransformValue> state() const override { return {{"mean", mean_}, {"deviation", deviation_}}; }

private:
    std::vector<double> mean_, deviation_;
};

class StandardizeFit final : public TransformFit {
public:
    StandardizeFit(const SectionInfo& of, bool together) : features_(of.size()), together_(together) {}

    void observe(const NumberList& values, std::size_t records) override { add_records(features_, values, records); }
    FittedPointer finish() override {
        if (together_) {
            Moments all;
            for (const Moments& m : features_) all.add(m);
            features_ = {all};
        }
        std::vector<double> mean, deviation;
        for (const Moments& m : features_) mean.push_back(m.mean), deviation.push_back(m.deviation());
        return fitted<Standardize>(std::move(mean), std::move(deviation));
    }

private:
    std::vector<Moments> features_;
    bool together_;
};

SIGMA_IMPL TransformPointer standardizing(bool together) {
    return learned_transform(together ? "standardize(jointly)" : "standardize()", [together](const SectionInfo& of) {
        return sigma::detail::make_owned<StandardizeFit>(of, together);
    });
}

/// Computes (x - min) * ((high - low) / (max - min)) + low in double, or `low` if max is min. One min and max for all
/// numbers of a record, or one for each.
class Normalize final : public InPlace {
public:
    Normalize(std::vector<double> min, std::vector<double> max, double low, double high)
        : InPlace(min.size()), min_(std::move(min)), max_(std::move(max)), low_(low), high_(high) {
        require_as_many("normalize", "numbers 'max'", max_, min_.size());
        if (min_.empty()) throw ArgumentError("normalize", "at least one number 'min'", "none");
        for (const auto& list : {min_, max_, {low, high}}) require_finite("normalize", list);
        for (std::size_t i = 0; i < min_.size(); ++i)
            factor_.push_back(min_[i] == max_[i] ? 0.0 : (high - low) / (max_[i] - min_[i]));
        require_finite("normalize", factor_);
    }
    std::string kind() const override { return "normalize"; }
    void apply(NumberList& values, std::size_t, const std::vector<std::size_t>&) const override {
        change_each(values, [&](double x, std::size_t i) { return (x - min_[i]) * factor_[i] + low_; });
    }
    bool undo(NumberList& values, const std::vector<std::size_t>& shape) const override {
        if (low_ == high_) return false;
        InPlace::shape(shape);
        change_each(values, [&](double x, std::size_t i) {  // a feature that never changed has one number
            return factor_[i] != 0 ? (x - low_) / factor_[i] + min_[i] : min_[i];
        });
        return true;
    }
    std::vector<TransformValue> state() const override {
        return {{"min", min_}, {"max", max_}, {"low", {low_}}, {"high", {high_}}};
    }

private:
    std::vector<double> min_, max_;
    double low_, high_;
    std::vector<double> factor_;
};

SIGMA_IMPL TransformPointer normalizing(double min, double max, double low, double high) {
    if (min == max) throw ArgumentError("normalize", "a range of two different numbers", sentence(min, " twice"));
    return same_transform(sentence("normalize(", min, ", ", max, ", ", low, ", ", high, ")"),
                          fitted<Normalize>(std::vector{min}, std::vector{max}, low, high));
}

/// Normalizes some numbers of a record; the others stay.
class NormalizeEach final : public InPlace {
public:
    NormalizeEach(std::vector<std::size_t> index, std::vector<double> min, std::vector<double> max, double low,
                  double high)
        : index_(std::move(index)), min_(std::move(min)), max_(std::move(max)), low_(low), high_(high) {
        require_as_many("normalize_each", "numbers 'min'", min_, index_.size());
        require_as_many("normalize_each", "numbers 'max'", max_, index_.size());
        for (const auto& list : {min_, max_, {low, high}}) require_finite("normalize_each", list);
        auto sorted = index_;
        std::ranges::sort(sorted);
        if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
            throw ArgumentError("normalize_each", "each index once", sentence("index ", *twice, " again"));
        for (std::size_t i = 0; i < index_.size(); ++i) {
            if (min_[i] == max_[i])
                throw ArgumentError("normalize_each", "ranges of two different numbers",
                                    sentence(min_[i], " twice for index ", index_[i]));
            factor_.push_back((high - low) / (max_[i] - min_[i]));
            least_ = std::max(least_, index_[i] + 1);
        }
        require_finite("normalize_each", factor_);
    }
    std::string kind() const override { return "normalize_each"; }
    std::vector<std::size_t> shape(const std::vector<std::size_t>& before) const override {
        if (size_of(before) < least_)
            throw ShapeError(kind(), sentence("records of at least ", least_, " numbers"),
                             sigma::detail::shape_text(before));
        return before;
    }
    void apply(NumberList& values, std::size_t, const std::vector<std::size_t>& before) const override {
        change(values, before, [&](double x, std::size_t i) { return (x - min_[i]) * factor_[i] + low_; });
    }
    bool undo(NumberList& values, const std::vector<std::size_t>& shape) const override {
        if (low_ == high_) return false;
        change(values, NormalizeEach::shape(shape),
               [&](double x, std::size_t i) { return (x - low_) / factor_[i] + min_[i]; });
        return true;
    }
    std::vector<TransformValue> state() const override {
        return {{"index", as_numbers(index_)}, {"min", min_}, {"max", max_}, {"low", {low_}}, {"high", {high_}}};
    }

private:
    /// Changes each of the numbers x at index_[i] to f(x, i).
    template <class F>
    void change(NumberList& list, const std::vector<std::size_t>& record, F f) const {
        list.visit([&](auto& values) {
            using T = typename std::remove_cvref_t<decltype(values)>::value_type;
            for (std::size_t first = 0; first < values.size(); first += size_of(record))
                for (std::size_t i = 0; i < index_.size(); ++i) {
                    T& x = values[first + index_[i]];
                    x = static_cast<T>(f(static_cast<double>(x), i));
                }
        });
    }

    std::vector<std::size_t> index_;
    std::vector<double> min_, max_;
    double low_, high_;
    std::vector<double> factor_;
    std::size_t least_ = 0;
};

SIGMA_IMPL TransformPointer normalizing_each(const std::vector<IndexRange>& ranges, double low, double high) {
    std::vector<std::size_t> index;
    std::vector<double> min, max;
    std::string text = "normalize_each({";
    for (const IndexRange& r : ranges) {
        index.push_back(r.index), min.push_back(r.min), max.push_back(r.max);
        text += sentence("{", r.index, ", ", r.min, ", ", r.max, "}");
    }
    text += sentence("}, ", low, ", ", high, ")");
    return same_transform(std::move(text),
                          fitted<NormalizeEach>(std::move(index), std::move(min), std::move(max), low, high));
}

/// Learns least and largest of each feature, or of all. Ignores NaN; a feature of nothing but NaN counts as 0.
class MinMaxFit final : public TransformFit {
public:
    MinMaxFit(const SectionInfo& of, bool whole, double low, double high)
        : least_(of.size(), infinity), largest_(of.size(), -infinity), whole_(whole), low_(low), high_(high) {}

    void observe(const NumberList& values, std::size_t records) override {
        const std::size_t size = least_.size();
        values.visit([&](const auto& numbers) {
            for (std::size_t r = 0; r < records; ++r)
                for (std::size_t i = 0; i < size; ++i) {
                    const auto x = static_cast<double>(numbers[r * size + i]);
                    least_[i] = x < least_[i] ? x : least_[i];
                    largest_[i] = x > largest_[i] ? x : largest_[i];
                }
        });
    }
    FittedPointer finish() override {
        if (whole_ && !least_.empty()) {
            least_ = {*std::ranges::min_element(least_)};
            largest_ = {*std::ranges::max_element(largest_)};
        }
        for (std::size_t i = 0; i < least_.size(); ++i)
            if (least_[i] > largest_[i]) least_[i] = largest_[i] = 0;
        return fitted<Normalize>(std::move(least_), std::move(largest_), low_, high_);
    }

private:
    static constexpr double infinity = std::numeric_limits<double>::infinity();
    std::vector<double> least_, largest_;
    bool whole_;
    double low_, high_;
};

SIGMA_IMPL TransformPointer learning_range(const char* word, bool whole, double low, double high) {
    require_finite(word, {low, high});
    return learned_transform(sentence(word, "(", low, ", ", high, ")"), [=](const SectionInfo& of) {
        return sigma::detail::make_owned<MinMaxFit>(of, whole, low, high);
    });
}

class Clamp final : public InPlace {
public:
    Clamp(double low, double high) : low_(low), high_(high) {
        require_finite("clamp", {low, high});
        if (!(low <= high)) throw ArgumentError("clamp", sentence("a high of at least ", low), sentence(high));
    }
    std::string kind() const override { return "clamp"; }
    void apply(NumberList& values, std::size_t, const std::vector<std::size_t>&) const override {
        change_each(values, [&](double x, std::size_t) {
            return x < low_ ? low_ : x > high_ ? high_ : x;
        });  // NaN stays
    }
    bool undo(NumberList&, const std::vector<std::size_t>&) const override { return true; }
    std::vector<TransformValue> state() const override { return {{"low", {low_}}, {"high", {high_}}}; }

private:
    double low_, high_;
};

SIGMA_IMPL TransformPointer clamping(double low, double high) {
    return same_transform(sentence("clamp(", low, ", ", high, ")"), fitted<Clamp>(low, high));
}

class MapValues final : public InPlace {
public:
    explicit MapValues(std::vector<ValueChange> changes) : changes_(std::move(changes)) {
        for (const ValueChange& c : changes_) {
            if (std::isinf(c.from) || std::isinf(c.to))
                throw ArgumentError("map_values", "finite numbers, or NaN for missing ones",
                                    sentence(c.from, " to ", c.to));
            if (std::isnan(c.from)) maps_missing_ = true, missing_ = c.to;
            else sorted_.emplace_back(c.from, c.to);
        }
        std::ranges::sort(sorted_, {}, &Pair::first);
        const auto twice = std::ranges::adjacent_find(sorted_, {}, nearest<float>);
        if (twice != sorted_.end())
            throw ArgumentError("map_values", "each value once", sentence(twice->first, " again"));
        if (std::ranges::count_if(changes_, [](const ValueChange& c) { return std::isnan(c.from); }) > 1)
            throw ArgumentError("map_values", "each value once", "NaN again");
    }
    std::string kind() const override { return "map_values"; }
    SIGMA_IMPL void apply(NumberList& values, std::size_t, const std::vector<std::size_t>&) const override;
    std::vector<TransformValue> state() const override {
        TransformValue from{"from", {}}, to{"to", {}};
        for (const ValueChange& c : changes_) from.values.push_back(c.from), to.values.push_back(c.to);
        return {from, to};
    }

private:
    using Pair = std::pair<double, double>;
    std::vector<ValueChange> changes_;
    std::vector<Pair> sorted_;
    bool maps_missing_ = false;
    double missing_ = 0;

    /// Returns the number to change, in the type of the data.
    template <class T>
    static T nearest(const Pair& pair) {
        return static_cast<T>(pair.first);
    }
};

SIGMA_IMPL void MapValues::apply(NumberList& list, std::size_t, const std::vector<std::size_t>&) const {
    list.visit([&](auto& values) {
        using T = typename std::remove_cvref_t<decltype(values)>::value_type;
        for (T& x : values) {
            if (std::isnan(x)) {
                x = maps_missing_ ? static_cast<T>(missing_) : x;
                continue;
            }
            const auto found = std::ranges::lower_bound(sorted_, x, {}, nearest<T>);
            if (found != sorted_.end() && nearest<T>(*found) == x) x = static_cast<T>(found->second);
        }
    });
}

SIGMA_IMPL TransformPointer mapping_values(std::vector<ValueChange> changes) {
    std::string text = "map_values({";
    for (const ValueChange& c : changes) text += sentence("{", c.from, ", ", c.to, "}");
    return same_transform(text + "})", fitted<MapValues>(std::move(changes)));
}

/// Replaces NaN by the value of its feature, or by one value for all.
class Impute final : public InPlace {
public:
    explicit Impute(std::vector<double> values) : InPlace(values.size()), values_(std::move(values)) {
        if (values_.empty()) throw ArgumentError("impute", "at least one value", "none");
        require_finite("impute", values_);
    }
    std::string kind() const override { return "impute"; }
    void apply(NumberList& values, std::size_t, const std::vector<std::size_t>&) const override {
        change_each(values, [&](double x, std::size_t i) { return std::isnan(x) ? values_[i] : x; });
    }
    bool undo(NumberList&, const std::vector<std::size_t>&) const override { return true; }
    std::vector<TransformValue> state() const override { return {{"values", values_}}; }

private:
    std::vector<double> values_;
};

class ImputeFit final : public TransformFit {
public:
    ImputeFit(const SectionInfo& of, ImputeBy by)
        : section_(of), moments_(by == ImputeBy::mean ? of.size() : 0),
          medians_(by == ImputeBy::median ? of.size() : 0) {}

    void observe(const NumberList& values, std::size_t records) override {
        if (!moments_.empty()) add_records(moments_, values, records);
        else medians_.observe(values, records);
    }
    bool again() override { return medians_.again(); }
    FittedPointer finish() override {
        std::vector<double> found;
        for (const Moments& m : moments_) found.push_back(m.count > 0 ? m.mean : missing);
        if (moments_.empty()) found = medians_.medians();
        for (std::size_t i = 0; i < found.size(); ++i)
            if (std::isnan(found[i]))
                throw DataError::in_section(section_.name, section_.called(i), "a number to learn from",
                                            "only missing ones");
        return fitted<Impute>(std::move(found));
    }

private:
    static constexpr double missing = std::numeric_limits<double>::quiet_NaN();
    SectionInfo section_;
    std::vector<Moments> moments_;
    Medians medians_;
};

SIGMA_IMPL TransformPointer imputing(ImputeBy by) {
    if (by == ImputeBy::constant) throw ArgumentError("impute", "a value, impute(inputs, constant, 0)", "none");
    return learned_transform(by == ImputeBy::mean ? "impute(mean)" : "impute(median)",
                             [by](const SectionInfo& of) { return sigma::detail::make_owned<ImputeFit>(of, by); });
}

SIGMA_IMPL TransformPointer imputing(ImputeBy by, double value) {
    if (by != ImputeBy::constant)
        throw ArgumentError("impute", "no value with mean or median", sentence("the value ", value));
    return same_transform(sentence("impute(constant, ", value, ")"), fitted<Impute>(std::vector<double>{value}));
}

/// Returns whether files know a transform of this library by this name.
SIGMA_IMPL bool finds_transform(std::string_view kind);

class UserTransform final : public InPlace {
public:
    UserTransform(std::string name, UserFunction function) : name_(std::move(name)), function_(std::move(function)) {
        if (name_.empty() || name_ == "function" || finds_transform(name_))
            throw ArgumentError("apply", "a new name for the function", sentence("'", name_, "'"));
    }
    std::string kind() const override { return name_; }
    void apply(NumberList& values, std::size_t records, const std::vector<std::size_t>& before) const override {
        if (records > 0) function_(values, size_of(before), name_);
    }
    std::vector<TransformValue> state() const override { return {}; }

private:
    std::string name_;
    UserFunction function_;
};

SIGMA_IMPL void UserFunction::operator()(NumberList& values, std::size_t size, const std::string& name) const {
    const auto on_each = [size](const auto& function, auto& numbers) {
        for (std::size_t first = 0; first < numbers.size(); first += size)
            function(std::span(numbers).subspan(first, size));
    };
    if (values.of_double()) {
        if (!of_doubles_)
            throw ArgumentError(sentence("apply('", name, "') to doubles"),
                                "a function of double or of std::span<double>", "a function of floats");
        on_each(of_doubles_, values.doubles());
    } else if (of_floats_) {
        on_each(of_floats_, values.floats());
    } else {
        std::vector<double> wide(values.floats().begin(), values.floats().end());
        on_each(of_doubles_, wide);
        values.floats().assign(wide.begin(), wide.end());
    }
}

SIGMA_IMPL FittedPointer fitted_function(const std::string& name, UserFunction function) {
    return fitted<UserTransform>(name, std::move(function));
}

SIGMA_IMPL TransformPointer user_transform(const std::string& called, UserFunction function) {
    return same_transform(sentence("apply('", called, "')"), fitted_function(called, std::move(function)));
}

/// Replaces each number x by as many numbers as there are values: 1 at the position of x, else 0.
class OneHot final : public FittedTransform {
public:
    /// Constructs the transform; errors name the section.
    OneHot(std::vector<double> values, std::string section) : values_(std::move(values)), section_(std::move(section)) {
        if (values_.empty()) throw ArgumentError("one_hot", "at least one value", "none");
        require_finite("one_hot", values_);
        for (std::size_t i = 0; i < values_.size(); ++i) sorted_.emplace_back(values_[i], i);
        std::ranges::sort(sorted_);
        const auto twice = std::ranges::adjacent_find(sorted_, {}, nearest<float>);
        if (twice != sorted_.end()) throw ArgumentError("one_hot", "each value once", sentence(twice->first, " again"));
    }
    std::string kind() const override { return "one_hot"; }
    std::vector<std::size_t> shape(const std::vector<std::size_t>& before) const override {
        auto after = before;
        after.push_back(values_.size());
        return after;
    }
    SIGMA_IMPL void apply(NumberList& values, std::size_t, const std::vector<std::size_t>& before) const override;
    std::vector<TransformValue> state() const override { return {{"values", values_}}; }

private:
    using Place = std::pair<double, std::size_t>;

    std::string expected() const {
        const auto &least = sorted_.front(), &most = sorted_.back();
        const auto count = static_cast<double>(values_.size());
        const bool whole = std::ranges::all_of(values_, [](double x) { return x == std::floor(x); });
        if (whole && most.first - least.first + 1 == count)
            return sentence("a whole number from ", least.first, " to ", most.first);
        return sentence("one of ", list_text(values_));
    }
    /// Returns a value in the type of the data.
    template <class T>
    static T nearest(const Place& place) {
        return static_cast<T>(place.first);
    }

    std::vector<double> values_;
    std::string section_;
    std::vector<Place> sorted_;
};

SIGMA_IMPL void OneHot::apply(NumberList& list, std::size_t, const std::vector<std::size_t>& before) const {
    const std::size_t count = values_.size();
    list.visit([&](auto& values) {
        using T = typename std::remove_cvref_t<decltype(values)>::value_type;
        std::vector<T> all(values.size() * count);
        for (std::size_t i = 0; i < values.size(); ++i) {
            const auto found = std::ranges::lower_bound(sorted_, values[i], {}, nearest<T>);
            if (found == sorted_.end() || nearest<T>(*found) != values[i])
                throw RecordRefused(section_, i / size_of(before), expected(),
                                    sentence(static_cast<double>(values[i])));
            all[i * count + found->second] = 1;
        }
        values = std::move(all);
    });
}

SIGMA_IMPL std::vector<double> whole_numbers(long long first, long long last) {
    if (last < first) throw ArgumentError("one_hot", sentence("a last value of at least ", first), sentence(last));
    constexpr long long most = 1 << 24;  // beyond this, some whole numbers are no floats
    if (first < -most || last > most)
        throw ArgumentError("one_hot", "values from -16777216 to 16777216", sentence(first, " to ", last));
    std::vector<double> all;
    for (long long x = first; x <= last; ++x) all.push_back(static_cast<double>(x));
    return all;
}

SIGMA_IMPL TransformPointer making_one_hot(std::vector<double> values) {
    const OneHot checked(values, "");
    return fixed_transform(sentence("one_hot(", list_text(values), ")"),
                           [values](const SectionInfo& of) { return fitted<OneHot>(values, of.name); });
}

SIGMA_IMPL TransformPointer making_one_hot(long long first, long long last) {
    return making_one_hot(whole_numbers(first, last));
}

/// Reorders axes: axis i of the result is axis axes[i] of the record.
class Permute final : public FittedTransform {
public:
    explicit Permute(std::vector<std::size_t> axes) : axes_(std::move(axes)) {
        auto sorted = axes_;
        std::ranges::sort(sorted);
        for (std::size_t i = 0; i < sorted.size(); ++i)
            if (sorted[i] != i)
                throw ArgumentError("permute", sentence("each axis from 0 to ", sorted.size() - 1, " once"),
                                    sigma::detail::shape_text(axes_));
    }
    std::string kind() const override { return "permute"; }
    std::vector<std::size_t> shape(const std::vector<std::size_t>& before) const override {
        if (before.size() != axes_.size())
            throw ShapeError("permute", sentence("records of ", axes_.size(), " axes"),
                             sigma::detail::shape_text(before));
        std::vector<std::size_t> after;
        for (const std::size_t axis : axes_) after.push_back(before[axis]);
        return after;
    }
    SIGMA_IMPL void apply(NumberList& values, std::size_t, const std::vector<std::size_t>& before) const override;
    std::vector<TransformValue> state() const override { return {{"axes", as_numbers(axes_)}}; }

private:
    /// Returns the old position of each number of a record.
    std::vector<std::size_t> positions(const std::vector<std::size_t>& before) const {
        std::vector<std::size_t> stride(before.size(), 1);
        for (std::size_t i = before.size(); i-- > 1;) stride[i - 1] = stride[i] * before[i];
        std::vector<std::size_t> all{0};
        for (const std::size_t axis : axes_) {  // replaces each position by one for each index of this axis
            std::vector<std::size_t> longer;
            for (const std::size_t at : all)
                for (std::size_t i = 0; i < before[axis]; ++i) longer.push_back(at + i * stride[axis]);
            all = std::move(longer);
        }
        return all;
    }

    std::vector<std::size_t> axes_;
};

SIGMA_IMPL void Permute::apply(NumberList& list, std::size_t, const std::vector<std::size_t>& before) const {
    const auto from = positions(before);
    list.visit([&](auto& values) {
        std::remove_cvref_t<decltype(values)> all;
        all.reserve(values.size());
        for (std::size_t first = 0; first < values.size(); first += from.size())
            for (const std::size_t at : from) all.push_back(values[first + at]);
        values = std::move(all);
    });
}

SIGMA_IMPL TransformPointer permuting(const std::vector<std::size_t>& axes) {
    return same_transform(sentence("permute", sigma::detail::shape_text(axes)), fitted<Permute>(axes));
}

class Reshape final : public FittedTransform {
public:
    explicit Reshape(std::vector<std::size_t> extents) : extents_(std::move(extents)) {
        std::size_t count = 1;
        for (const std::size_t e : extents_) {
            if (e < 1) throw ArgumentError("reshape", "extents of at least 1", sigma::detail::shape_text(extents_));
            if (count > (std::size_t{1} << 48) / e)
                throw ArgumentError("reshape", "a record of at most 2^48 numbers", sigma::detail::shape_text(extents_));
            count *= e;
        }
        count_ = count;
    }
    std::string kind() const override { return "reshape"; }
    std::vector<std::size_t> shape(const std::vector<std::size_t>& before) const override {
        if (size_of(before) != count_)
            throw ShapeError(sentence("reshape to ", sigma::detail::shape_text(extents_)),
                             sentence("records of ", count_, " numbers"), sigma::detail::shape_text(before));
        return extents_;
    }
    void apply(NumberList&, std::size_t, const std::vector<std::size_t>&) const override {}
    std::vector<TransformValue> state() const override { return {{"extents", as_numbers(extents_)}}; }

private:
    std::vector<std::size_t> extents_;
    std::size_t count_ = 1;
};

SIGMA_IMPL TransformPointer reshaping(const std::vector<std::size_t>& extents) {
    return same_transform(sentence("reshape", sigma::detail::shape_text(extents)), fitted<Reshape>(extents));
}

/// The name of a transform in files, and the function that restores it from its numbers.
struct TransformLoader {
    std::string_view kind;
    FittedPointer (*load)(const StoredValues&);
};

inline constexpr std::array transform_loaders{
    TransformLoader{"clamp", [](const StoredValues& s) { return fitted<Clamp>(s.number("low"), s.number("high")); }},
    TransformLoader{"impute", [](const StoredValues& s) { return fitted<Impute>(s.list("values")); }},
    TransformLoader{"map_values",
                    [](const StoredValues& s) {
                        const auto &from = s.list("from"), &to = s.list("to");
                        require_as_many("map_values", "numbers 'to'", to, from.size());
                        std::vector<ValueChange> changes;
                        for (std::size_t i = 0; i < from.size(); ++i) changes.push_back({from[i], to[i]});
                        return fitted<MapValues>(std::move(changes));
                    }},
    TransformLoader{"normalize",
                    [](const StoredValues& s) {
                        return fitted<Normalize>(s.list("min"), s.list("max"), s.number("low"), s.number("high"));
                    }},
    TransformLoader{"normalize_each",
                    [](const StoredValues& s) {
                        return fitted<NormalizeEach>(s.counts("index"), s.list("min"), s.list("max"), s.number("low"),
                                                     s.number("high"));
                    }},
    TransformLoader{"one_hot", [](const StoredValues& s) { return fitted<OneHot>(s.list("values"), s.section); }},
    TransformLoader{"permute", [](const StoredValues& s) { return fitted<Permute>(s.counts("axes")); }},
    TransformLoader{"reshape", [](const StoredValues& s) { return fitted<Reshape>(s.counts("extents")); }},
    TransformLoader{"standardize",
                    [](const StoredValues& s) { return fitted<Standardize>(s.list("mean"), s.list("deviation")); }}};

SIGMA_IMPL bool finds_transform(std::string_view kind) {
    return std::ranges::find(transform_loaders, kind, &TransformLoader::kind) != transform_loaders.end();
}

SIGMA_IMPL FittedPointer load_transform(std::string_view kind, const StoredValues& stored) {
    const auto found = std::ranges::find(transform_loaders, kind, &TransformLoader::kind);
    return found == transform_loaders.end() ? nullptr : found->load(stored);
}

}  // namespace sigma::data::detail
