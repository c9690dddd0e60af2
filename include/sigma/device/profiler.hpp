// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>
#include <sigma/core/threads.hpp>
#include <sigma/device/compute_device.hpp>
#include <sigma/device/profile.hpp>
#include <sigma/plan/kernel_cost.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

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

/// The events of a trace: the first ones, since the memory is allocated in advance.
class TraceEvents {
public:
    struct Event {
        std::atomic<const void*> source{nullptr};  ///< null until the event is complete
        const void* thread = nullptr;
        int row = 0;
        Ticks begin = 0, end = 0;
    };

    explicit TraceEvents(std::size_t most) : events_(new Event[most]), most_(most) {}
    void add(const void* source, int row, Ticks begin, Ticks end, const void* thread = this_thread()) {
        const std::size_t i = count_.fetch_add(1, std::memory_order_relaxed);
        if (i >= most_) return;
        Event& e = events_[i];
        e.thread = thread, e.row = row, e.begin = begin, e.end = end;
        e.source.store(source, std::memory_order_release);
    }
    std::size_t size() const { return std::min(count_.load(), most_); }
    std::size_t left_out() const { return count_.load() - size(); }
    const Event& operator[](std::size_t i) const { return events_[i]; }

private:
    std::unique_ptr<Event[]> events_;
    std::size_t most_;
    std::atomic<std::size_t> count_{0};
};

/// Decides which of many runs are timed: so few that timing costs less than a hundredth of their time.
class Sampling {
public:
    /// Counts a run. Returns whether to time it.
    bool due() {
        ++runs_;
        if (skip_ == 0) return true;
        --skip_;
        return false;
    }
    /// Notes what the timing of a run cost, and the run itself.
    void note(double cost, double run);
    std::uint64_t runs() const { return runs_; }

private:
    Relaxed<std::uint64_t> runs_;
    std::uint64_t skip_ = 0;
};

/// The times of the kernels of one run. Kernels that several threads share are measured on each of them. The time of a
/// stage on the clock is then divided among its kernels in proportion.
class KernelClock {
public:
    /// Constructs a clock. Its events get `source`. `cost`: ticks that a call of `add` and its measurement take.
    KernelClock(int kernels, TraceEvents* events, const void* source, double cost)
        : times_(static_cast<std::size_t>(kernels)), events_(events), source_(source), cost_(cost) {}

    void begin(int threads) {
        threads_ = threads;
        busy_ = idle_ = 0;
        for (KernelTimes& t : times_) t.taken = 0;
        stage_ = last_ = ticks_now();
    }
    /// Notes the end of a kernel that began when the one before ended, on one thread.
    void after(int kernel) {
        const Ticks now = ticks_now();
        KernelTimes& t = times_[static_cast<std::size_t>(kernel)];
        t.taken += static_cast<double>(now - last_);
        events_->add(source_, kernel, last_, now);
        last_ = ticks_now();
    }
    /// Notes a part of a kernel, from any thread.
    void add(int kernel, Ticks from, Ticks to) {
        KernelTimes& t = times_[static_cast<std::size_t>(kernel)];
        t.ticks.fetch_add(to - from, std::memory_order_relaxed);
        t.calls.fetch_add(1, std::memory_order_relaxed);
        events_->add(source_, kernel, from, to);
    }
    /// Ends a stage whose kernels were measured by `add`.
    void end_stage();

private:
    friend class ProgramProfile;
    struct KernelTimes {
        std::atomic<Ticks> ticks{0};
        std::atomic<std::uint64_t> calls{0};  ///< parts that were measured
        double taken = 0;                     ///< share of the clock
    };
    std::vector<KernelTimes> times_;
    TraceEvents* events_;
    const void* source_;
    double cost_;  ///< ticks that `add` and its measurement take
    Ticks stage_ = 0, last_ = 0;
    int threads_ = 1;
    double busy_ = 0, idle_ = 0;  ///< ticks of all threads within and between kernels
};

class Profiler;

/// The profile of a program on a device. One thread at a time runs the program, and any thread reads the profile.
class ProgramProfile {
public:
    /// Constructs the profile of a plan. `identity` is equal for all programs of one source.
    ProgramProfile(std::shared_ptr<Profiler> of, const PlanView& plan, const void* identity, const LayerNames& layers,
                   std::string device, bool fused);

    /// Counts a run. Returns whether to time it.
    bool due() { return sampling_.due(); }
    KernelClock& clock() { return clock_; }
    /// Adds the times of a run. `left_out(i)`: kernel i did nothing, since another one does its work.
    void add(const PlanView& plan, std::ptrdiff_t records, Ticks began, const AnyFunction<bool(int)>& left_out);
    /// Adds a run on an accelerator, with the seconds of each kernel, 0 for those that others compute. The run has just
    /// ended. `whole`: seconds that the run took with its measurement.
    void add_on_device(const PlanView& plan, std::ptrdiff_t records, std::span<const double> seconds, double whole,
                       int launches);

private:
    friend class Profiler;
    struct Sums {
        double ticks = 0;
        std::uint64_t calls = 0;
        double bytes = 0, multiply_adds = 0, operations = 0;
    };
    std::shared_ptr<Profiler> of_;
    const void* plan_;  ///< identifies the program, with the network
    const void* network_;
    ProfiledProgram described_;
    ElementType element_;
    KernelClock clock_;
    Sampling sampling_;
    std::mutex mutex_{};  ///< protects the members below
    std::vector<Sums> sums_;
    std::vector<KernelCost> costs_{};
    std::ptrdiff_t costs_of_ = -1;
    std::uint64_t timed_ = 0;
    bool first_ = true;
    double ticks_ = 0, records_ = 0, busy_ = 0, idle_ = 0;
    int threads_ = 1;
    bool in_seconds_ = false;  ///< times are in seconds, not in ticks

    /// Adds the work of a run with these times. The mutex must be locked.
    template <class GetTime>
    double add_run(const PlanView& plan, std::ptrdiff_t records, const GetTime& time_of,
                   const AnyFunction<bool(int)>& left_out);
};

/// The parts of an iteration of a trainer.
enum class LoopPart : std::uint8_t { data, step, modifiers, device, hooks, validation, epoch_hooks, count };

/// The profile of the loop of one trainer. One thread at a time runs the loop, and any thread reads the profile.
class LoopProfile {
public:
    LoopProfile(std::shared_ptr<Profiler> of, std::string trainer);

    /// Counts an iteration. Returns whether it is timed.
    bool begin();
    void end();
    /// Adds a part of the iteration that is being timed.
    void add(LoopPart part, Ticks from, Ticks to);
    /// Adds work between two iterations.
    void add_between(LoopPart part, Ticks from, Ticks to);

private:
    friend class Profiler;
    static constexpr auto parts = static_cast<std::size_t>(LoopPart::count);
    std::shared_ptr<Profiler> of_;
    std::string trainer_;
    Sampling sampling_;
    Ticks began_ = 0;
    double now_[parts]{};
    std::uint64_t calls_now_[parts]{};
    std::mutex mutex_{};  ///< protects the members below
    double sums_[parts]{};
    std::uint64_t calls_[parts]{};
    double ticks_ = 0;
    std::uint64_t timed_ = 0;
    bool first_ = true;
};

/// The number of the profile that is being measured, or 0. Reading it is all that a program does without a profile.
inline std::atomic<unsigned> profile_number{0};
inline unsigned profile_now() { return profile_number.load(std::memory_order_relaxed); }

/// The iteration that is being timed on this thread, or null.
inline thread_local constinit LoopProfile* timed_iteration = nullptr;

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

    void end() const;
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
    bool begin();
    /// Ends a timed iteration, with hooks that began at `hooks`.
    void end(Ticks hooks);
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

    LoopProfile* now();
};

/// A profile that is being measured. All programs and trainers of the process take part.
class Profiler {
public:
    /// Begins a profile, which replaces the one that was being measured.
    static std::shared_ptr<Profiler> begin();
    /// Ends this profile and resumes the one before.
    void end();
    /// Begins the profile that the environment variable SIGMA_PROFILE names, at the first call. Its trace is written
    /// and its table is printed to standard error when the process exits. Throws ArgumentError if the file cannot be
    /// written.
    static void begin_by_environment();
    /// Returns the profile that is being measured, or null.
    static std::shared_ptr<Profiler> now();

    void add(std::shared_ptr<ProgramProfile> program);
    void add(std::shared_ptr<LoopProfile> loop);
    Profile report();
    /// Returns the unit of `ticks_now`, the more exactly the longer ago the profile began.
    double seconds_per_tick() const;

    /// Notes how to measure the peak of a core.
    void measure_by(double (*multiply_adds)(long turns, float* factor));
    void measure_by(double (*multiply_adds)(long turns, double* factor));

    TraceEvents events{1 << 16};
    double stamp = 0;  ///< ticks between two readings of the clock with nothing between
    double cost = 0;   ///< ticks that KernelClock::add and its measurement take

private:
    Profiler();
    PeakRates peak();

    std::mutex mutex_{};
    double (*multiply_adds_)(long, float*) = nullptr;
    double (*multiply_adds_of_double_)(long, double*) = nullptr;
    std::vector<std::shared_ptr<ProgramProfile>> programs_{};
    std::vector<std::shared_ptr<LoopProfile>> loops_{};
    Ticks began_ = 0;
    std::chrono::steady_clock::time_point began_at_{};
    unsigned number_ = 0;
    std::shared_ptr<Profiler> before_{};
};

/// Returns the part of the present profile that `mine` holds: made by `make` when a profile begins, null when none is
/// being measured. `number` is that of the profile to which `mine` belongs.
template <class Profiled, class Make>
Profiled* part_of_profile(unsigned& number, std::shared_ptr<Profiled>& mine, const Make& make) {
    const unsigned now = profile_now();
    if (number == now) return mine.get();
    mine = nullptr;
    if (const std::shared_ptr<Profiler> profiler = Profiler::now()) {
        mine = make(profiler);
        profiler->add(mine);
    }
    number = now;
    return mine.get();
}

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/device/impl/profiler.ipp>
#endif
