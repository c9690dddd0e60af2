// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/tape/interpreter.hpp>

/// The interpreter of the debug device in double precision, which everything clever is compared with.
namespace sigma::test {

using Values = std::vector<double>;
using Bindings = debugging::Bindings<double>;
using Interpretation = debugging::Interpretation<double>;
using Interpreter = debugging::Interpreter<double>;
using debugging::combined_value;
using debugging::Extents;
using debugging::Index;
using debugging::scalar_value;

inline Interpretation interpret(const sigma::detail::Program& program, const Bindings& bindings, long long records) {
    return debugging::interpret(program, bindings, records);
}
inline double neutral_value(sigma::detail::Operation reduction) { return debugging::neutral_value<double>(reduction); }

}  // namespace sigma::test
