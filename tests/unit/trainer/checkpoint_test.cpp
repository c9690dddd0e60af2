// SPDX-License-Identifier: BSL-1.0
#include <sigma/sigma.hpp>

#include <catch2/catch.hpp>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <unistd.h>

using namespace sigma;

namespace {

struct Net : Network<Input(3) + Dense(6, tanh) + Dropout(0.3f) + Dense(4) + BatchNorm() + Dense(2) + SoftmaxCE()> {};
struct Wider : Network<Input(3) + Dense(7, tanh) + Dense(2) + SoftmaxCE()> {};

Dataset points(std::size_t records = 22) {
    Numbers x{{records, 3}, {}}, y{{records}, {}};
    const Philox random(5, RandomUse::shuffle, 1);
    for (std::size_t i = 0; i < 3 * records; ++i) x.values.push_back(static_cast<float>((i * 37 + 11) % 101) / 50 - 1);
    for (std::size_t i = 0; i < records; ++i) y.values.push_back(x.values[3 * i] + x.values[3 * i + 1] > 0 ? 1.0f : 0.0f);
    return Dataset(x, y, "points");
}

struct File {
    std::string name;
    explicit File(const char* word) : name(sentence("/tmp/sigma-checkpoint-", static_cast<long>(::getpid()), "-", word)) {}
    ~File() { std::remove(name.c_str()); }
};

template <class O>
using TrainerOf = Trainer<Net, O, float>;

/// Hooks that change the run and keep counts.
template <class T>
void add_hooks(T& trainer) {
    trainer.add(every(3, iteration).then([](auto& t) { t.optimizer.learning_rate *= 0.97; }),
                when(error.decreases(2)).then([](auto& t) { t.optimizer.learning_rate *= 1.1; }),
                when(average(loss, 5).falls_below(0.6)).then([](auto& t) { t.optimizer.learning_rate *= 0.9; }));
}

template <class T>
std::vector<float> everything(T& trainer) {
    std::vector<float> all;
    const auto add = [&](std::span<float> values) { all.insert(all.end(), values.begin(), values.end()); };
    for (int p = 0; p < trainer.model().parameter_count; ++p)
        for (std::size_t r = 0; r < parameter_rows(trainer.model(), p).count; ++r) add(parameter_rows(trainer.model(), p)[r]);
    for (int s = 0; s < trainer.step().states.size(); ++s)
        for (std::size_t r = 0; r < trainer.step().state_rows(s).count; ++r) add(trainer.step().state_rows(s)[r]);
    return all;
}
bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

/// A run that is saved after `steps` steps, within an epoch or at its end, and goes on in another trainer with another
/// seed and learning rate, is bit by bit the run that was never interrupted.
template <class O>
void check_resume(O optimizer, int steps) {
    const File file("resume");
    const auto batches = minibatches(points(), 5, 9);
    TrainerOf<O> whole("whole", Net{}, optimizer, batches, element<float>, 3);
    add_hooks(whole);
    whole.run(cpu(), 6);

    TrainerOf<O> first("first", Net{}, optimizer, batches, element<float>, 3);
    add_hooks(first);
    first.on_iteration([&](auto& t) {
        if (t.iteration() == static_cast<std::uint64_t>(steps)) t.stop();
    });
    first.run(cpu(), 6);
    REQUIRE(first.iteration() == static_cast<std::uint64_t>(steps));
    first.save(file.name);

    O other = optimizer;
    other.learning_rate = 7;
    TrainerOf<O> second("second", Net{}, other, minibatches(points(), 5, 1), element<float>, 77);
    add_hooks(second);
    second.load(file.name);
    CHECK(second.epoch() == first.epoch());
    CHECK(second.error() == first.error());
    second.run(cpu(2), static_cast<std::int64_t>(6 - second.epoch()));
    CHECK(second.iteration() == whole.iteration());
    CHECK(same_bits(everything(second), everything(whole)));
    CHECK(second.optimizer.learning_rate == whole.optimizer.learning_rate);
    CHECK(second.error() == whole.error());
    CHECK(second.loss() == whole.loss());
    CHECK(second.runtime() > 0);
}

template <class F>
std::string message(F f) {
    try {
        f();
    } catch (const Error& e) {
        return e.what();
    }
    return "nothing was thrown";
}

}  // namespace

TEST_CASE("A run goes on from a checkpoint bit by bit: every optimizer, dropout, shuffling, hooks") {
    check_resume(GradientDescent{.learning_rate = 0.1}, 7);
    check_resume(Momentum{.learning_rate = 0.05}, 8);
    check_resume(Nesterov{.learning_rate = 0.05}, 9);
    check_resume(Adagrad{.learning_rate = 0.1}, 11);
    check_resume(Adadelta{}, 12);
    check_resume(Adam{.learning_rate = 0.02}, 13);
    check_resume(AdamW{.learning_rate = 0.02}, 14);
    check_resume(clip_gradient_norm(Adam{.learning_rate = 0.02}, 0.5), 16);
}

TEST_CASE("A checkpoint may be taken after any step, the last of an epoch included") {
    for (int steps = 1; steps <= 12; ++steps) check_resume(Adam{.learning_rate = 0.02}, steps);
}

TEST_CASE("A hook saves when all hooks of its moment are through, in the foreground and behind it") {
    const File file("hook"), behind("behind");
    const auto make = [&](auto use_trainer) {
        TrainerOf<Adam> trainer("saving", Net{}, Adam{.learning_rate = 0.05}, minibatches(points(), 5));
        trainer.add(at(10, iteration).then(save(file.name)), at(10, iteration).then(save(behind.name)).in_background());
        add_hooks(trainer);
        use_trainer(trainer);
        return everything(trainer);
    };
    const auto whole = make([](auto& t) { t.run(cpu(), 4); });
    CHECK(same_bits(make([&](auto& t) {
                        t.load(file.name);
                        CHECK(t.iteration() == 10);
                        t.run(cpu(), static_cast<std::int64_t>(4 - t.epoch()));
                    }),
                    whole));
    CHECK(same_bits(make([&](auto& t) {
                        t.load(behind.name);
                        t.run(cpu(), static_cast<std::int64_t>(4 - t.epoch()));
                    }),
                    whole));
}

TEST_CASE("What does not fit is named, and nothing changes") {
    const File file("misfit"), cut("cut");
    TrainerOf<Adam> trainer("net", Net{}, Adam{}, minibatches(points(), 5));
    trainer.run(cpu(), 1);
    trainer.save(file.name);
    const auto before = everything(trainer);

    Trainer wider("wider", Wider{}, Adam{}, minibatches(points(), 5));
    const std::string differing = message([&] { wider.load(file.name); });
    CHECK(differing.find("'1-dense.weights' (3, 7)") != differing.npos);
    CHECK(differing.find("'1-dense.weights' (3, 6) of F32") != differing.npos);
    CHECK(differing.find("'2-dense.weights' (7, 2), ") != differing.npos);

    TrainerOf<GradientDescent> plain("plain", Net{}, GradientDescent{}, minibatches(points(), 5));
    CHECK(message([&] { plain.load(file.name); }) ==
          sentence("checkpoint '", file.name, "' for trainer 'plain': expected optimizer 'gradient_descent', found 'adam'"));
    TrainerOf<Adam> other_size("size", Net{}, Adam{}, minibatches(points(), 4));
    CHECK(message([&] { other_size.load(file.name); }).find("expected batch size '4', found '5'") != std::string::npos);
    TrainerOf<Adam> other_data("data", Net{}, Adam{}, minibatches(points(21), 5));
    CHECK(message([&] { other_data.load(file.name); }).find("expected number of records '21', found '22'") != std::string::npos);
    Trainer<Net, Adam, double> doubles("double", Net{}, Adam{}, minibatches(points(), 5));
    CHECK(message([&] { doubles.load(file.name); }).find("of F64, found F32") != std::string::npos);

    TrainerOf<Adam> hooked("hooked", Net{}, Adam{}, minibatches(points(), 5));
    hooked.add(when(error.decreases(2)).then(stop));
    const auto untouched = everything(hooked);
    CHECK(message([&] { hooked.load(file.name); }).find("expected hooks 'when(error.decreases().in_a_row(2)).then(stop)") !=
          std::string::npos);
    CHECK(same_bits(everything(hooked), untouched));
    hooked.load(file.name, HooksFromFile::ignore);
    CHECK(same_bits(everything(hooked), before));

    // Cut at any place: one message, and a trainer that is what it was.
    std::ifstream in(file.name, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    REQUIRE(bytes.size() > 2000);
    for (std::size_t size = 0; size < bytes.size(); size += 1 + size / 7) {
        std::ofstream(cut.name, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(size));
        CHECK_THROWS_AS(trainer.load(cut.name), DataError);
    }
    CHECK_THROWS_AS(trainer.load("/tmp/there/is/no/such/file"), DataError);
    CHECK(same_bits(everything(trainer), before));
}

TEST_CASE("Parameters alone: all of them, by pattern, under other names, of another type") {
    const File file("parameters");
    Model<Net> from(1);
    save_parameters(from, file.name);
    const SafetensorsFile stored = SafetensorsFile::open(file.name);
    CHECK(stored.find("1-dense.weights")->shape == std::vector<std::uint64_t>{3, 6});

    Model<Net, double> doubles(2);
    CHECK(load_parameters(doubles, file.name) == Model<Net>::parameter_count);
    CHECK(doubles.parameter<"1-dense.weights">()(2, 5) == static_cast<double>(from.parameter<"1-dense.weights">()(2, 5)));

    TrainerOf<Adam> trainer("tail", Net{}, Adam{}, minibatches(points(), 5), element<float>, 9);
    const float biases_before = trainer.model().parameter<"5-dense.weights">()(0, 0);
    CHECK(trainer.load_parameters(file.name, "1-*") == 2);
    CHECK(trainer.model().parameter<"1-dense.weights">()(1, 1) == from.parameter<"1-dense.weights">()(1, 1));
    CHECK(trainer.model().parameter<"5-dense.weights">()(0, 0) == biases_before);
    trainer.freeze("1-*");
    trainer.run(cpu(), 2);
    CHECK(trainer.model().parameter<"1-dense.weights">()(1, 1) == from.parameter<"1-dense.weights">()(1, 1));

    // Frozen parameters stay so over a checkpoint.
    const File whole("frozen");
    trainer.save(whole.name);
    TrainerOf<Adam> again("tail", Net{}, Adam{}, minibatches(points(), 5));
    again.load(whole.name);
    again.run(cpu(), 1);
    CHECK(again.model().parameter<"1-dense.weights">()(1, 1) == from.parameter<"1-dense.weights">()(1, 1));

    Model<Wider> wider(3);
    CHECK(message([&] { load_parameters(wider, file.name); }).find("'1-dense.weights' (3, 7)") != std::string::npos);
    CHECK(load_parameters(wider, file.name, "*", Transfer::common) == 0);
    CHECK_THROWS_AS(load_parameters(wider, file.name, "9-*"), MismatchError);
    const auto renamed = [](std::string_view name) { return name == "2-dense.biases" ? std::string("5-dense.biases") : std::string(name); };
    CHECK(load_parameters(wider, file.name, "2-dense.biases", Transfer::whole, renamed) == 1);
}

TEST_CASE("reset goes back to the beginning, rewind to where the run began") {
    TrainerOf<Adam> trainer("again", Net{}, Adam{.learning_rate = 0.05}, minibatches(points(), 5), element<float>, 4);
    trainer.initialize("1-dense.weights", gaussian(0.4));
    add_hooks(trainer);
    const auto beginning = everything(trainer);
    trainer.run(cpu(), 3);
    const auto after_three = everything(trainer);
    trainer.run(cpu(), 2);
    const auto after_five = everything(trainer);
    trainer.rewind();
    CHECK(trainer.epoch() == 3);
    CHECK(same_bits(everything(trainer), after_three));
    trainer.run(cpu(), 2);
    CHECK(same_bits(everything(trainer), after_five));
    trainer.reset();
    CHECK(trainer.epoch() == 0);
    CHECK(trainer.optimizer.learning_rate == 0.05);
    CHECK(same_bits(everything(trainer), beginning));
    trainer.run(cpu(), 5);
    CHECK(same_bits(everything(trainer), after_five));
}

TEST_CASE("The version of the library is that of the build") { CHECK(std::string(library_version) == SIGMA_VERSION); }
