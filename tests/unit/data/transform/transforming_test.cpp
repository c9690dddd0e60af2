// SPDX-License-Identifier: BSL-1.0
#include <sigma/data/transform/transforms.hpp>

#include "support.hpp"

using namespace sigma;
using namespace sigma::data;

namespace {

using Digits =
    Schema<SectionField<"inputs", Role::input, Extents<28, 28>>, SectionField<"targets", Role::target, Extents<>>>;
using Table =
    Schema<SectionField<"inputs", Role::input, UnknownExtents>, SectionField<"label", Role::target, Extents<>>>;
template <class S, class X>
using After = typename SchemaAfter<S, X>::type;

// Extents go through transforms where the compiler knows them.
using OneHotDigits = After<Digits, decltype(normalize(inputs, 0, 255) >> one_hot<10>(targets))>;
static_assert(std::is_same_v<OneHotDigits, Schema<SectionField<"inputs", Role::input, Extents<28, 28>>,
                                                  SectionField<"targets", Role::target, Extents<10>>>>);
static_assert(std::is_same_v<After<Digits, decltype(reshape<4, 7, 28>(inputs) >> permute<2, 0, 1>(inputs))>,
                             Schema<SectionField<"inputs", Role::input, Extents<28, 4, 7>>,
                                    SectionField<"targets", Role::target, Extents<>>>>);
static_assert(std::is_same_v<After<Digits, decltype(one_hot(targets, 10))>,
                             Schema<SectionField<"inputs", Role::input, Extents<28, 28>>,
                                    SectionField<"targets", Role::target, UnknownExtents>>>);
static_assert(std::is_same_v<After<Table, decltype(standardize() >> one_hot<3>(target<"label">))>,
                             Schema<SectionField<"inputs", Role::input, UnknownExtents>,
                                    SectionField<"label", Role::target, Extents<3>>>>);
// What no longer is known may be anything, and reshape knows again.
static_assert(std::is_same_v<After<Table, decltype(permute<1, 0>(inputs) >> reshape<2, 3>(inputs))>,
                             Schema<SectionField<"inputs", Role::input, Extents<2, 3>>,
                                    SectionField<"label", Role::target, Extents<>>>>);

template <class S, class X>
using Mistake = typename SchemaAfter<S, X>::mistake;
static_assert(std::is_void_v<Mistake<Digits, decltype(standardize(inputs, targets))>>);
static_assert(
    std::is_same_v<Mistake<Table, decltype(clamp(inputs, 0, 1) >> standardize(targets))>,
                   error_no_such_section<section<"targets">, sections_are<section<"inputs">, section<"label">>>>);
static_assert(std::is_same_v<Mistake<Digits, decltype(reshape<783>(inputs))>,
                             error_reshape_changes_the_number_of_elements<shape<28, 28>, shape<783>>>);
static_assert(
    std::is_same_v<Mistake<Digits, decltype(reshape<784>(inputs) >> permute<1, 0>(inputs) >> reshape<5>(targets))>,
                   error_permute_needs_each_axis_once<axes_given<1, 0>, shape<784>>>);

/// Gives three records of two numbers and a label.
class Few final : public RecordReader {
public:
    std::string name() const override { return "few"; }
    const std::vector<SectionInfo>& sections() override { return sections_; }
    std::size_t read(std::size_t, Block& to) override {
        to = {3, {{0, 10, 20, 30, 40, 50}, {2, 0, 1}}};
        return std::exchange(done_, true) ? 0 : 3;
    }
    void rewind() override { done_ = false; }
    std::string key() const override { return "few"; }

private:
    std::vector<SectionInfo> sections_{{"inputs", {2}, false}, {"targets", {}, true}};
    bool done_ = false;
};

}  // namespace

TEST_CASE("A pipeline gathers the transforms that are added to it") {
    using S = Schema<SectionField<"inputs", Role::input, Extents<2>>, SectionField<"targets", Role::target, Extents<>>>;
    const Pipeline<S> few{std::make_shared<Few>()};
    const auto chain = reshape<1, 2>(inputs) >> one_hot<3>(targets);
    const auto all = few >> normalize(inputs, 0, 50) >> chain;
    STATIC_REQUIRE(std::is_same_v<decltype(all)::Schema, Schema<SectionField<"inputs", Role::input, Extents<1, 2>>,
                                                                SectionField<"targets", Role::target, Extents<3>>>>);
    CHECK(few.steps.empty());
    REQUIRE(all.steps.size() == 3);
    CHECK(all.steps[0].sections == std::vector<std::string>{"inputs"});
    CHECK(all.steps[2].sections == std::vector<std::string>{"targets"});
    CHECK((few >> clamp(0, 1)).steps[0].sections.empty());

    const auto sections = all.reader->sections();
    Block block;
    const Preprocessing p =
        sigma::data::detail::learn(sections, all.steps, [&](const sigma::data::detail::BlockVisitor& visit) {
            all.reader->rewind();
            while (all.reader->read(10, block) > 0) visit(block);
        });
    all.reader->rewind();
    all.reader->read(10, block);
    p.apply(block, sections);
    CHECK(block.values[0].floats() == std::vector<float>{0, 0.2f, 0.4f, 0.6f, 0.8f, 1});
    CHECK(block.values[1].floats() == std::vector<float>{0, 0, 1, 1, 0, 0, 0, 1, 0});
    CHECK(p.sections(sections)[1].shape == std::vector<std::size_t>{3});
}

TEST_CASE("A section that only turns out not to be there is named") {
    CHECK(error_text([] { learned(standardize(targets).steps(), "inputs", {2}, {1, 2}); }) ==
          "dataset 'data': expected one of the sections 'inputs' for standardize, found 'targets'");
}

TEST_CASE("Words of transforms stand beside those of the tensor language") {
    CHECK((standardize(inputs, jointly) >> impute(inputs, median)).steps().size() == 2);
}
