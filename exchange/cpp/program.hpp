// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/exchange/cpp_source.hpp>

#include <string>
#include <vector>

namespace sigma::detail {

/// The prediction of one record as C++ text.
struct CppProgram {
    std::string tables{};      ///< the constants that it reads
    std::string statements{};  ///< of a function of the inputs, outputs, `state` and `workspace`
    long long workspace = 0;   ///< elements
    long long whole = 0;       ///< whole numbers of 16 bits beside them
    long long constant_bytes = 0;
    long long multiply_adds = 0;  ///< of products and convolutions
    long long elements = 0;       ///< computed beside them
    int quantized = 0;            ///< tables of int8
};

/// What inputs, outputs and states are called, in the order of the program's.
struct CppNames {
    std::vector<std::string> inputs{}, outputs{};
    std::size_t states = 0;  ///< how many of both, the last ones, are states
};

/// Throws ArgumentError, with layer and operation, for what cannot be written.
CppProgram cpp_program(const PortableModel& model, const CppNames& names, bool int8);

}  // namespace sigma::detail
