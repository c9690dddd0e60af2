// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/philox.hpp>
#include <sigma/data/series.hpp>

#include "../support.hpp"

using namespace sigma;
using namespace sigma::data;

namespace {

/// Record r of section s holds 1000 s + 10 r, 1000 s + 10 r + 1, …
class Counting final : public RecordReader {
public:
    Counting(std::vector<SectionInfo> sections, std::size_t records)
        : sections_(std::move(sections)), records_(records) {}
    std::string name() const override { return "counting"; }
    const std::vector<SectionInfo>& sections() override { return sections_; }
    std::optional<std::size_t> size() override { return records_; }
    std::size_t read(std::size_t most, Block& to) override {
        to.values.assign(sections_.size(), {});
        to.records = std::min({most, records_ - at_, std::size_t{7}});
        for (std::size_t r = at_; r < at_ + to.records; ++r)
            for (std::size_t s = 0; s < sections_.size(); ++s)
                for (std::size_t f = 0; f < sections_[s].size(); ++f)
                    to.values[s].floats().push_back(static_cast<float>(1000 * s + 10 * r + f));
        at_ += to.records;
        return to.records;
    }
    void rewind() override { at_ = 0; }
    std::string key() const override { return "counting"; }

private:
    std::vector<SectionInfo> sections_;
    std::size_t records_, at_ = 0;
};

template <int... extents>
ArrayOf<Extents<extents...>> counting(std::size_t records) {
    return {std::make_shared<Counting>(std::vector<SectionInfo>{{"x", {static_cast<std::size_t>(extents)...}, false}},
                                       records)};
}

Block all_of(RecordReader& reader, std::size_t most) {
    Block all, part;
    all.values.resize(reader.sections().size());
    while (reader.read(most, part) > 0) {
        all.records += part.records;
        for (std::size_t s = 0; s < all.values.size(); ++s)
            all.values[s].floats().insert(all.values[s].floats().end(), part.values[s].floats().begin(),
                                          part.values[s].floats().end());
    }
    return all;
}

template <class P, class... Fields>
constexpr bool has_schema = std::is_same_v<typename P::Schema, Schema<Fields...>>;
template <class E>
using In = SectionField<"inputs", Role::input, E>;
template <class E>
using Out = SectionField<"targets", Role::target, E>;

}  // namespace

TEST_CASE("The compiler knows the extents of windows") {
    const auto array = counting<3>(20);
    static_assert(has_schema<decltype(windows<4>(array)), In<Extents<4, 3>>, Out<UnknownExtents>>);
    static_assert(has_schema<decltype(windows<4, 2>(array)), In<Extents<4, 3>>, Out<Extents<2, 3>>>);
    static_assert(has_schema<decltype(windows<4, 2, 0, 2>(array)), In<Extents<4, 3>>, Out<Extents<2, 2>>>);
    static_assert(has_schema<decltype(array >> windows<4, 1>()), In<Extents<4, 3>>, Out<Extents<1, 3>>>);
    static_assert(has_schema<decltype(windows(array, 4, {.horizon = 2})), In<UnknownExtents>, Out<UnknownExtents>>);
    static_assert(has_schema<decltype(windows<4, 2>(counting<>(9))), In<Extents<4, 1>>, Out<Extents<2>>>);
    const auto pair = zip(inputs = array, targets = counting<>(20));
    static_assert(has_schema<decltype(pair >> windows<4, 2>()), In<Extents<4, 3>>, Out<Extents<2>>>);
    using Unknown = ArrayOf<UnknownExtents>;
    static_assert(has_schema<decltype(windows<4, 2>(Unknown{})), In<UnknownExtents>, Out<UnknownExtents>>);

    using Sections = std::vector<SectionInfo>;
    CHECK(windows<4, 2, 0, 2>(array).reader->sections() ==
          Sections{{"inputs", {4, 3}, false}, {"targets", {2, 2}, true}});
    CHECK(windows<4, 2>(counting<>(9)).reader->sections() ==
          Sections{{"inputs", {4, 1}, false}, {"targets", {2}, true}});
    CHECK(windows(array, 4, {.horizon = 2}).reader->sections() ==
          Sections{{"inputs", {4, 3}, false}, {"targets", {2, 3}, true}});
    CHECK((pair >> windows<4, 2>()).reader->sections() == Sections{{"inputs", {4, 3}, false}, {"targets", {2}, true}});
}

TEST_CASE("Windows are those of a double loop") {
    PhiloxSequence random{Philox(5)};
    for (int round = 0; round < 300; ++round) {
        const std::size_t records = 1 + random.bits() % 60, length = 1 + random.bits() % 8;
        WindowOptions options{1 + random.bits() % 4, 1 + random.bits() % 10, random.bits() % 4, {}};
        if (random.bits() % 2 == 0) options.features = {2, 0};
        const std::vector<std::size_t> chosen =
            options.features.empty() ? std::vector<std::size_t>{0, 1, 2} : options.features;

        std::vector<float> before, after;
        std::size_t count = 0;
        for (std::size_t r = 0; r + length + options.gap + options.horizon <= records; r += options.step, ++count) {
            for (std::size_t t = r; t < r + length; ++t)
                for (std::size_t f = 0; f < 3; ++f) before.push_back(static_cast<float>(10 * t + f));
            for (std::size_t t = r + length + options.gap; t < r + length + options.gap + options.horizon; ++t)
                for (const std::size_t f : chosen) after.push_back(static_cast<float>(10 * t + f));
        }
        const auto pipeline = windows(counting<3>(records), length, options);
        INFO(records << ' ' << length << ' ' << options.horizon << ' ' << options.step << ' ' << options.gap);
        REQUIRE(pipeline.reader->size() == count);
        for (const std::size_t most : std::vector<std::size_t>{1, 4, 1000}) {
            pipeline.reader->rewind();
            if (count == 0) {
                REQUIRE_THROWS_AS(all_of(*pipeline.reader, most), DataError);
                continue;
            }
            const Block all = all_of(*pipeline.reader, most);
            REQUIRE(all.records == count);
            REQUIRE(all.values == std::vector<NumberList>{before, after});
        }
    }
}

TEST_CASE("Sections that are targets already are read ahead") {
    const auto pair = zip(inputs = counting<2>(6), targets = counting<>(6)) >> windows<3, 2>({.step = 1, .gap = 1});
    const Block all = all_of(*pair.reader, 10);
    CHECK(all.records == 1);
    CHECK(all.values[0].floats() == std::vector<float>{0, 1, 10, 11, 20, 21});
    CHECK(all.values[1].floats() == std::vector<float>{40, 50});
}

TEST_CASE("A series is read as windows") {
    const Series series{"count", {0, 1, 2, 3, 4, 5}};
    const auto pipeline = series >> windows<3, 2>();
    static_assert(has_schema<decltype(pipeline), In<Extents<3, 1>>, Out<Extents<2>>>);
    const Block all = all_of(*pipeline.reader, 10);
    const Dataset whole = windows(series, 3, 2);
    CHECK(all.records == whole.size());
    for (std::size_t r = 0; r < whole.size(); ++r) {
        CHECK(std::ranges::equal(whole.input(r), std::span(all.values[0].floats()).subspan(3 * r, 3)));
        CHECK(std::ranges::equal(whole.target(r), std::span(all.values[1].floats()).subspan(2 * r, 2)));
    }
    CHECK(windows<3>(series).reader->key() == windows<3>(Series{"count", {0, 1, 2, 3, 4, 5}}).reader->key());
    CHECK(windows<3>(series).reader->key() != windows<3>(Series{"count", {0, 1, 2, 3, 4, 6}}).reader->key());
    CHECK(windows<3>(series).reader->key() != windows<3>(series, {.gap = 1}).reader->key());
    CHECK(windows<3>(series).reader->key() != windows<3>(series, {.features = {0}}).reader->key());
}

TEST_CASE("Windows that cannot be are refused") {
    const auto array = counting<3>(5);
    CHECK(error_text([&] { all_of(*windows<4, 2>(array).reader, 9); }) ==
          "file 'counting': expected at least 6 records, found 5");
    CHECK(
        error_text([&] { windows<4>(array, {.horizon = 0}); }) ==
        "windows of 'counting': expected lengths and distances of at most 4294967296, lengths above 0, found 0 from 4");
    CHECK(error_text([&] { windows<4>(array, {.step = 0}); }) ==
          "windows of 'counting': expected a step from 1 to 4294967296, found 0");
    CHECK(error_text([&] { windows<2>(array, {.features = {0, 3}}).reader->sections(); }) ==
          "windows of 'counting', section 'targets': expected features below 3, found 3");
    CHECK_THROWS_AS(windows(array, 0, {.gap = 1}), ArgumentError);
    CHECK_THROWS_AS(windows<4>(array, {.gap = ~std::size_t{0} - 2}), ArgumentError);
    CHECK_THROWS_AS(windows<4>(array, {.horizon = ~std::size_t{0}}), ArgumentError);
}
