// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/context.hpp>
#include <sigma/network/model_store.hpp>

#include <limits>
#include <stdexcept>
#include <string>

namespace sigma::test {

/// A trainer of which hooks see nothing: those of tests say the rest. What is asked of it and not there throws.
class BareView : public TrainerView {
public:
    BareView() : TrainerView(this) {}

    const std::string& name() const override { return missing<const std::string&>("name"); }
    const MomentCounts& counts() const override { return missing<const MomentCounts&>("counts"); }
    double runtime() const override { return missing<double>("runtime"); }
    std::uint64_t epoch() const override { return counts()[Moment::epoch]; }
    std::uint64_t iteration() const override { return counts()[Moment::iteration]; }
    double loss() const override { return missing<double>("loss"); }
    double training_loss() const override { return missing<double>("error"); }
    double samples_per_second() const override { return missing<double>("samples_per_second"); }
    double learning_rate() const override { return missing<double>("learning_rate"); }
    void set_learning_rate(double) override { missing<void>("set_learning_rate"); }
    void check_optimizer() const override {}
    void require_like_training(const Dataset&) const override {}

    void print(std::string_view) override { missing<void>("print"); }
    void stop() override { missing<void>("stop"); }
    void pause() override { missing<void>("pause"); }
    void reset() override { missing<void>("reset"); }
    void post(detail::AnyFunction<void()>) override { missing<void>("post"); }
    void after_hooks(detail::AnyFunction<void()>) override { missing<void>("after_hooks"); }

    void save_after_hooks(std::string) override { missing<void>("save_after_hooks"); }
    void load_after_hooks(std::string) override { missing<void>("load_after_hooks"); }
    void load_parameters(const std::string&, const ParameterChoice&) override { missing<void>("load_parameters"); }
    std::vector<std::byte> checkpoint() override { return missing<std::vector<std::byte>>("checkpoint"); }
    void write_checkpoint(const std::vector<std::byte>&, const std::string&) const override {
        missing<void>("write_checkpoint");
    }

    detail::AnyStore parameters() override { return missing<detail::AnyStore>("parameters"); }
    void parameters_changed() override { missing<void>("parameters_changed"); }
    void freeze(std::string_view) override { missing<void>("freeze"); }
    void unfreeze(std::string_view) override { missing<void>("unfreeze"); }
    bool frozen(int) const override { return missing<bool>("frozen"); }
    detail::KeptTensor gradient(int) override { return missing<detail::KeptTensor>("gradient"); }
    detail::KeptTensor before(int) override { return missing<detail::KeptTensor>("before"); }
    detail::KeptTensor output(int) override { return missing<detail::KeptTensor>("output"); }

private:
    template <class X>
    [[noreturn]] static X missing(const char* what) {
        throw std::logic_error(std::string("the trainer of this test has no ") + what);
    }
};

}  // namespace sigma::test
