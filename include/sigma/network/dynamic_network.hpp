// SPDX-License-Identifier: BSL-1.0
#pragma once
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

/// What a network that is made while the program runs consists of. Many threads may ask at a time; what is not always
/// needed is found when it is first asked for.
class MadeTables {
public:
    /// Throws MistakeError.
    explicit MadeTables(Layers layers);
    MadeTables(const MadeTables&) = delete;
    MadeTables& operator=(const MadeTables&) = delete;
    ~MadeTables();

    const Layers& layers() const;
    const NetworkTable& table() const;
    const GraphTable& graph() const;
    const NetworkTape& tape() const;
    std::uint64_t training_fingerprint() const;
    /// The layers that the nodes of a program belong to.
    List<LayerRecord> layers_of_programs(bool training) const;
    /// The program for a purpose, traced: who interprets it.
    Program operations(const Purpose& purpose) const;
    /// The program for a purpose, planned for vectors of so many elements.
    template <class T>
    const CompiledProgram<T>& program(const Purpose& purpose, int lanes) const;

private:
    struct Lists;
    Owned<Lists> lists_;
};

}  // namespace detail

/// A network that is made while the program runs, of `Layers` or of any expression: sizes, depth and structure may come
/// from the command line, a file, or the data.
///
///   auto net = network(Input(columns) + depth * Dense(width, relu) + Dense(classes) + SoftmaxCE());
///   Trainer trainer("table", net, Adam{}, minibatches(training, 32));
///
/// It serves wherever a struct derived of `Network<…>` does. What is wrong with it is a MistakeError, whose sentence
/// names the layer. A copy is the same network.
class DynamicNetwork {
public:
    static constexpr int input_count = detail::when_run, cost_count = detail::when_run;

    explicit DynamicNetwork(const Layers& layers);

    const detail::MadeTables& made() const { return *made_; }

private:
    detail::SharedOwner<const detail::MadeTables> made_;
};

/// See `DynamicNetwork`. Throws MistakeError.
template <detail::Operand L>
    requires(!AnyNetwork<L>)
DynamicNetwork network(const L& expression) {
    return DynamicNetwork(Layers(expression));
}

namespace detail {

/// What the sizes of a network are. Throws ArgumentError where two values of one do not agree.
class SizeBinding {
public:
    /// A number that is found in what is known of a network.
    using Look = AnyFunction<int(const NetworkFacts&)>;

    /// Those of the program, `dim<"width"> = 300`, for the layers.
    SizeBinding(const SizeNames& names, std::span<const SizeGiven> given, const Layers& layers);
    ~SizeBinding();

    /// What is known of the network with a prime for each name.
    const NetworkFacts& example() const;
    /// `who` has this value where one looks. Changes nothing where no size is, or several are.
    void found(const Look& look, long long value, const std::string& who);
    /// Throws ArgumentError where one has no value, and MistakeError.
    DynamicNetwork make() const;

private:
    struct Value {
        int value = 0;  ///< none is 0
        std::string who{};
    };
    const SizeNames& names_;
    Layers layers_;
    std::vector<Value> values_;
    mutable std::vector<Owned<NetworkFacts>> tried_;  ///< with primes, then with another number for one name each

    const NetworkFacts& tried(int i) const;
    void set(int name, long long value, const std::string& who);
};
template <NamedNetwork N>
SizeBinding sizes_of(const N& network) {
    std::vector<SizeGiven> given(std::begin(network.given), std::end(network.given));
    return {N::named_sizes, given, Layers(N::expression)};
}

}  // namespace detail

/// A network with named sizes, all of which have values, as it is then: `network(Table{dim<"width"> = 300, …})`. Throws
/// ArgumentError and MistakeError.
template <NamedNetwork N>
DynamicNetwork network(const N& named) {
    return detail::sizes_of(named).make();
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/network/impl/dynamic_network.ipp>
#endif
