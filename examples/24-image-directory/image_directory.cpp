// SPDX-License-Identifier: BSL-1.0
// A directory of images, with a subdirectory for each class. `image_directory DIRECTORY` reads your images (up to ten
// classes; other sizes are resized to 28 x 28). Without it, the program first writes digits of MNIST as such a
// directory.
#include <sigma/data/data.hpp>
#include <sigma/data/mnist.hpp>
#include <sigma/data/reader/image.hpp>
#include <sigma/sigma.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

using namespace sigma;
using namespace sigma::data;

struct Pictures : Network<Input(28, 28, 1) + Dense(64, relu) + Dense(10) + SoftmaxCE()> {};

namespace {

/// Writes images such as "digits/7/12.pgm".
void write_digits(const std::filesystem::path& directory, std::size_t count) {
    const Dataset digits = take(mnist().training, 0, count);
    for (std::size_t i = 0; i < digits.size(); ++i) {
        const auto folder = directory / std::to_string(digits.label(i));
        std::filesystem::create_directories(folder);
        std::ofstream image(folder / (std::to_string(i) + ".pgm"), std::ios::binary);
        image << "P5\n28 28\n255\n";
        for (const float pixel : digits.input(i))
            image.put(static_cast<char>(static_cast<unsigned char>(pixel * 255 + 0.5f)));
    }
}

int run(const std::string& directory) {
    const auto pictures =
        images<28, 28, 1>(directory, {.resize = Resize::bilinear}) >> normalize(inputs, 0, 255) >> dataset("pictures");
    const auto [training, testing] = stratified_split(shuffled(pictures, 1), 0.8, 0.2);
    std::printf("%zu pictures of %zu classes\n", pictures.size(), pictures.classes().size());

    Trainer trainer("pictures", Pictures{}, Adam{.learning_rate = 0.003},
                    minibatches(training, 20) >> augment(inputs, shift(1)));
    trainer.add(every(5, epoch).then(score(testing), report(error, accuracy)));
    trainer.run(cpu(), 10);
    return trainer.evaluate(testing).accuracy > 0.8 ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
    return run_main([&] {
        if (count > 1) return run(arguments[1]);
        const auto directory = std::filesystem::temp_directory_path() / "sigma-example-24";
        std::filesystem::remove_all(directory);
        write_digits(directory, 2000);
        const int result = run(directory.string());
        std::filesystem::remove_all(directory);
        return result;
    });
}
