// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Predicted classes, the result of `Model::classify`. Included by `<sigma/sigma.hpp>`.
#include <sigma/data/classes.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace sigma {

/// The predicted classes of records, as `Model::classify` returns them.
///
/// Each entry is the number of a class. A record may have several entries: one for each position of a sequence, or one
/// for each yes-or-no output. The entries of a record follow one another.
///
/// @par Example
/// @code
/// Classified classes = model.classify(images);
/// std::string name = classes.name(0);
/// @endcode
///
/// @see Model
class Classified {
public:
    /// Constructs a list of predicted classes.
    /// @param classes  the number of each predicted class
    /// @param names    the names of the classes 0, 1, …, or none
    Classified(std::vector<std::size_t> classes, std::vector<std::string> names);

    /// Returns the number of predicted classes.
    std::size_t size() const { return classes_.size(); }
    /// Returns the number of a predicted class. For yes-or-no outputs: 1 is yes, 0 is no.
    /// @param position  position from 0
    /// @throws ArgumentError  if there is no such position
    std::size_t operator[](std::size_t position) const;
    /// Returns the name of a predicted class.
    /// @param position  position from 0
    /// @return the name, or the number of the class as text if the class has no name
    /// @throws ArgumentError  if there is no such position
    std::string name(std::size_t position) const;
    /// Returns an iterator to the first number.
    auto begin() const { return classes_.begin(); }
    /// Returns the iterator after the last number.
    auto end() const { return classes_.end(); }

private:
    std::vector<std::size_t> classes_;
    std::vector<std::string> names_;
};

namespace detail {

/// Returns the position of the greatest number of each row (the first one if several are equal). Throws ArgumentError
/// if a number is NaN.
std::vector<std::size_t> greatest_of_rows(std::span<const double> predictions, std::size_t row);
/// Returns 1 for each number that is at least the threshold, else 0. Throws ArgumentError if a number or the threshold
/// is NaN.
std::vector<std::size_t> reached(std::span<const double> predictions, double threshold);

}  // namespace detail
}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/network/impl/classified.ipp>
#endif
