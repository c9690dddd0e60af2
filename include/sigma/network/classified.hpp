// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/classes.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace sigma {

/// For what class a model takes each record, see Model::classify: numbers, and their names where the model knows them.
/// Where a record has several answers (a class for each position, a yes or no for each output), they follow one
/// another.
class Classified {
public:
    Classified(std::vector<std::size_t> classes, std::vector<std::string> names);

    std::size_t size() const { return classes_.size(); }
    /// The class's number; of yes and no, 1 and 0. Throws ArgumentError where there is no such answer, as `name` does.
    std::size_t operator[](std::size_t i) const;
    /// The class's name; its number where it has none.
    std::string name(std::size_t i) const;
    auto begin() const { return classes_.begin(); }
    auto end() const { return classes_.end(); }

private:
    std::vector<std::size_t> classes_;
    std::vector<std::string> names_;
};

namespace detail {

/// The first greatest number of each row; throws ArgumentError where one is NaN.
std::vector<std::size_t> greatest_of_rows(std::span<const double> predictions, std::size_t row);
/// 1 where a number is at least the threshold, else 0. Throws ArgumentError where one of them is NaN.
std::vector<std::size_t> reached(std::span<const double> predictions, double threshold);

}  // namespace detail
}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/network/impl/classified.ipp>
#endif
