// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <gpu/host/blocks.hpp>
#include <gpu/host/fibers.hpp>
#include <gpu/host/host_compiler.hpp>
#include <gpu/host/host_memory.hpp>
#include <gpu/host/host_module.hpp>
#include <gpu/host/host_options.hpp>
#include <gpu/host/host_product.hpp>
#include <gpu/host/host_touches.hpp>
#include <sigma/device/gpu/backend_work.hpp>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sigma::on_gpu {

/// The logic of a GPU on the processor: kernels from the same texts, compiled by the host's compiler. Blocks run one
/// after the other, and threads take turns. Work is done at once, and wrong calls throw: foreign addresses, memory that
/// changes while it is copied, calls that a capture does not allow. Captured work must not outlive the backend.
class HostBackend final : public Backend {
public:
    /// Constructs a backend. Throws DeviceError if the threads are not a multiple of the lanes.
    explicit HostBackend(HostOptions options = {}) : options_(std::move(options)), memory_(options_.memory) {
        if (options_.lanes < 1 || options_.threads < 1 || options_.threads > 1024 ||
            options_.threads % options_.lanes != 0)
            throw DeviceError(sentence("device 'host': expected 1 to 1024 threads, a multiple of the lanes, found ",
                                       options_.threads, " threads and ", options_.lanes, " lanes"));
    }
    HostBackend(const HostBackend&) = delete;
    HostBackend& operator=(const HostBackend&) = delete;

    const HostOptions& options() const { return options_; }
    const HostCounters& counters() const { return counters_; }
    /// Sets the launch that throws KernelError, counted from 1 with the next one; 0 for none.
    void fail_at_launch(std::uint64_t number) { options_.fail_at_launch = number ? counters_.launches + number : 0; }
    std::size_t used_memory() const { return memory_.used_bytes(); }
    /// Returns whether the bytes are in one allocation.
    bool owns(const void* data, std::size_t bytes = 1) const { return memory_.contains(data, bytes); }

    std::string name() const override { return "host"; }

    // ---- memory ----

    void* allocate(std::size_t bytes, const std::string& what) override {
        outside_capture("allocate");
        if (++counters_.allocations == options_.fail_at_allocation || bytes > options_.largest_allocation)
            throw DeviceMemoryError("host", what, bytes, memory_.free_bytes());
        return memory_.allocate(bytes, what);
    }
    void release(void* data) noexcept override {
        touches_.forget(data, memory_.size(data));
        counters_.unknown_releases += !memory_.release(data);
    }
    std::size_t free_memory() const override { return memory_.free_bytes(); }
    void* allocate_host(std::size_t bytes) override {
        outside_capture("allocate_host");
        return pinned_.allocate(bytes, "copies");
    }
    void release_host(void* data) noexcept override { counters_.unknown_releases += !pinned_.release(data); }

    void upload(void* to, const void* from, std::size_t bytes) override {
        outside_capture("upload");
        memory_.examine(to, bytes, "upload", "device memory");
        touch(to, bytes);
        move(to, from, bytes);
        ++counters_.uploads;
        counters_.bytes_up += bytes;
    }
    /// Copies ahead. Throws DeviceError if work after the mark uses `to` and, as `wait` does, if the source of an
    /// earlier upload has changed without a wait.
    std::uint64_t upload_ahead(void* to, const void* from, std::size_t bytes, std::uint64_t after) override {
        outside_capture("upload_ahead");
        check_mark(after, "upload_ahead");
        memory_.examine(to, bytes, "upload_ahead", "device memory");
        pinned_.examine(from, bytes, "upload_ahead", "memory from allocate_host");
        check_ahead();
        if (touches_.since(after, to, bytes))
            throw DeviceError(
                sentence("device 'host', upload_ahead: expected memory that no work asked for after mark ", after,
                         " touches, found some that does"));
        const auto* const first = static_cast<const std::byte*>(from);
        ahead_.push_back({++last_mark_, after, first, {first, first + bytes}});
        move(to, from, bytes);
        ++counters_.uploads;
        counters_.bytes_up += bytes;
        return last_mark_;
    }
    std::uint64_t mark() override {
        outside_capture("mark");
        return ++last_mark_;
    }
    int mark_time() override {
        outside_capture("mark_time");
        times_.push_back(std::chrono::steady_clock::now());
        return static_cast<int>(times_.size()) - 1;
    }
    double seconds_between(int from, int to) override {
        return std::chrono::duration<double>(times_[static_cast<std::size_t>(to)] -
                                             times_[static_cast<std::size_t>(from)])
            .count();
    }
    void forget_times() override { times_.clear(); }
    void wait(std::uint64_t number) override {
        outside_capture("wait");
        check_mark(number, "wait");
        check_ahead();
        // The mark of an upload does not cover work that the upload did not wait for.
        const auto upload =
            std::find_if(ahead_.begin(), ahead_.end(), [&](const Ahead& ahead) { return ahead.number == number; });
        touches_.ended(upload != ahead_.end() ? upload->after : number);
        std::erase_if(ahead_, [&](const Ahead& ahead) { return ahead.number <= number; });
    }
    void download(void* to, const void* from, std::size_t bytes) override {
        outside_capture("download");
        memory_.examine(from, bytes, "download", "device memory");
        all_done();
        move(to, from, bytes);
        ++counters_.downloads;
        counters_.bytes_down += bytes;
    }
    void copy(void* to, const void* from, std::size_t bytes) override {
        const auto work = [this, to, from, bytes] {
            memory_.examine(to, bytes, "copy", "device memory");
            memory_.examine(from, bytes, "copy", "device memory");
            touch(to, bytes);
            touch(from, bytes);
            move(to, from, bytes);
            ++counters_.copies;
        };
        issue(work);
    }
    void clear(void* to, std::size_t bytes) override {
        const auto work = [this, to, bytes] {
            memory_.examine(to, bytes, "clear", "device memory");
            touch(to, bytes);
            if (bytes) std::memset(to, 0, bytes);
            ++counters_.clears;
        };
        issue(work);
    }
    void synchronize() override {
        outside_capture("synchronize");
        all_done();
        ++counters_.synchronizations;
    }

    // ---- work ----

    std::unique_ptr<Module> compile(const std::string& text) override {
        outside_capture("compile");
        ++counters_.compilations;
        if (!options_.keep_texts.empty()) {
            const auto file = sentence("kernels-", counters_.compilations, ".cpp");
            std::filesystem::create_directories(options_.keep_texts);
            std::ofstream(std::filesystem::path(options_.keep_texts) / file) << text;
        }
        const auto [library, ran] = HostCompiler::compile(text);
        counters_.compiler_runs += ran;
        return std::make_unique<HostModule>(library, text, functions_);
    }
    /// Runs a kernel; does nothing without blocks. Throws KernelError for a grid that a device rejects, and if not all
    /// threads of a block reach a barrier.
    void launch(const Launch& launch) override {
        const HostFunction& function = known(launch.function, launch.operation);
        if (launch.blocks < 1) return;
        const int most = std::min(options_.threads, function.most_threads);
        if (launch.blocks > 0x7FFFFFFF || launch.threads < 1 || launch.threads > most ||
            launch.threads % options_.lanes != 0)
            throw KernelError("host", launch.operation,
                              sentence("expected up to 2147483647 blocks of up to ", most, " threads in groups of ",
                                       options_.lanes, ", found ", launch.blocks, " blocks of ", launch.threads));
        if (!captured_) return run(function, launch.blocks, launch.threads, launch.words, launch.operation);
        captured_->push_back([this, handle = launch.function, blocks = launch.blocks, threads = launch.threads,
                              words = std::vector(launch.words.begin(), launch.words.end()),
                              operation = std::string(launch.operation)] {
            run(known(handle, operation.c_str()), blocks, threads, words, operation.c_str());
        });
    }
    int threads(int wanted) const override {
        const int some = std::min(wanted, options_.threads) / options_.lanes * options_.lanes;
        return std::max(some, options_.lanes);
    }
    long long most_blocks() const override { return options_.most_blocks; }

    bool product(const Product& product) override {
        if (!options_.library_products || (product.transposed_b && !options_.transposed_right)) return false;
        issue([this, product] { run(product); });
        return true;
    }
    bool product_pays(const Product&) const override { return options_.library_products; }
    bool split_pays(const Product&) const override { return options_.split_products; }

    void sort(const algorithms::Pairs& pairs) override {
        issue([this, pairs] { run(pairs); });
    }
    bool sort_pays(long long, long long) const override { return options_.sorts; }

    /// Captures work. Throws DeviceError for a capture within another, and for calls that cannot be captured: copies
    /// from and to the host, waiting, allocating and compiling.
    sigma::detail::Owned<sigma::detail::CapturedGraph> capture(
        const sigma::detail::AnyFunction<void()>& work) override {
        outside_capture("capture");
        captured_.emplace();
        try {
            work();
        } catch (...) {
            captured_.reset();
            throw;
        }
        sigma::detail::Owned<sigma::detail::CapturedGraph> replay =
            sigma::detail::make_owned<Recording>(*this, std::move(*captured_));
        captured_.reset();
        ++counters_.captures;
        return replay;
    }

private:
    using Recorded = std::vector<std::function<void()>>;
    class Recording final : public sigma::detail::CapturedGraph {
    public:
        Recording(HostBackend& device, Recorded work) : device_(device), work_(std::move(work)) {}
        void run() override {
            device_.outside_capture("CapturedGraph::run");
            ++device_.counters_.replays;
            for (const auto& work : work_) work();
        }

    private:
        HostBackend& device_;
        Recorded work_;
    };
    /// An upload without a wait so far, and a copy of its source.
    struct Ahead {
        std::uint64_t number, after;
        const std::byte* from;
        std::vector<std::byte> bytes;
    };

    HostOptions options_;
    HostCounters counters_;
    HostMemory memory_;
    HostMemory pinned_{~std::size_t{0}};
    std::shared_ptr<HostFunctions> functions_ = std::make_shared<HostFunctions>();
    std::unique_ptr<Fibers> fibers_;
    std::optional<Recorded> captured_;
    std::vector<Ahead> ahead_;
    HostTouches touches_;
    std::uint64_t last_mark_ = 0;
    std::vector<std::chrono::steady_clock::time_point> times_{};

    static void move(void* to, const void* from, std::size_t bytes) {
        if (bytes) std::memmove(to, from, bytes);
    }
    // Without such memory nothing is copied ahead.
    void touch(const void* data, std::size_t bytes) {
        if (pinned_.used_bytes() && memory_.contains(data, bytes)) touches_.add(data, bytes, last_mark_);
    }
    void issue(std::function<void()> work) {
        if (captured_) {
            captured_->push_back(std::move(work));
        } else {
            work();
        }
    }
    void outside_capture(const char* operation) const {
        if (captured_) throw DeviceError(sentence("device 'host', ", operation, ": cannot be captured"));
    }
    void check_mark(std::uint64_t mark, const char* operation) const {
        if (mark > last_mark_)
            throw DeviceError(
                sentence("device 'host', ", operation, ": expected a mark from 0 to ", last_mark_, ", found ", mark));
    }
    void check_ahead() const {
        for (const Ahead& ahead : ahead_) {
            if (pinned_.contains(ahead.from, ahead.bytes.size()) &&
                !std::equal(ahead.bytes.begin(), ahead.bytes.end(), ahead.from))
                throw DeviceError(
                    sentence("device 'host', upload_ahead: expected memory that stays as it is until the wait for "
                             "upload ",
                             ahead.number, ", found it changed"));
        }
    }
    void all_done() {
        check_ahead();
        ahead_.clear();
        touches_.clear();
    }

    const HostFunction& known(void* handle, const char* operation) const {
        const auto* const function = static_cast<const HostFunction*>(handle);
        if (!functions_->contains(function))
            throw KernelError("host", operation, "the module of the kernel was destroyed");
        return *function;
    }
    void run(const HostFunction& function, long long blocks, int many, std::span<const std::uint64_t> words,
             const char* operation) {
        if (++counters_.launches == options_.fail_at_launch)
            throw KernelError("host", operation, sentence("launch ", counters_.launches, " fails on request"));
        for (const std::uint64_t word : words) touch(reinterpret_cast<const void*>(word), 1);
        const bool forward = options_.order == HostOrder::forward;
        if (many > 1 && !fibers_) fibers_ = std::make_unique<Fibers>(options_.threads, options_.lanes);
        const auto block = [&](long long i) {
            const long long number = forward ? i : blocks - 1 - i;
            if (many > 1) return fibers_->run(function.kernel, words.data(), number, blocks, many, options_.order);
            const HostContext context{number, blocks, 0, 1, 1, nullptr};
            function.kernel(words.data(), &context);
        };
        try {
            for_each_block(blocks, many == 1, block);  // fibers belong to one thread
        } catch (const BarrierError& found) { throw KernelError("host", operation, found.what()); }
    }
    void run(const Product& p) {
        const std::size_t size = bytes_of(p.element);
        const auto examine = [&](const void* data, std::size_t elements, const char* what) {
            memory_.examine(data, elements * size, "product", what);
            touch(data, elements * size);
        };
        const long long a_rows = p.transposed ? p.inner : p.rows, a_columns = p.transposed ? p.rows : p.inner;
        examine(p.a, product_span(p, p.a_stride, a_rows, a_columns, p.a_row), "the left matrix");
        const long long b_rows = p.transposed_b ? p.columns : p.inner, b_columns = p.transposed_b ? p.inner : p.columns;
        examine(p.b, product_span(p, p.b_stride, b_rows, b_columns, p.b_row), "the right matrix");
        examine(p.c, product_span(p, p.c_stride, p.rows, p.columns, p.c_row), "the result");
        if (p.scalar) examine(p.scalar, 1, "the factor");
        if (p.epilogue == sigma::detail::ProductEpilogue::bias ||
            p.epilogue == sigma::detail::ProductEpilogue::bias_relu)
            examine(p.bias, static_cast<std::size_t>(p.columns), "the bias");
        p.element == sigma::detail::ElementType::float32 ? host_product<float>(p) : host_product<double>(p);
        ++counters_.products;
    }
    void run(const algorithms::Pairs& pairs) {
        const auto examine = [&](const void* data, std::size_t bytes, const char* what) {
            memory_.examine(data, bytes, "sort", what);
            touch(data, bytes);
        };
        examine(pairs.keys, static_cast<std::size_t>(pairs.count) * sizeof *pairs.keys, "the keys");
        examine(pairs.values, static_cast<std::size_t>(pairs.count) * sizeof *pairs.values, "the values");
        examine(pairs.memory, pairs.bytes, "what it needs in between");
        if (const int result = algorithms::on_processor::sort(pairs); result != 0)
            throw DeviceError(sentence("device 'host', sort: cannot sort: error ", result));
        ++counters_.sorts;
    }
};

/// Returns the logic of a GPU on the processor, for tests. Throws DeviceError.
inline std::shared_ptr<HostBackend> host_backend(HostOptions options = {}) {
    return std::make_shared<HostBackend>(std::move(options));
}
inline std::shared_ptr<sigma::detail::ComputeDevice> host_device(HostOptions options = {}) {
    return host_backend(std::move(options));
}

}  // namespace sigma::on_gpu
