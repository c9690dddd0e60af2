// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>
#include <sigma/core/philox.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sigma::data {

/// Draws numbers 0 … size() - 1 with given weights, each in constant time: M. D. Vose, "A linear algorithm for
/// generating random numbers with a given distribution", IEEE Transactions on Software Engineering 17(9), 1991.
class AliasTable {
public:
    /// `where` is what errors name. Throws ArgumentError for weights that are negative, not finite, or all 0.
    AliasTable(std::span<const double> weights, const std::string& where);

    std::size_t size() const { return cells_.size(); }
    /// Of the weights, to tell tables apart.
    std::uint64_t digest() const { return digest_; }
    /// Draw `number` of this stream, one of its blocks.
    std::size_t draw(const Philox& random, std::uint64_t number) const;

private:
    struct Cell {
        double kept = 1;  ///< how much of the draws of this cell are its own
        std::size_t other = 0;
    };
    std::vector<Cell> cells_;
    std::uint64_t digest_;
};

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/batches/impl/alias_table.ipp>
#endif
