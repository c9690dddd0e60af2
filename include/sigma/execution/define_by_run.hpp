// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Training of networks whose structure changes from step to step: DefineByRun. Include it yourself.
#include <sigma/core/any_array.hpp>
#include <sigma/core/owners.hpp>
#include <sigma/execution/batch_trainer.hpp>
#include <sigma/network/dynamic_network.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace sigma {

namespace detail {

/// Parameters and states of an optimizer by their names, between steps of different networks.
template <class T>
class NamedTraining {
public:
    /// Copies what a trainer has.
    void keep(BatchTrainerCore<T>& from);
    /// Copies what the trainer's model has by the same names. All else stays. Throws MismatchError if a parameter or a
    /// state has another shape; then nothing has changed.
    void restore(BatchTrainerCore<T>& to) const;

private:
    struct Tensor {
        Shape shape{};
        std::vector<T> values{};
    };
    std::map<std::string, Tensor> tensors_;  ///< "1-dense.weights", "1-dense.weights m"
    std::uint64_t steps_ = 0;
    std::uint32_t batches_ = 0;

    template <class F>
    static void each_tensor(BatchTrainerCore<T>& core, F f);
};

}  // namespace detail

/// Trains networks whose depth, length or structure changes from step to step (define by run).
///
/// Each step takes a run-time network. Parameters and states of the optimizer belong to names: a network begins with
/// the values that earlier networks have left under the names of its parameters. Parameters with new names are drawn
/// by their initializers. So name what is common to several structures, by `named` or `shared`. Networks with the same
/// operations are one structure: they share kernels and memory.
///
/// Training runs on the processor. Hyperparameters of layers belong to one structure. Each pattern of the optimizer
/// must match in each network.
///
/// @tparam O  type of the optimizer
/// @tparam T  element type
///
/// @par Example
/// @code
/// // #include <sigma/execution/define_by_run.hpp>
/// const auto x = Array<float>::from_shape({1, 4}), y = Array<float>::from_shape({1});
/// DefineByRun by_run{Adam{.learning_rate = 0.01}};
/// for (int depth = 1; depth <= 3; ++depth) {
///     const auto net = network(Input(4) + named("first", Dense(8)) + depth * shared("again", Dense(8, tanh)) +
///                              named("last", Dense(3)) + SoftmaxCE());
///     const double mean_loss = by_run.train_on_batch(net, x, y);
///     if (mean_loss < 0.1) break;
/// }
/// @endcode
///
/// @see BatchTrainer, DynamicNetwork
template <AnyOptimizer O, class T = float>
class DefineByRun {
public:
    O optimizer;  ///< The optimizer. You can change its numbers, such as the learning rate, between updates.

    /// Constructs a trainer without parameters.
    /// @param optimizer_  optimizer with its options
    /// @param seed        seed of initial parameters and of dropout. Default: 1.
    /// @param most        largest number of structures with plans in memory, at least 1. The structure that was not
    /// used
    ///                    for the longest time gives way. Default: 64.
    explicit DefineByRun(O optimizer_ = {}, std::uint64_t seed = 1, std::size_t most = 64)
        : optimizer(optimizer_), seed_(seed), most_(std::max<std::size_t>(most, 1)) {}

    /// Makes one training step of a network.
    /// @param network             the network of this step
    /// @param inputs_and_targets  all inputs, then the targets of each cost, as arrays (records, …)
    /// @return the mean loss of the batch before the update
    /// @throws MismatchError  if a parameter has another shape than in an earlier network. Also what `BatchTrainer`
    ///                        throws. After an error, parameters and states are unchanged.
    template <AnyArray... E>
    double train_on_batch(const DynamicNetwork& network, const E&... inputs_and_targets) {
        BatchTrainer<DynamicNetwork, O, T>& trainer = at(network).trainer;
        trainer.optimizer = optimizer;
        try {
            const double mean_loss = trainer.train_on_batch(inputs_and_targets...);
            trained_ = true;
            return mean_loss;
        } catch (...) {
            if (!trained_) all_.erase(all_.begin());  // its new names do not count
            throw;
        }
    }
    /// Returns the model of a network with the present parameters, to predict, save or load. It is valid until the next
    /// call for another network. Changes of its parameters apply to later steps.
    /// @param network  the network
    /// @return the model
    /// @throws MismatchError  if a parameter has another shape than in an earlier network
    Model<DynamicNetwork, T>& model(const DynamicNetwork& network) {
        Structure& found = at(network);
        trained_ = true;
        return found.model;
    }

    /// Returns the number of updates so far, over all structures.
    /// @return the number
    std::uint64_t steps() const { return all_.empty() ? 0 : all_.front()->trainer.steps(); }
    /// Returns the number of structures in memory.
    /// @return the number
    std::size_t structures() const { return all_.size(); }

private:
    struct Structure {
        Model<DynamicNetwork, T> model;
        BatchTrainer<DynamicNetwork, O, T> trainer;

        /// New parameters of each structure are drawn by other random numbers.
        Structure(const DynamicNetwork& network, const O& of, std::uint64_t seed, std::uint64_t number)
            : model(network, number == 0 ? seed : Philox(seed, RandomUse::initialize, number).bits(0)),
              trainer(model, of) {
            model.set_seed(seed);
        }
    };
    std::uint64_t seed_;
    std::size_t most_;
    std::uint64_t made_ = 0;                       ///< number of structures so far
    bool trained_ = true;                          ///< False if the first structure is new and has made no step.
    std::vector<detail::Owned<Structure>> all_{};  ///< the one used last is first, and has the present values
    detail::NamedTraining<T> named_{};

    /// Returns the structure of a network, with the present values.
    Structure& at(const DynamicNetwork& network) {
        const auto is_same = [&](const auto& each) {
            const detail::MadeTables& known = each->model.definition().made();
            return &known == &network.made() || (known.table().fingerprint == network.made().table().fingerprint &&
                                                 known.training_fingerprint() == network.made().training_fingerprint());
        };
        const auto found = std::ranges::find_if(all_, is_same);
        if (!all_.empty() && found == all_.begin()) return *all_.front();
        detail::Owned<Structure> made;
        if (found == all_.end()) made = detail::make_owned<Structure>(network, optimizer, seed_, made_);
        if (!all_.empty()) named_.keep(all_.front()->trainer.core());
        named_.restore((made ? made : *found)->trainer.core());
        trained_ = !made;
        if (made) {
            all_.insert(all_.begin(), std::move(made));
            ++made_;
        } else std::rotate(all_.begin(), found, found + 1);
        if (all_.size() > most_) all_.pop_back();
        return *all_.front();
    }
};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/execution/impl/define_by_run.ipp>
#endif
