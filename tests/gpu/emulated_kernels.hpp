// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/accelerator.hpp>
#include <sigma/device/gpu/generated.hpp>
#include <sigma/device/gpu/kernels/language.hpp>

#include <dlfcn.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

/// Kernels of generated text, compiled by the machine's compiler and run with threads that take turns, so that barriers and
/// memory of a block are as on a device, whatever the number of threads and the size of a group.
namespace emulation {

struct Context {  // sigma_context of the language
    long long block, blocks;
    int thread, threads, lanes;
    void (*meet)(const Context*, int);
};

struct Shape {
    long long most_blocks;
    int threads, lanes;
};
inline constexpr Shape shapes[] = {{1, 1, 1}, {3, 1, 1}, {5, 8, 4}, {2, 64, 32}, {4, 256, 32}};

using Function = void (*)(const void*, const Context*);

/// The threads of one block, each with a stack of its own.
class Block {
public:
    void run(Function f, const void* words, long long block, long long blocks, const Shape& shape) {
        function_ = f;
        words_ = words;
        const auto count = static_cast<std::size_t>(shape.threads);
        contexts_.assign(count, {block, blocks, 0, shape.threads, shape.lanes, &meet});
        waiting_.assign(count, none);
        if (count == 1) return f(words, contexts_.data());
        fibers_.resize(count);
        stacks_.resize(count * stack_size);
        for (std::size_t i = 0; i < count; ++i) {
            contexts_[i].thread = static_cast<int>(i);
            getcontext(&fibers_[i]);
            fibers_[i].uc_stack.ss_sp = stacks_.data() + i * stack_size;
            fibers_[i].uc_stack.ss_size = stack_size;
            fibers_[i].uc_link = &main_;
            makecontext(&fibers_[i], &begin, 0);
        }
        now_ = this;
        while (std::any_of(waiting_.begin(), waiting_.end(), [](Waiting w) { return w != done; })) {
            bool moved = false;
            for (std::size_t i = 0; i < count; ++i)
                if (waiting_[i] == none) {
                    current_ = i;
                    moved = true;
                    swapcontext(&main_, &fibers_[i]);
                }
            const auto lanes = static_cast<std::size_t>(shape.lanes);
            for (std::size_t g = 0; g < count; g += lanes) moved = open(g, g + lanes, group) || moved;
            moved = open(0, count, whole) || moved;
            if (!moved) throw std::logic_error("threads of a block wait for each other forever");
        }
    }

private:
    enum Waiting : char { none, group, whole, done };
    static constexpr std::size_t stack_size = 64 * 1024;
    static inline Block* now_ = nullptr;
    Function function_ = nullptr;
    const void* words_ = nullptr;
    std::vector<Context> contexts_;
    std::vector<Waiting> waiting_;
    std::vector<ucontext_t> fibers_;
    std::vector<char> stacks_;
    ucontext_t main_{};
    std::size_t current_ = 0;

    /// Lets the threads go on that all wait for each other.
    bool open(std::size_t first, std::size_t end, Waiting what) {
        for (std::size_t i = first; i < end; ++i)
            if (waiting_[i] != what) return false;
        std::fill(waiting_.begin() + static_cast<std::ptrdiff_t>(first), waiting_.begin() + static_cast<std::ptrdiff_t>(end), none);
        return true;
    }
    static void begin() {
        Block& b = *now_;
        b.function_(b.words_, &b.contexts_[b.current_]);
        b.waiting_[b.current_] = done;
    }
    static void meet(const Context* c, int whole_block) {
        Block& b = *now_;
        const auto i = static_cast<std::size_t>(c->thread);
        b.waiting_[i] = whole_block ? whole : group;
        swapcontext(&b.fibers_[i], &b.main_);
    }
};

/// A library made from text in the language of kernels.
class Library {
public:
    explicit Library(const std::string& text) {
        char folder[] = "/tmp/sigma_emulated_XXXXXX";
        if (!mkdtemp(folder)) throw std::runtime_error("no folder for texts");
        const std::string base = sigma::sentence(folder, "/kernels");
        std::ofstream(sigma::sentence(base, ".cpp")) << sigma::gpu::language << text;
        const char* compiler = std::getenv("CXX");
        const std::string command =
            sigma::sentence(compiler ? compiler : "c++", " -std=c++17 -O1 -march=native -Wall -Wextra -Wno-unknown-pragmas -DSIGMA_HOST",
                            " -shared -fPIC ", base, ".cpp -o ", base, ".so");
        const int failed = std::system(command.c_str());
        if (!failed) handle_ = dlopen(sigma::sentence(base, ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
        if (!handle_) throw std::runtime_error(sigma::sentence("kernels that do not compile: ", base, ".cpp"));
        (void)std::system(sigma::sentence("rm -r ", folder).c_str());
    }
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;
    ~Library() {
        if (handle_) dlclose(handle_);
    }
    void run(const std::string& name, const void* words, long long blocks, const Shape& shape) {
        const auto f = reinterpret_cast<Function>(dlsym(handle_, name.c_str()));
        if (!f) throw std::runtime_error(sigma::sentence("no kernel ", name));
        for (long long b = 0; b < blocks; ++b) block_.run(f, words, b, blocks, shape);
    }

private:
    void* handle_ = nullptr;
    Block block_;
};

/// Generated kernels that are compiled together.
class Kernels {
public:
    int add(const sigma::gpu::GeneratedKernel& kernel) {
        for (std::size_t i = 0; i < kernel.launches.size(); ++i)
            for (char c : kernel.launches[i].text) c == '@' ? text_ += name(kernels_.size(), i) : text_ += c;
        kernels_.push_back(kernel);
        return static_cast<int>(kernels_.size()) - 1;
    }
    const std::string& text() const { return text_; }

    template <class T>
    void run(int number, std::vector<T*> arguments, long long records, const Shape& shape,
             const sigma::StepCounters* counters = nullptr) {
        if (!library_) library_ = std::make_unique<Library>(text_);
        const auto& kernel = kernels_[static_cast<std::size_t>(number)];
        const auto size = static_cast<std::size_t>(sigma::resolve(kernel.scratch, records));
        std::vector<T> scratch(size, T(1e9));
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
            library_->run(name(static_cast<std::size_t>(number), i), words.data(), std::min(blocks, shape.most_blocks), shape);
        }
    }

private:
    std::string text_;
    std::vector<sigma::gpu::GeneratedKernel> kernels_;
    std::unique_ptr<Library> library_;
    static std::string name(std::size_t kernel, std::size_t launch) { return sigma::sentence("k", kernel, "_", launch); }
};

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
    void argument(std::initializer_list<int> strides, int offset = 0) {
        sigma::Argument a;
        a.offset = offset;
        std::copy(strides.begin(), strides.end(), a.stride);
        arguments.push_back(a);
    }
};

}  // namespace emulation
