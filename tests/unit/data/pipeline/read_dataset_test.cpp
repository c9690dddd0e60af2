// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/task.hpp>
#include <sigma/data/blocks/active.hpp>
#include <sigma/data/blocks/disk_cache.hpp>
#include <sigma/data/blocks/transformed.hpp>
#include <sigma/data/data.hpp>

#include "../blocks/generated.hpp"
#include "../support.hpp"

#include <sys/wait.h>

using namespace sigma;
using namespace sigma::data;

namespace {

using Generated =
    Schema<SectionField<"inputs", Role::input, Extents<4>>, SectionField<"targets", Role::target, Extents<>>>;

Pipeline<Generated> from(const std::shared_ptr<GeneratingReader>& reader, std::vector<TransformStep> steps = {}) {
    return {reader, std::move(steps)};
}
auto reader(std::size_t records) { return std::make_shared<GeneratingReader>(records, 4); }

bool right(const Dataset& dataset, float scale = 1) {
    bool good = true;
    dataset.for_each_position([&](std::size_t r) {
        const std::size_t record = dataset.record_number(r);
        const sigma::detail::Record numbers = dataset.input(r);
        for (std::size_t f = 0; f < 4; ++f) good = good && std::abs(numbers[f] * scale - generated(record, f)) < 1e-4f;
        good = good && dataset.target(r)[0] == generated_label(record);
    });
    return good;
}

}  // namespace

TEST_CASE("A small pipeline is read into memory") {
    for (const bool known : {true, false}) {
        const auto source = reader(100);
        source->knows_size = known;
        source->names = {"a", "b", "c"};
        const auto all = from(source) >> dataset("small");
        static_assert(std::is_same_v<decltype(all), const DatasetOf<Generated>>);
        CHECK(all.in_memory());
        CHECK(all.name() == "small");
        CHECK(all.size() == 100);
        CHECK(all.input_name(0).empty());
        CHECK(all.has_labels());
        CHECK(all.classes() == std::vector<std::string>{"a", "b", "c"});
        CHECK(source->records_read == 100);
        CHECK(right(all));
        CHECK((from(source) >> dataset("again")).size() == 100);  // a pipeline can be read twice
    }
}

TEST_CASE("Blocks of a given size, with and without a cache") {
    const Scratch scratch;
    for (const Cache kept : {cache::none, cache::memory, cache::disk, cache::automatic}) {
        for (const bool known : {true, false}) {
            const auto source = reader(1003);
            source->knows_size = known;
            const auto all =
                from(source) >>
                dataset("blocks",
                        {.blocks = fixed(100), .active = 2, .cache = kept, .directory = scratch.path.string()});
            CHECK_FALSE(all.in_memory());
            CHECK(all.size() == 1003);
            CHECK(all.active_blocks() == 2);
            CHECK(all.block_of(99) == 0);
            CHECK(all.block_of(1002) == 10);
            CHECK(right(all));
            CHECK(all.blocks()->active() <= 2);
        }
    }
}

TEST_CASE("Labels have the same numbers in memory, in blocks and in caches, from whatever order of records") {
    const Scratch scratch;
    std::string forwards, backwards;
    for (int i = 0; i < 1000; ++i) {
        forwards += sentence(i, ",", i * 7919 % 20, ",colour ", i % 3, "\n");
        backwards += sentence(999 - i, ",", (999 - i) * 7919 % 20, ",colour ", (999 - i) % 3, "\n");
    }
    std::vector<std::string> classes;
    for (int i = 0; i < 20; ++i) classes.push_back(std::to_string(i));
    const auto read = [&](const std::string& path, DatasetOptions options) {
        options.directory = scratch.path.string();
        return csv(file(path)) >> sections(inputs = column(0) + labels(2), targets = labels(1)) >>
               dataset("numbers", options);
    };
    for (const std::string& path : {scratch.write("forwards.csv", forwards), scratch.write("backwards.csv", backwards)})
        for (const DatasetOptions& options :
             {DatasetOptions{}, DatasetOptions{.blocks = fixed(64), .active = 2, .cache = cache::none},
              DatasetOptions{.blocks = fixed(64), .active = 2, .cache = cache::memory},
              DatasetOptions{.blocks = fixed(64), .active = 2, .cache = cache::disk},
              DatasetOptions{.blocks = fixed(64), .active = 2, .cache = cache::disk},
              DatasetOptions{.cache = cache::disk}}) {
            const Dataset all = read(path, options);
            CHECK(all.classes() == classes);
            std::size_t wrong = 0;
            all.for_each_position([&](std::size_t r) {
                const auto number = static_cast<int>(all.input(r)[0]);
                wrong += static_cast<int>(all.input(r)[1]) != number % 3;
                wrong += static_cast<int>(all.label(r)) != number * 7919 % 20;
            });
            CHECK(wrong == 0);
        }
}

TEST_CASE("What does not fit into memory lies in blocks") {
    const Scratch scratch;
    const std::size_t bytes = 10000 * 5 * sizeof(float);
    for (const bool known : {true, false}) {
        const auto source = reader(10000);
        source->knows_size = known;
        const DatasetOptions fits{.memory = bytes, .directory = scratch.path.string()},
            large{.memory = bytes - 1, .directory = scratch.path.string()};
        CHECK((from(source) >> dataset("d", fits)).in_memory());
        CHECK(std::filesystem::is_empty(scratch.path));  // nothing is written for what is in memory
        const auto all = from(source) >> dataset("d", large);
        CHECK_FALSE(all.in_memory());
        CHECK(right(all));
        CHECK(all.blocks()->active() * all.blocks()->blocks()->block_records() * 20 <= bytes);
        CHECK(all.blocks()->active() > 1);
        DiskCache(scratch.path.string()).clear();
        CHECK((from(source) >> dataset("d", {.blocks = whole, .memory = 1})).in_memory());
    }
    CHECK_THROWS_AS(
        from(reader(1000)) >> dataset("d", {.blocks = fixed(500), .memory = 500 * 20 - 1, .cache = cache::none}),
        ArgumentError);
    CHECK_THROWS_AS(fixed(0), ArgumentError);
    CHECK_THROWS_AS(fixed(-1), ArgumentError);
}

TEST_CASE("The second run reads no source") {
    const Scratch scratch;
    for (const BlockSize size : {fixed(100), automatic, whole}) {
        const DatasetOptions options{.blocks = size, .cache = cache::disk, .directory = scratch.path.string()};
        const std::vector<TransformStep> steps{{std::make_shared<ScaleBy>(), {"inputs"}}};
        {
            const auto source = reader(1000);
            source->names = {"a", "b", "c"};
            CHECK(right(from(source, steps) >> dataset("cached", options), 124.875f));
            CHECK(source->records_read == (size == whole ? 0u : 1000u));  // whole and automatic share a file
        }
        const auto source = reader(1000);
        const auto all = from(source, steps) >> dataset("cached", options);
        CHECK(right(all, 124.875f));
        CHECK(right(all, 124.875f));
        CHECK(source->records_read == 0);
        CHECK(source->opened == 0);
        CHECK(all.classes() == std::vector<std::string>{"a", "b", "c"});
    }
}

TEST_CASE("Data that were too large for memory come from the cache in the next run, too") {
    const Scratch scratch;
    for (const std::size_t memory : {100000u, 100000u, 10000000u}) {
        const auto source = reader(10000);
        source->knows_size = false;
        const auto all = from(source) >> dataset("large", {.memory = memory, .directory = scratch.path.string()});
        CHECK(all.in_memory() == (memory > 100000));
        CHECK(right(all));
        static int runs = 0;
        if (runs++ == 0) CHECK(source->records_read > 10000);  // as many as fit, and then all
        else CHECK(source->records_read == 0);
    }
}

TEST_CASE("Without a directory for caches, what fits into memory is read all the same") {
    const Scratch scratch;
    const ::pid_t child = ::fork();
    if (child == 0) {
        for (const char* name : {"SIGMA_CACHE", "XDG_CACHE_HOME", "HOME"}) ::unsetenv(name);
        bool good = (from(reader(10)) >> dataset("small")).size() == 10;
        try {
            from(reader(10)) >> dataset("small", {.blocks = fixed(5)});
            good = false;
        } catch (const DataError&) {}
        ::setenv("SIGMA_CACHE", scratch.path.c_str(), 1);
        good = good && (from(reader(10)) >> dataset("small", {.blocks = fixed(5)})).size() == 10;
        good = good && DiskCache((scratch.path / "blocks").string()).bytes() > 0;
        ::_exit(good ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    CHECK(status == 0);
}

TEST_CASE("Other content, other options and other transforms are not served from a cache") {
    const Scratch scratch;
    const auto read = [&](std::size_t records, const std::string& version, std::size_t block, double scale) {
        const auto source = reader(records);
        source->version = version;
        std::vector<TransformStep> steps;
        if (scale != 0) steps.push_back({std::make_shared<ScaleBy>(scale), {"inputs"}});
        const auto all =
            from(source, steps) >>
            dataset("same", {.blocks = fixed(block), .cache = cache::disk, .directory = scratch.path.string()});
        CHECK(all.size() == records);
        CHECK(right(all, scale == 0 ? 1 : static_cast<float>(scale)));
        return source->records_read != 0;
    };
    CHECK(read(1000, "1", 100, 0));
    CHECK_FALSE(read(1000, "1", 100, 0));
    CHECK(read(900, "2", 100, 0));
    CHECK(read(1000, "1", 101, 0));
    CHECK_FALSE(read(1000, "1", 100, 4));  // transforms come after the cache
    CHECK_FALSE(read(1000, "1", 100, 8));
    CHECK_FALSE(read(900, "2", 100, 0));
}

TEST_CASE("A source that changes while it is used is noticed") {
    const Scratch scratch;
    const auto source = reader(1000);
    const auto all = from(source) >> dataset("d", {.blocks = fixed(100), .active = 1, .cache = cache::none});
    CHECK(all.input(950)[0] == generated(950, 0));
    source->version = "2";
    CHECK(error_text([&] { all.input(0); }) ==
          "file 'generated': expected the data of the first reading, found changed data");
    source->version = "1";
    CHECK(all.input(0)[0] == generated(0, 0));
    source->records = 700;
    CHECK(data_error([&] { all.input(999); }).expected == "1000 records");

    source->records = 1000;
    const auto kept =
        from(source) >>
        dataset("d", {.blocks = fixed(100), .active = 1, .cache = cache::disk, .directory = scratch.path.string()});
    source->version = "2";
    CHECK(right(kept));  // the file holds what was read
}

TEST_CASE("Transforms learn from the data and are applied when blocks are loaded") {
    const Scratch scratch;
    const std::vector<TransformStep> steps{{std::make_shared<ScaleBy>(), {"inputs"}},
                                           {std::make_shared<ScaleBy>(0.5), {"inputs"}}};
    for (const Cache kept : {cache::none, cache::disk}) {
        const auto all = from(reader(5000), steps) >>
                         dataset("d", {.blocks = fixed(300), .cache = kept, .directory = scratch.path.string()});
        const auto memory = from(reader(5000), steps) >> dataset("d", {.blocks = whole});
        CHECK(all.preprocessing().steps().size() == 2);
        CHECK(key_of(all.preprocessing()) == key_of(memory.preprocessing()));
        CHECK((all.inputs() == memory.inputs()));
        CHECK((all.targets() == memory.targets()));
        CHECK(right(all, 124.875f / 2));
        CHECK(all.key() != (from(reader(5000)) >> dataset("d", {.blocks = fixed(300), .cache = cache::none})).key());
    }
    const std::vector<TransformStep> wrong{{std::make_shared<ScaleBy>(), {"weights"}}};
    CHECK(error_text([&] { from(reader(10), wrong) >> dataset("d"); }) ==
          "dataset 'd': expected one of the sections 'inputs', 'targets' for scale, found 'weights'");
    CHECK_THROWS_AS(from(reader(10), wrong) >> dataset("d", {.blocks = fixed(4), .cache = cache::none}), ArgumentError);
}

TEST_CASE("A transform of all sections of one pipeline leaves those of another alone when they are put side by side") {
    struct Ones final : RecordReader {
        explicit Ones(std::string section, bool target) : sections_{{std::move(section), {1}, target}} {}
        std::string name() const override { return "ones"; }
        const std::vector<SectionInfo>& sections() override { return sections_; }
        std::size_t read(std::size_t most, Block& to) override {
            to = {std::exchange(left_, 0) > 0 && most >= 3 ? std::size_t{3} : std::size_t{0}, {}};
            to.values.assign(1, std::vector<float>(to.records, 1.0f));
            return to.records;
        }
        void rewind() override { left_ = 3; }
        std::string key() const override { return "ones"; }
        std::vector<SectionInfo> sections_;
        std::size_t left_ = 3;
    };
    const Pipeline<Schema<SectionField<"inputs", Role::input, Extents<1>>>> left{
        std::make_shared<Ones>("inputs", false), std::vector<TransformStep>{{std::make_shared<ScaleBy>(4), {}}}};
    const Pipeline<Schema<SectionField<"targets", Role::target, Extents<1>>>> right_part{
        std::make_shared<Ones>("targets", true), {}};
    const auto all = zip(left, right_part) >> dataset("both");
    CHECK(all.input(2)[0] == 0.25f);
    CHECK(all.target(2)[0] == 1);
}

TEST_CASE("A dataset says what read its records, however they are chosen and changed") {
    const Source points = memory("1,2,a\n3,4,b\n5,6,a\n7,8,b\n", "points.csv");
    const auto table = csv(points) >> sections(inputs = except(-1), targets = labels(-1));
    const std::vector<Origin> origins{{"csv", "points.csv"}};
    const Dataset in_one = table >> dataset("points");
    const Dataset blocks = table >> dataset("points", {.blocks = fixed(1), .cache = cache::none});
    CHECK_FALSE(blocks.in_memory());
    for (const Dataset& all : {in_one, blocks}) {
        CHECK(all.origins() == origins);
        CHECK(all.range(1, 2).origins() == origins);
        CHECK(all.select(std::array<std::size_t, 2>{3, 0}).origins() == origins);
        CHECK(all.everything().origins() == origins);
        CHECK(all.compact().origins() == origins);
        CHECK((all >> standardize(inputs)).origins() == origins);
    }
    CHECK(in_one.with_targets({{"", Numbers{{4}, {1, 2, 3, 4}}}}).origins() == origins);

    const Dataset other = csv(memory("9,9,a\n1,1,b\n", "more.csv")) >>
                          sections(inputs = except(-1), targets = labels(-1)) >> dataset("more");
    const std::vector<Origin> both{{"csv", "points.csv"}, {"csv", "more.csv"}};
    CHECK(concatenate(in_one, other, in_one.range(0, 1)).origins() == both);
    CHECK(concatenate(blocks, other).origins() == both);

    const auto images = zip(inputs = bytes<2>(memory("abcd", "pixels")), targets = array({0, 1}));
    CHECK((images >> dataset("images")).origins() == std::vector<Origin>{{"bytes", "pixels"}, {"arrays", "array"}});
    const auto pairs =
        zip(inputs = bytes<2>(memory("abcdefgh", "pixels")), targets = bytes<>(memory("abcd", "ones"))) >>
        windows<2, 1>();
    CHECK((pairs >> dataset("windows")).origins() ==
          std::vector<Origin>{{"windows of bytes", "pixels"}, {"windows of bytes", "ones"}});
    CHECK(Dataset(Numbers{{2}, {1, 2}}, Numbers{{2}, {0, 1}}, "made").origins().empty());
}

TEST_CASE("Numbers that are not finite are found with their record, in memory and in blocks") {
    const auto source = reader(1000);
    source->not_finite = 777;
    const std::string place = "section 'inputs', record 777, feature 0";
    CHECK(data_error([&] { from(source) >> dataset("holes"); }).found ==
          "nan (missing: impute it before dataset, or let the dataset hold it with .missing = true)");
    CHECK(data_error([&] { from(source) >> dataset("holes"); }).place == place);
    const auto all = from(source) >> dataset("holes", {.blocks = fixed(100), .cache = cache::none});
    CHECK_NOTHROW(all.input(600));
    CHECK(data_error([&] { all.input(700); }).place == place);
    CHECK(data_error([&] { sigma::detail::check_labels(all, 3); }).place == place);
}

TEST_CASE("Readers that give nothing or too little are refused, and leave no cache") {
    const Scratch scratch;
    for (const Cache kept : {cache::automatic, cache::none, cache::disk})
        for (const BlockSize size : {automatic, whole, fixed(10)})
            for (const bool known : {true, false}) {
                const auto source = reader(0);
                source->knows_size = known;
                CHECK(error_text([&] {
                          from(source) >>
                              dataset("none", {.blocks = size, .cache = kept, .directory = scratch.path.string()});
                      }) == "file 'generated': expected at least one record, found none");
            }
    CHECK(std::filesystem::is_empty(scratch.path));

    struct Narrow : RecordReader {
        std::string name() const override { return "narrow"; }
        const std::vector<SectionInfo>& sections() override { return sections_; }
        std::size_t read(std::size_t, Block& to) override {
            to = {2, {std::vector<float>(5), std::vector<float>(2)}};
            return 2;
        }
        void rewind() override {}
        std::string key() const override { return "narrow"; }
        std::vector<SectionInfo> sections_{{"inputs", {3}, false}, {"targets", {}, true}};
    };
    const Pipeline<Generated> narrow{std::make_shared<Narrow>(), {}};
    CHECK(error_text([&] { narrow >> dataset("n"); }) ==
          "file 'narrow': expected 3 numbers of 'inputs' in each record, found 5 in 2 records");
    CHECK_THROWS_AS(
        narrow >> dataset("n", {.blocks = fixed(10), .cache = cache::disk, .directory = scratch.path.string()}),
        DataError);
}

TEST_CASE("Sections with different record counts are refused however they are read") {
    const auto images = std::make_shared<GeneratingReader>(100, 4), labels = std::make_shared<GeneratingReader>(90, 4);
    for (const bool known : {true, false})
        for (const DatasetOptions& options :
             {DatasetOptions{}, DatasetOptions{.blocks = fixed(30), .cache = cache::none}}) {
            images->knows_size = labels->knows_size = known;
            const Pipeline<Generated> both{sigma::data::detail::zipped({images, labels}), {}};
            CHECK_THROWS_AS(both >> dataset("uneven", options), DataError);
            images->rewind();
            labels->rewind();
        }
}

TEST_CASE("Progress of reading is a task") {
    std::vector<std::string> seen;
    const auto listener = on_task([&](const TaskView& task, TaskEvent event) {
        if (event == TaskEvent::ended)
            seen.push_back(sentence(sigma::detail::task_word(task.kind()), ' ', task.description(), ' ', task.done(),
                                    ' ', task.unit()));
    });
    from(reader(100)) >> dataset("watched");
    CHECK(seen == std::vector<std::string>{"read watched 100 records"});
}

TEST_CASE("The memory that is free is a number that makes sense") {
    CHECK(free_memory() > std::size_t{1} << 20);
    CHECK(free_memory() < std::size_t{1} << 50);
}
