// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace sigma::detail {

using ClassNames = std::vector<std::string>;

const ClassNames& no_class_names();

/// The numbers that these texts are; none unless each of them is a finite number as a whole.
[[gnu::cold]] std::vector<double> numbers_of_names(const ClassNames& names);

/// Numbers for which equal values are the same class; none where values are equal or too large to be told apart.
[[gnu::cold]] std::vector<double> class_values(const ClassNames& names);

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

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/core/impl/class_names.ipp>
#endif
