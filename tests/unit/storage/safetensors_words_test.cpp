// SPDX-License-Identifier: BSL-1.0
#include "support.hpp"

using namespace sigma;

// Lines that docs/checkpoints.md quotes.
TEST_CASE("Tensors and texts are saved and read as the documentation says") {
    const Scratch scratch;
    const std::string path = (scratch.path / "net.safetensors").string();
    const std::vector<float> weights{1, 2, 3, 4, 5, 6};

    // [write]
    SafetensorsWriter writer;
    writer.metadata("epoch", "3");
    writer.add("1-dense.weights", {2, 3}, std::span<const float>(weights));
    writer.add("steps", {}, std::vector<std::uint64_t>{1200});
    writer.save(path);
    // [write]

    // [read]
    const auto file = SafetensorsFile::open(path);
    const std::string* value = file.metadata("epoch");        // null if there is none
    const TensorInfo* tensor = file.find("1-dense.weights");  // name, dtype, shape; null if there is none
    std::vector<double> read(tensor->elements());
    file.read("1-dense.weights", std::span(read));         // converted from F32
    const auto steps = file.read<std::uint64_t>("steps");  // the same in a vector of its own
    // [read]

    CHECK(*value == "3");
    CHECK(tensor->shape == std::vector<std::uint64_t>{2, 3});
    CHECK(read == std::vector<double>{1, 2, 3, 4, 5, 6});
    CHECK(steps == std::vector<std::uint64_t>{1200});
    CHECK(names_in(scratch.path) == std::vector<std::string>{"net.safetensors"});
}
