// SPDX-License-Identifier: BSL-1.0
// Blocks of docs/onnx-import.md, compiled only.
#include <sigma/onnx.hpp>
#include <sigma/sigma.hpp>

using namespace sigma;

void predict(const Array<float>& images) {
    // [onnx-import]
    auto model = import_onnx("resnet.onnx");            // the network of the file, with its weights
    const Array<float> scores = model.predict(images);  // images of (records, 3, 224, 224), as in the file
    // [onnx-import]
    static_cast<void>(scores);
}

void train_on(const Dataset& training) {
    // [onnx-train]
    const auto net = network(onnx_layers("digits.onnx", {.last_activation = false}) + SoftmaxCE());
    Trainer trainer("digits", net, Adam{.learning_rate = 0.0001f}, minibatches(training, 64));
    trainer.run(cpu(), 3);  // continues from the weights of the file
    // [onnx-train]
    // [onnx-loss]
    auto model = import_onnx("digits.onnx", SoftmaxCE());
    // [onnx-loss]
    static_cast<void>(model);
}

void tune(const Dataset& training) {
    // [onnx-tune]
    const auto net = network(frozen(OnnxGraph("features.onnx")) + Dense(10) + SoftmaxCE());
    Trainer trainer("tuned", net, Adam{}, minibatches(training, 64));
    // [onnx-tune]
}

void say_more() {
    // [onnx-how]
    auto model =
        import_onnx("segment.onnx", {.batch = OnnxBatch::first_axis,             // the file has 1 there
                                     .sizes = {{"height", 256}, {"x", 3, 256}},  // axes without extents in the file
                                     .fixed = {{"threshold", "threshold.pb"}},   // an input that is constant
                                     .outputs = {"mask"}});                      // one of several outputs
    // [onnx-how]
    static_cast<void>(model);
}
