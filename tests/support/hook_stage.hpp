// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/group.hpp>

#include <vector>

/// A trainer without a network, for tests of hooks: the test says what happens, and which numbers there are.
namespace sigma::test {

class Stage {
public:
    MomentCounts counted{};
    double loss_ = 0, error_ = 0;
    std::vector<std::string> lines{};

    Stage() = default;
    Stage(const Stage&) = delete;

    const MomentCounts& counts() const { return counted; }
    double loss() const { return loss_; }
    double error() const { return error_; }
    double runtime() const { return 0; }
    std::uint64_t iteration() const { return counted[Moment::iteration]; }
    std::uint64_t epoch() const { return counted[Moment::epoch]; }
    void print(std::string_view line) { lines.emplace_back(line); }
    void stop() {}
    std::vector<double>& model() { return model_; }
    std::string checkpoint() const { return ""; }

    template <class... H>
    void add(H... hooks) {
        groups.push_back(make_hook_group(*this, std::move(hooks)...));
    }
    void happen(Moment m) {
        ++counted[m];
        for (auto& g : groups)
            if (g->moments().has(m)) g->fire(m, *this);
        for (auto& g : groups)
            if (g->moments().has(m)) g->settle(m, *this);
    }
    void iterate(double with_loss) {
        loss_ = with_loss;
        happen(Moment::iteration);
    }
    std::vector<std::unique_ptr<AnyHookGroup<Stage>>> groups{};

private:
    std::vector<double> model_{};
};

/// Notes a value each time its hook fires.
template <AnyValue V>
struct Note : Action<Note<V>> {
    using Reads = Types<V>;
    V v;
    std::vector<double>* to;

    Note(V v_, std::vector<double>& to_) : v(v_), to(&to_) {}
    void visit_values(auto f) { f(v); }
    void visit_values(auto f) const { f(v); }
    void run(auto& context) { to->push_back(context.get(v)); }
    std::string text() const { return "note(" + v.text() + ")"; }
};

/// Computes a value by calling a function.
template <Text key, class F>
struct ComputeBy : Action<ComputeBy<key, F>> {
    using Writes = Types<Computed<key>>;
    F f;

    explicit ComputeBy(F f_) : f(f_) {}
    void run(auto& context) { context.template publish<Computed<key>>(f()); }
    static std::string text() { return "compute"; }
};
template <Text key, class F>
auto compute_by(F f) {
    return ComputeBy<key, F>(f);
}

}  // namespace sigma::test
