// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/array.hpp>
#include <sigma/core/error.hpp>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

/// Inputs and what is to come out, for compare.js.
template <class T>
class Cases {
public:
    void add(const std::vector<sigma::Array<T>>& inputs, const std::vector<sigma::Array<T>>& outputs) {
        text_ += text_.back() == '[' ? "\n{" : ",\n{";
        append("inputs", inputs);
        text_ += ",\n ";
        append("outputs", outputs);
        text_ += "}";
    }
    void write(const std::string& file) {
        text_ += "\n]}\n";
        std::FILE* const f = std::fopen(file.c_str(), "w");
        if (!f || std::fwrite(text_.data(), 1, text_.size(), f) != text_.size() || std::fclose(f) != 0) std::abort();
    }

private:
    std::string text_ = sigma::sentence("{\"type\": \"", sizeof(T) == 8 ? "float64" : "float32", "\", \"steps\": [");

    void append(const char* key, const std::vector<sigma::Array<T>>& arrays) {
        text_ += sigma::sentence("\"", key, "\": [");
        for (const sigma::Array<T>& a : arrays) {
            text_ += &a == arrays.data() ? "{\"extents\": [" : ", {\"extents\": [";
            for (std::size_t i = 0; i < a.shape().size(); ++i) text_ += sigma::sentence(i ? ", " : "", a.shape()[i]);
            text_ += "], \"values\": [";
            for (std::size_t i = 0; i < a.size(); ++i) text_ += sigma::sentence(i ? ", " : "", a.data()[i]);
            text_ += "]}";
        }
        text_ += "]";
    }
};
