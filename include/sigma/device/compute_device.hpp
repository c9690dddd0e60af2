// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>
#include <sigma/core/error.hpp>
#include <sigma/core/owners.hpp>
#include <sigma/device/program_table.hpp>
#include <sigma/plan/plan_view.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace sigma {

/// A device that cannot be used, or that failed: what all errors of accelerators are.
struct DeviceError : Error {
    using Error::Error;
};

/// There is no such device here. "gpu(0): expected a device, found none (…)"
struct NoDeviceError : DeviceError {
    using DeviceError::DeviceError;
};

/// A device that this library, or the installed toolkit, makes no programs for.
struct ArchitectureError : DeviceError {
    using DeviceError::DeviceError;
};

/// Device memory that was not to be had.
/// "memory of device 'NVIDIA H100': expected 83886080 bytes for the arena of 1024 records, found 1048576 free"
struct DeviceMemoryError : DeviceError {
    std::uint64_t asked, free;  ///< bytes

    DeviceMemoryError(const std::string& device, const std::string& what, std::uint64_t asked_, std::uint64_t free_);
};

/// A kernel that could not be made or that failed while it ran; `operation` says which, as the plan calls it.
struct KernelError : DeviceError {
    std::string operation;

    KernelError(const std::string& device, std::string operation_, const std::string& what);
};

}  // namespace sigma

namespace sigma::detail {

struct Program;

/// Where the random numbers and the records of a step are found; lives in device memory.
struct StepCounters {
    std::uint64_t seed = 0;
    std::uint64_t step = 0;    ///< number of the step, from 1
    std::uint64_t first = 0;   ///< position of the step's first record within the epoch
    std::uint64_t record = 0;  ///< and of a part of a batch within the batch, which its random numbers follow
    friend bool operator==(const StepCounters&, const StepCounters&) = default;
};

/// What is known of the losses since it was last set; lives in device memory.
struct LossAccumulator {
    double total = 0;  ///< Σ loss · records
    std::uint64_t records = 0;
    std::uint64_t first_non_finite = 0;  ///< the first step whose loss was no finite number, or 0
};

/// Rows of resident data that a step takes: in each section, row i of `to` is row positions[counters->first + i] of
/// `from`.
struct GatherRecords {
    struct Section {
        const void* from;
        void* to;
        std::size_t elements;  ///< in a row
    };
    std::span<const Section> sections;
    const std::uint32_t* positions;  ///< of the epoch
    const StepCounters* counters;
    std::ptrdiff_t records;
    ElementType element;
};

/// What a device makes a program of: a plan, and what else there is of it, which some devices run.
struct ProgramSource {
    PlanView plan;
    const void* compiled = nullptr;    ///< a CompiledProgram of the plan's type of elements
    const Program* program = nullptr;  ///< the operations that the plan was made of

    ProgramSource(const PlanView& plan_, const Program* program_ = nullptr) : plan(plan_), program(program_) {}
    template <class T>
    ProgramSource(const CompiledProgram<T>& program_) : plan(program_.plan()), compiled(&program_) {}
};

/// A plan made ready for a device. All addresses are the device's.
class DeviceProgram {
public:
    virtual ~DeviceProgram() = default;

    /// Dense tensors from outside, or parameters and states in rows padded as the plan says. They must stay alive.
    virtual void bind(Buffer::Where where, int number, void* data) = 0;
    /// Where random numbers begin.
    virtual void bind_counters(const StepCounters* counters) = 0;
    /// Number of records of the next steps. Allocates only when the batch outgrows every earlier one.
    virtual void prepare(std::ptrdiff_t records) = 0;
    /// Issues all kernels. May be captured, after `prepare` and at least one run with as many records.
    virtual void run() = 0;
    /// The same, and calls `reached(i)` in between when all kernels before marks[i], which ascend, have been run; where
    /// work is asynchronous, afterwards.
    virtual void run(std::span<const int> marks, const AnyFunction<void(std::size_t)>& reached) {
        run();
        for (std::size_t i = 0; i < marks.size(); ++i) reached(i);
    }
    /// Changes whenever what was captured before is out of date.
    virtual std::uint64_t version() const = 0;
    virtual std::size_t arena_bytes() const = 0;
    /// What the arena takes once it has room for so many records.
    virtual std::size_t arena_bytes(std::ptrdiff_t records) const = 0;
    /// Kernels, products and clearings that one run issues.
    virtual int launches() const = 0;
};

/// Work that was captured once, to be repeated at little cost.
class CapturedGraph {
public:
    virtual ~CapturedGraph() = default;
    virtual void run() = 0;
};

/// A device: memory, and programs that run on tensors there. It does things in the order in which they were asked for.
/// Work may be asynchronous: only `download`, `synchronize` and what throws of it wait. Throws DeviceError. For one
/// thread at a time. tests/gpu/laws_test.cpp has what holds for each.
class ComputeDevice {
public:
    virtual ~ComputeDevice() = default;
    ComputeDevice() = default;
    ComputeDevice(const ComputeDevice&) = delete;
    ComputeDevice& operator=(const ComputeDevice&) = delete;

    virtual std::string name() const = 0;

    // ---- memory ----

    /// Is its memory the host's, so that nothing has to be copied, and work done when what asks for it returns?
    virtual bool shares_host_memory() const { return false; }

    /// Zeroed memory that starts on 256 bytes; `what` is for the error. Throws DeviceMemoryError.
    virtual void* allocate(std::size_t bytes, const std::string& what) = 0;
    virtual void release(void* data) noexcept = 0;
    virtual std::size_t free_memory() const = 0;
    /// Memory of the host that copies may read while the caller goes on.
    virtual void* allocate_host(std::size_t bytes) = 0;
    virtual void release_host(void* data) noexcept = 0;

    /// `from` may change when this returns.
    virtual void upload(void* to, const void* from, std::size_t bytes) = 0;
    /// A number for all work that was asked for so far, for `wait` and `upload_ahead`.
    virtual std::uint64_t mark() = 0;
    /// From memory of allocate_host, beside the work that is being done: begins when what was asked for before the mark
    /// `after` has ended, and work that is asked for from now on waits for it. Returns a mark: `from` may change when
    /// it is reached.
    virtual std::uint64_t upload_ahead(void* to, const void* from, std::size_t bytes, std::uint64_t after) = 0;
    /// Returns when a mark is reached.
    virtual void wait(std::uint64_t mark) = 0;
    /// Waits for all work before.
    virtual void download(void* to, const void* from, std::size_t bytes) = 0;
    virtual void copy(void* to, const void* from, std::size_t bytes) = 0;
    virtual void clear(void* to, std::size_t bytes) = 0;
    virtual void synchronize() = 0;

    // ---- work ----

    virtual detail::Owned<DeviceProgram> make_program(const ProgramSource& source) = 0;
    /// Captures what `work` asks for, which does not happen now.
    virtual detail::Owned<CapturedGraph> capture(const detail::AnyFunction<void()>& work) = 0;
    virtual void gather(const GatherRecords& records) = 0;
    /// After a step on so many records: adds its loss (one element) and moves the counters on.
    virtual void accumulate_loss(LossAccumulator* to, StepCounters* counters, const void* loss_of_step,
                                 ElementType element, std::ptrdiff_t records) = 0;
};

/// Owned memory of a device.
class DeviceMemory {
public:
    DeviceMemory() = default;
    DeviceMemory(detail::SharedOwner<ComputeDevice> device, std::size_t bytes, const std::string& what);
    DeviceMemory(DeviceMemory&& other) noexcept { swap(other); }
    DeviceMemory& operator=(DeviceMemory&& other) noexcept;
    ~DeviceMemory();
    void* data() const { return data_; }
    template <class T>
    T* as() const {
        return static_cast<T*>(data_);
    }
    std::size_t bytes() const { return bytes_; }
    const detail::SharedOwner<ComputeDevice>& device() const { return device_; }
    explicit operator bool() const { return data_ != nullptr; }

private:
    detail::SharedOwner<ComputeDevice> device_;
    void* data_ = nullptr;
    std::size_t bytes_ = 0;
    void swap(DeviceMemory& other) noexcept;
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/device/impl/compute_device.ipp>
#endif
