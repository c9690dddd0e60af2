// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>
#include <sigma/device/gpu/backend.hpp>
#include <sigma/device/gpu/generated.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace sigma::on_gpu {

/// A set of kernels as texts. Equal texts share one kernel. Kernels are compiled when they are first needed, several in
/// one text, because each compilation reads the language again.
class KernelSet {
public:
    explicit KernelSet(Backend& backend) : backend_(backend) {}

    /// Returns the number of the kernel with this text, in which @ stands for its name.
    int add(const std::string& text) {
        const auto [found, fresh] = numbers_.try_emplace(text, static_cast<int>(kernels_.size()));
        if (fresh) kernels_.push_back({&found->first});
        return found->second;
    }
    void want(int kernel) { kernels_[static_cast<std::size_t>(kernel)].wanted = true; }
    /// Compiles all kernels that are needed and not compiled yet. Throws KernelError.
    void compile() {
        std::string text;
        std::vector<int> fresh;
        for (std::size_t i = 0; i < kernels_.size(); ++i)
            if (kernels_[i].wanted && !kernels_[i].function) {
                text += named(*kernels_[i].text, name(static_cast<int>(i)));
                text += '\n';
                fresh.push_back(static_cast<int>(i));
            }
        if (fresh.empty()) return;
        modules_.push_back(backend_.compile(text));
        for (int i : fresh) kernels_[static_cast<std::size_t>(i)].function = modules_.back()->function(name(i));
    }
    /// Returns the handle of a kernel for Backend::launch, and compiles the kernel if necessary.
    void* function(int kernel) {
        Entry& entry = kernels_[static_cast<std::size_t>(kernel)];
        if (!entry.function) {
            entry.wanted = true;
            compile();
        }
        return entry.function;
    }
    int size() const { return static_cast<int>(kernels_.size()); }

private:
    struct Entry {
        const std::string* text;  // in numbers_, which never moves its elements
        bool wanted = false;
        void* function = nullptr;
    };
    Backend& backend_;
    std::map<std::string, int> numbers_;
    std::vector<Entry> kernels_;
    std::vector<std::unique_ptr<Module>> modules_;

    static std::string name(int kernel) { return sentence("sigma_kernel_", kernel); }
    static std::string named(const std::string& text, const std::string& name) {
        std::string result;
        result.reserve(text.size() + 32 * name.size());
        for (char c : text)
            if (c == '@') result += name;
            else result += c;
        return result;
    }
};

}  // namespace sigma::on_gpu
