// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/transform/transforming.hpp>

#include <concepts>
#include <functional>

/// What the transforms have in common.
namespace sigma::data::detail {

/// A transform with nothing to learn.
class FixedTransform final : public Transform {
public:
    using Make = std::function<std::shared_ptr<const FittedTransform>(const SectionInfo&)>;
    FixedTransform(std::string text, Make make) : text_(std::move(text)), make_(std::move(make)) {}
    std::string text() const override { return text_; }
    std::unique_ptr<TransformFit> fit(const SectionInfo&) const override { return nullptr; }
    std::shared_ptr<const FittedTransform> fixed(const SectionInfo& of) const override { return make_(of); }

private:
    std::string text_;
    Make make_;
};

class LearnedTransform final : public Transform {
public:
    using Begin = std::function<std::unique_ptr<TransformFit>(const SectionInfo&)>;
    LearnedTransform(std::string text, Begin begin) : text_(std::move(text)), begin_(std::move(begin)) {}
    std::string text() const override { return text_; }
    std::unique_ptr<TransformFit> fit(const SectionInfo& of) const override { return begin_(of); }
    std::shared_ptr<const FittedTransform> fixed(const SectionInfo&) const override { return nullptr; }

private:
    std::string text_;
    Begin begin_;
};

template <class Effect, Text... names>
Transforming<Effect, names...> fixed_transform(std::string text, FixedTransform::Make make) {
    return {std::make_shared<const FixedTransform>(std::move(text), std::move(make))};
}
template <class Effect, Text... names>
Transforming<Effect, names...> learned_transform(std::string text, LearnedTransform::Begin begin) {
    return {std::make_shared<const LearnedTransform>(std::move(text), std::move(begin))};
}
/// A transform that is the same for each section.
template <class Effect, Text... names, std::derived_from<FittedTransform> F>
Transforming<Effect, names...> same_transform(std::string text, F fitted) {
    auto one = std::make_shared<const F>(std::move(fitted));
    return fixed_transform<Effect, names...>(std::move(text), [one](const SectionInfo&) { return one; });
}

/// The shortest text from which the number can be read again: texts are parts of keys.
std::string exact(double x);
/// "{1, 2.5}"
std::string exact(const std::vector<double>& all);

std::size_t size_of(const std::vector<std::size_t>& record);

void require_finite(const char* where, const std::vector<double>& values);
void require_as_many(const char* where, const char* what, const std::vector<double>& values, std::size_t count);

/// Transforms that change numbers where they are.
class InPlace : public FittedTransform {
public:
    std::vector<std::size_t> shape(const std::vector<std::size_t>& before) const override { return before; }
    bool keeps_columns() const override { return true; }

protected:
    /// For lists of one number for all, or one for each of the record's.
    void require_list(std::size_t count, const std::vector<std::size_t>& before) const;
};

/// values[i] = f(values[i], j), where j is the position in its record, or 0 where there is one list entry for all.
template <class F>
void change_each(std::vector<float>& values, std::size_t count, F f) {
    if (count == 1) {
        for (float& x : values) x = f(x, std::size_t{0});
        return;
    }
    for (std::size_t first = 0; first < values.size(); first += count) {
        float* record = values.data() + first;
        for (std::size_t j = 0; j < count; ++j) record[j] = f(record[j], j);
    }
}

}  // namespace sigma::data::detail

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/impl/making.ipp>
#endif
