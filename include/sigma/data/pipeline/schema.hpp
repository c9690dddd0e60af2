// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/shape.hpp>
#include <sigma/core/text.hpp>
#include <sigma/data/block.hpp>
#include <sigma/data/pipeline/errors.hpp>

#include <string>
#include <vector>

namespace sigma::data {

enum class Role { input, target };

/// The extents of a record where the compiler knows them.
template <int... extents>
struct Extents {
    static constexpr bool known = true;
    static std::vector<std::size_t> list() { return {static_cast<std::size_t>(extents)...}; }
};
template <int... extents>
concept AboveZero = ((extents > 0) && ...);
/// Extents that only the file knows.
struct UnknownExtents {
    static constexpr bool known = false;
};

/// One section of a pipeline, for the compiler: SectionField<"inputs", Role::input, Extents<28, 28>>.
template <Text name_, Role role_, class Extents_>
struct SectionField {
    static constexpr Text name = name_;
    static constexpr Role role = role_;
    using Record = Extents_;
};

/// The sections of a pipeline, in order.
template <class... Fields>
struct Schema {
    static constexpr bool has(const Text& name) { return ((Fields::name == name) || ...); }
    static constexpr bool has_input(const Text& name) {
        return ((Fields::role == Role::input && Fields::name == name) || ...);
    }
    static constexpr bool has_inputs_and_targets() {
        return ((Fields::role == Role::input) || ...) && ((Fields::role == Role::target) || ...);
    }
};

namespace detail {

/// What a section's name means when it is called: a header that knows says so, <sigma/hana.hpp> of a network's inputs.
template <Text name>
struct Called;

}  // namespace detail

/// The name of a section, as users write it: `inputs`, `targets`, `input<"image">`, `target<"label">`. Given an array
/// that is read, it makes a pipeline with this one section: `inputs = idx<28, 28>(file("images"))`.
template <Text name_, Role role_>
struct SectionName {
    static constexpr Text name = name_;
    static constexpr Role role = role_;
    static std::string text() { return std::string(name.view()); }

    template <class X, class C = detail::Called<name_>>
        requires requires(const X& x) { C::of(x); }
    constexpr auto operator()(const X& x) const {
        return C::of(x);
    }

    /// Defined for arrays in pipeline.hpp, for columns of tables in reader/csv.hpp.
    template <class X>
    constexpr auto operator=(X from) const {
        return from.template named<name_, role_>();
    }
};

// Constants of the user's vocabulary, inline so that a program may qualify them.
inline namespace section_words {
template <Text name>
inline constexpr SectionName<name, Role::input> input{};
template <Text name>
inline constexpr SectionName<name, Role::target> target{};
inline constexpr SectionName<"inputs", Role::input> inputs{};
inline constexpr SectionName<"targets", Role::target> targets{};
}  // namespace section_words

}  // namespace sigma::data
