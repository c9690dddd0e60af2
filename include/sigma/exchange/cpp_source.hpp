// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/words.hpp>
#include <sigma/exchange/portable_model.hpp>

#include <string>

SIGMA_INCLUDED(sigma, include_sigma_exchange_cpp_source_hpp);

namespace sigma {

/// How a model is written as C++.
struct CppOptions {
    std::string name{};  ///< of the namespace; none: the name of the file without its ending
    bool int8 = false;   ///< weights of products and convolutions as bytes, with a scale for each output
};

namespace detail {

/// The text of the header.
std::string cpp_source(const PortableModel& model, const CppOptions& options);
[[gnu::cold]] void export_cpp(const PortableModel& model, const std::string& file, const CppOptions& options);

}  // namespace detail

/// Writes what the model predicts for one record as one header of C++17, which needs no other file, no library and no
/// heap: `digits::predict(in, out)`, also in constant expressions. Throws ArgumentError where the name is none of C++
/// or an operation cannot be written, and StorageError.
template <AnyNetwork N, class T>
void export_cpp(const Model<N, T>& model, const std::string& file, const CppOptions& options = {}) {
    detail::with_portable(model, [&](const detail::PortableModel& m) { detail::export_cpp(m, file, options); });
}

}  // namespace sigma
