// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/tape/program.hpp>

#include <vector>

namespace sigma::detail {

/// A value that leaves a stage of a PartedProgram.
struct PartedValue {
    Shape shape;
    int stage = 0;         ///< stage that computes the value
    bool summed = false;   ///< true if later stages read, or the result is, its sum over all parts of the batch
    bool crosses = false;  ///< true if later stages read the value
};

/// A program in stages, which all parts of a batch execute in parallel. Between two stages some values are summed over
/// the parts, so that the results, such as the statistics of BatchNorm, are those of the whole batch. The inputs of a
/// stage are those of the program; the reciprocal of the number of records in the whole batch; the reciprocal of the
/// number of parts with records, by which a part takes its share of values that are equal in all parts; then the
/// values.
struct PartedProgram {
    struct Stage {
        Program program{};
        std::vector<int> outputs{};  ///< value of each output of the stage's program
    };
    std::vector<Stage> stages{};
    std::vector<PartedValue> values{};
    std::vector<int> outputs{};  ///< value of each output of the whole program
    int inputs = 0;              ///< number of inputs of the program

    int reciprocal() const { return inputs; }
    int share() const { return inputs + 1; }
    int input_of(int value) const { return inputs + 2 + value; }
};

/// Splits a program without assignments into stages. `inputs` is its number of inputs. Throws ArgumentError if an
/// operation combines records other than by a sum, such as the maximum over a batch.
PartedProgram split_into_parts(const Program& program, int inputs);

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/plan/impl/batch_parts.ipp>
#endif
