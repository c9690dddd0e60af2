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

/// How the names of classes lie in a file beside the parameters of a model: metadata "classes", in the order of their
/// numbers, each ended by a line feed; a line feed in a name is "\n" and a backslash "\\".
namespace sigma::detail {

inline constexpr std::string_view classes_key = "classes";

[[gnu::cold]] void add_classes(SafetensorsWriter& file, const ClassNames& names);

/// None where the file does not say. Throws DataError.
[[gnu::cold]] ClassNames stored_classes(const SafetensorsFile& file);

}  // namespace sigma::detail

/// Parameters in files: what programs need not see of parameters_file.hpp and of checkpoints.
namespace sigma {

namespace detail {

/// What tells the network from others whose parameters have the same names and shapes.
std::string architecture(const NetworkTable& network);
/// "0-input (28, 28) + 1-dense (128) + …": layers with their output and costs with their weights.
std::string network_text(const NetworkTable& network);
/// Is what the file holds what was written? Throws DataError where it is not. False for files of other programs, which
/// may not say.
bool verified(const SafetensorsFile& file);
/// Tensors may fit a network that does something else with them.
void require_architecture(const NetworkTable& network, const SafetensorsFile& file, const std::string& where,
                          const char* otherwise);

/// What differs between tensors that are wanted and those of a file, gathered into one exception.
class Differences {
public:
    /// Whether the tensor is there with that shape and a dtype of floating point.
    bool fits(const SafetensorsFile& file, const std::string& name, const Shape& shape);
    void unknown(const std::string& name, const std::vector<std::uint64_t>& shape);
    /// The sentence ends with the tensors that there are where one is missing, and the network that the file says it
    /// is of.
    void throw_if_any(const std::string& where, const SafetensorsFile& file) const;

private:
    std::string wanted_, found_, missing_;
    int count_ = 0;
    void add(std::string& list, const std::string& what);
};

/// A tensor on its way from a file into a model: read while anything can still go wrong, stored when nothing can.
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
    /// Rows without padding are not copied: they must stay as they are until the file is written. Throws ArgumentError
    /// where numbers are not finite, which would not be read again, or too large for a type of 16 bits, or the type is
    /// no other one.
    static void add_rows(SafetensorsWriter& file, std::string name, const Shape& shape,
                         const ParameterRows<const T>& rows, Dtype as = dtype_of<T>);
    static void add_parameters(SafetensorsWriter& file, const ModelStore<T>& model,
                               const char* format = "sigma parameters 1", Dtype as = dtype_of<T>);
    /// The position of the first infinity or NaN, or how many there are.
    static std::size_t first_not_finite(std::span<const T> values);
    static void save(const ModelStore<T>& model, const std::string& file, Dtype as);
    static int load(ModelStore<T>& model, const std::string& file, std::string_view pattern, Transfer how,
                    const AnyFunction<std::string(std::string_view)>& rename);
};

}  // namespace detail

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/network/impl/tensor_file.ipp>
#endif
