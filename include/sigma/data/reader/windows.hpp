// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/error.hpp>
#include <sigma/core/words.hpp>
#include <sigma/data/pipeline/pipeline.hpp>
#include <sigma/data/reader/reader.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace sigma::data {

/// How windows lie: `horizon` records are the targets, `gap` records lie between inputs and targets, a window begins
/// `step` records after the one before. `features` says which numbers of a record are targets, all where it is empty.
struct WindowOptions {
    std::size_t horizon = 1;
    std::size_t step = 1;
    std::size_t gap = 0;
    std::vector<std::size_t> features{};
};
/// The same where horizon and features are known to the compiler.
struct WindowStride {
    std::size_t step = 1;
    std::size_t gap = 0;
};

namespace detail {

/// count records of extents E; a single number has extents () and becomes (count, 1) where `column`.
template <int count, class E, bool column>
struct Repeated {
    using type = UnknownExtents;
};
template <int count, int... extents, bool column>
struct Repeated<count, Extents<extents...>, column> {
    using type = std::conditional_t<column && sizeof...(extents) == 0, Extents<count, 1>, Extents<count, extents...>>;
};
template <int... extents, bool column>
struct Repeated<0, Extents<extents...>, column> {
    using type = UnknownExtents;
};
/// The targets.
template <int horizon, class E, int... features>
struct Ahead {
    using type = std::conditional_t<(sizeof...(features) > 0), Extents<horizon, static_cast<int>(sizeof...(features))>,
                                    typename Repeated<horizon, E, false>::type>;
};
template <class E, int... features>
struct Ahead<0, E, features...> {
    using type = UnknownExtents;
};

/// What windows are made of: of(from) gives a pipeline. The records of an array without a name are inputs.
template <class From>
struct InTime;
template <class S>
struct InTime<Pipeline<S>> {
    static const Pipeline<S>& of(const Pipeline<S>& pipeline) { return pipeline; }
};
template <class E>
struct InTime<ArrayOf<E>> {
    static auto of(const ArrayOf<E>& array) { return array.template named<"inputs", Role::input>(); }
};

/// A section of what windows are made of.
struct WindowSection {
    std::string_view name;
    bool target;
};
/// The windows of a pipeline with these sections. Throws ArgumentError for one that has steps.
std::shared_ptr<RecordReader> windows_reader(const std::shared_ptr<RecordReader>& reader,
                                             const std::vector<TransformStep>& steps,
                                             const std::vector<WindowSection>& sections, std::size_t length,
                                             const WindowOptions& options);

template <class S>
struct WindowSchema;
template <class... F>
struct WindowSchema<Schema<F...>> {
    static constexpr bool answers = ((F::role == Role::target) || ...);
    /// Where nothing is a target, it must be clear which input is foretold.
    static constexpr bool clear = answers || sizeof...(F) == 1;
    using Error = error_windows_of_several_inputs_need_targets<sections_are<section<F::name>...>>;

    template <class G, int length, int horizon, int... features>
    struct OfField {
        using Record = typename G::Record;
        using Input = SectionField<G::name, Role::input, typename Repeated<length, Record, true>::type>;
        using Target = SectionField<answers ? G::name : Text("targets"), Role::target,
                                    typename Ahead<horizon, Record, features...>::type>;
        using type = std::conditional_t<G::role == Role::target, Schema<Target>,
                                        std::conditional_t<answers, Schema<Input>, Schema<Input, Target>>>;
    };
    template <int length, int horizon, int... features>
    using type = typename Joined<typename OfField<F, length, horizon, features...>::type...>::type;

    static std::vector<WindowSection> sections() { return {{F::name.view(), F::role == Role::target}...}; }
};

template <class From>
using SchemaInTime =
    WindowSchema<typename std::remove_cvref_t<decltype(InTime<From>::of(std::declval<const From&>()))>::Schema>;
template <class From>
concept Foretellable = SchemaInTime<From>::clear;

template <int length, int horizon, int... features, class S>
auto windows_of(const Pipeline<S>& pipeline, std::size_t run_length, const WindowOptions& options) {
    using Found = WindowSchema<S>;
    return Pipeline<typename Found::template type<length, horizon, features...>>{
        windows_reader(pipeline.reader, pipeline.steps, Found::sections(), run_length, options)};
}

template <int length, int horizon, int... features>
struct Windows {
    std::size_t run_length;
    WindowOptions options;

    template <class From>
        requires Foretellable<From>
    friend auto operator>>(const From& from, const Windows& windows) {
        return windows_of<length, horizon, features...>(InTime<From>::of(from), windows.run_length, windows.options);
    }
    template <class From>
        requires(!Foretellable<From>)
    friend auto operator>>(const From& from, const Windows& windows)
        -> decltype(sigma::detail::plainly(std::type_identity<typename SchemaInTime<From>::Error>{}));
};

template <int... features>
WindowOptions known_options(std::size_t horizon, const WindowStride& stride) {
    return {horizon, stride.step, stride.gap, {static_cast<std::size_t>(features)...}};
}

}  // namespace detail

/// Records that are windows over records in time: inputs hold `length` of them, (length, extents of a record), targets
/// the `horizon` ones after these, (horizon, extents of a record). A record that is a single number gives inputs
/// (length, 1) and targets (horizon). Targets are read from the sections that are targets already, or, where there is
/// none, from the inputs. Windows overlap where the step is below the length: split the series into training and
/// validation before.
///
///     windows<12>(array, {.horizon = 3, .features = {0}})
///     windows<12, 3, 0>(array)                  // the same, with the extents of the targets known to the compiler
///     array >> windows<12, 3, 0>()
template <int length>
    requires(length > 0)
auto windows(const WindowOptions& options = {}) {
    return detail::Windows<length, 0>{static_cast<std::size_t>(length), options};
}
template <int length, int horizon, int... features>
    requires(length > 0 && horizon > 0 && ((features >= 0) && ...))
auto windows(const WindowStride& stride = {}) {
    return detail::Windows<length, horizon, features...>{
        static_cast<std::size_t>(length),
        detail::known_options<features...>(static_cast<std::size_t>(horizon), stride)};
}
template <int length, class From>
    requires(length > 0) && detail::Foretellable<From>
auto windows(const From& from, const WindowOptions& options = {}) {
    return from >> windows<length>(options);
}
template <int length, int horizon, int... features, class From>
    requires(length > 0 && horizon > 0 && ((features >= 0) && ...)) && detail::Foretellable<From>
auto windows(const From& from, const WindowStride& stride = {}) {
    return from >> windows<length, horizon, features...>(stride);
}
template <int length, int... more, class From>
    requires(length > 0 && !detail::Foretellable<From>)
auto windows(const From& from)
    -> decltype(sigma::detail::plainly(std::type_identity<typename detail::SchemaInTime<From>::Error>{}));
/// A length that is known when the program runs.
template <class From>
    requires detail::Foretellable<From>
auto windows(const From& from, std::size_t length, const WindowOptions& options) {
    return from >> detail::Windows<0, 0>{length, options};
}

/// One section of a sliding window: of section `from` of the reader below, records first … first + count - 1 of the
/// window. Its shape is (count, extents of a record).
struct WindowPart {
    std::string name;
    bool target = false;
    std::size_t from = 0;
    std::size_t first = 0;
    std::size_t count = 1;
    /// Which numbers of a record, row-major; all where none is given. Their shape is then (count, how many there are).
    std::vector<std::size_t> features{};
    /// Where a record is a single number: (count, 1) instead of (count).
    bool column = false;
};

/// Records that are windows over the records of another reader, `step` of them apart. Holds one window and one block.
class SlidingReader final : public RecordReader {
public:
    struct Options {
        std::size_t step = 1;
        /// What takes the place of what is missing in a last, incomplete record; without it there is no such record.
        std::optional<float> padding{};
        const char* noun = "records";
    };

    /// Throws ArgumentError for a window or a step of nothing.
    SlidingReader(std::shared_ptr<RecordReader> reader, std::vector<WindowPart> parts, Options options);

    std::string name() const override { return reader_->name(); }
    std::vector<Origin> origins() const override;
    const std::vector<SectionInfo>& sections() override;
    std::optional<std::size_t> size() override;
    /// Throws DataError where there is not one window.
    std::size_t read(std::size_t most, Block& to) override;
    void rewind() override;
    std::string key() const override;

private:
    static constexpr std::size_t longest = std::size_t{1} << 32;

    SectionInfo section(const WindowPart& part);
    std::size_t shortest() const;

    /// Reads on until `end` records are held, or as many as there are.
    bool fill(std::size_t end);

    /// The window at hand, then the next one.
    void add(Block& to);
    void add(const WindowPart& part, NumberList& to) const;

    std::shared_ptr<RecordReader> reader_;
    std::vector<WindowPart> parts_;
    Options options_;
    std::vector<SectionInfo> sections_;
    std::size_t span_ = 0;
    Block next_;
    std::vector<NumberList> held_values_;   // by section of the reader below, `held_` records
    std::size_t at_ = 0, held_ = 0;         // the next window begins at held record at_, which may not be read yet
    std::uint64_t read_ = 0, covered_ = 0;  // records read in all; those up to the end of the last window
    bool ended_ = false, finished_ = false;
};

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/reader/impl/windows.ipp>
#endif
