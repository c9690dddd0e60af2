// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>
#include <sigma/core/philox.hpp>
#include <sigma/device/debug/non_finite_origin.hpp>
#include <sigma/device/host_memory_device.hpp>

#include <cstdint>
#include <string>

namespace sigma {

namespace debugging {

/// Returns the random number that the other devices draw at this position, see on_cpu::fill_uniform.
template <class T>
T uniform_at(std::uint64_t seed, std::uint32_t step, std::uint64_t stream, long long row, long long column) {
    constexpr auto use = static_cast<std::uint32_t>(RandomUse::dropout) << 24;
    const auto counter = static_cast<std::uint32_t>(column / 32 * 8 + column % 8);
    const Philox::Block block =
        Philox::philox4x32({counter, static_cast<std::uint32_t>(row), step, use | static_cast<std::uint32_t>(stream)},
                           {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
    return static_cast<T>(block[static_cast<std::size_t>(column % 32 / 8)] >> 8) * static_cast<T>(0x1p-24);
}

}  // namespace debugging

namespace detail {

/// A device that runs each operation of a program by itself in plain loops. It is slow, and its results equal those of
/// other devices up to rounding.
class DebugDevice final : public HostMemoryDevice {
public:
    using Report = debugging::Report;

    /// Constructs a device. With a report function, it checks every result before anything is written.
    explicit DebugDevice(Report report = {});

    std::string name() const override { return "debug"; }
    /// Makes a program. Throws ArgumentError for a plan without its operations.
    SIGMA_IMPL detail::Owned<DeviceProgram> make_program(const ProgramSource& source) override;

private:
    Report report_;
};

}  // namespace detail

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/device/debug/impl/device.ipp>
#endif
