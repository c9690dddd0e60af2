// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/gpu/backend.hpp>
#include <sigma/device/gpu/generate/columns.hpp>
#include <sigma/device/gpu/generate/rows.hpp>

#include "support/plan_interpreter.hpp"

#include <cmath>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

// Single kernels of plans, run by the plan interpreter and as generated text on an emulated device.
namespace sigma::test {

/// A plan of a single kernel, with memory bound from outside.
inline sigma::detail::Plan alone(const sigma::detail::Plan& plan, int kernel) {
    sigma::detail::Plan one = plan;
    sigma::detail::Kernel k = plan.kernels[kernel];
    k.loop = -1;
    k.stage = 0;
    k.local = false;
    one.kernels.clear();
    one.kernels.push(k);
    one.stages = 1;
    one.reciprocal = -1;
    one.loops.clear();
    one.iotas.clear();
    for (int b = 0; b < one.buffers.size(); ++b) {
        one.buffers[b].where = sigma::detail::Buffer::Where::input;
        one.buffers[b].offset = b;
    }
    return one;
}

/// Fused kernels of many plans, compiled as one text.
class SingleKernels {
public:
    struct Entry {
        std::string title;
        sigma::detail::Plan plan;
        sigma::detail::ElementType element;
        on_gpu::GeneratedKernel generated;
        std::vector<std::string> names{};  // names of its launches
        bool other = false;                // true for the launches of the other way
    };
    std::vector<Entry> entries;
    std::string text;

    void add(const std::string& title, const sigma::detail::Plan& plan, sigma::detail::ElementType element) {
        for (int k = 0; k < plan.kernels.size(); ++k) {
            const sigma::detail::Kernel::Kind kind = plan.kernels[k].kind;
            if (!plan.kernels[k].is_fused()) continue;
            Entry e{sentence(title, ", kernel ", k, ", ", on_gpu::type_text(element)), alone(plan, k), element, {}};
            sigma::detail::PlanView view = view_of<double>(e.plan);
            view.element = element;
            const sigma::detail::Kernel& one = e.plan.kernels[0];
            e.generated = kind == sigma::detail::Kernel::Kind::rows ? on_gpu::generate_rows(view, one)
                                                                    : on_gpu::generate_columns(view, one);
            const auto name_launches = [&] {
                e.names.clear();
                for (const on_gpu::Generated& g : e.generated.launches) e.names.push_back(name_of(g.text));
            };
            name_launches();
            entries.push_back(e);
            if (e.generated.other.empty()) continue;
            e.title += ", the other way";
            e.other = true;
            e.generated.launches = e.generated.other;
            name_launches();
            entries.push_back(std::move(e));
        }
    }
    std::size_t texts() const { return names_.size(); }

private:
    std::map<std::string, std::string> names_{};

    std::string name_of(const std::string& with_hole) {
        const auto [found, added] = names_.try_emplace(with_hole, "kernel_" + std::to_string(names_.size()));
        if (added)
            for (const char c : with_hole) c == '@' ? text += found->second : text += c;
        return found->second;
    }
};

/// Returns the number of elements of a buffer with its padding.
inline long long elements_of(const sigma::detail::Buffer& b, long long records) {
    const Extents e(b.shape, records);
    return e.rank ? e.count() / e[e.rank - 1] * sigma::detail::resolve(b.pitch, records) : 1;
}

/// Returns values for all buffers of a plan; with `special`, a few of them are NaN.
inline Bindings any_values(const sigma::detail::Plan& plan, long long records, unsigned seed, bool special) {
    std::mt19937 random(seed);
    const double odd[] = {0.0, -0.0, HUGE_VAL, -HUGE_VAL, std::nan("")};
    Bindings all;
    for (const sigma::detail::Buffer& b : plan.buffers) {
        Values v(static_cast<std::size_t>(Extents(b.shape, records).count()));
        for (double& x : v) {
            x = static_cast<double>(random() % 4001) / 1000 - 2;
            if (special && random() % 4 == 0) x = odd[random() % 5];
        }
        all.inputs.push_back(std::move(v));
    }
    return all;
}

/// Returns the first difference between the text on the device and the interpreter; empty if there is none.
template <class T>
class KernelRun {
public:
    KernelRun(on_gpu::Backend& device, on_gpu::Module& module, const SingleKernels::Entry& entry, long long records)
        : device_(device), module_(module), e_(entry), records_(records) {}

    std::string compare(const Bindings& values, double tolerance, int misplaced = 0) {
        PlanInterpreter machine(e_.plan, static_cast<int>(32 / sizeof(T)), records_, records_);
        Bindings rounded = values;
        for (Values& v : rounded.inputs)
            for (double& x : v) x = static_cast<double>(static_cast<T>(x));
        machine.bind(rounded);
        machine.run(PlanInterpreter::Order::plain);
        for (int b = 0; b < e_.plan.buffers.size(); ++b)
            upload(b, rounded.inputs[static_cast<std::size_t>(b)], misplaced);
        launch();
        std::string found;
        for (int b = 0; b < e_.plan.buffers.size() && found.empty(); ++b)
            found = difference(b, machine.contents(b), tolerance, misplaced);
        for (T* p : memory_) device_.release(p);
        return found.empty() ? found
                             : sentence(e_.title, ", ", records_, " records, ", device_.name(), ", ",
                                        device_.threads(1024), " threads: ", found);
    }

private:
    static constexpr int guard = 16;
    static constexpr T untouched = 12345;
    on_gpu::Backend& device_;
    on_gpu::Module& module_;
    const SingleKernels::Entry& e_;
    long long records_;
    std::vector<T*> memory_{};

    std::size_t size_of(int b) const { return static_cast<std::size_t>(elements_of(e_.plan.buffers[b], records_)); }
    /// Returns the position of element `i` of a tensor in its rows.
    std::size_t place(int b, std::size_t i) const {
        const sigma::detail::Buffer& buffer = e_.plan.buffers[b];
        const Extents extents(buffer.shape, records_);
        const auto last = static_cast<std::size_t>(extents.rank ? extents[extents.rank - 1] : 1);
        return i / last * static_cast<std::size_t>(extents.rank ? sigma::detail::resolve(buffer.pitch, records_) : 1) +
               i % last;
    }
    void upload(int b, const Values& values, int misplaced) {
        std::vector<T> whole(size_of(b) + 2 * guard, untouched);
        for (std::size_t i = 0; i < size_of(b); ++i) whole[guard + i] = std::numeric_limits<T>::quiet_NaN();  // padding
        for (std::size_t i = 0; i < values.size(); ++i) whole[guard + place(b, i)] = static_cast<T>(values[i]);
        memory_.push_back(static_cast<T*>(device_.allocate((whole.size() + guard) * sizeof(T), "a buffer")));
        device_.upload(memory_.back() + misplaced, whole.data(), whole.size() * sizeof(T));
        positions_.push_back(memory_.back() + misplaced + guard);
    }
    std::vector<T*> positions_{};

    void launch() {
        const sigma::detail::Kernel& k = e_.plan.kernels[0];
        const auto word = [](const void* p) { return reinterpret_cast<std::uint64_t>(p); };
        std::vector<std::uint64_t> words;
        for (int a = 0; a < k.arguments; ++a) {
            const sigma::detail::Argument& x = e_.plan.arguments[k.argument + a];
            words.push_back(
                word(positions_[static_cast<std::size_t>(x.buffer)] + sigma::detail::resolve(x.offset, records_)));
        }
        const auto scratch = static_cast<std::size_t>(sigma::detail::resolve(e_.generated.scratch, records_));
        T* const between = static_cast<T*>(device_.allocate((scratch + 1) * sizeof(T), "scratch"));
        const std::vector<T> dirt(scratch + 1, std::numeric_limits<T>::quiet_NaN());
        device_.upload(between, dirt.data(), dirt.size() * sizeof(T));
        memory_.push_back(between);
        words.push_back(static_cast<std::uint64_t>(records_));
        words.push_back(0);
        words.push_back(word(between));
        for (std::size_t i = 0; i < e_.names.size(); ++i) {
            const on_gpu::Generated& g = e_.generated.launches[i];
            const long long most =
                g.most_blocks ? std::min(g.most_blocks, device_.most_blocks()) : device_.most_blocks();
            const long long wanted =
                (sigma::detail::resolve(g.items, records_) + g.items_a_block - 1) / g.items_a_block;
            device_.launch({module_.function(e_.names[i]), std::max(1LL, std::min(wanted, most)),
                            device_.threads(g.threads), words, e_.title.c_str()});
        }
    }
    static bool near(double x, double y, double tolerance) {
        return x == y || (std::isnan(x) && std::isnan(y)) ||
               std::abs(x - y) <= tolerance * (1 + std::abs(x) + std::abs(y));
    }
    std::string difference(int b, const Values& wanted, double tolerance, int misplaced) {
        std::vector<T> found(size_of(b) + 2 * guard);
        device_.download(found.data(), memory_[static_cast<std::size_t>(b)] + misplaced, found.size() * sizeof(T));
        for (std::size_t i = 0; i < guard; ++i)
            if (!(found[i] == untouched) || !(found[found.size() - 1 - i] == untouched))
                return sentence("buffer ", b, ": wrote beyond its memory");
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            const auto x = static_cast<double>(found[guard + place(b, i)]);
            if (!near(x, static_cast<double>(static_cast<T>(wanted[i])), tolerance))
                return sentence("buffer ", b, ", element ", i, ": expected ", wanted[i], ", found ", x);
        }
        return "";
    }
};

}  // namespace sigma::test
