// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "runtime.hpp"

#include <nccl.h>

#include <memory>
#include <vector>

// The part of NCCL that Sigma uses, over the streams of fake_cuda: an operation runs when all streams have reached it.
struct ncclComm {
    std::shared_ptr<int> size;
    int rank = 0;
};

namespace fake_nccl {

struct Part {
    ncclComm* communicator;
    fake_cuda::Stream* stream;
    std::uint64_t before;  // earlier work of the stream
    const void* from;
    void* to;
};
struct Operation {
    std::vector<Part> parts;
    std::size_t count = 0;
    ncclDataType_t type = ncclFloat32;
    bool done = false;
};
struct State {
    int made = 0, destroyed = 0, aborted = 0, groups = 0, depth = 0;
    ncclResult_t next_connect = ncclSuccess, next_reduce = ncclSuccess;
    std::shared_ptr<Operation> open;
};
inline State& state() {
    static State one;
    return one;
}
template <class T>
void add(Operation& operation) {
    std::vector<T> sum(operation.count, T(0));
    for (const Part& part : operation.parts)
        for (std::size_t i = 0; i < operation.count; ++i) sum[i] += static_cast<const T*>(part.from)[i];
    for (const Part& part : operation.parts) std::memcpy(part.to, sum.data(), operation.count * sizeof(T));
}
inline void happen(Operation& operation) {
    if (operation.done) return;
    for (const Part& part : operation.parts) fake_cuda::run_until(part.stream, part.before);
    operation.type == ncclFloat32 ? add<float>(operation) : add<double>(operation);
    operation.done = true;
}

}  // namespace fake_nccl

extern "C" {

const char* ncclGetErrorString(ncclResult_t) { return "unhandled error of the fake"; }
const char* ncclGetLastError(ncclComm_t) { return "it was asked to"; }
ncclResult_t ncclCommInitAll(ncclComm_t* made, int count, const int*) {
    if (const ncclResult_t result = std::exchange(fake_nccl::state().next_connect, ncclSuccess); result != ncclSuccess)
        return result;
    const auto size = std::make_shared<int>(count);
    for (int i = 0; i < count; ++i) made[i] = new ncclComm{size, i};
    fake_nccl::state().made += count;
    return ncclSuccess;
}
ncclResult_t ncclCommDestroy(ncclComm_t each) {
    ++fake_nccl::state().destroyed;
    delete each;
    return ncclSuccess;
}
ncclResult_t ncclCommAbort(ncclComm_t each) {
    ++fake_nccl::state().aborted;
    delete each;
    return ncclSuccess;
}
ncclResult_t ncclCommGetAsyncError(ncclComm_t, ncclResult_t* found) { return *found = ncclSuccess; }
ncclResult_t ncclGroupStart() {
    ++fake_nccl::state().depth;
    fake_nccl::state().open = std::make_shared<fake_nccl::Operation>();
    return ncclSuccess;
}
ncclResult_t ncclAllReduce(const void* from, void* to, size_t count, ncclDataType_t type, ncclRedOp_t,
                           ncclComm_t communicator, cudaStream_t stream) {
    auto& state = fake_nccl::state();
    if (const ncclResult_t result = std::exchange(state.next_reduce, ncclSuccess); result != ncclSuccess) return result;
    if (state.depth != 1) return ncclInvalidUsage;
    auto* const at = reinterpret_cast<fake_cuda::Stream*>(stream);
    state.open->parts.push_back({communicator, at, at->issued, from, to});
    state.open->count = count;
    state.open->type = type;
    return ncclSuccess;
}
ncclResult_t ncclGroupEnd() {
    auto& state = fake_nccl::state();
    --state.depth;
    const auto operation = std::exchange(state.open, nullptr);
    ++state.groups;
    if (operation->parts.empty() ||
        static_cast<int>(operation->parts.size()) != *operation->parts[0].communicator->size)
        return ncclInvalidUsage;
    for (const fake_nccl::Part& part : operation->parts)
        fake_cuda::enqueue(reinterpret_cast<cudaStream_t>(part.stream), [operation] { fake_nccl::happen(*operation); });
    return ncclSuccess;
}

}  // extern "C"
