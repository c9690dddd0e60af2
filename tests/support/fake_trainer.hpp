// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/group.hpp>

#include <cstdio>
#include <fstream>
#include <functional>
#include <string>

/// What hooks need of a trainer, without a network.
namespace sigma::test {

struct FakeTrainer {
    struct Optimizer {
        double learning_rate = 0.5;
    } optimizer;
    int no_model = 0;
    MomentCounts counts_;
    std::vector<std::string> log;  ///< what reached the trainer, in order
    std::vector<std::function<void()>> after;
    bool disk_is_full = false;
    std::string name_ = "fake";

    const std::string& name() const { return name_; }
    const MomentCounts& counts() const { return counts_; }
    std::uint64_t epoch() const { return counts_[Moment::epoch]; }
    std::uint64_t iteration() const { return counts_[Moment::iteration]; }
    double runtime() const { return 0; }
    double error() const { return 0.25; }
    double loss() const { return 1.0 / 3; }
    int& model() { return no_model; }
    void print(std::string_view line) { log.emplace_back(line); }
    void stop() { log.emplace_back("stop"); }
    std::vector<std::byte> checkpoint() const { return std::vector<std::byte>(8); }
    static void write_checkpoint(const std::vector<std::byte>& image, const std::string& file) { std::ofstream(file) << image.size(); }
    void save_after_hooks(std::string file) {
        after_hooks([this, file] {
            if (disk_is_full) throw Error("disk full");
            log.push_back("save " + file);
            std::ofstream(file) << "checkpoint";
        });
    }
    void load_after_hooks(const std::string& file) {
        after_hooks([this, file] { log.push_back("load " + file); });
    }
    void load_parameters(const std::string& file, const std::string& pattern) { log.push_back("load " + pattern + " of " + file); }
    void parameters_changed() { log.emplace_back("changed"); }
    void after_hooks(std::function<void()> f) { after.push_back(std::move(f)); }
    void post(const std::function<void()>& f) { f(); }

    /// An epoch ends.
    void happen(AnyHookGroup<FakeTrainer>& group) {
        ++counts_[Moment::epoch];
        group.fire(Moment::epoch, *this);
        log.emplace_back("hooks are through");
        group.settle(Moment::epoch, *this);
        for (const auto& f : std::exchange(after, {})) f();
    }
};

}  // namespace sigma::test
