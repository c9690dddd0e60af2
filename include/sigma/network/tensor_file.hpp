// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>
#include <sigma/data/classes.hpp>
#include <sigma/network/model_store.hpp>
#include <sigma/network/parameter_rows.hpp>
#include <sigma/network/transfer.hpp>
#include <sigma/storage/safetensors.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// The names of classes in a file of parameters: metadata "classes", in the order of their numbers, each ended by a line
// feed. A line feed in a name is "\n" and a backslash "\\".
namespace sigma::detail {

inline constexpr std::string_view classes_key = "classes";

[[gnu::cold]] void add_classes(SafetensorsWriter& file, const ClassNames& names);

/// Returns the names of the classes in a file, or an empty list. Throws DataError if they are damaged.
[[gnu::cold]] ClassNames stored_classes(const SafetensorsFile& file);

}  // namespace sigma::detail

// Parameters in files: the internal part of parameters_file.hpp and of checkpoints.
namespace sigma {

namespace detail {

/// Returns the fingerprint of a network as text. It distinguishes networks with the same names and shapes of
/// parameters.
std::string architecture(const NetworkTable& network);
/// Returns the layers with their outputs and the costs with their weights: "0-input (28, 28) + 1-dense (128) + …".
std::string network_text(const NetworkTable& network);
/// Verifies the checksum of a file. Returns false for files of other programs without a checksum. Throws DataError if
/// the file is damaged.
bool verified(const SafetensorsFile& file);
/// Throws MismatchError if the file belongs to a network that computes something else with the same tensors.
void require_architecture(const NetworkTable& network, const SafetensorsFile& file, const std::string& where,
                          const char* otherwise);

/// The differences between expected tensors and those of a file, collected for one exception.
class Differences {
public:
    /// Returns whether the file has the tensor with this shape and a floating-point dtype. Records a difference if not.
    bool fits(const SafetensorsFile& file, const std::string& name, const Shape& shape);
    void unknown(const std::string& name, const std::vector<std::uint64_t>& shape);
    /// Throws MismatchError if there are differences. If a tensor is missing, the message lists the existing ones. It
    /// ends with the network of the file.
    void throw_if_any(const std::string& where, const SafetensorsFile& file) const;

private:
    std::string wanted_, found_, missing_;
    int count_ = 0;
    void add(std::string& list, const std::string& what);
};

/// A tensor that is read from a file first, and stored in a model after all checks have passed.
template <class T>
struct TensorReader {
    std::string name;
    ParameterRows<T> rows;
    std::vector<T> values{};

    void read(const SafetensorsFile& file);
    void store() const;
};

/// Tensors of T in safetensors files.
template <class T>
struct TensorFile {
    /// Adds a tensor to a file. Rows without padding are not copied: they must not change until the file is written.
    /// Throws ArgumentError if a number is not finite, or too large for a 16-bit type, or the type is none of the
    /// model's type and the 16-bit types.
    static void add_rows(SafetensorsWriter& file, std::string name, const Shape& shape,
                         const ParameterRows<const T>& rows, Dtype as = dtype_of<T>);
    static void add_parameters(SafetensorsWriter& file, const ModelStore<T>& model,
                               const char* format = "sigma parameters 1", Dtype as = dtype_of<T>,
                               const ParameterChoice& choice = "*");
    /// Returns the position of the first infinity or NaN, or the number of values if all are finite.
    static std::size_t first_not_finite(std::span<const T> values);
    static void save(const ModelStore<T>& model, const std::string& file, const ParameterChoice& choice, Dtype as);
    static int load(ModelStore<T>& model, const std::string& file, const ParameterChoice& choice, Transfer how,
                    const AnyFunction<std::string(std::string_view)>& rename);
};

}  // namespace detail

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/network/impl/tensor_file.ipp>
#endif
