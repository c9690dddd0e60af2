// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/error.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace sigma::detail {

using ClassNames = std::vector<std::string>;

const ClassNames& no_class_names();

/// The first class that is not the same in both; how many both have where all of those are. Where all names of both are
/// numbers, "6.0" is the same as "6".
std::size_t first_other_class(const ClassNames& a, const ClassNames& b);

/// Does each number of `found` stand for the same class among `known`, which may have more? Where one of them has no
/// names there is nothing to compare.
bool classes_agree(const ClassNames& known, const ClassNames& found);

/// "'a', 'b'"; of many only what differs.
[[gnu::cold]] std::string classes_text(const ClassNames& names, std::size_t differs);
/// Throws E, "expected classes 'a', 'b' <as they are known>, found 'b', 'a'".
template <class E>
[[noreturn, gnu::cold]] void throw_other_classes(const std::string& where, const ClassNames& known,
                                                 const std::string& as, const ClassNames& found) {
    const std::size_t differs = first_other_class(known, found);
    throw E(where, sentence("classes ", classes_text(known, differs), as.empty() ? "" : " ", as),
            classes_text(found, differs));
}
/// Throws MismatchError where a model that knows its classes would get the parameters of others. It may know only the
/// first of them.
void require_taken_classes(const std::string& where, const ClassNames& own, const ClassNames& taken);

/// The order in which classes are numbered unless somebody says another: by value where all are finite numbers, "2"
/// before "10", else by their bytes. A class is its text: "6" and "6.0" stay two, by their bytes.
[[gnu::cold]] void sort_class_names(ClassNames& names);

/// A value of targets that counts for nothing: `{.ignore = -1}`. Without one, every target counts.
struct Ignored {
    bool given = false;
    double value = 0;

    constexpr Ignored() = default;
    constexpr Ignored(double v) : given(true), value(v) {}

    constexpr bool is(double target) const { return given && target == value; }
};

/// Which class numbers a loss or a metric understands: whole numbers from `first` to `end - 1`, and `ignore`.
struct LabelRange {
    int first = 0, end = 0;
    Ignored ignore{};

    constexpr bool contains(double label) const {
        if (ignore.is(label)) return true;
        return label >= first && label < end && label == static_cast<double>(static_cast<int>(label));
    }
};

/// Which targets a loss makes sense of, where they are not all numbers; `ignore` is one in any case. Labels, see
/// LabelRange, have no other rule than `spelling`.
struct TargetRule {
    enum class Kind {
        share,         ///< from 0 to 1
        sign,          ///< -1, 0 or 1
        distribution,  ///< rows of numbers of 0 or more whose sum is 1
        spelling       ///< rows of labels from 1, filled up with what is below
    };
    Kind kind;
    Ignored ignore{};
    int longest = 0;  ///< how many labels, and one more for each that repeats the one before; 0: any number of them

    /// How far a number may be outside for having been rounded: sums and differences of a few floats of about 1.
    static constexpr float rounding = 1e-5f;
    /// How far the sum of a row may be from 1: probabilities may be written with two digits, and seven of 0.14 make
    /// 0.98.
    static constexpr double sum_rounding = 0.05;
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/classes.ipp>
#endif
