// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/source/source.hpp>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace sources_test {

/// An empty directory that goes with it.
class Directory {
public:
    Directory() {
        std::string name = (std::filesystem::temp_directory_path() / "sigma-source-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory");
        path_ = name;
    }
    Directory(const Directory&) = delete;
    Directory& operator=(const Directory&) = delete;
    ~Directory() { std::filesystem::remove_all(path_); }

    const std::string& path() const { return path_; }
    std::string operator/(const std::string& name) const { return path_ + '/' + name; }
    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(*this / name, std::ios::binary) << text;
        return *this / name;
    }
    /// All files in it, at any depth, as paths from here.
    std::vector<std::string> files() const {
        std::vector<std::string> names;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(path_))
            if (!entry.is_directory()) names.push_back(std::filesystem::relative(entry.path(), path_).string());
        return names;
    }

private:
    std::string path_;
};

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
        if (value != nullptr)
            ::setenv(name_.c_str(), value, 1);
        else
            ::unsetenv(name_.c_str());
    }

    std::string name_, before_;
    bool was_ = false;
};

inline std::string text_of(const sigma::data::Source& source) {
    return sigma::data::read_text(source);
}

/// What the exception of type E says that `call` throws.
template <class E, class Call>
std::string said(Call&& call) {
    try {
        call();
    } catch (const E& failure) {
        return failure.what();
    }
    throw std::runtime_error("nothing was thrown");
}

}  // namespace sources_test
