// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/gpu/cuda/context.hpp>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <span>

namespace sigma::on_gpu::cuda {

/// A timer of work on the stream of a device. The caller must hold the lock, and no capture may be active.
class Trials {
public:
    explicit Trials(Context& context) : context_(context) {
        try {
            for (::cudaEvent_t& each : events_)
                context_.examine(::cudaEventCreateWithFlags(&each, cudaEventDefault), "create an event");
        } catch (...) {
            end();
            throw;
        }
    }
    Trials(const Trials&) = delete;
    Trials& operator=(const Trials&) = delete;
    ~Trials() { end(); }

    /// Returns the microseconds of one call; infinite if `work` returns false. Short work is replayed as a graph of
    /// many calls, as in training steps, because single calls would measure the time of issuing them.
    double microseconds(const std::function<bool()>& work) {
        constexpr double never = std::numeric_limits<double>::infinity();
        if (!work()) return never;  // loads kernels that are loaded lazily
        const double once = timed([&] { (void)work(); });
        if (once > 100) return std::min(once, timed([&] { (void)work(); }));

        constexpr int calls = 10;
        ::cudaGraph_t graph = nullptr;
        context_.examine(::cudaStreamBeginCapture(context_.stream(), cudaStreamCaptureModeRelaxed), "time work");
        bool done = true;
        for (int i = 0; i < calls; ++i) done = work() && done;
        context_.examine(::cudaStreamEndCapture(context_.stream(), &graph), "time work");
        ::cudaGraphExec_t ready = nullptr;
        const ::cudaError_t made = ::cudaGraphInstantiate(&ready, graph, 0);
        ::cudaGraphDestroy(graph);
        context_.examine(made, "time work");
        double least = never;
        for (int i = 0; i < 4; ++i)  // the first run still uploads the graph
            least = std::min(least, timed([&] { ::cudaGraphLaunch(ready, context_.stream()); }) / calls);
        ::cudaGraphExecDestroy(ready);
        return done ? least : never;
    }

    /// Returns the number of the first time that is at most a tenth above the least, so that trials rarely disagree.
    /// Returns -1 if all times are infinite.
    static int best(std::span<const double> times) {
        const double least = *std::min_element(times.begin(), times.end());
        if (least == std::numeric_limits<double>::infinity()) return -1;
        for (int i = 0;; ++i)
            if (times[static_cast<std::size_t>(i)] <= 1.1 * least) return i;
    }

private:
    template <class Work>
    double timed(Work&& work) {
        context_.examine(::cudaEventRecord(events_[0], context_.stream()), "time work");
        work();
        context_.examine(::cudaEventRecord(events_[1], context_.stream()), "time work");
        context_.examine(::cudaEventSynchronize(events_[1]), "finish timed work");
        float milliseconds = 0;
        context_.examine(::cudaEventElapsedTime(&milliseconds, events_[0], events_[1]), "time work");
        return 1000.0 * static_cast<double>(milliseconds);
    }
    void end() noexcept {
        for (const ::cudaEvent_t each : events_)
            if (each) ::cudaEventDestroy(each);
    }

    Context& context_;
    ::cudaEvent_t events_[2] = {};
};

}  // namespace sigma::on_gpu::cuda
