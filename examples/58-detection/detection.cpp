// SPDX-License-Identifier: BSL-1.0
// Detects squares and discs in drawn pictures: where they are, how large, and which. The network answers for each of
// 8 × 8 cells whether the center of an object lies in it. Non-maximum suppression keeps one detection of each object.
// Of 300 new pictures with one to three objects each, the mean average precision is at least 0.9.
#include <sigma/decoding/boxes.hpp>
#include <sigma/sigma.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

using namespace sigma;

constexpr std::size_t side = 32, cells = 8, cell = side / cells;

// [network]
struct Detector : Network<Input(side, side) + Conv2D(16, 3, relu, {.padding = same}) + MaxPool(2) +
                          Conv2D(32, 3, relu, {.padding = same}) + MaxPool(2) + Conv2D(32, 3, relu, {.padding = same}) +
                          Conv2D(32, 3, relu, {.padding = same}) +
                          Costs(Conv2D(1, 1) + named("present", BinaryCE({.positive_weight = 4})),
                                loss_weight(5, Conv2D(4, 1) + named("box", SquaredDiff({.ignore = -1}))),
                                Conv2D(2, 1) + Reshape(cells * cells, 2) + named("kind", SoftmaxCE({.ignore = -1})))> {
};
// [network]

namespace {

constexpr double largest = 14;  // side of an object

struct Pictures {
    Dataset dataset;
    std::vector<std::vector<ImageObject>> objects;
};

/// Draws a square (0) or a disc (1), and returns its box.
ImageObject draw(std::span<float> picture, PhiloxSequence& random) {
    const double size = 6 + 8 * random.uniform<double>(), free = static_cast<double>(side) - size;
    const double left = free * random.uniform<double>(), top = free * random.uniform<double>();
    const std::size_t kind = random.uniform<double>() < 0.5 ? 0 : 1;
    const double brightness = 0.5 + 0.5 * random.uniform<double>(), radius = size / 2;
    for (std::size_t y = 0; y < side; ++y)
        for (std::size_t x = 0; x < side; ++x) {
            const double right = static_cast<double>(x) + 0.5 - left, down = static_cast<double>(y) + 0.5 - top;
            const bool within = kind == 0 ? right > 0 && right < size && down > 0 && down < size
                                          : std::hypot(right - radius, down - radius) < radius;
            if (within) picture[y * side + x] = static_cast<float>(brightness);
        }
    return {.box = {left, top, left + size, top + size}, .label = kind};
}

/// The cell of the center of a box.
std::size_t cell_of(const Box& box) {
    const auto x = static_cast<std::size_t>((box.left + box.right) / 2) / cell;
    const auto y = static_cast<std::size_t>((box.top + box.bottom) / 2) / cell;
    return y * cells + x;
}

Pictures made(std::size_t count, std::uint64_t seed) {
    PhiloxSequence random{Philox(seed)};
    NamedNumbers pictures{"pictures", {{count, side, side}, std::vector<float>(count * side * side)}};
    NamedNumbers present{"present", {{count, cells, cells, 1}, std::vector<float>(count * cells * cells)}};
    NamedNumbers box{"box", {{count, cells, cells, 4}, std::vector<float>(count * cells * cells * 4, -1.F)}};
    NamedNumbers kind{"kind", {{count, cells * cells}, std::vector<float>(count * cells * cells, -1.F)}};
    std::vector<std::vector<ImageObject>> objects(count);
    for (std::size_t i = 0; i < count; ++i) {
        const std::span<float> picture(pictures.numbers.values.data() + i * side * side, side * side);
        for (float& x : picture) x = static_cast<float>(0.2 * random.uniform<double>());
        const auto wanted = 1 + static_cast<std::size_t>(3 * random.uniform<double>());
        while (objects[i].size() < wanted) {
            std::vector<float> next(picture.begin(), picture.end());
            const ImageObject object = draw(next, random);
            const bool apart = std::ranges::none_of(objects[i], [&](const ImageObject& one) {
                return intersection_over_union(one.box, object.box) > 0 || cell_of(one.box) == cell_of(object.box);
            });
            if (!apart) continue;
            std::ranges::copy(next, picture.begin());
            objects[i].push_back(object);
            const std::size_t at = i * cells * cells + cell_of(object.box);
            // [targets]
            present.numbers.values[at] = 1;
            kind.numbers.values[at] = static_cast<float>(object.label);
            // The center within its cell, and the size, from 0 to 1.
            const auto& [left, top, right, bottom] = object.box;
            const double x = (left + right) / 2 / cell, y = (top + bottom) / 2 / cell;
            const double numbers[] = {x - std::floor(x), y - std::floor(y), (right - left) / largest,
                                      (bottom - top) / largest};
            for (std::size_t k = 0; k < 4; ++k) box.numbers.values[at * 4 + k] = static_cast<float>(numbers[k]);
            // [targets]
        }
    }
    return {{{pictures}, {present, box, kind}, "pictures"}, objects};
}

/// Returns the detections of each picture.
template <class Trained>
std::vector<std::vector<Detection>> detect(Trained& trainer, const Dataset& pictures) {
    // [detect]
    const Array<float> present = trainer.template predict<"present">(pictures.inputs());
    const Array<float> box = trainer.template predict<"box">(pictures.inputs());
    const Array<float> kind = trainer.template predict<"kind">(pictures.inputs());
    std::vector<std::vector<Detection>> found(pictures.size());
    for (std::size_t i = 0; i < pictures.size(); ++i) {
        std::vector<Detection> all;
        for (std::size_t y = 0; y < cells; ++y)
            for (std::size_t x = 0; x < cells; ++x) {
                const double half_width = largest * box(i, y, x, 2) / 2, half_height = largest * box(i, y, x, 3) / 2;
                const double center_x = cell * (static_cast<double>(x) + box(i, y, x, 0));
                const double center_y = cell * (static_cast<double>(y) + box(i, y, x, 1));
                const std::size_t label = kind(i, y * cells + x, 1) > 0.5F ? 1 : 0;
                all.push_back({.box = {center_x - half_width, center_y - half_height, center_x + half_width,
                                       center_y + half_height},
                               .label = label,
                               .score = present(i, y, x, 0)});
            }
        found[i] = non_maximum_suppression(all, {.most_overlap = 0.3, .least_score = 0.3, .across_labels = true});
    }
    // [detect]
    return found;
}

int run() {
    const Pictures training = made(3000, 1), testing = made(300, 2);
    Trainer trainer("detector", Detector{}, Adam{.learning_rate = 0.002}, minibatches(training.dataset, 50));
    trainer.add(every(5, epoch).then(report("epoch {:2}  loss {:.4f}", epoch, average(loss).per(epoch))));
    trainer.run(cpu(), 15);
    const auto found = detect(trainer, testing.dataset);
    const double precision = mean_average_precision(found, testing.objects);
    for (const ImageObject& one : testing.objects[0])
        std::printf("drawn: %s from (%.0f, %.0f) to (%.0f, %.0f)\n", one.label == 0 ? "square" : "disc  ", one.box.left,
                    one.box.top, one.box.right, one.box.bottom);
    for (const Detection& one : found[0])
        std::printf("found: %s from (%.0f, %.0f) to (%.0f, %.0f), score %.2f\n", one.label == 0 ? "square" : "disc  ",
                    one.box.left, one.box.top, one.box.right, one.box.bottom, one.score);
    std::printf("mean average precision: %.3f, with an overlap of at least 0.75: %.3f\n", precision,
                mean_average_precision(found, testing.objects, 0.75));
    if (precision >= 0.9) return 0;
    std::puts("it should be at least 0.9");
    return 1;
}

}  // namespace

int main() { return run_main(run); }
