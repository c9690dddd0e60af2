// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Run-time networks: `DynamicNetwork` and `network`. Included by `<sigma/sigma.hpp>`.
#include <sigma/core/any_function.hpp>
#include <sigma/core/owners.hpp>
#include <sigma/device/program_table.hpp>
#include <sigma/network/layers.hpp>
#include <sigma/network/network.hpp>
#include <sigma/network/purpose.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sigma {

namespace detail {

struct GraphTable;
struct NetworkFacts;
struct NetworkTape;

/// The tables and programs of a run-time network. Thread-safe. Parts that are rarely needed are made on first use.
class MadeTables {
public:
    /// Traces the layers. Throws MistakeError if a layer rejects its input.
    explicit MadeTables(Layers layers);
    MadeTables(const MadeTables&) = delete;
    MadeTables& operator=(const MadeTables&) = delete;
    ~MadeTables();

    const Layers& layers() const;
    const NetworkTable& table() const;
    const GraphTable& graph() const;
    const NetworkTape& tape() const;
    std::uint64_t training_fingerprint() const;
    /// Returns the layers that the nodes of a program belong to.
    List<LayerRecord> layers_of_programs(bool training) const;
    /// Returns the traced program for a purpose, for an interpreter.
    Program operations(const Purpose& purpose) const;
    /// Returns the program for a purpose, planned for vectors of `lanes` elements.
    template <class T>
    const CompiledProgram<T>& program(const Purpose& purpose, int lanes) const;

private:
    struct Lists;
    Owned<Lists> lists_;
};

}  // namespace detail

/// A run-time network. Its sizes, depth and structure may come from the command line, a file, or the data.
///
/// Make it with `network`. You can use it wherever a struct derived from `Network<…>` is accepted. Copies share one
/// network.
///
/// @par Example
/// @code
/// int width = 300, depth = 2;
/// auto net = network(Input(28, 28) + depth * Dense(width, relu) + Dense(10) + SoftmaxCE());
/// Trainer wide("wide", net, Adam{}, minibatches(training, 32));
/// @endcode
///
/// @see Network, Layers, network, docs/networks.md
class DynamicNetwork {
public:
    /// @cond internal
    static constexpr int input_count = detail::when_run, cost_count = detail::when_run;
    /// @endcond

    /// Constructs a network from layers.
    /// @param layers  inputs, layers and losses. Without a loss the network can only predict, see `NoLoss`.
    /// @throws MistakeError  if a layer rejects its input. The message names the layer.
    explicit DynamicNetwork(const Layers& layers);

    /// @cond internal
    const detail::MadeTables& made() const { return *made_; }
    /// @endcond

private:
    detail::SharedOwner<const detail::MadeTables> made_;
};

/// Makes a run-time network from an expression of layers.
///
/// @param expression  inputs, layers and losses, joined by `+`, or `Layers`
/// @return the network
/// @throws MistakeError  if a layer rejects its input. The message names the layer.
///
/// @par Example
/// @code
/// auto net = network(Input(4) + 3 * Dense(8, relu) + Dense(3) + SoftmaxCE());
/// Model iris(net, 42);
/// @endcode
///
/// @see DynamicNetwork
template <detail::Operand L>
    requires(!AnyNetwork<L>)
DynamicNetwork network(const L& expression) {
    return DynamicNetwork(Layers(expression));
}

namespace detail {

/// The values of a network's named sizes. Its members throw ArgumentError if two values of a size differ.
class SizeBinding {
public:
    /// A function that returns a number from the facts of a network.
    using Look = AnyFunction<int(const NetworkFacts&)>;

    /// Takes the values that the program gives, `dim<"width"> = 300`.
    SizeBinding(const SizeNames& names, std::span<const SizeGiven> given, const Layers& layers);
    ~SizeBinding();

    /// Returns the facts of the network with a prime in place of each name.
    const NetworkFacts& example() const;
    /// Sets the size on which the number that `look` returns depends, so that this number becomes `value`. `source`
    /// names the origin of the value in errors. Does nothing if the number depends on no size, or on several.
    void found(const Look& look, long long value, const std::string& source);
    /// Makes the network. Throws ArgumentError if a size has no value, and MistakeError if a layer rejects its input.
    DynamicNetwork make() const;

private:
    struct Value {
        int value = 0;  ///< 0 if the size has no value yet.
        std::string source{};
    };
    const SizeNames& names_;
    Layers layers_;
    std::vector<Value> values_;
    mutable std::vector<Owned<NetworkFacts>> tried_;  ///< Facts with all primes, then with one prime replaced.

    const NetworkFacts& tried(int i) const;
    void set(int name, long long value, const std::string& source);
};
template <NamedNetwork N>
SizeBinding sizes_of(const N& network) {
    std::vector<SizeGiven> given(std::begin(network.given), std::end(network.given));
    return {N::named_sizes, given, Layers(N::expression)};
}

}  // namespace detail

/// Makes a run-time network from a network with named sizes.
///
/// @param named  the network, with a value for each size
/// @return the network with these sizes
/// @throws ArgumentError  if a size has no value, or two values of a size differ
/// @throws MistakeError   if a layer rejects its input with these sizes
///
/// @par Example
/// @code
/// struct Table : Network<Input(dim<"columns">) + Dense(dim<"width">, relu) + Dense(3) + SoftmaxCE()> {};
/// auto net = network(Table{dim<"columns"> = 4, dim<"width"> = 300});
/// @endcode
///
/// @see dim
template <NamedNetwork N>
DynamicNetwork network(const N& named) {
    return detail::sizes_of(named).make();
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/network/impl/dynamic_network.ipp>
#endif
