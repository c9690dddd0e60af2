// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/gpu/generated.hpp>

#include <gpu/devices.hpp>

#include <algorithm>
#include <initializer_list>

// Kernels of hand-made plans, run on the processor with blocks of several shapes, and on a CUDA device.
namespace generated_kernels {

/// Returns options with blocks of one thread, of groups and of whole warps, in several orders.
inline std::vector<std::shared_ptr<sigma::on_gpu::Backend>> devices() {
    using sigma::on_gpu::HostOrder;
    std::vector<std::shared_ptr<sigma::on_gpu::HostBackend>> all;
    const auto add = [&](int threads, int lanes, long long most_blocks, HostOrder order) {
        sigma::on_gpu::HostOptions options;
        options.threads = threads;
        options.lanes = lanes;
        options.most_blocks = most_blocks;
        options.order = order;
        all.push_back(sigma::on_gpu::host_backend(options));
    };
    add(1, 1, 1, HostOrder::forward);
    add(1, 1, 3, HostOrder::backward);
    add(12, 4, 5, HostOrder::backward);
    add(64, 32, 2, HostOrder::forward);
    add(256, 32, 100, HostOrder::backward);
    return sigma::test::with_cuda(all);
}

/// A plan of one kernel.
struct OneKernel {
    sigma::detail::Kernel kernel;
    std::vector<sigma::detail::Argument> arguments;

    sigma::detail::PlanView view(sigma::detail::ElementType element) {
        kernel.arguments = static_cast<short>(arguments.size());
        sigma::detail::PlanView plan{};
        plan.arguments = arguments;
        plan.element = element;
        return plan;
    }
    void argument(std::initializer_list<int> strides, int offset = 0) {
        sigma::detail::Argument a;
        a.offset = offset;
        std::copy(strides.begin(), strides.end(), a.stride);
        arguments.push_back(a);
    }
};

/// An argument of a kernel. The kernel gets the address of element `first`, in memory that begins `shift` elements
/// after a line.
template <class T>
struct Array {
    std::vector<T>& values;
    std::size_t first = 0, shift = 0;
    Array(std::vector<T>& all, std::size_t at = 0, std::size_t by = 0) : values(all), first(at), shift(by) {}
};

/// A set of generated kernels that are compiled together.
class Kernels {
public:
    void add(const sigma::on_gpu::GeneratedKernel& kernel) {
        for (const bool sorted : {false, true})
            for (std::size_t i = 0; i < (sorted ? kernel.other : kernel.launches).size(); ++i)
                for (const char c : (sorted ? kernel.other : kernel.launches)[i].text)
                    c == '@' ? text_ += name(kernels_.size(), i, sorted) : text_ += c;
        kernels_.push_back(kernel);
    }
    const std::string& text() const { return text_; }

    /// Runs a kernel on copies of the arguments in device memory, and copies them back. `sorted`: with the launches
    /// that sort.
    template <class T>
    void run(sigma::on_gpu::Backend& device, std::size_t number, const std::vector<Array<T>>& arguments,
             long long records, const sigma::detail::StepCounters* counters = nullptr, bool sorted = false) {
        const auto& kernel = kernels_[number];
        const auto module = device.compile(text_);
        const auto memory = [&](std::size_t bytes) {
            return static_cast<std::byte*>(device.allocate(bytes, "a test"));
        };
        std::vector<std::byte*> there;
        std::vector<std::uint64_t> words;
        for (const Array<T>& x : arguments) {
            there.push_back(memory((x.values.size() + x.shift) * sizeof(T)));
            device.upload(there.back() + x.shift * sizeof(T), x.values.data(), x.values.size() * sizeof(T));
            words.push_back(reinterpret_cast<std::uint64_t>(there.back() + (x.shift + x.first) * sizeof(T)));
        }
        const long long pairs = sigma::detail::resolve(kernel.sorting.pairs, records);
        const std::size_t of_pairs = (static_cast<std::size_t>(pairs) + 31) / 32 * 256;
        const std::size_t of_sort = of_pairs + sigma::on_gpu::algorithms::sort_bytes(pairs);
        const std::vector<T> dirt(sorted ? of_sort / sizeof(T) + 1
                                         : static_cast<std::size_t>(sigma::detail::resolve(kernel.scratch, records)),
                                  T(1e9));
        std::byte* const scratch = memory(dirt.size() * sizeof(T));
        std::byte* const counted = memory(sizeof(sigma::detail::StepCounters));
        device.upload(scratch, dirt.data(), dirt.size() * sizeof(T));
        if (counters) device.upload(counted, counters, sizeof *counters);
        words.push_back(static_cast<std::uint64_t>(records));
        words.push_back(counters ? reinterpret_cast<std::uint64_t>(counted) : 0);
        words.push_back(reinterpret_cast<std::uint64_t>(scratch));
        const auto& launches = sorted ? kernel.other : kernel.launches;
        for (std::size_t i = 0; i < launches.size(); ++i) {
            if (sorted && i > 0) {
                auto* const keys = reinterpret_cast<std::uint32_t*>(scratch);
                device.sort({keys, reinterpret_cast<std::int32_t*>(keys + pairs), pairs, scratch + of_pairs,
                             of_sort - of_pairs});
            }
            const auto& launch = launches[i];
            const long long items = sigma::detail::resolve(launch.items, records);
            long long blocks = std::max(1ll, (items + launch.items_a_block - 1) / launch.items_a_block);
            if (launch.most_blocks > 0) blocks = std::min(blocks, launch.most_blocks);
            device.launch({module->function(name(number, i, sorted)), std::min(blocks, device.most_blocks()),
                           device.threads(launch.threads), words, "test"});
        }
        for (std::size_t i = 0; i < there.size(); ++i) {
            auto& values = arguments[i].values;
            device.download(values.data(), there[i] + arguments[i].shift * sizeof(T), values.size() * sizeof(T));
            device.release(there[i]);
        }
        device.release(scratch);
        device.release(counted);
    }

private:
    std::string text_;
    std::vector<sigma::on_gpu::GeneratedKernel> kernels_;
    static std::string name(std::size_t kernel, std::size_t launch, bool sorted) {
        return sigma::sentence(sorted ? "s" : "k", kernel, "_", launch);
    }
};

}  // namespace generated_kernels
