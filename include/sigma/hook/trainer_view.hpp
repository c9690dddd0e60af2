// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>
#include <sigma/hook/moment.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sigma {

class Dataset;

namespace detail {

template <class T>
class ModelStore;

/// The parameters of a model in whatever element type they are: one of both is there.
struct AnyStore {
    ModelStore<float>* single = nullptr;
    ModelStore<double>* wide = nullptr;

    AnyStore() = default;
    AnyStore(ModelStore<float>& model) : single(&model) {}
    AnyStore(ModelStore<double>& model) : wide(&model) {}
};

/// A tensor that was kept of a step, its rows `stride` elements of the model's type apart.
struct KeptTensor {
    const void* data = nullptr;  ///< none where it was not kept
    std::ptrdiff_t stride = 0;
};

}  // namespace detail

/// What hooks ask a trainer of any type, and tell it. On its thread, but for `name`, `print`, `stop` and `post`.
class TrainerView {
public:
    /// Of that trainer.
    explicit TrainerView(const void* trainer) : trainer_(trainer) {}
    TrainerView(const TrainerView&) = delete;
    TrainerView& operator=(const TrainerView&) = delete;
    virtual ~TrainerView() = default;

    /// Tells trainers apart.
    const void* trainer() const { return trainer_; }
    virtual const std::string& name() const = 0;
    virtual const MomentCounts& counts() const = 0;
    virtual double runtime() const = 0;
    virtual std::uint64_t epoch() const = 0;
    virtual std::uint64_t iteration() const = 0;
    virtual double loss() const = 0;
    virtual double training_loss() const = 0;
    virtual double samples_per_second() const = 0;
    /// NaN where the optimizer has none.
    virtual double learning_rate() const = 0;
    virtual void set_learning_rate(double rate) = 0;
    /// Throws ArgumentError where a number of the optimizer is none that its rule can take.
    virtual void check_optimizer() const = 0;
    /// Throws ArgumentError where data did not go through what the training data went through, or number classes
    /// otherwise.
    virtual void require_like_training(const Dataset& data) const = 0;

    virtual void print(std::string_view line) = 0;
    virtual void stop() = 0;
    virtual void pause() = 0;
    virtual void reset() = 0;
    /// Calls a function between two iterations.
    virtual void post(detail::AnyFunction<void()> f) = 0;
    /// Calls a function when the hooks of this moment are through.
    virtual void after_hooks(detail::AnyFunction<void()> f) = 0;

    virtual void save_after_hooks(std::string file) = 0;
    virtual void load_after_hooks(std::string file) = 0;
    virtual void load_parameters(const std::string& file, const std::string& pattern) = 0;
    virtual std::vector<std::byte> checkpoint() = 0;
    virtual void write_checkpoint(const std::vector<std::byte>& image, const std::string& file) const = 0;

    virtual detail::AnyStore parameters() = 0;
    virtual void parameters_changed() = 0;
    virtual void freeze(std::string_view pattern) = 0;
    virtual void unfreeze(std::string_view pattern) = 0;
    virtual bool frozen(int parameter) const = 0;
    /// The gradient in a parameter in the last step, and the parameter before that step.
    virtual detail::KeptTensor gradient(int parameter) = 0;
    virtual detail::KeptTensor before(int parameter) = 0;

private:
    const void* trainer_;
};

}  // namespace sigma
