// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/source/source.hpp>
#include <support/scratch.hpp>
#include <support/thrown.hpp>

#include <cstddef>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

namespace sources_test {

/// Sets a variable of the environment, or removes it, and puts back what was there.
class Environment {
public:
    Environment(std::string name, const char* value) : name_(std::move(name)) {
        if (const char* before = std::getenv(name_.c_str())) before_ = before, was_ = true;
        set(value);
    }
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;
    ~Environment() { set(was_ ? before_.c_str() : nullptr); }

private:
    void set(const char* value) const {
        if (value != nullptr) ::setenv(name_.c_str(), value, 1);
        else ::unsetenv(name_.c_str());
    }

    std::string name_, before_;
    bool was_ = false;
};

inline std::string text_of(const sigma::data::Source& source) { return sigma::data::read_text(source); }

}  // namespace sources_test
