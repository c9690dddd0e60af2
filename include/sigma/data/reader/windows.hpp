// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// `windows`: sliding windows over records in time. Included by `<sigma/data/data.hpp>`.

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

/// Options of `windows`: which records are targets, and how far windows are apart.
///
/// @see windows
struct WindowOptions {
    std::size_t horizon = 1;  ///< Records that are targets, at least 1.
    std::size_t step = 1;     ///< Records between the beginnings of two windows, at least 1.
    std::size_t gap = 0;      ///< Records between inputs and targets, at least 0.
    /// Numbers of a record that are targets, row-major and below the size of a record; empty: all.
    std::vector<std::size_t> features{};
};
/// Options of `windows` if the compiler knows horizon and features.
///
/// @see windows
struct WindowStride {
    std::size_t step = 1;  ///< Records between the beginnings of two windows, at least 1.
    std::size_t gap = 0;   ///< Records between inputs and targets, at least 0.
};

namespace detail {

/// The extents of count records of extents E. A single number has extents () and becomes (count, 1) if `column`.
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
/// The extents of the targets.
template <int horizon, class E, int... features>
struct Ahead {
    using type = std::conditional_t<(sizeof...(features) > 0), Extents<horizon, static_cast<int>(sizeof...(features))>,
                                    typename Repeated<horizon, E, false>::type>;
};
template <class E, int... features>
struct Ahead<0, E, features...> {
    using type = UnknownExtents;
};

/// Converts to a pipeline by of(from). The records of an array without a name become inputs.
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

/// A section of the records that windows are made of.
struct WindowSection {
    std::string_view name;
    bool target;
};
/// Makes the windows of a pipeline with these sections. Throws ArgumentError for a pipeline that has transforms.
std::shared_ptr<RecordReader> windows_reader(const std::shared_ptr<RecordReader>& reader,
                                             const std::vector<TransformStep>& steps,
                                             const std::vector<WindowSection>& sections, std::size_t length,
                                             const WindowOptions& options);

template <class S>
struct WindowSchema;
template <class... F>
struct WindowSchema<Schema<F...>> {
    static constexpr bool answers = ((F::role == Role::target) || ...);
    /// True if it is clear what to forecast: there are targets, or only one input.
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

/// Makes records that are windows over records in time, for forecasting.
///
/// Targets come from the sections that are targets already, or, if there are none, from the inputs. Windows overlap if
/// the step is less than the length: split the series into training and validation first.
///
/// @par Shape
/// Inputs (length, extents of a record). Targets (horizon, extents of a record). A record that is a single number gives
/// inputs (length, 1) and targets (horizon).
///
/// @tparam length   records in a window, at least 1
/// @param options   horizon, step, gap, features
/// @return a step to add to an array or a pipeline with `>>`, before transforms
/// @throws ArgumentError  if a number of the options is out of its range, or if a feature is not in a record
///
/// @par Errors
/// `error_windows_of_several_inputs_need_targets` at compile time for several inputs without targets.
///
/// @par Example
/// @code
/// using namespace sigma::data;
/// const std::vector<std::array<float, 2>> weather(1000);  // temperature and pressure of each hour
/// const auto hours = array(weather);
/// const auto forecast = hours >> windows<12>({.horizon = 3, .features = {0}});  // 3 temperatures
/// const auto same = windows<12, 3, 0>(hours);  // the compiler knows the extents of the targets
/// @endcode
///
/// @see Series, docs/data.md
template <int length>
    requires(length > 0)
auto windows(const WindowOptions& options = {}) {
    return detail::Windows<length, 0>{static_cast<std::size_t>(length), options};
}
/// Makes windows with targets of extents that the compiler knows: `windows<12, 3, 0>()`.
/// @tparam length    records in a window, at least 1
/// @tparam horizon   records that are targets, at least 1
/// @tparam features  numbers of a record that are targets; none: all
/// @param stride     step and gap
/// @return a step to add to an array or a pipeline with `>>`
/// @throws ArgumentError  if a number of the options is out of its range, or if a feature is not in a record
template <int length, int horizon, int... features>
    requires(length > 0 && horizon > 0 && ((features >= 0) && ...))
auto windows(const WindowStride& stride = {}) {
    return detail::Windows<length, horizon, features...>{
        static_cast<std::size_t>(length),
        detail::known_options<features...>(static_cast<std::size_t>(horizon), stride)};
}
/// Makes windows over an array, a pipeline or a series: `windows<12>(array, {.horizon = 3, .features = {0}})`.
/// @tparam length  records in a window, at least 1
/// @param from     the records
/// @param options  horizon, step, gap, features
/// @return a pipeline
/// @throws ArgumentError  if a number of the options is out of its range, or if a feature is not in a record
template <int length, class From>
    requires(length > 0) && detail::Foretellable<From>
auto windows(const From& from, const WindowOptions& options = {}) {
    return from >> windows<length>(options);
}
/// Makes windows over an array, a pipeline or a series, with targets of extents that the compiler knows.
/// @tparam length    records in a window, at least 1
/// @tparam horizon   records that are targets, at least 1
/// @tparam features  numbers of a record that are targets; none: all
/// @param from       the records
/// @param stride     step and gap
/// @return a pipeline
/// @throws ArgumentError  if a number of the options is out of its range, or if a feature is not in a record
template <int length, int horizon, int... features, class From>
    requires(length > 0 && horizon > 0 && ((features >= 0) && ...)) && detail::Foretellable<From>
auto windows(const From& from, const WindowStride& stride = {}) {
    return from >> windows<length, horizon, features...>(stride);
}
/// @cond internal
template <int length, int... more, class From>
    requires(length > 0 && !detail::Foretellable<From>)
auto windows(const From& from)
    -> decltype(sigma::detail::plainly(std::type_identity<typename detail::SchemaInTime<From>::Error>{}));
/// @endcond

/// Makes windows of a length that need not be a constant.
/// @param from     the records: an array, a pipeline or a series
/// @param length   records in a window, at least 1
/// @param options  horizon, step, gap, features
/// @return a pipeline
/// @throws ArgumentError  if a number is out of range
template <class From>
    requires detail::Foretellable<From>
auto windows(const From& from, std::size_t length, const WindowOptions& options) {
    return from >> detail::Windows<0, 0>{length, options};
}

/// One section of a sliding window: records `first` to `first + count - 1` of the window, from a section of the reader
/// below. Its shape is (count, extents of a record).
///
/// @see SlidingReader
struct WindowPart {
    std::string name;       ///< Name of the section.
    bool target = false;    ///< A target if true, else an input.
    std::size_t from = 0;   ///< Number of the section of the reader below.
    std::size_t first = 0;  ///< First record of the window.
    std::size_t count = 1;  ///< Number of records.
    /// Numbers of a record, row-major; empty: all. Otherwise the shape is (count, how many there are).
    std::vector<std::size_t> features{};
    bool column = false;  ///< Shape (count, 1) instead of (count) for records of a single number.
};

/// A reader of windows over the records of another reader. Holds one window and one block.
///
/// @see windows
class SlidingReader final : public RecordReader {
public:
    /// Options of a SlidingReader.
    ///
    /// @see SlidingReader
    struct Options {
        std::size_t step = 1;            ///< Records between the beginnings of two windows, at least 1.
        std::optional<float> padding{};  ///< Fills up a last, incomplete window; without it there is none.
        const char* noun = "records";    ///< Name of a record in errors.
    };

    /// Constructs a reader.
    /// @param reader   the reader below
    /// @param parts    the sections of a window
    /// @param options  step and padding
    /// @throws ArgumentError  if the window or the step is empty
    SlidingReader(std::shared_ptr<RecordReader> reader, std::vector<WindowPart> parts, Options options);

    /// @cond internal
    std::string name() const override { return reader_->name(); }
    SIGMA_IMPL std::vector<Origin> origins() const override;
    SIGMA_IMPL const std::vector<SectionInfo>& sections() override;
    SIGMA_IMPL std::optional<std::size_t> size() override;
    /// Reads windows. Throws DataError if the records do not fill one window.
    SIGMA_IMPL std::size_t read(std::size_t most, Block& to) override;
    SIGMA_IMPL void rewind() override;
    SIGMA_IMPL std::string key() const override;
    /// @endcond

private:
    static constexpr std::size_t longest = std::size_t{1} << 32;

    SectionInfo section(const WindowPart& part);
    std::size_t shortest() const;

    /// Reads until `end` records are held, or all that exist.
    bool fill(std::size_t end);

    /// Appends the present window, then moves to the next one.
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
