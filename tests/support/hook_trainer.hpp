// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/hook/group.hpp>
#include <sigma/hook/words.hpp>
#include <support/bare_view.hpp>

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace sigma::test {

/// What hooks need of a trainer, moved by hand. Compiles in a tenth of the time of a real one.
class HookTrainer : public BareView {
public:
    struct Parameters {
        double weight = 0;
    };
    struct {
        double learning_rate = 0.1;
    } optimizer;

    const MomentCounts& counts() const override { return counts_; }
    double runtime() const override { return 0.001 * static_cast<double>(iteration()); }
    double loss() const override { return loss_value; }
    double training_loss() const override { return loss_value; }
    double learning_rate() const override { return optimizer.learning_rate; }
    double samples_per_second() const override { return 1000; }
    Parameters& model() { return parameters; }
    using BareView::require_like_training;
    void require_like_training(double) const {}
    static double evaluate(const Parameters& p, double x) { return p.weight * x; }
    std::vector<std::byte> checkpoint() override { return {static_cast<std::byte>(iteration())}; }
    void write_checkpoint(const std::vector<std::byte>& image, const std::string& file) const override {
        written = sentence(file, " of iteration ", static_cast<int>(image.at(0)));
    }
    void stop() override { stopped = true; }
    void post(detail::AnyFunction<void()> f) override {
        std::lock_guard lock(mutex_);
        posted_.push_back(std::move(f));
    }
    void print(std::string_view line) override {
        std::lock_guard lock(mutex_);
        lines_.emplace_back(line);
    }
    std::vector<std::string> lines() {
        std::lock_guard lock(mutex_);
        return lines_;
    }

    template <class... H>
    sigma::detail::HookGroup& add(H... hooks) {
        static_assert(detail::Hooks<H...>::good);
        groups.push_back(sigma::detail::make_hook_group(*this, std::move(hooks)...));
        return *groups.back();
    }
    void happen(Moment m) {
        ++counts_[m];
        for (auto& g : groups)
            if (g->moments().has(m)) g->fire(m);
        for (auto& g : groups)
            if (g->moments().has(m)) g->dispatch(m);
    }
    /// So many iterations; an epoch is two of them. The weight and the loss are the number of the iteration.
    void train(int iterations) {
        for (int i = 0; i < iterations; ++i) {
            std::vector<detail::AnyFunction<void()>> now;
            {
                std::lock_guard lock(mutex_);
                now.swap(posted_);
            }
            for (const auto& f : now) f();
            loss_value = parameters.weight = static_cast<double>(iteration() + 1);
            happen(Moment::iteration);
            if (iteration() % 2 == 0) happen(Moment::epoch);
        }
    }
    void finish() {
        for (auto& g : groups) g->finish();
    }

    Parameters parameters;
    double loss_value = 0;
    std::atomic<bool> stopped{false};
    inline static std::string written;
    std::vector<sigma::detail::Owned<sigma::detail::HookGroup>> groups;

private:
    MomentCounts counts_;
    std::mutex mutex_;
    std::vector<detail::AnyFunction<void()>> posted_;
    std::vector<std::string> lines_;
};

/// Holds up whoever comes until it is opened.
class Gate {
public:
    void open() { open_.store(true), open_.notify_all(); }
    void pass() {
        arrived_.fetch_add(1), arrived_.notify_all();
        open_.wait(false);
    }
    void wait_for_somebody() { arrived_.wait(0); }

private:
    std::atomic<bool> open_{false};
    std::atomic<int> arrived_{0};
};

/// Computes a value: the sum of what it reads, plus what it is given, and notes that it ran.
template <Text key, class... Read>
struct Makes : Action<Makes<key, Read...>> {
    using Reads = Types<Read...>;
    using Writes = Types<Computed<key>>;
    static constexpr Text name = key;
    double base;
    std::vector<std::string>* ran;

    explicit Makes(double base_ = 0, std::vector<std::string>* ran_ = nullptr) : base(base_), ran(ran_) {}
    void visit_values(auto f) {
        std::apply([&](auto&... v) { (f(v), ...); }, values_);
    }
    void run(auto& context) {
        context.template publish<Computed<key>>((base + ... + context.get(Read{})));
        if (ran) ran->emplace_back(key.view());
    }
    static std::string text() { return sentence("make ", key.view()); }

private:
    std::tuple<Read...> values_;
};
/// Notes what it reads.
template <class... Read>
struct Notes : Action<Notes<Read...>> {
    using Reads = Types<Read...>;
    std::vector<std::string>* ran;
    std::string word;

    explicit Notes(std::vector<std::string>* ran_ = nullptr, std::string word_ = "notes")
        : ran(ran_), word(std::move(word_)) {}
    void visit_values(auto f) {
        std::apply([&](auto&... v) { (f(v), ...); }, values_);
    }
    void run(auto& context) {
        std::string line = word;
        ((line += sentence(" ", Read{}.text(), "=", context.get(Read{}))), ...);
        if (ran) ran->push_back(line);
    }
    static std::string text() { return "note"; }

private:
    std::tuple<Read...> values_;
};
template <Text key>
using Value = Computed<key>;

}  // namespace sigma::test
