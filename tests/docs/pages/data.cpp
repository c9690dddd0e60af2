// SPDX-License-Identifier: BSL-1.0
// Blocks of the pages about data, compiled only.
#include <sigma/core/show_tasks.hpp>
#include <sigma/data/data.hpp>
#include <sigma/data/mnist.hpp>
#include <sigma/data/reader/image.hpp>
#include <sigma/data/reader/text.hpp>
#include <sigma/data/ready.hpp>
#include <sigma/data/ready/published.hpp>
#include <sigma/data/series.hpp>
#include <sigma/sigma.hpp>
#include <sigma/trainer/parameters_file.hpp>

#include <cstdio>

namespace {

using namespace sigma;

struct Digits : Network<Input(28, 28) + Dense(10) + SoftmaxCE()> {};
struct Small : Network<Input(4) + Dense(3) + SoftmaxCE()> {};

[[maybe_unused]] void csv_page() {
    {
        // [csv-first]
        using namespace sigma::data;
        auto iris = csv(file("iris.data")) >> sections(inputs = columns(0, 3), targets = labels(4)) >> dataset("iris");
        // [csv-first]
    }
    {
        using namespace sigma::data;
        // [csv-formats]
        auto cars = csv(file("auto-mpg.data"), {.separator = blanks, .missing = {"?"}}) >>
                    sections(inputs = columns(1, 7), targets = column(0));
        auto houses = csv(file("housing.csv"), {.header = true, .missing = {""}}) >>
                      sections(inputs = columns("longitude", "median_income") + labels("ocean_proximity"),
                               targets = column("median_house_value"));
        auto voices = csv(file("parkinsons.data"), {.header = true}) >>
                      sections(inputs = except("name", "status"), targets = labels("status", {"0", "1"}));
        // [csv-formats]
    }
}

[[maybe_unused]] void data_page() {
    {
        // [data-pipeline]
        using namespace sigma;
        using namespace sigma::data;

        auto digits = zip(inputs = idx<28, 28>(file("train-images-idx3-ubyte.gz")),
                          targets = idx<>(file("train-labels-idx1-ubyte.gz"))) >>
                      normalize(inputs, 0, 255) >> dataset("mnist");
        Trainer trainer("digits", Digits{}, Adam{},
                        minibatches(digits, 100) >> augment(inputs, shift(2)) >> prefetch(3));
        // [data-pipeline]
    }
    {
        // [data-text]
        const data::Source text = data::memory(data::tiny_shakespeare());  // <sigma/data/ready.hpp>
        const data::Vocabulary vocabulary(text);
        const auto shakespeare = data::characters<64>(text, vocabulary) >> data::dataset("shakespeare");
        // [data-text]
    }
    {
        // [data-series]
        const data::Series all = data::airline_passengers();
        const Dataset training = data::windows(data::part(all, 0, 120), 12);
        // [data-series]
    }
}

[[maybe_unused]] void ready_page() {
    {
        // [ready-parts]
        auto [training, testing, whole] = data::mnist();
        // [ready-parts]
    }
    {
        using namespace sigma::data;
        // [ready-published]
        const PublishedFile birds{"birds",
                                  "birds.csv",
                                  "4f6c2a…",  // the full SHA-256
                                  {"https://a.example.org/birds.csv", "https://b.example.org/birds.csv"}};
        auto dataset_of_birds = csv(unpacked(published(birds))) >>
                                sections(inputs = columns<0, 7>(), targets = labels(8)) >> dataset("birds");
        // [ready-published]
    }
}

[[maybe_unused]] void transforms_page(const Dataset& iris, const Dataset& all, Model<Small>& model,
                                      const Array<float>& x, const Array<float>& y, const Array<float>& raw) {
    {
        auto pipeline = data::csv(data::file("a")) >>
                        data::sections(data::inputs = data::columns(0, 3), data::targets = data::labels(4));
        // [transforms-where]
        using namespace sigma::data;

        auto scaled = pipeline >> normalize(inputs, 0, 255) >> clamp(inputs, 0, 1);  // a pipeline, not yet read
        auto even = iris >> standardize(inputs);                           // a data set: transform/on_datasets.hpp
        const auto chain = impute(inputs, median) >> standardize(inputs);  // without data
        // [transforms-where]
    }
    using namespace sigma::data;
    // [transforms-learn]
    const auto [training, validation] = split(all, 0.9, 0.1);
    const Preprocessing p = fitted(standardize(inputs), training);
    const Dataset learned = training >> p, held = validation >> p;
    // [transforms-learn]
    // [transforms-made]
    const Dataset test = make_dataset(p(x), y, "test", {}, p);  // preprocesses x as raw >> p does
    // [transforms-made]
    // [transforms-kept]
    save_parameters(model, "net.safetensors", learned);
    const Preprocessing q = Preprocessing::load("net.safetensors");
    model.predict(q(raw));
    // [transforms-kept]
    // [transforms-inverse]
    const Preprocessing prepared = fitted(standardize(inputs) >> standardize(targets), training);
    const Array<float> dollars = prepared.inverse(model.predict(prepared(raw)));
    // [transforms-inverse]
    // [transforms-augment]
    auto batches = minibatches(training, 100) >> augment(inputs, shift(2), flip_horizontal(), noise(0.1));
    // [transforms-augment]
    // [transforms-augment-by]
    const Augmentation lighter = augment_by("lighter", [](auto record, auto, PhiloxSequence& random) {
        const float factor = random.uniform(0.8f, 1.2f), shift = 0.1f * random.normal();
        for (float& number : record) number = factor * number + shift;
    });
    // [transforms-augment-by]
    batches = batches >> augment(inputs, lighter);
}

[[maybe_unused]] void minibatches_page(const Dataset& training, const Dataset& testing) {
    using namespace sigma::data;
    // [minibatches-mix]
    struct Mixed : Network<Input(28, 28) + Dense(10) + SoftmaxDistributionCE()> {};

    const auto batches = minibatches(training >> one_hot<10>(targets), 64)  // classes as probabilities
                         >> mixup(0.2) >> cutmix(1);                        // one of the two for each record
    Trainer trainer("mixed", Mixed{}, Adam{}, batches);
    trainer.run(cpu(), 5);

    Model<Digits> model;  // the same layers and SoftmaxCE, which defines the accuracy
    transfer(trainer, model);
    const double accuracy = model.evaluate(testing).accuracy;
    // [minibatches-mix]
    static_cast<void>(accuracy);
}

[[maybe_unused]] void sources_page() {
    {
        // [sources-or]
        using namespace sigma::data;
        const Source iris = file("iris.data") | url("https://archive.example.org/iris.data");
        const std::vector<std::byte> bytes = read_all(iris);
        // [sources-or]
    }
    {
        // [sources-tasks]
        const auto shown = sigma::show_tasks();  // <sigma/core/show_tasks.hpp>: shows a line on the terminal
        for (const sigma::TaskView& task : sigma::tasks()) task.cancel();  // from any thread
        const auto listener = sigma::on_task([](const sigma::TaskView& task, sigma::TaskEvent event) {
            if (event == sigma::TaskEvent::canceled) std::printf("%s: canceled\n", task.description().c_str());
        });
        // [sources-tasks]
    }
    {
        // [sources-own-task]
        sigma::Task task(sigma::TaskKind::preprocess, "faces", 70'000, "records");
        task.advance(100);
        // [sources-own-task]
    }
}

[[maybe_unused]] void text_page(const data::Source& source) {
    {
        // [text-characters]
        using namespace sigma::data;

        const Vocabulary vocabulary(source);             // the bytes of the text, ordered by their codes
        auto text = characters<64>(source, vocabulary);  // inputs (64); targets (64), one character later
        // [text-characters]
    }
    using namespace sigma::data;
    // [text-words]
    const Vocabulary words(source, {.unit = Unit::word,
                                    .lower_case = true,
                                    .min_count = 2,
                                    .max_size = 10'000,
                                    .special = {"<pad>", "<unk>", "<start>", "<end>"}});
    // [text-words]
}

[[maybe_unused]] void windows_page(const Array<float>& temperatures, const Array<float>& yields,
                                   const data::Series& series, std::size_t length) {
    using namespace sigma::data;
    const auto table = array<3>(temperatures), weather = table;
    const auto harvest = array(yields);
    // [text-windows]
    auto a = windows<12>(table, {.horizon = 3, .step = 1, .gap = 0, .features = {0}});
    auto b = windows<12, 3, 0>(table);  // the same, with extents of targets that the compiler knows
    auto c = zip(inputs = weather, targets = harvest) >> windows<12, 3>();
    auto d = series >> windows<12>();
    auto e = windows(table, length, {.horizon = 3});  // a length that is known at run time
    // [text-windows]
}

[[maybe_unused]] void images_page() {
    // [images]
    using namespace sigma::data;

    auto digits = images<28, 28, 1>("digits");  // digits/0/a.png, digits/1/b.jpg, …
    auto photos = images<64, 64, 3>("photos", {.resize = Resize::bilinear});
    auto any = images("photos", {.channels = 3});  // extents of the first image
    auto list = images<28, 28, 1>(ClassFiles{"mine", {{"a.png", 0}, {"b.png", 1}}, {"cat", "dog"}});
    // [images]
}

}  // namespace
