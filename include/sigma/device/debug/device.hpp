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

/// The random number that the other devices draw there: see on_cpu::fill_uniform.
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

/// Runs every operation of a program by itself, in plain loops: slow, and within rounding what other devices compute.
class DebugDevice final : public HostMemoryDevice {
public:
    using Report = debugging::Report;

    /// Checks every result where there is somebody to report to, before anything is written.
    explicit DebugDevice(Report report = {});

    std::string name() const override { return "debug"; }
    /// Throws ArgumentError for a plan without the operations that it was made of.
    detail::Owned<DeviceProgram> make_program(const ProgramSource& source) override;

private:
    Report report_;
};

}  // namespace detail

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/device/debug/impl/device.ipp>
#endif
