// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/device/cpu/interpreter/tile.hpp>
#include <sigma/device/program_table.hpp>

#include <cstddef>

namespace sigma::on_cpu {

/// An interpreter of the fused kernels of a plan, which compiles nothing. Results are bit-identical to those of `Fused`
/// with the same instructions. It is made once for a plan, which must outlive it. Several threads may run its kernels.
template <class T>
class Interpreter {
public:
    static Interpreter* make(const sigma::detail::PlanView& plan, const Kernels<T>& kernels);
    Interpreter(const sigma::detail::PlanView& plan, const Kernels<T>& kernels);
    Interpreter(const Interpreter&) = delete;
    Interpreter& operator=(const Interpreter&) = delete;
    ~Interpreter();

    /// Runs a kernel of rows or columns, with the arguments of a FusedFunction.
    void run(int kernel, T* const* pointers, const Strides* strides, const std::ptrdiff_t* extents) const;
    /// Returns the function of a kernel if it is compiled into the library, otherwise null.
    sigma::detail::FusedFunction<T> compiled(int kernel) const;

private:
    struct Code;
    const Kernels<T>& kernels_;
    sigma::detail::Owned<Code> codes_;  ///< the first code; there is one for each kernel
};

}  // namespace sigma::on_cpu

#ifndef SIGMA_COMPILED
#include <sigma/device/cpu/interpreter/impl/interpreter.ipp>
#endif
