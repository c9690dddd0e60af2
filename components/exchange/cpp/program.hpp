// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/exchange/cpp_source.hpp>

#include <string>
#include <vector>

namespace sigma::detail {

/// The prediction of one record as C++ text.
struct CppProgram {
    std::string tables{};      ///< The constants that it reads.
    std::string statements{};  ///< The body of a function of the inputs, outputs, `state` and `workspace`.
    long long workspace = 0;   ///< Elements of the workspace.
    long long whole = 0;       ///< Additional 16-bit integers.
    long long constant_bytes = 0;
    long long multiply_adds = 0;  ///< Multiply-adds of products and convolutions.
    long long elements = 0;       ///< Elements that other operations compute.
    int quantized = 0;            ///< Number of int8 tables.
};

/// The names of inputs, outputs and states, in the order of the program.
struct CppNames {
    std::vector<std::string> inputs{}, outputs{};
    std::size_t states = 0;  ///< Number of the last inputs and outputs that are states.
};

/// Writes a prediction as C++. Throws ArgumentError with the layer and the operation that cannot be written.
CppProgram cpp_program(const PortableModel& model, const CppNames& names, bool int8);

}  // namespace sigma::detail
