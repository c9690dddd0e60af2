// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Models as C++ headers: export_cpp. Included by `<sigma/exchange.hpp>`.
#include <sigma/core/words.hpp>
#include <sigma/exchange/portable_model.hpp>

#include <string>

SIGMA_INCLUDED(sigma, include_sigma_exchange_cpp_source_hpp);

namespace sigma {

/// Options of `export_cpp`.
/// @see export_cpp
struct CppOptions {
    std::string name{};  ///< Namespace of the header. Default: the name of the file without its ending.
    /// Stores weights of products and convolutions as 8-bit integers with a scale for each output. Default: false.
    bool int8 = false;
};

namespace detail {

/// Returns the text of the header.
std::string cpp_source(const PortableModel& model, const CppOptions& options);
[[gnu::cold]] void export_cpp(const PortableModel& model, const std::string& file, const CppOptions& options);

}  // namespace detail

/// Writes the prediction of a model as one C++17 header, which needs no other file, no library and no heap.
///
/// The header defines `digits::predict(in, out)`, which predicts one record, also in constant expressions.
///
/// @param model    the model. A trainer may be training it.
/// @param file     path of the header, such as "digits.hpp"
/// @param options  namespace, and the type of the weights
/// @throws ArgumentError  if the namespace is not a valid C++ name, or an operation cannot be written
/// @throws StorageError   if the file cannot be written
///
/// @par Example
/// @code
/// export_cpp(model, "digits.hpp", {.int8 = true});
/// @endcode
///
/// @see docs/standalone.md, save_model
template <AnyNetwork N, class T>
void export_cpp(const Model<N, T>& model, const std::string& file, const CppOptions& options = {}) {
    detail::with_portable(model, [&](const detail::PortableModel& m) { detail::export_cpp(m, file, options); });
}

}  // namespace sigma
