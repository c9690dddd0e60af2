// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/hook/group.hpp>
#include <support/bare_view.hpp>

#include <vector>

/// A trainer without a network, for tests of hooks: the test says what happens, and which numbers there are.
namespace sigma::test {

class Stage : public BareView {
public:
    MomentCounts counted{};
    double loss_ = 0, error_ = 0;
    std::vector<std::string> lines{};

    Stage() = default;

    const MomentCounts& counts() const override { return counted; }
    double loss() const override { return loss_; }
    double training_loss() const override { return error_; }
    double runtime() const override { return 0; }
    void print(std::string_view line) override { lines.emplace_back(line); }
    void stop() override {}
    std::vector<double>& model() { return model_; }
    std::vector<std::byte> checkpoint() override { return {}; }

    template <class... H>
    void add(H... hooks) {
        groups.push_back(sigma::detail::make_hook_group(*this, std::move(hooks)...));
    }
    void happen(Moment m) {
        ++counted[m];
        for (auto& g : groups)
            if (g->moments().has(m)) g->fire(m);
        for (auto& g : groups)
            if (g->moments().has(m)) g->dispatch(m);
    }
    void iterate(double with_loss) {
        loss_ = with_loss;
        happen(Moment::iteration);
    }
    std::vector<sigma::detail::Owned<sigma::detail::HookGroup>> groups{};

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
