// SPDX-License-Identifier: BSL-1.0
// What docs/datasets.md shows.
#include <sigma/data/blocks/disk_cache.hpp>
#include <sigma/data/pipeline/dataset.hpp>
#include <sigma/data/split.hpp>
#include <sigma/data/transform/on_datasets.hpp>
#include <sigma/data/transform/transforms.hpp>

#include "blocks/generated.hpp"
#include "support.hpp"

#include <cstdlib>

using namespace sigma;
using namespace sigma::data;

TEST_CASE("The page on datasets") {
    using S = Schema<data::SectionField<"inputs", Role::input, data::Extents<4>>,
                     data::SectionField<"targets", Role::target, data::Extents<>>>;
    const Pipeline<S> lines{std::make_shared<GeneratingReader>(10000, 4)};
    const Scratch scratch;
    const char* const before = std::getenv("SIGMA_CACHE");
    const std::string kept = before == nullptr ? "" : before;
    ::setenv("SIGMA_CACHE", scratch.path.c_str(), 1);

    // [read]
    const auto all = lines >> normalize(inputs, 0, 100) >> dataset("readings");
    const auto [training, validation] = split(shuffled(all, 1), 0.9, 0.1);
    // [read]
    CHECK(training.size() == 9000);
    CHECK(all.input(5)[1] == Approx(generated(5, 1) / 100));

    // [blocks]
    const auto large = lines >> dataset("large", {.blocks = fixed(1000), .active = 8, .cache = cache::disk});
    // [blocks]
    CHECK(large.active_blocks() == 8);
    CHECK(DiskCache().bytes() > 200000);
    DiskCache().clear();
    CHECK(DiskCache().bytes() == 0);
    if (before == nullptr) ::unsetenv("SIGMA_CACHE");
    else ::setenv("SIGMA_CACHE", kept.c_str(), 1);

    std::vector<int> persons(10000);
    for (std::size_t r = 0; r < persons.size(); ++r) persons[r] = static_cast<int>(r / 100);
    std::size_t folds = 0;
    // [parts]
    const auto [a, b, c] = split(all, 0.6, 0.2, 0.2);                   // in given order
    const auto [even, test] = stratified_split(all, 0.8, 0.2);          // classes in the same proportion
    const auto [most, few] = split_blocks(large, 4, 1);                 // four blocks here, one there, in rounds
    const auto [these, others] = split_groups(all, persons, 0.5, 0.5);  // no person in both
    for (int fold = 0; fold < 5; ++fold) {
        const auto [learned, held_out] = k_fold(shuffled(all, 1), 5, fold);
        folds += held_out.size();
    }
    const auto low = subset(all, [&](std::size_t r) { return all.label(r) == 0; });
    const auto joined = concatenate(a, c, take(b, 0, 2));
    // [parts]
    CHECK(folds == 10000);
    CHECK(even.size() + test.size() == 10000);
    CHECK(few.size() == 2000);
    CHECK(most.size() == 8000);
    CHECK(these.size() == others.size());
    CHECK(low.label(7) == 0);
    CHECK(joined.size() == 8002);
}
