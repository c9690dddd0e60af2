// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/group.hpp>
#include <sigma/network/parameter_choice.hpp>
#include <support/bare_view.hpp>

#include <cstdio>
#include <fstream>
#include <functional>
#include <string>

/// What hooks need of a trainer, without a network.
namespace sigma::test {

struct FakeTrainer : BareView {
    struct Optimizer {
        double learning_rate = 0.5;
    } optimizer;
    int no_model = 0;
    MomentCounts counts_;
    std::vector<std::string> log;  ///< what reached the trainer, in order
    std::vector<detail::AnyFunction<void()>> after;
    bool disk_is_full = false;
    std::string name_ = "fake";

    const std::string& name() const override { return name_; }
    const MomentCounts& counts() const override { return counts_; }
    double runtime() const override { return 0; }
    double training_loss() const override { return 0.25; }
    double loss() const override { return 1.0 / 3; }
    int& model() { return no_model; }
    void print(std::string_view line) override { log.emplace_back(line); }
    void stop() override { log.emplace_back("stop"); }
    std::vector<std::byte> checkpoint() override { return std::vector<std::byte>(8); }
    void write_checkpoint(const std::vector<std::byte>& image, const std::string& file) const override {
        std::ofstream(file) << image.size();
    }
    void save_after_hooks(std::string file) override {
        after_hooks([this, file] {
            if (disk_is_full) throw Error("disk full");
            log.push_back("save " + file);
            std::ofstream(file) << "checkpoint";
        });
    }
    void load_after_hooks(std::string file) override {
        after_hooks([this, file] { log.push_back("load " + file); });
    }
    void load_parameters(const std::string& file, const ParameterChoice& choice) override {
        log.push_back("load " + choice.text() + " of " + file);
    }
    void parameters_changed() override { log.emplace_back("changed"); }
    void after_hooks(detail::AnyFunction<void()> f) override { after.push_back(of_acting_hook(std::move(f))); }
    void post(detail::AnyFunction<void()> f) override { f(); }

    /// An epoch ends.
    void happen(sigma::detail::HookGroup& group) {
        ++counts_[Moment::epoch];
        group.fire(Moment::epoch);
        log.emplace_back("hooks are through");
        group.dispatch(Moment::epoch);
        for (const auto& f : std::exchange(after, {})) f();
    }
};

}  // namespace sigma::test
