// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/gpu/backend_work.hpp>
#include <sigma/device/gpu/generated.hpp>
#include <sigma/device/gpu/host/host_backend.hpp>

#include <algorithm>
#include <initializer_list>

/// Kernels of plans made by hand, run on the processor with blocks of several shapes.
namespace generated_kernels {

/// Blocks of one thread, of groups, of whole warps, whoever comes first.
inline std::vector<std::shared_ptr<sigma::on_gpu::HostBackend>> devices() {
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
    return all;
}

/// A plan of one kernel.
struct OneKernel {
    sigma::Kernel kernel;
    std::vector<sigma::Argument> arguments;

    sigma::PlanView view(sigma::ElementType element) {
        kernel.arguments = static_cast<short>(arguments.size());
        sigma::PlanView plan{};
        plan.arguments = arguments;
        plan.element = element;
        return plan;
    }
    void extents(std::initializer_list<int> values) { std::copy(values.begin(), values.end(), kernel.extent); }
    void argument(std::initializer_list<int> strides, int offset = 0) {
        sigma::Argument a;
        a.offset = offset;
        std::copy(strides.begin(), strides.end(), a.stride);
        arguments.push_back(a);
    }
};

/// Generated kernels that are compiled together.
class Kernels {
public:
    void add(const sigma::on_gpu::GeneratedKernel& kernel) {
        for (std::size_t i = 0; i < kernel.launches.size(); ++i)
            for (const char c : kernel.launches[i].text) c == '@' ? text_ += name(kernels_.size(), i) : text_ += c;
        kernels_.push_back(kernel);
    }

    template <class T>
    void run(sigma::on_gpu::HostBackend& device, std::size_t number, const std::vector<T*>& arguments, long long records,
             const sigma::StepCounters* counters = nullptr) {
        const auto& kernel = kernels_[number];
        const auto module = device.compile(text_);
        std::vector<T> scratch(static_cast<std::size_t>(sigma::resolve(kernel.scratch, records)), T(1e9));
        std::vector<std::uint64_t> words;
        for (T* p : arguments) words.push_back(reinterpret_cast<std::uint64_t>(p));
        words.push_back(static_cast<std::uint64_t>(records));
        words.push_back(reinterpret_cast<std::uint64_t>(counters));
        words.push_back(reinterpret_cast<std::uint64_t>(scratch.data()));
        for (std::size_t i = 0; i < kernel.launches.size(); ++i) {
            const auto& launch = kernel.launches[i];
            const long long items = sigma::resolve(launch.items, records);
            long long blocks = std::max(1ll, (items + launch.items_a_block - 1) / launch.items_a_block);
            if (launch.most_blocks > 0) blocks = std::min(blocks, launch.most_blocks);
            device.launch({module->function(name(number, i)), std::min(blocks, device.most_blocks()),
                           device.threads(launch.threads), words, "test"});
        }
    }

private:
    std::string text_;
    std::vector<sigma::on_gpu::GeneratedKernel> kernels_;
    static std::string name(std::size_t kernel, std::size_t launch) {
        return sigma::sentence("k", kernel, "_", launch);
    }
};

}  // namespace generated_kernels
