// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>

#include <cstddef>
#include <string>

namespace sigma::on_gpu {

/// A struct of constants as a text. Kernels over images get their extents so, which makes divisions by them cheap.
class ConstantsText {
public:
    ConstantsText& operator()(const char* name, long long value) {
        text_ += sentence("    static constexpr int ", name, " = ", value, ";\n");
        return *this;
    }
    /// Adds a constant that may be larger than an int.
    ConstantsText& wide(const char* name, long long value) {
        text_ += sentence("    static constexpr long long ", name, " = ", value, "LL;\n");
        return *this;
    }
    std::string named(const char* name) const {
        std::string text = "struct ";
        text += name;
        text += " {\n";
        text += text_;
        return text += "};\n";
    }

private:
    std::string text_;
};

/// Returns the number of elements in 16 bytes.
inline int pack_of(std::size_t bytes) { return static_cast<int>(16 / bytes); }

}  // namespace sigma::on_gpu
