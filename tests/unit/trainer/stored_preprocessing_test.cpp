// SPDX-License-Identifier: BSL-1.0
#include <sigma/data/pipeline/dataset.hpp>
#include <sigma/data/reader/csv.hpp>
#include <sigma/data/source/source.hpp>
#include <sigma/data/transform/on_datasets.hpp>
#include <sigma/data/transform/preprocessing_file.hpp>
#include <sigma/data/transform/transforms.hpp>
#include <sigma/network/tensor_file.hpp>
#include <sigma/sigma.hpp>
#include <sigma/storage/safetensors.hpp>
#include <sigma/trainer/parameters_file.hpp>
#include <sigma/trainer/terminal/confusion.hpp>

#include "../data/transform/support.hpp"

using namespace sigma;
using namespace sigma::data;

namespace {

struct Net : Network<Input(2) + Dense(3, tanh) + Dense(3) + SoftmaxCE()> {};

Dataset points() {
    return make_dataset(Array<float>{{0, 7}, {4, 9}, {1, 2}, {30, -5}}, Array<float>{0, 1, 1, 0}, "points");
}

}  // namespace

TEST_CASE("A model and what its data went through are one file, and predictions from raw inputs are the same") {
    const Scratch scratch;
    const std::string path = scratch.path / "net.safetensors";
    const Preprocessing p = fitted(standardize(inputs), points());
    Model<Net> model(3);
    save_parameters(model, path, p);

    Model<Net> other(4);
    CHECK(load_parameters(other, path) == 4);
    const Preprocessing loaded = Preprocessing::load(path);
    const auto raw = points().inputs();
    const auto wanted = model.predict((points() >> p).inputs());
    CHECK(bool(other.predict(loaded(raw)) == wanted));
    CHECK_FALSE(bool(other.predict(raw) == wanted));
}

TEST_CASE("A trainer refuses a checkpoint of a run with other preprocessing, and is as it was") {
    const Scratch scratch;
    const std::string path = scratch.path / "run.safetensors";
    Trainer<Net, GradientDescent, float> trainer("t", Net{}, GradientDescent{0.1}, minibatches(points(), 2),
                                                 element<float>, 3);
    trainer.run(cpu(), 2);
    trainer.save(path);
    CHECK(Preprocessing::load(path).empty());
    trainer.load(path);

    // The same checkpoint, as a trainer with standardized data writes it.
    const SafetensorsFile from = SafetensorsFile::open(path);
    SafetensorsWriter to;
    std::vector<std::vector<std::byte>> bytes;
    bytes.reserve(from.tensors().size());
    for (const auto& [key, value] : from.metadata())
        if (key != "preprocessing" && key != "sigma.checksum") to.metadata(key, value);
    for (const TensorInfo& t : from.tensors()) to.add(t.name, t.dtype, t.shape, bytes.emplace_back(from.bytes(t.name)));
    sigma::data::detail::add_preprocessing(to, fitted(standardize(inputs), points()));
    to.with_checksum();
    to.save(scratch.path / "other.safetensors");
    const auto before = trainer.model().predict(points().inputs());
    trainer.run(cpu(), 1);
    const auto after = trainer.model().predict(points().inputs());
    CHECK_THROWS_AS(trainer.load(scratch.path / "other.safetensors"), MismatchError);
    const std::string text = error_text([&] { trainer.load(scratch.path / "other.safetensors"); });
    CHECK(text.find("expected preprocessing 'none', found 'standardize(inputs)'") != std::string::npos);
    CHECK(bool(trainer.model().predict(points().inputs()) == after));
    CHECK_FALSE(bool(before == after));
}

TEST_CASE("A model is stored with all that its training data went through, also before the last preprocessing") {
    const Scratch scratch;
    const std::string path = scratch.path / "net.safetensors";
    const Dataset read = points() >> clamp(inputs, 0, 20);
    const Preprocessing p = fitted(standardize(inputs), read);
    const Dataset training = read >> p;
    Model<Net> model(3);
    save_parameters(model, path, training);
    const Preprocessing loaded = Preprocessing::load(path);
    CHECK(p.steps().size() == 1);
    CHECK(loaded.steps().size() == 2);
    CHECK(bool(loaded(points().inputs()) == training.inputs()));
}

TEST_CASE("A trainer scores no data that went through something else than its training data") {
    const Dataset raw = points();
    const Preprocessing p = fitted(standardize(inputs), raw);
    Trainer<Net, GradientDescent, float> trainer("t", Net{}, GradientDescent{0.1}, minibatches(raw >> p, 2),
                                                 element<float>, 3);
    const auto right = trainer.evaluate(raw >> p);
    CHECK_THROWS_AS(trainer.evaluate(raw), ArgumentError);
    CHECK(error_text([&] { trainer.evaluate(raw); }) ==
          "dataset 'points': expected preprocessing 'standardize(inputs)' as in the training data 'points' (write data "
          ">> p, or make_dataset(x, y, name, classes, p) for arrays that p made), found 'none'");
    CHECK(error_text([&] {
              trainer.evaluate(raw >> standardize(inputs) >> one_hot<2>(targets));
          }).find("found 'standardize(inputs) >> one_hot(targets)'") != std::string::npos);
    const std::vector<std::size_t> half{0, 1};
    CHECK(error_text([&] { trainer.evaluate(raw >> fitted(standardize(inputs), raw.select(half))); }) ==
          "dataset 'points': expected 'preprocessing.0.standardize.mean'[0] of 8.75 as in the training data 'points', "
          "found 2");
    // The same numbers, learned from the same records.
    CHECK(trainer.evaluate(raw >> standardize(inputs)).error == right.error);
    // What was made by hand says so.
    CHECK_THROWS_AS(trainer.evaluate(make_dataset(p(raw.inputs()), raw.targets(), "hand")), ArgumentError);
    CHECK(trainer.evaluate(make_dataset(p(raw.inputs()), raw.targets(), "hand", {}, p)).error == right.error);

    for (const bool aside : {false, true}) {
        const int number = aside ? trainer.add(every(1, epoch).then(score(raw)).in_background())
                                 : trainer.add(every(1, epoch).then(score(raw)));
        CHECK_THROWS_AS(trainer.run(cpu(), 3), HookError);
        trainer.remove(number);
    }
    trainer.add(every(1, epoch).then(score(raw >> p)));
    trainer.run(cpu(), 1);

    Trainer<Net, GradientDescent, float> plain("plain", Net{}, GradientDescent{0.1}, minibatches(raw, 2),
                                               element<float>, 3);
    CHECK_THROWS_AS(plain.evaluate(raw >> p), ArgumentError);
}

TEST_CASE("Validation data of fit and of a sequential network went through what the training data went through") {
    const Dataset raw = points();
    const Preprocessing p = fitted(standardize(inputs), raw);
    CHECK_THROWS_AS(fit(Net{}, raw >> p, {.epochs = 1, .validation = raw, .quiet = true}), ArgumentError);
    auto network = Sequential().dense(3).loss(losses::softmax_ce).optimizer(GradientDescent{0.1});
    CHECK_THROWS_AS(network.train(raw >> p, {.validation = raw}), ArgumentError);
    network.train(raw >> p);
    CHECK_THROWS_AS(network.evaluate(raw), ArgumentError);
    // Arrays are what the network gets, and of what they went through nothing is known.
    CHECK(network.evaluate(p(raw.inputs()), raw.targets()).error == network.evaluate(raw >> p).error);
    network.train(p(raw.inputs()), raw.targets(), {.validation = raw >> p});
    network.evaluate(raw >> p);
    fit(Net{}, p(raw.inputs()), raw.targets(), {.epochs = 1, .validation = raw >> p, .quiet = true}).evaluate(raw >> p);
}

namespace {

using Names = std::vector<std::string>;

/// Returns records (weight, height) of ants, bees and cows, which any network learns quickly. `kinds` has one letter a
/// record, and `classes` the names in the order of their numbers.
Dataset animals(const std::string& kinds, const Names& classes, const std::string& name) {
    Numbers x{{kinds.size(), 2}, {}}, y{{kinds.size()}, {}};
    for (const char kind : kinds) {
        x.values.insert(x.values.end(), {kind == 'a' ? 1.0f : -1.0f, kind == 'b' ? 1.0f : -1.0f});
        const auto at = std::ranges::find_if(classes, [&](const std::string& c) { return c[0] == kind; });
        y.values.push_back(static_cast<float>(at - classes.begin()));
    }
    return {x, y, name, classes};
}
using NetTrainer = Trainer<Net, GradientDescent, float>;

}  // namespace

TEST_CASE("Two files read by the same line have the same classes, and are scored as well") {
    const Scratch scratch;
    const auto read = [&](const std::string& kinds, const char* name) {
        std::string text;
        for (const char kind : kinds)
            text += sentence(kind == 'a' ? 1 : -1, ",", kind == 'b' ? 1 : -1, ",",
                             kind == 'a'   ? "9"
                             : kind == 'b' ? "10"
                                           : "-1",
                             "\n");
        return csv(file(scratch.write(name, text))) >> sections(inputs = columns<0, 1>(), targets = labels(2)) >>
               dataset(name);
    };
    const auto training = read("bbaaccabc", "training.csv"), testing = read("cabba", "testing.csv");
    CHECK(training.classes() == Names{"-1", "9", "10"});
    CHECK(testing.classes() == training.classes());
    NetTrainer trainer("t", Net{}, GradientDescent{0.5}, minibatches(training, 3), element<float>, 3);
    trainer.run(cpu(), 200);
    CHECK(trainer.evaluate(training).accuracy == 1);
    CHECK(trainer.evaluate(testing).accuracy == 1);
    // A file that lacks a class must be told the names: its other classes would have other numbers.
    const auto few = read("ab", "few.csv");
    CHECK(error_text([&] { trainer.evaluate(few); }) ==
          "dataset 'few.csv': expected classes '-1', '9', '10' as in the training data 'training.csv' (read it "
          "with labels(column, training.classes())), found '9', '10'");
    const auto told = csv(file((scratch.path / "few.csv").string())) >>
                      sections(inputs = columns<0, 1>(), targets = labels(2, training.classes())) >> dataset("few");
    CHECK(trainer.evaluate(told).accuracy == 1);
}

TEST_CASE(
    "Every way to hand a second dataset or file to a trainer, a network or a model compares the names of classes") {
    const Scratch scratch;
    const Names names{"ant", "bee", "cow"};
    const Dataset training = animals("abcabcaab", names, "training");
    const Dataset right = animals("cba", names, "right"), fewer = animals("ab", {"ant", "bee"}, "fewer"),
                  nameless = make_dataset(right.inputs(), right.targets(), "nameless");
    const std::vector<Dataset> wrong{animals("cba", {"bee", "ant", "cow"}, "in another order"),
                                     animals("cb", {"bee", "cow"}, "a part with other numbers"),
                                     animals("cba", {"ant", "bee", "cat"}, "another class"),
                                     animals("abc", {"ant", "bee", "cow", "dog"}, "one more")};
    const auto batches = [](const Dataset& data) { return minibatches(data, 2); };
    const auto make = [&](const Dataset& data) {
        return std::make_unique<NetTrainer>("t", Net{}, GradientDescent{0.1}, batches(data), element<float>, 3);
    };
    const auto hooked = [&](auto action, bool aside) {
        const auto trainer = make(training);
        if (aside) trainer->add(every(1, epoch).then(action).in_background());
        else trainer->add(every(1, epoch).then(action));
        trainer->run(cpu(), 2);
    };
    const auto trained = make(training);
    trained->run(cpu(), 1);
    CHECK(trained->model().classes() == names);
    const FitOptions once{.epochs = 1, .validation_share = 0, .quiet = true};
    const auto path = [&](const char* name) { return (scratch.path / name).string(); };
    const auto saved = [&](const Dataset& data) {  // a model that has learned these classes
        const auto file = path("model.safetensors");
        make(data)->save_parameters(file);
        return file;
    };

    // Those that only look at data: what has fewer classes with the same numbers is right, too.
    using Way = std::pair<const char*, std::function<void(const Dataset&)>>;
    const std::vector<Way> looks{
        {"trainer.evaluate", [&](const Dataset& d) { trained->evaluate(d); }},
        {"Trainer::evaluate(model, …)", [&](const Dataset& d) { NetTrainer::evaluate(trained->model(), d); }},
        {"evaluator of a model",
         [&](const Dataset& d) {
             sigma::detail::Evaluator<Net> evaluator(d);
             evaluator(trained->model());
         }},
        {"predictions of a model",
         [&](const Dataset& d) { sigma::detail::Evaluator<Net>(d).predict(trained->model(), [](auto...) {}); }},
        {"copy of a model",
         [&](const Dataset& d) {
             Model<Net> copy = trained->model();
             sigma::detail::Evaluator<Net> evaluator(d);
             evaluator(copy);
         }},
        {"assigned model",
         [&](const Dataset& d) {
             Model<Net> copy;
             copy = trained->model();
             sigma::detail::Evaluator<Net> evaluator(d);
             evaluator(copy);
         }},
        {"model from a file",
         [&](const Dataset& d) {
             Model<Net> model;
             load_parameters(model, saved(training));
             CHECK(model.classes() == names);
             sigma::detail::Evaluator<Net> evaluator(d);
             evaluator(model);
         }},
        {"score", [&](const Dataset& d) { hooked(score(d), false); }},
        {"score in the background", [&](const Dataset& d) { hooked(score(d), true); }},
        {"score of top", [&](const Dataset& d) { hooked(score(d, top<1, 2>), false); }},
        {"score of confusion", [&](const Dataset& d) { hooked(score(d, Confusion()), false); }},
        {"score of confusion in the background", [&](const Dataset& d) { hooked(score(d, Confusion()), true); }},
        {"fit with validation",
         [&](const Dataset& d) {
             FitOptions o = once;
             o.validation = d;
             fit(Net{}, training, o);
         }},
        {"fitted.evaluate", [&](const Dataset& d) { fit(Net{}, training, once).evaluate(d); }},
        {"sequential validation",
         [&](const Dataset& d) {
             auto network = Sequential().dense(3).loss(losses::softmax_ce).optimizer(GradientDescent{0.1});
             network.train(training, {.validation = d});
         }},
        {"sequential.evaluate",
         [&](const Dataset& d) {
             auto network = Sequential().dense(3).loss(losses::softmax_ce).optimizer(GradientDescent{0.1});
             network.train(training);
             network.evaluate(d);
         }},
        {"sequential.train on more",
         [&](const Dataset& d) {
             auto network = Sequential().dense(3).loss(losses::softmax_ce).optimizer(GradientDescent{0.1});
             network.train(training);
             network.train(d);
         }},
        {"run with a model of others",
         [&](const Dataset& d) {
             const auto trainer = make(d);
             trainer->model() = trained->model();
             trainer->run(cpu(), 1);
         }},
        {"trainer.load_parameters", [&](const Dataset& d) { make(d)->load_parameters(saved(training)); }},
        {"transfer", [&](const Dataset& d) { transfer(trained->model(), make(d)->model()); }},
    };
    // Those that go on where data ended: the classes are the same or none.
    const std::vector<Way> joins{
        {"trainer.load",
         [&](const Dataset& d) {
             const auto file = path("run.sigma");
             make(training)->save(file);
             const std::vector<std::size_t> again(9, 0);  // as many records
             make(d.select(again))->load(file);
         }},
        {"concatenate", [&](const Dataset& d) { concatenate(training, d.classes().empty() ? right : d); }},
    };
    CHECK_THROWS_AS(concatenate(training, nameless), ArgumentError);  // what would the classes of all be?
    for (const std::vector<Way>* ways : {&looks, &joins})
        for (const auto& [way, hand] : *ways) {
            INFO(way);
            CHECK(error_text([&, &f = hand] { f(right); }) == "no error");
            CHECK(error_text([&, &f = hand] { f(nameless); }) == "no error");
            const std::string partly = error_text([&, &f = hand] { f(fewer); });
            if (ways == &looks) CHECK(partly == "no error");
            else CHECK(partly.find("expected classes 'ant', 'bee'") != std::string::npos);
            for (const Dataset& d : wrong) {
                INFO(d.name());
                const std::string text = error_text([&, &f = hand] { f(d); });
                CHECK(text.find("expected classes '") != std::string::npos);
                CHECK(text.find("'ant', 'bee', 'cow'") != std::string::npos);
                CHECK(text.find("'" + d.classes().back() + "'") != std::string::npos);
            }
        }
}

TEST_CASE("Names of classes that are all numbers are the same where the numbers are") {
    const auto agree = [](const Names& a, const Names& b) { return sigma::detail::classes_agree(a, b); };
    CHECK(agree({"0.0000", "1.0000"}, {"0", "1"}));
    CHECK(agree({"-1", "+1", "1e3"}, {"-1.0", "1", "1000"}));
    CHECK_FALSE(agree({"0", "1"}, {"1", "0"}));
    CHECK_FALSE(agree({"0", "1", "x"}, {"0.0", "1", "x"}));          // not all are numbers
    CHECK_FALSE(agree({"6", "6.0", "7"}, {"6.0"}));                  // two classes of one value
    CHECK_FALSE(agree({"9007199254740993"}, {"9007199254740992"}));  // as doubles they are the same
    CHECK(agree({"9007199254740993"}, {"9007199254740993"}));
    CHECK(agree({}, {"a"}));
    CHECK(agree({"a"}, {}));
}

TEST_CASE("Of many classes an error says which one differs") {
    Names many, others;
    for (int i = 0; i < 100; ++i) many.push_back(sentence("class ", i));
    others = many;
    others[57] = "a rose";
    const Dataset training = make_dataset(Array<float>{{0, 1}}, Array<float>{0}, "training", many);
    const Dataset other = make_dataset(Array<float>{{0, 1}}, Array<float>{0}, "other", others);
    CHECK(error_text([&] { concatenate(training, other); }) ==
          "concatenate of datasets 'training' and 'other': expected classes 'class 57' as class 57 of 100 in both "
          "(read them with labels(column, names)), found 'a rose' as class 57 of 100");
}

TEST_CASE("Names of classes are stored with parameters, whatever characters they have") {
    const Scratch scratch;
    const std::string path = scratch.path / "net.safetensors";
    Model<Net> model(3), other(4);
    save_parameters(model, path);
    CHECK_FALSE(SafetensorsFile::open(path).metadata("classes"));
    load_parameters(other, path);
    CHECK(other.classes().empty());

    const Names names{"two\nlines", "back\\slash\\n", "", "\xC3\xA4 \"quoted\""};
    model.set_classes(names);
    save_parameters(model, path);
    CHECK(*SafetensorsFile::open(path).metadata("classes") ==
          "two\\nlines\nback\\\\slash\\\\n\n\n\xC3\xA4 \"quoted\"\n");
    load_parameters(other, path);
    CHECK(other.classes() == names);

    // A part of the parameters is for transfer: the classes stay what they are.
    model.set_classes({"x", "y", "z", "w"});
    load_parameters(model, path, "*.weights");
    load_parameters(model, path, "*", Transfer::common);
    CHECK(model.classes()[0] == "x");
    CHECK_THROWS_AS(load_parameters(model, path), MismatchError);
    model.set_classes({});
    load_parameters(model, path);
    CHECK(model.classes() == names);

    for (const char* broken : {"a\\b\n", "a\\", "a\nb"}) {
        SafetensorsWriter writer;
        sigma::detail::TensorFile<float>::add_parameters(writer, other = Model<Net>(5));
        writer.metadata("classes", broken);
        writer.save(path);
        CHECK_THROWS_AS(load_parameters(model, path), DataError);
    }
}

TEST_CASE("A checkpoint without names of classes goes on, and one with names gives them to a model without") {
    const Scratch scratch;
    const std::string path = scratch.path / "run.sigma";
    const Dataset named = animals("abc", {"ant", "bee", "cow"}, "animals");
    const Dataset nameless = make_dataset(named.inputs(), named.targets(), "animals");
    const auto make = [](const Dataset& data) {
        return std::make_unique<NetTrainer>("t", Net{}, GradientDescent{0.1}, minibatches(data, 3), element<float>, 3);
    };
    make(nameless)->save(path);
    CHECK_FALSE(SafetensorsFile::open(path).metadata("classes"));
    const auto from_old = make(named);
    from_old->load(path);
    CHECK(from_old->model().classes() == named.classes());
    from_old->save(path);
    CHECK(*SafetensorsFile::open(path).metadata("classes") == "ant\nbee\ncow\n");
    const auto without = make(nameless);
    without->load(path);
    CHECK(without->model().classes() == named.classes());
    without->run(cpu(), 1);
    CHECK(without->model().classes() == named.classes());
}
