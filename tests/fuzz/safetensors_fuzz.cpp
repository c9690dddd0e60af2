// SPDX-License-Identifier: BSL-1.0
// Any bytes are either refused with a DataError or a file: then every tensor can be read, and what our writer makes of
// it reads the same and is written the same again.
#include <sigma/storage/safetensors.hpp>

#include "target.hpp"

namespace {

using fuzz::require;

std::vector<std::byte> rewritten(const sigma::SafetensorsFile& file) {
    std::vector<std::vector<std::byte>> kept;
    sigma::SafetensorsWriter writer;
    for (const auto& [key, value] : file.metadata()) writer.metadata(key, value);
    for (const sigma::TensorInfo& tensor : file.tensors()) {
        kept.push_back(file.bytes(tensor.name));
        writer.add(tensor.name, tensor.dtype, tensor.shape, kept.back());
    }
    return writer.image();
}

}  // namespace

bool fuzz_accepts(const std::uint8_t* data, std::size_t size) try {
    const auto file = sigma::SafetensorsFile::from_bytes(std::as_bytes(std::span(data, size)));
    for (const sigma::TensorInfo& tensor : file.tensors()) {
        require(file.find(tensor.name) == &tensor);
        using enum sigma::Dtype;
        if (tensor.dtype == f64 || tensor.dtype == f32 || tensor.dtype == f16 || tensor.dtype == bf16) {
            require(file.read<float>(tensor.name).size() == tensor.elements());
            require(file.read<double>(tensor.name).size() == tensor.elements());
        }
    }
    // A tensor of a type that the library does not know is found, and cannot be written.
    for (const sigma::TensorInfo& tensor : file.tensors())
        if (tensor.dtype == sigma::Dtype::other) return true;
    const std::vector<std::byte> image = rewritten(file);
    const auto again = sigma::SafetensorsFile::from_bytes(image);
    require(again.metadata() == file.metadata());
    require(again.tensors().size() == file.tensors().size());
    for (const sigma::TensorInfo& tensor : file.tensors()) {
        const sigma::TensorInfo* other = again.find(tensor.name);
        require(other != nullptr && other->dtype == tensor.dtype && other->shape == tensor.shape);
        require(again.bytes(tensor.name) == file.bytes(tensor.name));
    }
    require(rewritten(again) == image);
    return true;
} catch (const sigma::DataError& refusal) {
    fuzz::require_printable(refusal);
    return false;
}
