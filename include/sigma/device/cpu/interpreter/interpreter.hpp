// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/device/cpu/interpreter/tile.hpp>
#include <sigma/device/program_table.hpp>

#include <cstddef>

namespace sigma::on_cpu {

/// The second way to run the fused kernels of a plan: nothing is compiled for it. Same bits as `Fused` for the same
/// instructions. Made once a plan, which must live as long; then any number of threads may run any of its kernels.
template <class T>
class Interpreter {
public:
    static Interpreter* make(const sigma::detail::PlanView& plan, const Kernels<T>& kernels);
    Interpreter(const sigma::detail::PlanView& plan, const Kernels<T>& kernels);
    Interpreter(const Interpreter&) = delete;
    Interpreter& operator=(const Interpreter&) = delete;
    ~Interpreter();

    /// A kernel of rows or columns, as a FusedFunction runs it.
    void run(int kernel, T* const* pointers, const Strides* strides, const std::ptrdiff_t* extents) const;
    /// What does so by itself, where that is compiled into the library; else null.
    sigma::detail::FusedFunction<T> compiled(int kernel) const;

private:
    struct Code;
    const Kernels<T>& kernels_;
    sigma::detail::Owned<Code> codes_;  ///< the first of them; one of each kernel
};

}  // namespace sigma::on_cpu

#ifndef SIGMA_COMPILED
#include <sigma/device/cpu/interpreter/impl/interpreter.ipp>
#endif
