// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>
#include <sigma/device/compute_device.hpp>
#include <sigma/plan/plan_view.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace sigma::detail {

/// Times of a clock that costs a few nanoseconds. Their unit is measured when the profile is made.
using Ticks = std::uint64_t;
inline Ticks ticks_now() {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    return static_cast<Ticks>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

/// The times of the kernels of one run. Kernels that several threads share are measured on each of them. The time of a
/// stage on the clock is then divided among its kernels in proportion.
class KernelClock {
public:
    virtual void begin(int threads) = 0;
    /// Notes the end of a kernel that began when the one before ended, on one thread.
    virtual void after(int kernel) = 0;
    /// Notes a part of a kernel, from any thread.
    virtual void add(int kernel, Ticks from, Ticks to) = 0;
    /// Ends a stage whose kernels were measured by `add`.
    virtual void end_stage() = 0;

protected:
    ~KernelClock() = default;
};

/// The profile of a program on a device. One thread at a time runs the program, and any thread reads the profile.
class ProgramProfile {
public:
    /// Counts a run. Returns whether to time it.
    virtual bool due() = 0;
    virtual KernelClock& clock() = 0;
    /// Adds the times of a run. `left_out(i)`: kernel i did nothing, since another one does its work.
    virtual void add(const PlanView& plan, std::ptrdiff_t records, Ticks began,
                     const AnyFunction<bool(int)>& left_out) = 0;
    /// Adds a run on an accelerator, with the seconds of each kernel, 0 for those that others compute. The run has just
    /// ended. `whole`: seconds that the run took with its measurement.
    virtual void add_on_device(const PlanView& plan, std::ptrdiff_t records, std::span<const double> seconds,
                               double whole, int launches) = 0;

protected:
    ~ProgramProfile() = default;
};

/// The parts of an iteration of a trainer.
enum class LoopPart : std::uint8_t { data, step, modifiers, device, hooks, validation, epoch_hooks, count };

/// The profile of the loop of one trainer. One thread at a time runs the loop, and any thread reads the profile.
class LoopProfile {
public:
    /// Counts an iteration. Returns whether it is timed.
    virtual bool begin() = 0;
    virtual void end() = 0;
    /// Adds a part of the iteration that is being timed.
    virtual void add(LoopPart part, Ticks from, Ticks to) = 0;
    /// Adds work between two iterations.
    virtual void add_between(LoopPart part, Ticks from, Ticks to) = 0;

protected:
    ~LoopProfile() = default;
};

/// A program as a profile describes it.
struct ProfiledSource {
    const PlanView& plan;
    const void* identity;  ///< equal for all programs of one source
    const LayerNames& layers;
    std::string device;
    bool fused = true;
    // How to measure the peak of a core; null: unknown.
    double (*multiply_adds)(long turns, float* factor) = nullptr;
    double (*multiply_adds_of_double)(long turns, double* factor) = nullptr;
};

/// Measures the programs and trainers of the process.
class Profiling {
public:
    /// Begins the profile that the environment variable SIGMA_PROFILE names, at the first call. Its trace is written
    /// and its table is printed to standard error when the process exits. Throws ArgumentError if the file cannot be
    /// written.
    virtual void begin_by_environment() const = 0;
    /// Adds a program to the profile that is being measured. Returns null if there is none.
    virtual std::shared_ptr<ProgramProfile> program(const ProfiledSource& source) const = 0;
    /// Adds the loop of a trainer.
    virtual std::shared_ptr<LoopProfile> loop(const std::string& trainer) const = 0;

protected:
    ~Profiling() = default;
};

// Programs without the library compile what measures only if they include <sigma/profile.hpp>.
#ifdef SIGMA_COMPILED
/// Returns what measures, or null.
const Profiling* profiling();
#else
inline constinit const Profiling* profiling_of_program = nullptr;
inline const Profiling* profiling() { return profiling_of_program; }
#endif

inline void begin_profile_by_environment() {
    if (const Profiling* const measures = profiling()) measures->begin_by_environment();
}

/// The number of the profile that is being measured, or 0. Reading it is all that a program does without a profile.
inline std::atomic<unsigned> profile_number{0};
inline unsigned profile_now() { return profile_number.load(std::memory_order_relaxed); }

/// The iteration that is being timed on this thread, or null.
inline thread_local constinit LoopProfile* timed_iteration = nullptr;

/// Returns the part of the present profile that `mine` holds: made by `make` when a profile begins, null when none is
/// being measured. `number` is that of the profile to which `mine` belongs.
template <class Profiled, class Make>
Profiled* part_of_profile(unsigned& number, std::shared_ptr<Profiled>& mine, const Make& make) {
    const unsigned now = profile_now();
    if (number == now) return mine.get();
    mine = now != 0 ? make(*profiling()) : nullptr;
    number = now;
    return mine.get();
}

/// Measures a part of an iteration, from the constructor to the destructor, if the iteration is timed.
class TimedPart {
public:
    explicit TimedPart(LoopPart part) : part_(part) {
        if (profile_now() != 0) [[unlikely]]
            from_ = timed_iteration ? ticks_now() : 0;
    }
    TimedPart(const TimedPart&) = delete;
    TimedPart& operator=(const TimedPart&) = delete;
    ~TimedPart() {
        if (from_ != 0) [[unlikely]]
            end();
    }

private:
    LoopPart part_;
    Ticks from_ = 0;

    void end() const {
        if (timed_iteration != nullptr) timed_iteration->add(part_, from_, ticks_now());
    }
};

/// Measures nothing, in place of a TimedPart.
struct UntimedPart {
    explicit UntimedPart(LoopPart) {}
};

/// The part of a trainer's run in the present profile.
class RunProfile {
public:
    explicit RunProfile(const std::string& trainer) : trainer_(trainer) {}
    RunProfile(const RunProfile&) = delete;
    RunProfile& operator=(const RunProfile&) = delete;
    ~RunProfile() {
        if (timing_) timed_iteration = outer_;  // the iteration has thrown
    }

    /// Counts an iteration. Returns whether to call `end` after it. Call it only during a profile.
    bool begin() {
        LoopProfile* const loop = now();
        const bool due = loop != nullptr && loop->begin();
        if (!due && timed_iteration == nullptr) return false;
        outer_ = std::exchange(timed_iteration, due ? loop : nullptr);
        return timing_ = true;
    }
    /// Ends a timed iteration, with hooks that began at `hooks`.
    void end(Ticks hooks) {
        // The profile may have ended meanwhile, but `loop_` changes only between two iterations.
        const bool due = timed_iteration != nullptr;
        timed_iteration = outer_;
        timing_ = false;
        if (!due) return;
        loop_->add(LoopPart::hooks, hooks, ticks_now());
        loop_->end();
    }
    /// Measures work between two iterations.
    template <class Work>
    void between(LoopPart part, const Work& work) {
        LoopProfile* const loop = profile_now() != 0 ? now() : nullptr;
        const Ticks from = loop ? ticks_now() : 0;
        work();
        if (loop) loop->add_between(part, from, ticks_now());
    }

private:
    const std::string& trainer_;
    unsigned number_ = 0;
    std::shared_ptr<LoopProfile> loop_{};
    bool timing_ = false;
    LoopProfile* outer_ = nullptr;  ///< The iteration of a trainer whose hook runs this one.

    LoopProfile* now() {
        return part_of_profile(number_, loop_, [&](const Profiling& measures) { return measures.loop(trainer_); });
    }
};

}  // namespace sigma::detail
