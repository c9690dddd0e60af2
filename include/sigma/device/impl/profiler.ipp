// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/core/scope.hpp>
#include <sigma/core/threads.hpp>
#include <sigma/device/arena.hpp>
#include <sigma/device/profile.hpp>
#include <sigma/device/profiler.hpp>
#include <sigma/plan/kernel_cost.hpp>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <vector>

namespace sigma::detail {

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
    void note(double cost, double run) {
        constexpr double share = 0.006, most = 10000;  // of the time that all runs take
        const double wanted = run > 0 ? cost / (share * run) - 1 : 0;
        skip_ = static_cast<std::uint64_t>(std::clamp(std::ceil(wanted), 0.0, most));
    }
    std::uint64_t runs() const { return runs_; }

private:
    Relaxed<std::uint64_t> runs_;
    std::uint64_t skip_ = 0;
};

class TimesOfKernels final : public KernelClock {
public:
    /// Constructs a clock. Its events get `source`. `cost`: ticks that a call of `add` and its measurement take.
    TimesOfKernels(int kernels, TraceEvents* events, const void* source, double cost)
        : times_(static_cast<std::size_t>(kernels)), events_(events), source_(source), cost_(cost) {}

    void begin(int threads) override {
        threads_ = threads;
        busy_ = idle_ = 0;
        for (KernelTimes& t : times_) t.taken = 0;
        stage_ = last_ = ticks_now();
    }
    void after(int kernel) override {
        const Ticks now = ticks_now();
        KernelTimes& t = times_[static_cast<std::size_t>(kernel)];
        t.taken += static_cast<double>(now - last_);
        events_->add(source_, kernel, last_, now);
        last_ = ticks_now();
    }
    void add(int kernel, Ticks from, Ticks to) override {
        KernelTimes& t = times_[static_cast<std::size_t>(kernel)];
        t.ticks.fetch_add(to - from, std::memory_order_relaxed);
        t.calls.fetch_add(1, std::memory_order_relaxed);
        events_->add(source_, kernel, from, to);
    }
    void end_stage() override {
        const Ticks now = ticks_now();
        double all = 0, calls = 0;
        for (const KernelTimes& t : times_) {
            all += static_cast<double>(t.ticks.load(std::memory_order_relaxed));
            calls += static_cast<double>(t.calls.load(std::memory_order_relaxed));
        }
        const double wall = static_cast<double>(now - stage_), measuring = cost_ * calls / threads_;
        const double net = std::max(wall - measuring, 0.5 * wall);
        if (threads_ > 1) busy_ += all, idle_ += std::max(threads_ * wall - all, 0.0);
        for (KernelTimes& t : times_) {
            const auto ticks = static_cast<double>(t.ticks.exchange(0, std::memory_order_relaxed));
            t.taken += all > 0 ? net * ticks / all : 0;
            t.calls.store(0, std::memory_order_relaxed);
        }
        stage_ = ticks_now();
    }

private:
    friend class ProgramTimes;
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

class ProgramTimes;
class LoopTimes;
class Profiler;

/// The profile that is being measured. Never destroyed, since static objects may run programs.
struct PresentProfile {
    std::mutex mutex{};
    std::shared_ptr<Profiler> profiler{};
    unsigned last_number = 0;
};
SIGMA_IMPL PresentProfile& present_profile() {
    static PresentProfile& present = *new PresentProfile;
    return present;
}

/// A profile that is being measured. All programs and trainers of the process take part.
class Profiler {
public:
    /// Begins a profile, which replaces the one that was being measured. Without `kernels`, it has only loops.
    static std::shared_ptr<Profiler> begin(bool kernels = true) {
        const std::shared_ptr<Profiler> fresh(new Profiler(kernels));
        PresentProfile& present = present_profile();
        const std::lock_guard lock(present.mutex);
        fresh->before_ = std::exchange(present.profiler, fresh);
        fresh->number_ = ++present.last_number;
        fresh->began_at_ = std::chrono::steady_clock::now();
        fresh->began_ = ticks_now();
        profile_number = fresh->number_;
        return fresh;
    }
    /// Ends this profile and resumes the one before.
    void end() {
        {
            PresentProfile& present = present_profile();
            const std::lock_guard lock(present.mutex);
            // Profiles of several threads may end in any order.
            for (std::shared_ptr<Profiler>* place = &present.profiler; *place; place = &(*place)->before_)
                if (place->get() == this) {
                    const std::shared_ptr<Profiler> before = before_;
                    *place = before;
                    break;
                }
            profile_number = present.profiler ? present.profiler->number_ : 0;
        }
        const std::lock_guard lock(mutex_);
        programs_.clear();
        loops_.clear();
    }
    /// Implements `Profiling::begin_by_environment`.
    static void begin_by_environment();
    /// Returns the profile that is being measured, or null.
    static std::shared_ptr<Profiler> now() {
        PresentProfile& present = present_profile();
        const std::lock_guard lock(present.mutex);
        return present.profiler;
    }

    void add(std::shared_ptr<ProgramTimes> program) {
        const std::lock_guard lock(mutex_);
        programs_.push_back(std::move(program));
    }
    void add(std::shared_ptr<LoopTimes> loop) {
        const std::lock_guard lock(mutex_);
        loops_.push_back(std::move(loop));
    }
    Profile report();
    /// Adds the loops of trainers to a profile, and the numbers of their events to `sources`.
    void report_loops(Profile& profile, std::map<const void*, int>& sources);
    /// Returns the unit of `ticks_now`, the more exactly the longer ago the profile began.
    double seconds_per_tick() const {
        auto now = std::chrono::steady_clock::now();
        while (now - began_at_ < std::chrono::milliseconds(2)) now = std::chrono::steady_clock::now();
        return std::chrono::duration<double>(now - began_at_).count() / static_cast<double>(ticks_now() - began_);
    }

    /// Notes how a program measures the peak of a core.
    void measure_by(const ProfiledSource& source) {
        const std::lock_guard lock(mutex_);
        if (source.multiply_adds) multiply_adds_ = source.multiply_adds;
        if (source.multiply_adds_of_double) multiply_adds_of_double_ = source.multiply_adds_of_double;
    }

    const bool kernels;  ///< true if programs take part
    TraceEvents events{kernels ? std::size_t{1} << 16 : 0};
    double stamp = 0;  ///< ticks between two readings of the clock with nothing between
    double cost = 0;   ///< ticks that KernelClock::add and its measurement take

private:
    explicit Profiler(bool with_kernels) : kernels(with_kernels) {
        // The least of many is that without interruptions.
        Ticks least = ~Ticks{0}, least_of_add = ~Ticks{0};
        TraceEvents some(64);
        TimesOfKernels clock(1, &some, nullptr, 0);
        for (int i = 0; i < 256; ++i) {
            const Ticks a = ticks_now(), b = ticks_now();
            least = std::min(least, b - a);
            clock.add(0, a, b);
            least_of_add = std::min(least_of_add, ticks_now() - a);
        }
        stamp = static_cast<double>(least);
        cost = static_cast<double>(least_of_add);
    }
    PeakRates peak();

    std::mutex mutex_{};
    double (*multiply_adds_)(long, float*) = nullptr;
    double (*multiply_adds_of_double_)(long, double*) = nullptr;
    std::vector<std::shared_ptr<ProgramTimes>> programs_{};
    std::vector<std::shared_ptr<LoopTimes>> loops_{};
    Ticks began_ = 0;
    std::chrono::steady_clock::time_point began_at_{};
    unsigned number_ = 0;
    std::shared_ptr<Profiler> before_{};
};

/// Returns what a program of a network computes.
SIGMA_IMPL std::string program_name(const PlanView& plan, bool of_network) {
    if (!of_network) return "program";
    bool updates = false, backward = false, batched = false;
    for (const Kernel& k : plan.kernels) {
        backward = backward || k.origin.part == StepPart::backward;
        for (const Argument& a : plan.arguments_of(k)) {
            const Buffer& b = plan.buffers[static_cast<std::size_t>(a.buffer)];
            if (!a.written) continue;
            updates = updates || b.where == Buffer::Where::parameter || b.where == Buffer::Where::state;
            batched = batched || (b.where == Buffer::Where::output && b.shape.batched());
        }
    }
    return updates ? "training step" : backward ? "gradients" : batched ? "prediction" : "score";
}

class ProgramTimes final : public ProgramProfile {
public:
    ProgramTimes(std::shared_ptr<Profiler> of, const ProfiledSource& source)
        : of_(std::move(of)), plan_(source.identity), network_(source.layers.network), element_(source.plan.element),
          clock_(static_cast<int>(source.plan.kernels.size()), &of_->events, this, of_->cost),
          sums_(source.plan.kernels.size()) {
        const PlanView& plan = source.plan;
        const LayerNames& layers = source.layers;
        described_.name = program_name(plan, layers.network != nullptr);
        described_.device = source.device;
        described_.fused = source.fused;
        described_.launches = static_cast<int>(plan.kernels.size());
        constexpr const char* parts[] = {"forward", "backward", "update"};
        for (const Kernel& k : plan.kernels) {
            ProfileRow row;
            row.number = static_cast<int>(described_.rows.size());
            row.kernel = kernel_summary(plan, k);
            if (layers.name) row.layer = layers.name(layers.network, k.origin.layer);
            if (!row.layer.empty()) row.layer_number = k.origin.layer;
            if (layers.network) row.part = parts[static_cast<int>(k.origin.part)];
            described_.rows.push_back(std::move(row));
        }
    }

    bool due() override { return sampling_.due(); }
    KernelClock& clock() override { return clock_; }
    void add(const PlanView& plan, std::ptrdiff_t records, Ticks began,
             const AnyFunction<bool(int)>& left_out) override {
        double run = 0;
        {
            const std::lock_guard lock(mutex_);
            run = add_run(plan, records, [&](std::size_t i) { return clock_.times_[i].taken; }, left_out);
            busy_ += clock_.busy_, idle_ += clock_.idle_;
            threads_ = std::max(threads_, clock_.threads_);
        }
        sampling_.note(static_cast<double>(ticks_now() - began) - run, run);
    }
    void add_on_device(const PlanView& plan, std::ptrdiff_t records, std::span<const double> seconds, double whole,
                       int launches) override {
        const Ticks now = ticks_now();
        double run = 0;
        {
            const std::lock_guard lock(mutex_);
            in_seconds_ = true;
            described_.launches = launches;
            run = add_run(
                plan, records, [&](std::size_t i) { return seconds[i]; },
                [&](int i) { return seconds[static_cast<std::size_t>(i)] == 0; });
        }
        // The kernels end now. The unit of the host's clock is known only roughly here.
        const double unit = of_->seconds_per_tick();
        double left = run;
        for (std::size_t i = 0; i < seconds.size(); ++i) {
            if (seconds[i] == 0) continue;
            const auto before = [&](double s) { return now - static_cast<Ticks>(std::max(s, 0.0) / unit); };
            of_->events.add(this, static_cast<int>(i), before(left), before(left - seconds[i]), this);
            left -= seconds[i];
        }
        sampling_.note(whole - run, run);
    }

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
    TimesOfKernels clock_;
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
                   const AnyFunction<bool(int)>& left_out) {
        if (costs_of_ != records) {
            costs_.clear();
            for (const Kernel& k : plan.kernels) costs_.push_back(kernel_cost(plan, k, records));
            costs_of_ = records;
        }
        // The first run allocates memory. It counts only if there is no other.
        if (timed_ == 1 && std::exchange(first_, false)) {
            std::ranges::fill(sums_, Sums{});
            timed_ = 0, ticks_ = records_ = busy_ = idle_ = 0;
        }
        double run = 0;
        for (std::size_t i = 0; i < sums_.size(); ++i) {
            const double time = time_of(i);
            const int loop = plan.kernels[i].loop;
            const int positions = loop < 0 ? 1 : plan.loops[static_cast<std::size_t>(loop)].count;
            const bool idle = left_out && left_out(static_cast<int>(i));
            const double calls = idle ? 0 : positions;
            Sums& s = sums_[i];
            s.ticks += time;
            s.calls += static_cast<std::uint64_t>(positions);
            s.bytes += calls * costs_[i].bytes();
            s.multiply_adds += calls * costs_[i].multiply_adds;
            s.operations += calls * costs_[i].operations;
            run += time;
        }
        ++timed_;
        ticks_ += run;
        records_ += static_cast<double>(records);
        return run;
    }
};

class LoopTimes final : public LoopProfile {
public:
    LoopTimes(std::shared_ptr<Profiler> of, std::string trainer) : of_(std::move(of)), trainer_(std::move(trainer)) {}

    bool begin() override {
        if (!sampling_.due()) return false;
        std::ranges::fill(now_, 0.0);
        std::ranges::fill(calls_now_, std::uint64_t{0});
        began_ = ticks_now();
        return true;
    }
    void end() override {
        const Ticks now = ticks_now();
        const auto taken = static_cast<double>(now - began_);
        of_->events.add(this, -1, began_, now);
        double stamps = 1;
        {
            const std::lock_guard lock(mutex_);
            if (timed_ == 1 && std::exchange(first_, false)) {  // as in ProgramTimes::add
                for (const LoopPart part :
                     {LoopPart::data, LoopPart::step, LoopPart::modifiers, LoopPart::device, LoopPart::hooks})
                    sums_[static_cast<std::size_t>(part)] = 0, calls_[static_cast<std::size_t>(part)] = 0;
                ticks_ = 0, timed_ = 0;
            }
            for (std::size_t i = 0; i < parts; ++i) {
                sums_[i] += now_[i], calls_[i] += calls_now_[i];
                stamps += static_cast<double>(calls_now_[i]);
            }
            ticks_ += taken;
            ++timed_;
        }
        // The second half is the work of this function.
        sampling_.note(2 * of_->cost * stamps + static_cast<double>(ticks_now() - now), taken);
    }
    void add(LoopPart part, Ticks from, Ticks to) override {
        const auto i = static_cast<std::size_t>(part);
        now_[i] += static_cast<double>(to - from);
        ++calls_now_[i];
        of_->events.add(this, static_cast<int>(i), from, to);
    }
    void add_between(LoopPart part, Ticks from, Ticks to) override {
        const auto i = static_cast<std::size_t>(part);
        of_->events.add(this, static_cast<int>(i), from, to);
        const std::lock_guard lock(mutex_);
        sums_[i] += static_cast<double>(to - from);
        ++calls_[i];
    }

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

// ---- the profile of the process ----

/// The file that SIGMA_PROFILE names, and its profile.
struct ProfileOfProcess {
    std::string file{};
    std::shared_ptr<Profiler> profiler{};
};
SIGMA_IMPL ProfileOfProcess& profile_of_process() {
    static ProfileOfProcess& whole = *new ProfileOfProcess;
    return whole;
}
SIGMA_IMPL void write_profile_of_process() noexcept {
    const ProfileOfProcess& whole = profile_of_process();
    try {
        const Profile profile = whole.profiler->report();
        std::fflush(stdout);
        std::fputs(profile.text().c_str(), stderr);
        profile.write_trace(whole.file);
    } catch (const std::exception& thrown) { std::fprintf(stderr, "SIGMA_PROFILE: %s\n", thrown.what()); }
}
SIGMA_IMPL void Profiler::begin_by_environment() {
    static const bool begun = [] {
        const char* const file = std::getenv("SIGMA_PROFILE");
        if (file == nullptr || *file == '\0') return false;
        // Found out now, since the process may run for hours.
        std::FILE* const tried = std::fopen(file, "a");
        if (tried == nullptr)
            throw ArgumentError("environment variable SIGMA_PROFILE", "the path of a file that can be written",
                                sentence("'", file, "': ", std::strerror(errno)));
        std::fclose(tried);
        // A relative path would be below the folder that is current at the end.
        profile_of_process() = {std::filesystem::absolute(file).string(), begin()};
        std::atexit([] { write_profile_of_process(); });
        return true;
    }();
    (void)begun;
}

// ---- peak ----

/// Returns the least time of one call in seconds, of many within some milliseconds.
template <class F>
double least_seconds(double most, const F& call) {
    double least = 1e9, spent = 0;
    for (int i = 0; i < 3 || spent < most; ++i) {
        const auto from = std::chrono::steady_clock::now();
        call();
        const double taken = std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count();
        least = std::min(least, taken);
        spent += taken;
    }
    return least;
}
template <class T>
double peak_operations(double (*multiply_adds)(long, T*)) {
    if (multiply_adds == nullptr) return 0;
    double done = 0;
    const double seconds = least_seconds(0.02, [&] {
        T factor = T(0.9999);
        done = multiply_adds(2000, &factor);
    });
    return 2 * done / seconds;
}
SIGMA_IMPL PeakRates Profiler::peak() {
    PeakRates found{peak_operations(multiply_adds_), peak_operations(multiply_adds_of_double_), {}, {}};
    for (const std::size_t bytes : {1ul << 14, 1ul << 18, 1ul << 21, 1ul << 24, 1ul << 27}) {
        // Aligned, as all memory of programs: copies to other places may take thirty times as long (Zen 3).
        const Arena<char> from(bytes / 2), to(bytes / 2);
        const std::size_t times = std::max<std::size_t>(1, (std::size_t{1} << 18) / bytes);
        const double seconds = least_seconds(0.01, [&] {
            for (std::size_t i = 0; i < times; ++i) {
                std::memcpy(to.data(), from.data(), from.size());
                asm volatile("" ::"r"(to.data()) : "memory");
            }
        });
        found.bytes.push_back(static_cast<double>(bytes));
        found.bytes_per_second.push_back(static_cast<double>(bytes * times) / seconds);
    }
    return found;
}

/// Returns the bytes per second of copies with as many bytes.
SIGMA_IMPL double copy_rate_of(const PeakRates& peak, double bytes) {
    for (std::size_t i = 0; i < peak.bytes.size(); ++i)
        if (bytes <= peak.bytes[i] || i + 1 == peak.bytes.size()) return peak.bytes_per_second[i];
    return 0;
}

// ---- the report ----

SIGMA_IMPL void Profiler::report_loops(Profile& profile, std::map<const void*, int>& sources) {
    const double unit = seconds_per_tick();
    std::vector<std::shared_ptr<LoopTimes>> loops;
    {
        const std::lock_guard lock(mutex_);
        loops = loops_;
    }
    constexpr const char* names[] = {"wait for data", "step",       "modifiers",      "wait for the device",
                                     "hooks",         "validation", "hooks of epochs"};
    struct LoopSum {
        double ticks = 0, parts[LoopTimes::parts]{}, calls[LoopTimes::parts]{};
    };
    std::vector<LoopSum> of_loops;
    for (const auto& l : loops) {
        const std::lock_guard lock(l->mutex_);
        if (l->timed_ == 0) continue;
        std::size_t at = 0;
        while (at < profile.loops.size() && profile.loops[at].trainer != l->trainer_) ++at;
        if (at == profile.loops.size()) {
            profile.loops.emplace_back().trainer = l->trainer_;
            of_loops.emplace_back();
        }
        ProfiledLoop& to = profile.loops[at];
        sources[l.get()] = -1 - static_cast<int>(at);
        const std::uint64_t runs = l->sampling_.runs();
        const double weight = static_cast<double>(runs) / static_cast<double>(l->timed_);
        to.iterations += runs, to.timed += l->timed_;
        of_loops[at].ticks += weight * l->ticks_;
        for (std::size_t i = 0; i < LoopTimes::parts; ++i) {
            const bool between = i >= static_cast<std::size_t>(LoopPart::validation);
            of_loops[at].parts[i] += (between ? 1 : weight) * l->sums_[i];
            of_loops[at].calls[i] += (between ? 1 : weight) * static_cast<double>(l->calls_[i]);
        }
    }
    for (std::size_t at = 0; at < profile.loops.size(); ++at) {
        ProfiledLoop& loop = profile.loops[at];
        const LoopSum& sum = of_loops[at];
        loop.seconds = unit * sum.ticks / static_cast<double>(loop.iterations);
        double rest = sum.ticks;
        const auto add = [&](const char* name, double ticks, double calls) {
            ProfileRow row;
            row.kernel = name;
            row.calls = static_cast<std::uint64_t>(std::llround(calls));
            row.seconds = unit * ticks;
            row.share = sum.ticks > 0 ? ticks / sum.ticks : 0;
            loop.rows.push_back(std::move(row));
        };
        constexpr auto between = static_cast<std::size_t>(LoopPart::validation);
        for (std::size_t i = 0; i < LoopTimes::parts; ++i) {
            if (i == between) add("other", std::max(rest, 0.0), static_cast<double>(loop.iterations));
            if (sum.calls[i] == 0) continue;
            const bool step = i == static_cast<std::size_t>(LoopPart::step);  // it waits for its data itself
            const double data = sum.parts[static_cast<std::size_t>(LoopPart::data)];
            const double ticks = step ? std::max(sum.parts[i] - data, 0.0) : sum.parts[i];
            if (i < between) rest -= ticks;
            add(names[i], ticks, sum.calls[i]);
        }
    }
}

SIGMA_IMPL Profile Profiler::report() {
    const double unit = seconds_per_tick();

    std::vector<std::shared_ptr<ProgramTimes>> programs;
    {
        const std::lock_guard lock(mutex_);
        programs = programs_;
    }
    Profile profile;
    std::map<const void*, int> sources;

    // Several sessions run the same program, and several workers have one each: their times are added up.
    struct Sum {
        const ProgramTimes* first = nullptr;
        std::uint64_t runs = 0, timed = 0;
        double seconds = 0, records = 0, busy = 0, idle = 0;
        std::vector<ProgramTimes::Sums> rows{};  // with times in seconds
    };
    std::vector<Sum> sums;
    for (const auto& p : programs) {
        const std::lock_guard lock(p->mutex_);
        if (p->timed_ == 0) continue;
        std::size_t at = 0;
        const auto same = [&](const Sum& s) {
            return s.first->plan_ == p->plan_ && s.first->network_ == p->network_ &&
                   s.first->described_.device == p->described_.device && s.rows.size() == p->sums_.size();
        };
        while (at < sums.size() && !same(sums[at])) ++at;
        if (at == sums.size()) {
            Sum fresh;
            fresh.first = p.get();
            fresh.rows.resize(p->sums_.size());
            sums.push_back(std::move(fresh));
            profile.programs.push_back(p->described_);
        }
        Sum& s = sums[at];
        sources[p.get()] = static_cast<int>(at);
        // Sessions that several runs share are weighted by their runs.
        const std::uint64_t runs = p->sampling_.runs();
        const double weight = static_cast<double>(runs) / static_cast<double>(p->timed_);
        s.runs += runs, s.timed += p->timed_;
        const double each = weight * (p->in_seconds_ ? 1 : unit);
        s.seconds += each * p->ticks_, s.records += weight * p->records_;
        s.busy += p->busy_, s.idle += p->idle_;
        profile.programs[at].launches = p->described_.launches;
        profile.programs[at].threads = std::max(profile.programs[at].threads, p->threads_);
        for (std::size_t i = 0; i < s.rows.size(); ++i) {
            const ProgramTimes::Sums& from = p->sums_[i];
            ProgramTimes::Sums& to = s.rows[i];
            to.ticks += each * from.ticks;
            to.calls += static_cast<std::uint64_t>(std::llround(weight * static_cast<double>(from.calls)));
            to.bytes += weight * from.bytes, to.multiply_adds += weight * from.multiply_adds;
            to.operations += weight * from.operations;
        }
    }
    report_loops(profile, sources);
    profile.peak = peak();  // after the sums, since a run may continue meanwhile
    for (std::size_t at = 0; at < sums.size(); ++at) {
        const Sum& s = sums[at];
        ProfiledProgram& p = profile.programs[at];
        p.runs = s.runs, p.timed = s.timed;
        p.records = s.records / static_cast<double>(s.runs);
        p.seconds = s.seconds / static_cast<double>(s.runs);
        p.busy = s.busy + s.idle > 0 ? s.busy / (s.busy + s.idle) : 1;
        const bool here = p.device == "cpu";
        const double operations =
            s.first->element_ == ElementType::float32 ? profile.peak.float_operations : profile.peak.double_operations;
        for (std::size_t i = 0; i < p.rows.size(); ++i) {
            const ProgramTimes::Sums& from = s.rows[i];
            ProfileRow& row = p.rows[i];
            row.calls = from.calls;
            row.seconds = from.ticks;
            row.share = s.seconds > 0 ? from.ticks / s.seconds : 0;
            row.bytes = from.bytes, row.multiply_adds = from.multiply_adds, row.operations = from.operations;
            if (!here || from.calls == 0 || row.seconds <= 0 || operations <= 0) continue;
            const double calls = static_cast<double>(from.calls);
            const double least = std::max((2 * row.multiply_adds + row.operations) / operations,
                                          row.bytes / copy_rate_of(profile.peak, row.bytes / calls));
            if (least > 0) row.share_of_peak = least / p.threads / row.seconds;
        }
    }

    std::map<const void*, int> threads;
    for (std::size_t i = 0; i < events.size(); ++i) {
        const TraceEvents::Event& e = events[i];
        const auto found = sources.find(e.source.load(std::memory_order_acquire));
        if (found == sources.end() || e.begin < began_) continue;
        const int thread = threads.try_emplace(e.thread, static_cast<int>(threads.size())).first->second;
        profile.events.push_back({found->second, e.row, thread, unit * static_cast<double>(e.begin - began_),
                                  unit * static_cast<double>(e.end - e.begin)});
    }
    profile.events_left_out = events.left_out();
    return profile;
}

/// The profiler of this process, as programs and trainers reach it.
class ProfilingHere final : public Profiling {
public:
    void begin_by_environment() const override { Profiler::begin_by_environment(); }
    std::shared_ptr<ProgramProfile> program(const ProfiledSource& source) const override {
        const std::shared_ptr<Profiler> now = Profiler::now();
        if (now == nullptr || !now->kernels) return nullptr;
        now->measure_by(source);
        const auto made = std::make_shared<ProgramTimes>(now, source);
        now->add(made);
        return made;
    }
    std::shared_ptr<LoopProfile> loop(const std::string& trainer) const override {
        const std::shared_ptr<Profiler> now = Profiler::now();
        if (now == nullptr) return nullptr;
        const auto made = std::make_shared<LoopTimes>(now, trainer);
        now->add(made);
        return made;
    }
};
inline constexpr ProfilingHere profiling_here{};
#ifdef SIGMA_COMPILED
const Profiling* profiling() { return &profiling_here; }
#else
inline const bool profiling_is_known = (profiling_of_program = &profiling_here, true);
#endif

SIGMA_IMPL Profile profile_of(const AnyFunction<void()>& work) {
    const std::shared_ptr<Profiler> profiler = Profiler::begin();
    const AtExit ended([&] { profiler->end(); });
    work();
    return profiler->report();
}

SIGMA_IMPL MeasuredLoops::MeasuredLoops() : profiler_(Profiler::begin(false)) {}
SIGMA_IMPL MeasuredLoops::~MeasuredLoops() { profiler_->end(); }
SIGMA_IMPL std::vector<ProfiledLoop> MeasuredLoops::loops() const {
    Profile found;
    std::map<const void*, int> unused;
    profiler_->report_loops(found, unused);
    return found.loops;
}

}  // namespace sigma::detail
