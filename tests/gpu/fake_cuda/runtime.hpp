// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cuda_runtime_api.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

// The part of the CUDA runtime that Sigma uses, on the processor. Define it once in a program that does not link the
// real one. Work of a stream is delayed as long as possible, so that code that forgets to wait reads old numbers.
namespace fake_cuda {

struct Stream {
    std::deque<std::function<void()>> queue;
    std::uint64_t done = 0, issued = 0;
    bool capturing = false;
    std::vector<std::function<void()>> captured;
};
struct Event {
    Stream* stream = nullptr;
    std::uint64_t index = 0;
    std::shared_ptr<double> when = std::make_shared<double>(0);  // time on the clock
};
struct Kernel {
    std::size_t words = 0;
    std::function<void(const std::uint64_t* words, unsigned blocks, unsigned threads)> work;
};

struct Machine {
    int devices = 1, major = 9, minor = 0;
    int driver = 13000;  // version of the driver; less than the runtime's is rejected, and 0 means no driver
    std::size_t memory = std::size_t{1} << 30;
    std::map<std::string, Kernel> kernels;   // kernels that can be launched
    bool any_kernel = false;                 // all other kernels exist and do nothing
    cudaError_t next_load = cudaSuccess;     // result of loading kernels
    cudaError_t broken = cudaSuccess;        // error that a kernel has left
    std::map<void*, std::size_t> allocated;  // device memory
    std::set<void*> pinned;
    std::set<Stream*> streams;
    bool sorts = true;                 // true if there is code to sort for the device
    std::string misuse;                // calls that CUDA forbids
    double clock = 0;                  // microseconds of all products done so far
    std::vector<double> products{1};   // microseconds of a product by each algorithm
    std::set<std::uint64_t> hide_nan;  // algorithms with a relu that hides NaN, even if the others keep it
    bool relu_hides_nan = true;        // assumes the worst of cuBLASLt, which was not seen on a device

    std::size_t used() const {
        std::size_t bytes = 0;
        for (const auto& [data, size] : allocated) bytes += size;
        return bytes;
    }
};
inline Machine& machine() {
    static Machine one;
    return one;
}

inline void run_until(Stream* stream, std::uint64_t index) {
    while (stream->done < index) {
        const std::function<void()> work = std::move(stream->queue.front());
        stream->queue.pop_front();
        work();
        ++stream->done;
    }
}
inline void run_all() {
    for (Stream* each : machine().streams) run_until(each, each->issued);
}
inline cudaError_t enqueue(cudaStream_t number, std::function<void()> work) {
    auto* const stream = reinterpret_cast<Stream*>(number);
    if (machine().broken != cudaSuccess) return machine().broken;
    if (stream->capturing) {
        stream->captured.push_back(std::move(work));
        return cudaSuccess;
    }
    stream->queue.push_back(std::move(work));
    ++stream->issued;
    return cudaSuccess;
}
inline cudaError_t wait_for(Stream* stream, std::uint64_t index) {
    if (stream->capturing) {
        machine().misuse = "a wait for a stream that is captured";
        return cudaErrorStreamCaptureUnsupported;
    }
    run_until(stream, index);
    return machine().broken;
}

}  // namespace fake_cuda

extern "C" {

const char* cudaGetErrorName(cudaError_t code) {
    return code == cudaErrorIllegalAddress ? "cudaErrorIllegalAddress" : "cudaError";
}
const char* cudaGetErrorString(cudaError_t code) {
    return code == cudaErrorNoDevice ? "no CUDA-capable device is detected" : "an error of the fake";
}
cudaError_t cudaGetLastError() { return cudaSuccess; }
cudaError_t cudaSetDevice(int) { return fake_cuda::machine().broken; }
cudaError_t cudaGetDeviceCount(int* count) {
    if (fake_cuda::machine().driver < 13000) return cudaErrorInsufficientDriver;
    *count = fake_cuda::machine().devices;
    return *count == 0 ? cudaErrorNoDevice : cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
    *properties = {};
    std::strcpy(properties->name, "Fake H100");
    properties->major = fake_cuda::machine().major;
    properties->minor = fake_cuda::machine().minor;
    properties->multiProcessorCount = 4;
    properties->maxThreadsPerMultiProcessor = 2048;
    properties->totalGlobalMem = fake_cuda::machine().memory;
    return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr, int) { return *value = 0, cudaSuccess; }
cudaError_t cudaDriverGetVersion(int* version) { return *version = fake_cuda::machine().driver, cudaSuccess; }
cudaError_t cudaRuntimeGetVersion(int* version) { return *version = 13000, cudaSuccess; }

cudaError_t cudaMalloc(void** data, size_t bytes) {
    auto& here = fake_cuda::machine();
    if (here.used() + bytes > here.memory) return cudaErrorMemoryAllocation;
    const std::size_t whole = (bytes + 255) / 256 * 256;
    *data = std::aligned_alloc(256, whole);
    std::memset(*data, 0xCD, whole);
    here.allocated[*data] = bytes;
    return cudaSuccess;
}
cudaError_t cudaFree(void* data) {
    fake_cuda::run_all();
    if (fake_cuda::machine().allocated.erase(data) == 0)
        fake_cuda::machine().misuse = "memory freed that was not allocated";
    std::free(data);
    return cudaSuccess;
}
cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
    *total = fake_cuda::machine().memory;
    *free = *total - fake_cuda::machine().used();
    return cudaSuccess;
}
cudaError_t cudaHostAlloc(void** data, size_t bytes, unsigned) {
    *data = std::malloc(bytes);
    fake_cuda::machine().pinned.insert(*data);
    return cudaSuccess;
}
cudaError_t cudaFreeHost(void* data) {
    if (fake_cuda::machine().pinned.erase(data) == 0)
        fake_cuda::machine().misuse = "memory of the host freed that was not allocated";
    std::free(data);
    return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind, cudaStream_t stream) {
    return fake_cuda::enqueue(stream, [=] { std::memcpy(to, from, bytes); });
}
cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
    return fake_cuda::enqueue(stream, [=] { std::memset(to, value, bytes); });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
    auto* const made = new fake_cuda::Stream;
    fake_cuda::machine().streams.insert(made);
    *stream = reinterpret_cast<cudaStream_t>(made);
    return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    auto* const gone = reinterpret_cast<fake_cuda::Stream*>(stream);
    fake_cuda::machine().streams.erase(gone);
    delete gone;
    return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    auto* const waits = reinterpret_cast<fake_cuda::Stream*>(stream);
    return fake_cuda::wait_for(waits, waits->issued);
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
    auto* const asked = reinterpret_cast<fake_cuda::Stream*>(stream);
    if (fake_cuda::machine().broken != cudaSuccess) return fake_cuda::machine().broken;
    if (asked->done == asked->issued) return cudaSuccess;
    fake_cuda::run_until(asked, asked->done + 1);
    return cudaErrorNotReady;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
    *event = reinterpret_cast<cudaEvent_t>(new fake_cuda::Event);
    return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
    delete reinterpret_cast<fake_cuda::Event*>(event);
    return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    auto* const of = reinterpret_cast<fake_cuda::Stream*>(stream);
    auto& to = *reinterpret_cast<fake_cuda::Event*>(event);
    to.stream = of;
    fake_cuda::enqueue(stream, [when = to.when] { *when = fake_cuda::machine().clock; });
    to.index = of->issued;
    return cudaSuccess;
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t from, cudaEvent_t to) {
    const auto at = [](cudaEvent_t event) { return *reinterpret_cast<fake_cuda::Event*>(event)->when; };
    *milliseconds = static_cast<float>((at(to) - at(from)) / 1000);
    return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    const fake_cuda::Event at = *reinterpret_cast<fake_cuda::Event*>(event);
    return at.stream ? fake_cuda::wait_for(at.stream, at.index) : cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
    const fake_cuda::Event at = *reinterpret_cast<fake_cuda::Event*>(event);
    return fake_cuda::enqueue(stream, [at] { fake_cuda::run_until(at.stream, at.index); });
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
    reinterpret_cast<fake_cuda::Stream*>(stream)->capturing = true;
    return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
    auto* const of = reinterpret_cast<fake_cuda::Stream*>(stream);
    if (!of->capturing) return cudaErrorIllegalState;
    of->capturing = false;
    *graph = reinterpret_cast<cudaGraph_t>(new std::vector<std::function<void()>>(std::exchange(of->captured, {})));
    return cudaSuccess;
}
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t*, size_t* count) {
    return *count = reinterpret_cast<std::vector<std::function<void()>>*>(graph)->size(), cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    delete reinterpret_cast<std::vector<std::function<void()>>*>(graph);
    return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* ready, cudaGraph_t graph, unsigned long long) {
    *ready = reinterpret_cast<cudaGraphExec_t>(
        new std::vector<std::function<void()>>(*reinterpret_cast<std::vector<std::function<void()>>*>(graph)));
    return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
    for (const auto& each : *reinterpret_cast<std::vector<std::function<void()>>*>(graph))
        if (const cudaError_t code = fake_cuda::enqueue(stream, each); code != cudaSuccess) return code;
    return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) {
    delete reinterpret_cast<std::vector<std::function<void()>>*>(graph);
    return cudaSuccess;
}

cudaError_t cudaLibraryLoadData(cudaLibrary_t* library, const void* code, cudaJitOption*, void**, unsigned,
                                cudaLibraryOption*, void**, unsigned) {
    if (!code || !*static_cast<const char*>(code)) return cudaErrorInvalidPtx;
    if (fake_cuda::machine().next_load != cudaSuccess) return fake_cuda::machine().next_load;
    *library = reinterpret_cast<cudaLibrary_t>(new int);
    return cudaSuccess;
}
cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
    delete reinterpret_cast<int*>(library);
    return cudaSuccess;
}
cudaError_t cudaLibraryGetKernel(cudaKernel_t* kernel, cudaLibrary_t, const char* name) {
    const auto found = fake_cuda::machine().kernels.find(name);
    if (found == fake_cuda::machine().kernels.end()) {
        static fake_cuda::Kernel nothing{0, [](const std::uint64_t*, unsigned, unsigned) {}};
        if (!fake_cuda::machine().any_kernel) return cudaErrorSymbolNotFound;
        *kernel = reinterpret_cast<cudaKernel_t>(&nothing);
        return cudaSuccess;
    }
    *kernel = reinterpret_cast<cudaKernel_t>(&found->second);
    return cudaSuccess;
}
cudaError_t cudaLaunchKernel(const void* function, dim3 blocks, dim3 threads, void** parameters, size_t,
                             cudaStream_t stream) {
    if (threads.x > 1024) return cudaErrorInvalidConfiguration;
    const auto* const kernel = static_cast<const fake_cuda::Kernel*>(function);
    const auto* const words = static_cast<const std::uint64_t*>(parameters[0]);
    return fake_cuda::enqueue(stream, [kernel, all = std::vector<std::uint64_t>(words, words + kernel->words), blocks,
                                       threads] { kernel->work(all.data(), blocks.x, threads.x); });
}

}  // extern "C"
