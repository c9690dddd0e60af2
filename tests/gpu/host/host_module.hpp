// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <gpu/host/fibers.hpp>
#include <gpu/host/host_compiler.hpp>
#include <sigma/device/gpu/backend.hpp>

#include <charconv>
#include <map>
#include <memory>
#include <set>
#include <string>

namespace sigma::on_gpu {

/// A kernel of a module, to which `Launch::function` points.
struct HostFunction {
    HostKernel kernel = nullptr;
    int most_threads = 1024;  ///< most threads of a block, given by SIGMA_KERNEL
};

/// The functions of all existing modules, so that a launch after the end of its module is detected.
using HostFunctions = std::set<const HostFunction*>;

class HostModule final : public Module {
public:
    HostModule(void* library, std::string text, std::shared_ptr<HostFunctions> known)
        : library_(library), text_(std::move(text)), known_(std::move(known)) {}
    HostModule(const HostModule&) = delete;
    HostModule& operator=(const HostModule&) = delete;
    ~HostModule() override {
        for (const auto& [name, function] : functions_) known_->erase(&function);
    }

    void* function(const std::string& kernel) override {
        const auto [found, added] = functions_.try_emplace(kernel);
        HostFunction& function = found->second;
        if (added) {
            void* const symbol = ::dlsym(library_, kernel.c_str());
            if (!symbol) {
                functions_.erase(found);
                throw KernelError("host", kernel, "there is no kernel of this name in the module");
            }
            function = {reinterpret_cast<HostKernel>(symbol), most_threads(kernel)};
            known_->insert(&function);
        }
        return &function;
    }

private:
    void* library_;
    std::string text_;
    std::shared_ptr<HostFunctions> known_;
    std::map<std::string, HostFunction> functions_;

    // The host's SIGMA_KERNEL ignores the bound, but a device rejects a launch above it.
    int most_threads(const std::string& kernel) const {
        const std::string before = sentence("SIGMA_KERNEL(", kernel, ",");
        std::size_t at = text_.find(before);
        if (at == std::string::npos) return 1024;
        at = text_.find_first_not_of(' ', at + before.size());
        int most = 1024;
        if (at != std::string::npos) std::from_chars(text_.data() + at, text_.data() + text_.size(), most);
        return most;
    }
};

}  // namespace sigma::on_gpu
