// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/label_range.hpp>
#include <sigma/core/target_rule.hpp>
#include <sigma/layer/context.hpp>
#include <sigma/layer/errors.hpp>

/// How a loss becomes one number. With l(i) the loss of an element (or of a row of classes, where the loss compares
/// rows), c(i) = 0 where its target is the ignored value and 1 elsewhere:
///   over_elements  Σ c·l / max(Σ c, 1)                  mean over what counts
///   over_batch     Σ c·l / max(records with any c, 1)   sum over a record, mean over the records that count
///   total          Σ c·l
/// What does not count gets a gradient of exactly 0; where nothing counts, the loss is 0.
namespace sigma {

enum class Reduction { over_elements, over_batch, total };

/// `MeanSquaredError({.reduction = Reduction::total, .ignore = -1})`
template <Reduction standard>
struct ReductionOptions {
    Reduction reduction = standard;
    Ignored ignore{};
};
namespace detail {
namespace option {
struct reduction;
struct ignore;
}  // namespace option
using ReductionOptionNames = options_are<option::reduction, option::ignore>;
}  // namespace detail

namespace detail {

template <Shape S>
constexpr auto not_equal_to(Tensor<S> y, double value) {
    return 1.0 - equal(y, value);
}
/// 1 where a record has any element that counts: (batch, …) -> (batch).
template <Shape S>
constexpr auto any_in_record(Tensor<S> counted) {
    if constexpr (S.rank == 1) return counted;
    else return max(flatten(counted), axis<1>);
}

/// Losses of which all count, of shape (batch, …).
template <Reduction reduction, Shape S>
constexpr auto reduced(Tensor<S> l) {
    if constexpr (reduction == Reduction::total) return sum(l);
    else if constexpr (reduction == Reduction::over_elements || S.count() == 1) return mean(l);
    else return static_cast<double>(S.count()) * mean(l);
}
/// Losses of which those count where `counted`, of the same shape, is 1.
template <Reduction reduction, Shape S>
constexpr auto reduced(Tensor<S> l, Tensor<S> counted) {
    const auto all = sum(where(counted, l, 0.0));
    if constexpr (reduction == Reduction::total) return all;
    else if constexpr (reduction == Reduction::over_elements) return all / max(sum(counted), 1.0);
    else return all / max(sum(any_in_record(counted)), 1.0);
}

/// Reduces the loss `l` of each element of the targets `y`.
template <auto options, Shape S>
constexpr auto reduced_elements(Tensor<S> l, Tensor<S> y) {
    if constexpr (options.ignore.given) return reduced<options.reduction>(l, not_equal_to(y, options.ignore.value));
    else return reduced<options.reduction>(l);
}
/// Reduces the loss `l`, (…, 1), of each row of the targets `y`, (…, n). A row does not count if all of it is ignored.
template <auto options, Shape L, Shape S>
constexpr auto reduced_rows(Tensor<L> l, Tensor<S> y) {
    if constexpr (options.ignore.given)
        return reduced<options.reduction>(l, max(not_equal_to(y, options.ignore.value), axis<-1>, keep));
    else return reduced<options.reduction>(l);
}

/// The targets, with 0 in place of what is ignored: the marking value may be far from any sensible target, and what a
/// formula makes of it must stay finite, since 0 times infinity is no 0.
template <auto options, Shape S>
constexpr auto without_ignored(Tensor<S> y) {
    if constexpr (options.ignore.given) return where(equal(y, options.ignore.value), 0.0, y);
    else return y;
}

}  // namespace detail

/// What losses have in common that compare each element of the outputs with one of the targets: the loss `L` derives
/// from this and says that of an element, `term(self, z, y)`. What is ignored of y is 0 there.
template <class L, Reduction standard>
struct ElementLoss : Loss {
    using Options = ReductionOptions<standard>;
    Options options;

    constexpr explicit ElementLoss(Options o = {}) : options(o) {}

    static constexpr bool classifies = false;

    template <Shape S>
    static constexpr auto check_output() {
        return Mistake<>{};
    }
    static constexpr Shape target(auto, const Shape& output) { return output; }
    static constexpr auto predict(auto, auto z) { return z; }
    static constexpr auto loss(auto self, auto z, auto y) {
        return detail::reduced_elements<self().options>(L::term(self, z, detail::without_ignored<self().options>(y)),
                                                        y);
    }
};

/// What losses have in common that compare rows: the last of at least two axes.
struct RowLoss : Loss {
    static constexpr bool classifies = false;

    template <Shape S>
    static constexpr auto check_output() {
        return MistakeIf<(S.rank < 2), error_loss_needs_rows<typename detail::Spelled<S, S.rank>::type>>{};
    }
    static constexpr Shape target(auto, const Shape& output) { return output; }
};

}  // namespace sigma
