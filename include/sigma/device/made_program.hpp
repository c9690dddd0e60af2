// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/program_table.hpp>
#include <sigma/plan/plan.hpp>
#include <sigma/tape/program.hpp>

namespace sigma::detail {

/// A program that was traced at run time, with its plan for vectors of a number of elements. The library's kernels
/// interpret it.
template <class T>
class MadeProgram {
public:
    MadeProgram(const Program& program, int lanes);
    MadeProgram(const MadeProgram&) = delete;
    MadeProgram& operator=(const MadeProgram&) = delete;

    const CompiledProgram<T>& compiled() const { return compiled_; }

private:
    Plan plan_;
    CompiledProgram<T> compiled_;
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/device/impl/made_program.ipp>
#endif
