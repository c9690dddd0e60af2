// SPDX-License-Identifier: BSL-1.0
// Before the guard: without the library, its body includes this header.
#include <sigma/trainer/trainer_core.hpp>
#ifndef SIGMA_TRAINER_CORE_VIEW
#define SIGMA_TRAINER_CORE_VIEW

#include <sigma/hook/trainer_view.hpp>
#include <sigma/optimizer/check.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sigma::detail {

/// A trainer as hooks see it.
template <class T>
class CoreView final : public TrainerView {
public:
    explicit CoreView(TrainerCore<T>& trainer) : TrainerView(&trainer), trainer_(trainer) {}

    const std::string& name() const override { return trainer_.name(); }
    const MomentCounts& counts() const override { return trainer_.counts(); }
    double runtime() const override { return trainer_.runtime(); }
    std::uint64_t epoch() const override { return trainer_.epoch(); }
    std::uint64_t iteration() const override { return trainer_.iteration(); }
    double loss() const override { return trainer_.loss(); }
    double error() const override { return trainer_.error(); }
    double samples_per_second() const override { return trainer_.samples_per_second(); }
    double learning_rate() const override {
        const OptimizerPlaces& o = trainer_.optimizer_places();
        return o.table.learning_rate ? o.table.learning_rate(o.now, nullptr) : std::numeric_limits<double>::quiet_NaN();
    }
    void set_learning_rate(double rate) override {
        const OptimizerPlaces& o = trainer_.optimizer_places();
        if (o.table.learning_rate) o.table.learning_rate(o.now, &rate);
    }
    void check_optimizer() const override {
        check_numbers(trainer_.optimizer_places().table, trainer_.optimizer_places().now);
    }
    void require_like_training(const Dataset& data) const override { trainer_.require_like_training(data); }

    void print(std::string_view line) override { trainer_.print(line); }
    void stop() override { trainer_.stop(); }
    void pause() override { trainer_.pause(); }
    void reset() override { trainer_.reset(); }
    void post(AnyFunction<void()> f) override { trainer_.post(std::move(f)); }
    void after_hooks(AnyFunction<void()> f) override { trainer_.after_hooks(std::move(f)); }

    void save_after_hooks(std::string file) override { trainer_.save_after_hooks(std::move(file)); }
    void load_after_hooks(std::string file) override { trainer_.load_after_hooks(std::move(file)); }
    void load_parameters(const std::string& file, const std::string& pattern) override {
        trainer_.load_parameters(file, pattern);
    }
    std::vector<std::byte> checkpoint() override { return trainer_.checkpoint(); }
    void write_checkpoint(const std::vector<std::byte>& image, const std::string& file) const override {
        TrainerCore<T>::write_checkpoint(image, file);
    }

    AnyStore parameters() override { return trainer_.store(); }
    void parameters_changed() override { trainer_.parameters_changed(); }
    void freeze(std::string_view pattern) override { trainer_.freeze(pattern); }
    void unfreeze(std::string_view pattern) override { trainer_.unfreeze(pattern); }
    bool frozen(int parameter) const override { return trainer_.frozen(parameter); }
    KeptTensor gradient(int parameter) override {
        const auto kept = trainer_.step_record().gradient(parameter, trainer_.iteration());
        return kept ? KeptTensor{kept->data(), trainer_.store().network().parameters[parameter].shape.last()}
                    : KeptTensor{};
    }
    KeptTensor before(int parameter) override {
        const auto kept = trainer_.step_record().before(parameter, trainer_.store(), trainer_.iteration());
        return kept ? KeptTensor{kept->data(), trainer_.store().row(parameter)} : KeptTensor{};
    }

private:
    TrainerCore<T>& trainer_;
};

}  // namespace sigma::detail

#endif
