// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/tape/program.hpp>

#include <vector>

namespace sigma::detail {

/// A value that leaves a stage of a PartedProgram.
struct PartedValue {
    Shape shape;
    int stage = 0;         ///< that computes it
    bool summed = false;   ///< what later stages read, or what is the result, is its sum over all parts of the batch
    bool crosses = false;  ///< do later stages read it?
};

/// A program as stages that each part of a batch goes through, side by side: between two stages some values are added
/// up over the parts, so that what comes out is that of the whole batch, such as the statistics of BatchNorm. Inputs of
/// a stage are those of the program; then the reciprocal of the number of records in the whole batch; then that of the
/// number of parts that have records, by which such a part takes its share of what all have alike; then the values.
struct PartedProgram {
    struct Stage {
        Program program{};
        std::vector<int> outputs{};  ///< which value each of the program's outputs is
    };
    std::vector<Stage> stages{};
    std::vector<PartedValue> values{};
    std::vector<int> outputs{};  ///< which value each output of the whole program is
    int inputs = 0;              ///< of the program

    int reciprocal() const { return inputs; }
    int share() const { return inputs + 1; }
    int input_of(int value) const { return inputs + 2 + value; }
};

/// `inputs` is how many the program has; it assigns nothing. Throws ArgumentError where an operation mixes records in
/// another way than by a sum, as the greatest of a batch does.
PartedProgram split_into_parts(const Program& program, int inputs);

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/plan/impl/batch_parts.ipp>
#endif
