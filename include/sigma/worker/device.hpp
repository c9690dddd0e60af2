// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>

#include <thread>

namespace sigma {

/// The processor, with a number of threads of which the caller is one. Results do not depend on the number.
struct Cpu {
    int threads = 1;
};
/// `trainer.run(cpu(2))`; `cpu()` is one thread.
inline Cpu cpu(int threads = 1) {
    if (threads < 1 || threads > 1024) throw ArgumentError("cpu", "1 to 1024 threads", sentence(threads));
    return {threads};
}

/// Runs every operation by itself and checks every number: `trainer.run(debug(), 1)` throws an OperationError, which
/// names the first operation that leaves the finite numbers. Slow.
struct Debug {};
inline Debug debug() { return {}; }

}  // namespace sigma
