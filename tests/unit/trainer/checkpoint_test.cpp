// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/number_text.hpp>
#include <sigma/network/tensor_file.hpp>
#include <sigma/sigma.hpp>

#include <catch2/catch.hpp>
#include <support/checkpointed.hpp>
#include <support/comma_locale.hpp>
#include <support/sanitized.hpp>
#include <support/scratch.hpp>
#include <support/thrown.hpp>

#include <unistd.h>
#include <bit>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <limits>
#include <set>

using namespace sigma;
using namespace sigma::test::checkpointed;

namespace {

struct Net : Network<Input(3) + Dense(6, tanh) + Dropout(0.3f) + Dense(4) + BatchNorm() + Dense(2) + SoftmaxCE()> {};
/// A network with tensors of equal names and shapes.
struct Relu : Network<Input(3) + Dense(6, relu) + Dropout(0.3f) + Dense(4) + BatchNorm() + Dense(2) + SoftmaxCE()> {};
struct Wider : Network<Input(3) + Dense(7, tanh) + Dense(2) + SoftmaxCE()> {};

template <class O>
using TrainerOf = Trainer<Net, O, float>;

template <class T>
std::vector<float> everything(T& trainer) {
    std::vector<float> all;
    const auto add = [&](std::span<float> values) { all.insert(all.end(), values.begin(), values.end()); };
    for (int p = 0; p < trainer.model().parameter_count; ++p)
        for (std::size_t r = 0; r < parameter_rows(trainer.model(), p).count; ++r)
            add(parameter_rows(trainer.model(), p)[r]);
    for (int s = 0; s < trainer.training_step().states.size(); ++s)
        for (std::size_t r = 0; r < trainer.training_step().state_rows(s).count; ++r)
            add(trainer.training_step().state_rows(s)[r]);
    return all;
}
bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

/// Checks that a run that is saved after `steps` steps, within an epoch or at its end, and resumed in a trainer with
/// another seed and learning rate, is bit-identical to a run without a stop.
template <class O>
void check_resume(O optimizer, int steps) {
    const ScratchFile file("resume");
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
    CHECK(second.training_loss() == first.training_loss());
    second.run(cpu({.threads = 2}), static_cast<std::int64_t>(6 - second.epoch()));
    CHECK(second.iteration() == whole.iteration());
    CHECK(same_bits(everything(second), everything(whole)));
    CHECK(second.optimizer.learning_rate == whole.optimizer.learning_rate);
    CHECK(second.training_loss() == whole.training_loss());
    CHECK(second.loss() == whole.loss());
    CHECK(second.runtime() > 0);
}

std::string contents(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}
void put(const std::string& file, const std::string& bytes) {
    std::ofstream(file, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

/// Writes a file again with metadata changed by `edit` ("-" omits a key) and tensors changed by `change`.
void rewrite(const std::string& file, const std::function<std::string(const std::string&, const std::string&)>& edit,
             const std::function<void(const TensorInfo&, std::vector<std::byte>&)>& change = {}, bool checksum = true) {
    SafetensorsWriter writer;
    std::vector<std::vector<std::byte>> kept;
    {
        const auto from = SafetensorsFile::open(file);
        for (const auto& [key, value] : from.metadata())
            if (key != "sigma.checksum")
                if (const std::string now = edit(key, value); now != "-") writer.metadata(key, now);
        for (const TensorInfo& t : from.tensors()) {
            kept.push_back(from.bytes(t.name));
            if (change) change(t, kept.back());
        }
        for (std::size_t i = 0; i < kept.size(); ++i)
            writer.add(from.tensors()[i].name, from.tensors()[i].dtype, from.tensors()[i].shape, kept[i]);
    }
    if (checksum) writer.with_checksum();
    writer.save(file);
}
std::string as_it_is(const std::string&, const std::string& value) { return value; }

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
    const ScratchFile file("hook"), behind("behind");
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
    const ScratchFile file("misfit"), cut("cut");
    TrainerOf<Adam> trainer("net", Net{}, Adam{}, minibatches(points(), 5));
    trainer.run(cpu(), 1);
    trainer.save(file.name);
    const auto before = everything(trainer);

    Trainer wider("wider", Wider{}, Adam{}, minibatches(points(), 5));
    const std::string differing = error_text([&] { wider.load(file.name); });
    CHECK(differing.find("'1-dense.weights' (3, 7)") != differing.npos);
    CHECK(differing.find("'1-dense.weights' (3, 6) of F32") != differing.npos);
    CHECK(differing.find("'2-dense.weights' (7, 2), ") != differing.npos);

    TrainerOf<GradientDescent> plain("plain", Net{}, GradientDescent{}, minibatches(points(), 5));
    CHECK(error_text([&] { plain.load(file.name); }) ==
          sentence("checkpoint '", file.name,
                   "' for trainer 'plain': expected optimizer 'gradient_descent', found 'adam'"));
    TrainerOf<Adam> other_size("size", Net{}, Adam{}, minibatches(points(), 4));
    CHECK(error_text([&] { other_size.load(file.name); }).find("expected batch size '4', found '5'") !=
          std::string::npos);
    TrainerOf<Adam> other_data("data", Net{}, Adam{}, minibatches(points(21), 5));
    CHECK(error_text([&] { other_data.load(file.name); }).find("expected number of records '21', found '22'") !=
          std::string::npos);
    Trainer<Net, Adam, double> doubles("double", Net{}, Adam{}, minibatches(points(), 5));
    CHECK(error_text([&] { doubles.load(file.name); }).find("of F64, found F32") != std::string::npos);

    TrainerOf<Adam> hooked("hooked", Net{}, Adam{}, minibatches(points(), 5));
    hooked.add(when(error.decreases(2)).then(stop));
    const auto untouched = everything(hooked);
    CHECK(error_text([&] {
              hooked.load(file.name);
          }).find("expected hooks 'when(error.decreases().in_a_row(2)).then(stop)', found 'none'") !=
          std::string::npos);
    CHECK(same_bits(everything(hooked), untouched));
    hooked.load(file.name, HooksFromFile::ignore);
    CHECK(same_bits(everything(hooked), before));

    // The destination of a report is not part of a hook's text.
    const ScratchFile with_hooks("with_hooks");
    const auto add_saving = [](auto& to, const std::string& place, int often) {
        to.add(
            every(often, epoch).then(save(sigma::file(place, epoch)).keep_last(2), report("{}", epoch).to(csv(place))));
    };
    TrainerOf<Adam> here("here", Net{}, Adam{}, minibatches(points(), 5)),
        there("there", Net{}, Adam{}, minibatches(points(), 5)),
        otherwise("otherwise", Net{}, Adam{}, minibatches(points(), 5));
    add_saving(here, "a-", 2), add_saving(there, "elsewhere/b-", 2), add_saving(otherwise, "a-", 3);
    here.save(with_hooks.name);
    there.load(with_hooks.name);
    CHECK(error_text([&] { otherwise.load(with_hooks.name); }).find("every(3, epoch)") != std::string::npos);

    // A file that is cut at any place gives one message and leaves the trainer unchanged.
    const std::string bytes = contents(file.name);
    REQUIRE(bytes.size() > 2000);
    for (std::size_t size = 0; size < bytes.size(); size += 1 + size / 7) {
        put(cut.name, bytes.substr(0, size));
        CHECK_THROWS_AS(trainer.load(cut.name), DataError);
    }
    CHECK_THROWS_AS(trainer.load("/tmp/there/is/no/such/file"), DataError);
    CHECK(same_bits(everything(trainer), before));
}

TEST_CASE("Parameters alone: all of them, by pattern, under other names, of another type") {
    const ScratchFile file("parameters");
    Model<Net> from(1);
    save_parameters(from, file.name);
    const SafetensorsFile stored = SafetensorsFile::open(file.name);
    CHECK(stored.find("1-dense.weights")->shape == std::vector<std::uint64_t>{3, 6});

    Model<Net, double> doubles(2);
    CHECK(load_parameters(doubles, file.name) == Model<Net>::parameter_count);
    CHECK(doubles.parameter<"1-dense.weights">()(2, 5) ==
          static_cast<double>(from.parameter<"1-dense.weights">()(2, 5)));

    TrainerOf<Adam> trainer("tail", Net{}, Adam{}, minibatches(points(), 5), element<float>, 9);
    const float biases_before = trainer.model().parameter<"5-dense.weights">()(0, 0);
    CHECK(trainer.load_parameters(file.name, "1-*") == 2);
    CHECK(trainer.model().parameter<"1-dense.weights">()(1, 1) == from.parameter<"1-dense.weights">()(1, 1));
    CHECK(trainer.model().parameter<"5-dense.weights">()(0, 0) == biases_before);
    trainer.freeze("1-*");
    trainer.run(cpu(), 2);
    CHECK(trainer.model().parameter<"1-dense.weights">()(1, 1) == from.parameter<"1-dense.weights">()(1, 1));

    // Frozen parameters stay so over a checkpoint.
    const ScratchFile whole("frozen");
    trainer.save(whole.name);
    TrainerOf<Adam> again("tail", Net{}, Adam{}, minibatches(points(), 5));
    again.load(whole.name);
    again.run(cpu(), 1);
    CHECK(again.model().parameter<"1-dense.weights">()(1, 1) == from.parameter<"1-dense.weights">()(1, 1));

    Model<Wider> wider(3);
    CHECK(error_text([&] { load_parameters(wider, file.name); }).find("'1-dense.weights' (3, 7)") != std::string::npos);
    CHECK(load_parameters(wider, file.name, "*", Transfer::common) == 0);
    CHECK_THROWS_AS(load_parameters(wider, file.name, "9-*"), MismatchError);
    const auto renamed = [](std::string_view name) {
        return name == "2-dense.biases" ? std::string("5-dense.biases") : std::string(name);
    };
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

// ---- meaning and integrity of a file's numbers ----

namespace {

struct Tanh : Network<Input(3) + Dense(4, tanh) + Dense(2) + SoftmaxCE()> {};
struct Gelu : Network<Input(3) + Dense(4, gelu) + Dense(2) + SoftmaxCE()> {};
struct Linear4 : Network<Input(3) + Dense(4) + Dense(2) + SoftmaxCE()> {};
struct Eased
    : Network<Input(3) + Dense(4, [](auto x) { return x * sigmoid(x) + 0.25 * tanh(x); }) + Dense(2) + SoftmaxCE()> {};
/// The same network with operands in another order.
struct EasedToo
    : Network<Input(3) + Dense(4, [](auto x) { return tanh(x) * 0.25 + sigmoid(x) * x; }) + Dense(2) + SoftmaxCE()> {};
struct EasedLess : Network<Input(3) + Dense(4, [](auto x) { return x * sigmoid(x) + 0.2500000001 * tanh(x); }) +
                           Dense(2) + SoftmaxCE()> {};
struct Plain : Network<Input(3) + Dropout(0.5f) + Dense(2) + SoftmaxCE()> {};
struct Dropped : Network<Input(3) + Dropout(0.25f) + Dense(2) + SoftmaxCE()> {};
struct Smoothed : Network<Input(3) + Dropout(0.5f) + Dense(2) + SoftmaxCE({.smoothing = 0.1})> {};
struct Squared : Network<Input(3) + Dropout(0.5f) + Dense(2) + SquaredDiff()> {};
struct Held : Network<Input(3) + Dropout(0.5f) + frozen(Dense(2)) + SoftmaxCE()> {};
struct Normed : Network<Input(3) + Dense(2) + BatchNorm() + SoftmaxCE()> {};
struct NormedSlowly : Network<Input(3) + Dense(2) + BatchNorm({.momentum = 0.99}) + SoftmaxCE()> {};
struct Forwards : Network<Input(5, 3) + LSTM(4) + Dense(2) + SoftmaxCE()> {};
struct Backwards : Network<Input(5, 3) + LSTM(4, {.backwards = true}) + Dense(2) + SoftmaxCE()> {};
struct Joined : Network<Input(3) + Add(Dense(3), Dense(3, tanh)) + Dense(2) + SoftmaxCE()> {};
struct Multiplied : Network<Input(3) + Multiply(Dense(3), Dense(3, tanh)) + Dense(2) + SoftmaxCE()> {};

template <class... N>
std::vector<std::string> architectures() {
    return {detail::architecture(detail::network_table<N>)...};
}
template <class... N>
std::vector<std::uint64_t> trainings() {
    return {detail::constant_fingerprint<N>...};
}
template <class X>
std::size_t different(const std::vector<X>& all) {
    return std::set<X>(all.begin(), all.end()).size();
}

}  // namespace

TEST_CASE("Networks of the same shapes that compute something else have other fingerprints") {
    const auto others =
        architectures<Tanh, Gelu, Linear4, Eased, EasedLess, Plain, Normed, Forwards, Backwards, Joined, Multiplied>();
    CHECK(different(others) == others.size());
    CHECK(detail::architecture(detail::network_table<Eased>) == detail::architecture(detail::network_table<EasedToo>));
    // Layers for training only, and losses, change how training continues, but not the meaning of parameters.
    CHECK(different(architectures<Plain, Dropped, Smoothed, Squared, Held>()) == 1);
    CHECK(different(architectures<Normed, NormedSlowly>()) == 1);
    CHECK(different(trainings<Plain, Dropped, Smoothed, Squared, Held, Normed, NormedSlowly, Forwards, Backwards>()) ==
          9);
    CHECK(detail::constant_fingerprint<Eased> == detail::constant_fingerprint<EasedToo>);
    // Fingerprints do not depend on the compiler.
    CHECK(detail::architecture(detail::network_table<Eased>) == "f622253d93029ab8");
    CHECK(detail::architecture(detail::network_table<Backwards>) == "e875dd8e43657fcc");
    CHECK(detail::hexadecimal(detail::constant_fingerprint<Smoothed>) == "22b8eb82989241ea");
}

TEST_CASE("Parameters and checkpoints of a network that computes something else are refused") {
    const ScratchFile file("architecture"), alone("alone");
    TrainerOf<Adam> trainer("net", Net{}, Adam{}, minibatches(points(), 5));
    trainer.run(cpu(), 1);
    trainer.save(file.name);
    save_parameters(trainer.model(), alone.name);

    Trainer other("other", Relu{}, Adam{}, minibatches(points(), 5));
    const auto before = everything(other);
    CHECK_THROWS_AS(other.load(file.name), MismatchError);
    CHECK(error_text([&] { other.load(file.name); }) ==
          sentence("checkpoint '", file.name, "' for trainer 'other': expected a network of architecture ",
                   detail::architecture(detail::network_table<Relu>), ", found a network of architecture ",
                   detail::architecture(detail::network_table<Net>),
                   " with the same tensors, which computes something else"));
    for (const std::string& from : {file.name, alone.name}) {
        CHECK_THROWS_AS(other.load_parameters(from), MismatchError);
        CHECK(same_bits(everything(other), before));
    }
    CHECK(other.load_parameters(alone.name, "1-*") == 2);
    CHECK(other.load_parameters(alone.name, "*", Transfer::common) == Model<Relu>::parameter_count);
    CHECK(trainer.load_parameters(file.name) == Model<Net>::parameter_count);

    rewrite(file.name, [](const std::string& key, const std::string& value) {
        return key == "training" ? "0123456789abcdef" : value;
    });
    CHECK(error_text([&] { trainer.load(file.name); }).find("found fingerprint 0123456789abcdef") != std::string::npos);
    CHECK(trainer.load_parameters(file.name) == Model<Net>::parameter_count);
}

TEST_CASE("A file that says otherwise whose states it has is refused") {
    const ScratchFile file("workers");
    TrainerOf<Adam> trainer("net", Net{}, Adam{}, minibatches(points(), 5));
    trainer.run(workers(2, {.merge_states = false}), 1);
    const auto saved_as = [&](const std::string& count) {
        trainer.save(file.name);
        rewrite(file.name,
                [&](const std::string& key, const std::string& value) { return key == "workers" ? count : value; });
        return error_text([&] { trainer.load(file.name); });
    };
    const auto before = everything(trainer);
    CHECK(saved_as("300").find("metadata 'workers': expected from 2 to 256, found 300") != std::string::npos);
    CHECK(saved_as("3").find("workers.3.optimizer.mean.1-dense.weights") != std::string::npos);
    CHECK(saved_as("-").find("workers.1.optimizer.mean.1-dense.weights") != std::string::npos);
    CHECK(same_bits(everything(trainer), before));
}

TEST_CASE("Each bit of a file counts: one that has flipped is noticed before anything is changed") {
    const ScratchFile file("flips"), alone("flips-alone"), flipped("flipped");
    TrainerOf<Adam> trainer("net", Net{}, Adam{}, minibatches(points(), 5));
    add_hooks(trainer);
    trainer.run(cpu(), 1);
    trainer.save(file.name);
    save_parameters(trainer.model(), alone.name);
    const auto before = everything(trainer);
    for (const std::string& name : {file.name, alone.name}) {
        std::string bytes = contents(name);
        const auto view = [&] { return std::as_bytes(std::span<const char>(bytes)); };
        REQUIRE(detail::verified(SafetensorsFile::from_bytes(view())));
        std::uint64_t header = 0;
        std::memcpy(&header, bytes.data(), 8);
        header += 8;
        REQUIRE(header < bytes.size());
        std::size_t unnoticed = 0;
        for (std::size_t bit = 0; bit < 8 * bytes.size();
             bit += (bit < 8 * header ? 1 : 5) * (test::sanitized ? 5 : 1)) {
            char& byte = bytes[bit / 8];
            const char whole = byte;
            byte = static_cast<char>(static_cast<unsigned char>(byte) ^ (1u << (bit % 8)));
            try {
                detail::verified(SafetensorsFile::from_bytes(view()));
                ++unnoticed;
            } catch (const DataError&) {}
            if (bit % 61 == 0) {
                put(flipped.name, bytes);
                if (name == file.name) CHECK_THROWS_AS(trainer.load(flipped.name), DataError);
                else CHECK_THROWS_AS(trainer.load_parameters(flipped.name), DataError);
            }
            byte = whole;
        }
        CHECK(unnoticed == 0);
    }
    CHECK(same_bits(everything(trainer), before));
    trainer.load(file.name);
    CHECK(trainer.load_parameters(alone.name) == Model<Net>::parameter_count);
}

TEST_CASE("Infinity and NaN are neither read nor written, and the tensor is named") {
    const ScratchFile file("infinite"), alone("nan");
    TrainerOf<Adam> trainer("net", Net{}, Adam{}, minibatches(points(), 5));
    trainer.run(cpu(), 1);
    trainer.save(file.name);
    save_parameters(trainer.model(), alone.name);
    const auto before = everything(trainer);
    const std::string good = contents(file.name);
    const auto state = SafetensorsFile::open(file.name);
    std::string name;
    for (const TensorInfo& t : state.tensors())
        if (t.name.starts_with("optimizer.")) name = t.name;
    REQUIRE(!name.empty());
    const auto with = [](std::string tensor, float x) {
        return [tensor = std::move(tensor), x](const TensorInfo& t, std::vector<std::byte>& bytes) {
            if (t.name == tensor) std::memcpy(bytes.data() + 4, &x, 4);
        };
    };
    rewrite(file.name, as_it_is, with(name, HUGE_VALF));
    CHECK(error_text([&] { trainer.load(file.name); }) ==
          sentence("file '", file.name, "', tensor '", name, "': expected finite numbers, found inf at element 1"));
    rewrite(alone.name, as_it_is, with("1-dense.weights", std::nanf("")));
    CHECK(error_text([&] {
              trainer.load_parameters(alone.name);
          }).find("tensor '1-dense.weights': expected finite numbers, found nan") != std::string::npos);
    CHECK(same_bits(everything(trainer), before));

    trainer.save(file.name);
    const std::string whole = contents(file.name);
    trainer.training_step().state_rows(0)[0][0] = -HUGE_VALF;
    CHECK_THROWS_AS(trainer.save(file.name), NumericError);
    CHECK(error_text([&] {
              trainer.save(file.name);
          }).find("no checkpoint is written with -inf in tensor 'optimizer.") != std::string::npos);
    CHECK(contents(file.name) == whole);
}

TEST_CASE("A checksum that has got lost is noticed") {
    const ScratchFile file("old");
    TrainerOf<Adam> trainer("net", Net{}, Adam{}, minibatches(points(), 5));
    add_hooks(trainer);
    trainer.run(cpu(), 1);
    trainer.save(file.name);
    rewrite(file.name, as_it_is, {}, false);
    CHECK(error_text([&] { trainer.load(file.name); }).find("metadata: expected 'sigma.checksum', found none") !=
          std::string::npos);
}

TEST_CASE("A checkpoint goes from one locale to another, and hooks differ by all digits of their numbers") {
    const ScratchFile file("locale");
    TrainerOf<Adam> trainer("net", Net{}, Adam{}, minibatches(points(), 5));
    trainer.add(when(error.falls_below(0.12345678)).then(stop));
    trainer.run(cpu(), 1);
    trainer.save(file.name);
    const std::string plain = contents(file.name);
    TrainerOf<Adam> other("other", Net{}, Adam{}, minibatches(points(), 5));
    other.add(when(error.falls_below(0.12345679)).then(stop));
    CHECK_THROWS_AS(other.load(file.name), MismatchError);
    const CommaLocale comma;
    trainer.load(file.name);
    trainer.save(file.name);
    CHECK(SafetensorsFile::open(file.name).metadata() ==
          SafetensorsFile::from_bytes(std::as_bytes(std::span<const char>(plain))).metadata());
}
