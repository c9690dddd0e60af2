// SPDX-License-Identifier: BSL-1.0
#include <sigma/data/blocks/active.hpp>
#include <sigma/data/minibatches.hpp>
#include <sigma/data/pipeline/dataset.hpp>
#include <sigma/data/pipeline/typed.hpp>
#include <sigma/data/split.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/reshape.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/storage/process.hpp>
#include <sigma/trainer/trainer.hpp>

#include "../data/blocks/generated.hpp"
#include "support/sanitized.hpp"
#include "support/scratch.hpp"

#include <catch2/catch.hpp>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace sigma;
using namespace sigma::data;

namespace {

struct Classifier : Network<Input(256) + Dense(3) + SoftmaxCE()> {};
using Generated = Schema<data::SectionField<"inputs", Role::input, data::Extents<256>>,
                         data::SectionField<"targets", Role::target, data::Extents<>>>;

/// Returns 0 if an epoch and a pass over the data succeed in this process with at most the allowed number of active
/// blocks.
int train(std::size_t records, const std::string& directory) {
    const auto reader = std::make_shared<GeneratingReader>(records, 256);
    reader->knows_size = false;
    const auto all =
        Pipeline<Generated>{reader, std::vector<TransformStep>{{std::make_shared<ScaleBy>(), {"inputs"}}}} >>
        dataset("large", {.memory = std::size_t{16} << 20, .directory = directory});
    if (all.in_memory() || all.size() != records || all.active_blocks() < 2) return 2;
    const auto [training, validation] = split_blocks(all, 9, 1);
    bool good = true;
    validation.for_each_position([&](std::size_t r) {
        const std::size_t record = validation.record_number(r);
        good = good && std::abs(validation.input(r)[17] * 124.875f - generated(record, 17)) < 1e-4f;
    });
    if (!good) return 3;
    Trainer trainer("large", Classifier{}, GradientDescent{0.01}, minibatches(training, 500));
    trainer.run(cpu(1), 1);
    if (!std::isfinite(trainer.training_loss()) ||
        trainer.iteration() != training.size() / 500 + (training.size() % 500 != 0))
        return 4;
    if (all.blocks()->active() > all.active_blocks()) return 5;
    return reader->records_read < records + records / 4 ? 0 : 6;  // all else came from the cache
}

}  // namespace

TEST_CASE("A network learns from more data than there is memory") {
    const Scratch scratch;
    const std::string directory = scratch / "large";
    const std::size_t records = 100000;                                    // 98 MiB
    constexpr ::rlim_t most = test::sanitized ? RLIM_INFINITY : 64 << 20;  // sanitizers reserve more than there is
    const ::pid_t child = ::fork();
    if (child == 0) {
        int result = 1;
        try {
            if (most != RLIM_INFINITY) {
                const std::size_t used =
                    data::detail::number_after(sigma::detail::system_file("/proc/self/status"), "VmData:", 0) * 1024;
                const ::rlimit limit{used + most, used + most};
                ::setrlimit(RLIMIT_DATA, &limit);
                std::vector<float> everything;
                bool refused = false;
                try {
                    everything.resize(records * 257);
                } catch (const std::bad_alloc&) { refused = true; }
                if (!refused) ::_exit(7);
            }
            result = train(records, directory);
        } catch (const std::exception& e) { std::fprintf(stderr, "%s\n", e.what()); }
        ::_exit(result);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    CHECK(status == 0);
}

TEST_CASE("Minibatches of known sections stay so") {
    using S = Schema<data::SectionField<"inputs", Role::input, data::Extents<4>>>;
    const DatasetOf<S> all{make_dataset(Array<float>::from_shape({30, 4}), Array<float>::from_shape({30}))};
    const auto known = []<class M>(const M&) { return std::is_same_v<M, MinibatchesOf<S>>; };
    CHECK(known(minibatches(all, 10)));
    CHECK(known(minibatches_in_order(all, 10)));
    CHECK(known(undivided(all)));
    const auto some = minibatches(all, 20) >> drop_last >> shard(1, 2) >> prefetch(3);
    CHECK(known(some));
    CHECK(some.drops_last);
    CHECK(some.shards == 2);
    CHECK(some.prefetch == 3);
}

TEST_CASE("The compiler knows which records a network takes") {
    struct Two : Network<(Input(4) + Dense(3)) + Dense(2) + SoftmaxCE()> {};
    using sigma::detail::takes;
    CHECK(takes<Two, Schema<data::SectionField<"inputs", Role::input, data::Extents<4>>>>);
    CHECK_FALSE(takes<Two, Schema<data::SectionField<"inputs", Role::input, data::Extents<5>>>>);
    CHECK_FALSE(takes<Two, Schema<data::SectionField<"inputs", Role::input, data::Extents<2, 2>>>>);
    CHECK(takes<Two, Schema<data::SectionField<"inputs", Role::input, UnknownExtents>>>);
    CHECK(takes<Two, Schema<data::SectionField<"targets", Role::target, data::Extents<5>>,
                            data::SectionField<"pixels", Role::input, data::Extents<4>>>>);
    CHECK_FALSE(takes<Two, Schema<data::SectionField<"a", Role::input, data::Extents<4>>,
                                  data::SectionField<"b", Role::input, data::Extents<4>>>>);
}
