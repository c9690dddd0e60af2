// SPDX-License-Identifier: BSL-1.0
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/network/model.hpp>
#include <sigma/network/parameters_file.hpp>
#include <sigma/storage/safetensors.hpp>

#include <catch2/catch.hpp>
#include <support/scratch.hpp>
#include <support/thrown.hpp>

#include <string>
#include <vector>

using namespace sigma;

namespace {

struct Filed : Network<Input(3) + named("hidden", Dense(4, tanh)) + Dense(2) + SoftmaxCE()> {};

}  // namespace

TEST_CASE("A pattern that takes nothing from a file says which names there are") {
    const Scratch folder;
    const std::string file = (folder.path / "a.safetensors").string();
    const Model<Filed> model(1);
    save_parameters(model, file);
    Model<Filed> other(2);
    const std::string refused = sentence("parameters from '", file,
                                         "': expected a pattern that matches a parameter, found '1-*'; parameters: "
                                         "'hidden.weights', 'hidden.biases', '2-dense.weights', '2-dense.biases'");
    CHECK(error_text<MismatchError>([&] { load_parameters(other, file, "1-*"); }) == refused);
    CHECK(error_text<MismatchError>([&] { load_parameters(other, file, "1-*", Transfer::common); }) == refused);
    CHECK(load_parameters(other, file, "hidden.*") == 2);
}

TEST_CASE("A file of parameters names the network that they are of, and a mismatch does") {
    struct Wider : Network<Input(3) + named("hidden", Dense(5, tanh)) + Dense(2) + SoftmaxCE()> {};
    const Scratch folder;
    const std::string file = (folder.path / "a.safetensors").string();
    save_parameters(Model<Filed>(1), file);
    const std::string network = "0-input (batch, 3) + hidden (batch, 4) + 2-dense (batch, 2) + 3-softmax_ce * 1";
    CHECK(*SafetensorsFile::open(file).metadata("network") == network);
    Model<Wider> wider(2);
    const Model<Wider> before(wider);
    CHECK(error_text<MismatchError>([&] { load_parameters(wider, file, "hidden.biases"); }) ==
          sentence("parameters from '", file,
                   "': expected 'hidden.biases' (5), found 'hidden.biases' (4) of F32, in a "
                   "file of network ",
                   network));
    CHECK_THROWS_AS(load_parameters(wider, file), MismatchError);
    CHECK(wider == before);
    Model<Filed> twin(2);
    CHECK(load_parameters(twin, file) == 4);
    CHECK(twin == Model<Filed>(1));
}

TEST_CASE("A file with other names says which it has") {
    const Scratch folder;
    const std::string file = (folder.path / "a.safetensors").string();
    SafetensorsWriter writer;
    const std::vector<float> weights(12), biases(4);
    writer.add("0.weight", {4, 3}, std::span<const float>(weights));
    writer.add("0.bias", {4}, std::span<const float>(biases));
    writer.save(file);
    Model<Filed> model(1);
    CHECK(
        error_text<MismatchError>([&] { load_parameters(model, file, "hidden.*"); }) ==
        sentence("parameters from '", file,
                 "': expected 'hidden.weights' (3, 4), 'hidden.biases' (4), found no such tensor, no such tensor; the "
                 "file has '0.bias' (4), '0.weight' (4, 3)"));
}
