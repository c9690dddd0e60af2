// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/gpu/cuda/context.hpp>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <span>

namespace sigma::on_gpu::cuda {

/// Times work on the device's stream. The caller has the turn, and nothing is captured.
class Trials {
public:
    explicit Trials(Context& context) : context_(context) {
        try {
            for (::cudaEvent_t& each : events_)
                context_.examine(::cudaEventCreateWithFlags(&each, cudaEventDefault), "an event");
        } catch (...) {
            end();
            throw;
        }
    }
    Trials(const Trials&) = delete;
    Trials& operator=(const Trials&) = delete;
    ~Trials() { end(); }

    /// Microseconds of one call; infinite where `work` says that it cannot be done. What is short is replayed as a
    /// graph of many, as steps do it: asked for one by one, the time would be that of asking.
    double microseconds(const std::function<bool()>& work) {
        constexpr double never = std::numeric_limits<double>::infinity();
        if (!work()) return never;  // what is loaded lazily is loaded now
        const double once = timed([&] { (void)work(); });
        if (once > 100) return std::min(once, timed([&] { (void)work(); }));

        constexpr int calls = 10;
        ::cudaGraph_t graph = nullptr;
        context_.examine(::cudaStreamBeginCapture(context_.stream(), cudaStreamCaptureModeRelaxed), "to time work");
        bool done = true;
        for (int i = 0; i < calls; ++i) done = work() && done;
        context_.examine(::cudaStreamEndCapture(context_.stream(), &graph), "to time work");
        ::cudaGraphExec_t ready = nullptr;
        const ::cudaError_t made = ::cudaGraphInstantiate(&ready, graph, 0);
        ::cudaGraphDestroy(graph);
        context_.examine(made, "to time work");
        double least = never;
        for (int i = 0; i < 4; ++i)  // the first is not yet on the device
            least = std::min(least, timed([&] { ::cudaGraphLaunch(ready, context_.stream()); }) / calls);
        ::cudaGraphExecDestroy(ready);
        return done ? least : never;
    }

    /// Which of these times is the least; one that is within a tenth of it gives way to an earlier one, so that trials
    /// seldom disagree. -1 where all are infinite.
    static int best(std::span<const double> times) {
        const double least = *std::min_element(times.begin(), times.end());
        if (least == std::numeric_limits<double>::infinity()) return -1;
        for (int i = 0;; ++i)
            if (times[static_cast<std::size_t>(i)] <= 1.1 * least) return i;
    }

private:
    template <class Work>
    double timed(Work&& work) {
        context_.examine(::cudaEventRecord(events_[0], context_.stream()), "to time work");
        work();
        context_.examine(::cudaEventRecord(events_[1], context_.stream()), "to time work");
        context_.examine(::cudaEventSynchronize(events_[1]), "timed work to end well");
        float milliseconds = 0;
        context_.examine(::cudaEventElapsedTime(&milliseconds, events_[0], events_[1]), "to time work");
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
