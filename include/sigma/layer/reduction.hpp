// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/classes.hpp>
#include <sigma/layer/context.hpp>
#include <sigma/layer/errors.hpp>

#include <type_traits>

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
    detail::Ignored ignore{};
};
namespace detail {

namespace option {
using Reduction = options_are<struct reduction, struct ignore>;
}

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

/// A reduction that stops at the losses of records, see RecordLosses; `weighted_records` puts it into a loss.
constexpr Reduction of_records(Reduction reduction) { return static_cast<Reduction>(static_cast<int>(reduction) + 8); }
constexpr bool is_of_records(Reduction reduction) { return static_cast<int>(reduction) >= 8; }
/// What a reduction is beyond that.
constexpr Reduction plain(Reduction reduction) {
    return is_of_records(reduction) ? static_cast<Reduction>(static_cast<int>(reduction) - 8) : reduction;
}

/// Σ c·l of each record, (batch), and what makes the loss of them, or of them with weights.
template <class Sums, class Finish>
struct RecordLosses {
    Sums sums;
    Finish finish;
};
template <class>
inline constexpr bool is_record_losses = false;
template <class Sums, class Finish>
inline constexpr bool is_record_losses<RecordLosses<Sums, Finish>> = true;

/// `finish(losses of all records)` or, where records are to be weighed, both.
template <Reduction reduction, Shape S, class Finish>
constexpr auto finished(Tensor<S> l, Finish finish) {
    if constexpr (!is_of_records(reduction)) return finish(l);
    else if constexpr (S.rank == 1) return RecordLosses<Tensor<S>, Finish>{l, finish};
    else {
        const auto sums = sum(flatten(l), axis<1>);
        return RecordLosses<std::remove_const_t<decltype(sums)>, Finish>{sums, finish};
    }
}

/// Losses of which all count, of shape (batch, …).
template <Reduction reduction, Shape S>
    requires(is_of_records(reduction))
constexpr auto reduced(Tensor<S> l) {
    return finished<reduction>(l, [](auto each) {
        if constexpr (reduction == of_records(Reduction::total)) return sum(each);
        else if constexpr (reduction == of_records(Reduction::over_elements) && S.count() > 1)
            return mean(each) / static_cast<double>(S.count());
        else return mean(each);
    });
}
template <Reduction reduction, Shape S>
constexpr auto reduced(Tensor<S> l) {
    if constexpr (reduction == Reduction::total) return sum(l);
    else if constexpr (reduction == Reduction::over_elements || S.count() == 1) return mean(l);
    else return static_cast<double>(S.count()) * mean(l);
}
/// Losses of which those count where `counted`, of the same shape, is 1.
template <Reduction reduction, Shape S>
constexpr auto reduced(Tensor<S> l, Tensor<S> counted) {
    return finished<reduction>(where(counted, l, 0.0), [counted](auto each) {
        const auto all = sum(each);
        if constexpr (plain(reduction) == Reduction::total) return all;
        else if constexpr (plain(reduction) == Reduction::over_elements) return all / max(sum(counted), 1.0);
        else return all / max(sum(any_in_record(counted)), 1.0);
    });
}

/// 1 where a row of the targets `y`, (…, n), has any element that is not ignored: (…, 1).
template <auto options, Shape S>
constexpr auto rows_that_count(Tensor<S> y) {
    return max(not_equal_to(y, options.ignore.value), axis<-1>, keep);
}
/// The outputs, with 0 in rows that do not count: an infinity or NaN there must not reach the gradient, since 0 times
/// it is no 0.
template <auto options, Shape Z, Shape S>
constexpr auto counted_rows(Tensor<Z> z, Tensor<S> y) {
    if constexpr (options.ignore.given) return where(rows_that_count<options>(y), z, 0.0);
    else return z;
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
    if constexpr (options.ignore.given) return reduced<options.reduction>(l, rows_that_count<options>(y));
    else return reduced<options.reduction>(l);
}

/// What is multiplied with the share or weight q, 0 where that is: of a class that cannot be a logarithm is -inf.
template <Shape Q, Shape S>
constexpr auto chosen(Tensor<Q> q, Tensor<S> l) {
    return where(equal(q, 0.0), 0.0, l);
}

/// Of yes and no: which share of the answers, where the targets `y` are not ignored, is what it should be.
template <auto options, Shape S>
constexpr auto share_right(Tensor<S> answers, Tensor<S> wanted, Tensor<S> y) {
    const auto right = equal(answers, wanted);
    if constexpr (options.ignore.given)
        return reduced<Reduction::over_elements>(right, not_equal_to(y, options.ignore.value));
    else return mean(right);
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
    static constexpr bool reduces_records = true;

    template <Shape S>
    static constexpr auto check_output() {
        return Mistake<>{};
    }
    static constexpr Shape target(auto, const Shape& output) { return output; }
    static constexpr auto predict(auto, auto z) { return z; }
    static constexpr auto loss(auto self, auto z, auto y) {
        constexpr Options options = self().options;
        const auto wanted = detail::without_ignored<options>(y);
        const auto given = [&] {
            if constexpr (options.ignore.given) return where(detail::not_equal_to(y, options.ignore.value), z, 0.0);
            else return z;
        }();
        return detail::reduced_elements<options>(L::term(self, given, wanted), y);
    }
};

/// What losses have in common that compare rows: the last of at least two axes.
struct RowLoss : Loss {
    static constexpr bool classifies = false;
    static constexpr bool reduces_records = true;

    template <Shape S>
    static constexpr auto check_output() {
        return MistakeIf<(S.rank < 2), error_loss_needs_rows<typename detail::Spelled<S, S.rank>::type>>{};
    }
    static constexpr Shape target(auto, const Shape& output) { return output; }
};

}  // namespace sigma
