// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/error.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace sigma::detail {

using ClassNames = std::vector<std::string>;

const ClassNames& no_class_names();

/// Returns the first class with different names, or the size of the shorter list if none differs. If all names of both
/// lists are numbers, "6.0" equals "6".
std::size_t first_other_class(const ClassNames& a, const ClassNames& b);

/// Returns whether each number of `found` stands for the same class among `known`, which may have more classes. True if
/// one of them has no names.
bool classes_agree(const ClassNames& known, const ClassNames& found);

/// Writes names: "'a', 'b'". If there are many, writes only those around number `differs`.
[[gnu::cold]] std::string classes_text(const ClassNames& names, std::size_t differs);
/// Throws E, "expected classes 'a', 'b' <place>, found 'b', 'a'".
template <class E>
[[noreturn, gnu::cold]] void throw_other_classes(const std::string& where, const ClassNames& known,
                                                 const std::string& as, const ClassNames& found) {
    const std::size_t differs = first_other_class(known, found);
    throw E(where, sentence("classes ", classes_text(known, differs), as.empty() ? "" : " ", as),
            classes_text(found, differs));
}
/// Throws MismatchError if a model with names of classes would get the parameters of other classes. The model may know
/// only the first names.
void require_same_classes(const std::string& where, const ClassNames& own, const ClassNames& taken);

/// Sorts class names into the default order of their numbers: by value if all are finite numbers, "2" before "10", else
/// by their bytes. A class is its text: "6" and "6.0" are two classes, by their bytes.
[[gnu::cold]] void sort_class_names(ClassNames& names);

/// A target value that counts for nothing: `{.ignore = -1}`. By default every target counts.
struct Ignored {
    bool exists = false;
    double value = 0;

    constexpr Ignored() = default;
    constexpr Ignored(double v) : exists(true), value(v) {}

    constexpr bool is(double target) const { return exists && target == value; }
};

/// The class numbers that a loss or a metric accepts: whole numbers from `first` to `end - 1`, and `ignore`.
struct LabelRange {
    int first = 0, end = 0;
    Ignored ignore{};

    constexpr bool contains(double label) const {
        if (ignore.is(label)) return true;
        return label >= first && label < end && label == static_cast<double>(static_cast<int>(label));
    }
};

/// The targets that a loss accepts, if it does not accept all numbers. `ignore` is always accepted. Labels, see
/// LabelRange, have only the rule `spelling`.
struct TargetRule {
    enum class Kind {
        share,         ///< a number from 0 to 1
        sign,          ///< -1, 0 or 1
        distribution,  ///< rows of numbers of at least 0 that sum to 1
        spelling       ///< rows of labels from 1, padded with lower numbers
    };
    Kind kind;
    Ignored ignore{};
    int longest = 0;  ///< largest number of labels, plus one for each repetition of the label before; 0: any number

    /// Tolerance of rounded numbers: sums and differences of a few floats of about 1.
    static constexpr float rounding = 1e-5f;
    /// Tolerance of the sum of a row: probabilities may be written with two digits, and seven of 0.14 sum to 0.98.
    static constexpr double sum_rounding = 0.05;
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/classes.ipp>
#endif
