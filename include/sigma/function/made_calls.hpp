// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>
#include <sigma/core/owners.hpp>
#include <sigma/core/shape.hpp>
#include <sigma/device/compute_device.hpp>
#include <sigma/tape/tensor.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace sigma::detail {

/// A function that is traced at run time: once for each combination of shapes of its arguments, of which it keeps the
/// last ones. It is not thread-safe.
template <class T>
class MadeCalls {
public:
    /// Dense elements, in the memory of the computing device if `there`.
    struct Argument {
        Shape shape;
        const T* data;
        bool there;
    };
    struct Result {
        T* data;
        bool there;
    };
    using Trace = AnyFunction<void(std::span<const Tensor> arguments, List<Variable>& results)>;
    /// Returns the memory for the elements of a result of these extents.
    using Place = AnyFunction<Result(std::size_t number, const std::vector<std::size_t>& extents)>;
    static constexpr std::size_t most = 16;  ///< programs that are kept

    MadeCalls();
    MadeCalls(MadeCalls&&) noexcept;
    ~MadeCalls();

    /// Runs the function with so many records, if arguments are batched. See Session::run_on. Throws MistakeError,
    /// DeviceError.
    void run(std::span<const Argument> arguments, std::ptrdiff_t records, const Trace& trace, const Place& place,
             const SharedOwner<ComputeDevice>& device, const Cpu& threads);

private:
    struct OfShapes;
    std::vector<Owned<OfShapes>> programs_;  ///< the last used first
};

/// Calls differentiate, compiled once.
List<Variable> differentiate_now(Variable root, const List<Variable>& wrt);

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/function/impl/made_calls.ipp>
#endif
