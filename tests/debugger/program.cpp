// SPDX-License-Identifier: BSL-1.0
// Values that debugger.py shows in gdb. It stops in `look`.
#include <sigma/sigma.hpp>

#include <cstddef>
#include <vector>

using namespace sigma;

namespace {

struct Small : Network<Input(3) + Dense(2) + Dense(1) + SquaredDiff()> {};

[[gnu::noinline]] void look(const void*) { asm volatile("" ::: "memory"); }

struct Doubled {
    Tensor operator()(Tensor x) const {
        const Tensor y = x + x * 0.5;
        look(&y);
        return y;
    }
};

}  // namespace

int main() {
    Array<float> table{{1, 2, 3}, {4, 5, 6}};
    const Array<double> row{0.5, -1.5};
    Array<float> none = Array<float>::from_shape({0, 4});
    const std::vector<float> padded{1, 2, 9, 9, 3, 4, 9, 9};
    const ArrayView<const float> view(padded.data(), {2, 2}, 4);
    const Shape images(batch, 28, 28);
    const Text name("1-dense.weights");
    Model<Small> model(3);
    for (int p = 0; p < model.records.parameters.size(); ++p)
        for (std::size_t r = 0; r < parameter_rows(model, p).count; ++r)
            for (std::size_t c = 0; c < parameter_rows(model, p)[r].size(); ++c)
                parameter_rows(model, p)[r][c] =
                    static_cast<float>(100 * p) + static_cast<float>(10 * r) + static_cast<float>(c);
    const Model large(network(Input(1) + Embedding(100, 3000)), 1);
    look(&model);
    const auto made = network(Input(3) + Doubled{} + SquaredDiff());
    return none.size() + row.size() + view.size() + static_cast<std::size_t>(images.rank + name.size) == 0;
}
