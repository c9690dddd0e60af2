// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/compute_device.hpp>
#include <sigma/device/gpu/kernels/language.hpp>

#include <dlfcn.h>
#include <stdlib.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace sigma::on_gpu {

/// A new folder for temporary files, removed at the end.
class TemporaryFolder {
public:
    TemporaryFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "sigma-XXXXXX").string();
        if (!::mkdtemp(name.data()))
            throw DeviceError(sentence("device 'host': cannot create the folder '", name, "'"));
        path_ = name;
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

/// The host's C++ compiler: $SIGMA_HOST_CXX, $CXX or c++, with $SIGMA_HOST_CXXFLAGS after the necessary flags.
/// Libraries stay loaded until the process ends; equal texts are compiled once.
class HostCompiler {
public:
    /// Compiles a text. Returns a handle for dlsym, and whether the compiler ran. Throws KernelError with its first
    /// error.
    static std::pair<void*, bool> compile(const std::string& text) {
        static std::mutex one;
        static std::map<std::string, void*> compiled;
        const std::lock_guard<std::mutex> guard(one);
        const std::string command = compiler();
        std::string key = sentence(command, '\n', text);
        if (const auto found = compiled.find(key); found != compiled.end()) return {found->second, false};
        void* const library = load(command, text);
        compiled.emplace(std::move(key), library);
        return {library, true};
    }

private:
    static std::string variable(const char* name) {
        const char* const value = std::getenv(name);
        return value ? value : "";
    }
    static std::string compiler() {
        std::string text = variable("SIGMA_HOST_CXX");
        if (text.empty()) text = variable("CXX");
        if (text.empty()) text = "c++";
        // Products and sums are rounded separately, as in the text, because contraction differs between compilers.
        text += " -std=c++17 -O1 -fPIC -shared -DSIGMA_HOST -fno-strict-aliasing -ffp-contract=off -w ";
        return text + variable("SIGMA_HOST_CXXFLAGS");
    }
    static std::string quoted(const std::filesystem::path& path) {
        std::string text = "'";
        for (const char c : path.string()) c == '\'' ? text += "'\\''" : text += c;
        return text + "'";
    }
    static KernelError refused(const std::string& found) {
        return {"host", "compile", sentence("the kernels do not compile: ", found)};
    }
    static void* load(const std::string& command, const std::string& text) {
        const TemporaryFolder folder;
        const std::filesystem::path from = folder.path() / "kernels.cpp", to = folder.path() / "kernels.so";
        std::ofstream(from) << language << "#line 1 \"kernels\"\n" << text;
        const std::string said = run(sentence(command, ' ', quoted(from), " -o ", quoted(to), " 2>&1"));
        if (!std::filesystem::exists(to)) throw refused(first_error(said));
        void* const library = ::dlopen(to.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (!library) throw refused(::dlerror());
        return library;
    }
    static std::string run(const std::string& command) {
        std::FILE* const pipe = ::popen(command.c_str(), "r");
        if (!pipe) return "no process for the compiler";
        std::string said;
        char part[4096];
        for (std::size_t got = 0; (got = std::fread(part, 1, sizeof part, pipe)) > 0;) said.append(part, got);
        ::pclose(pipe);
        return said;
    }
    static std::string first_error(const std::string& said) {
        std::size_t at = said.find("error:");
        if (at == std::string::npos) at = 0;
        const std::size_t line = said.rfind('\n', at);
        const std::size_t first = line == std::string::npos ? 0 : line + 1;
        const std::string text = said.substr(first, said.find('\n', at) - first);
        return text.empty() ? "a compiler that says nothing" : text;
    }
};

}  // namespace sigma::on_gpu
