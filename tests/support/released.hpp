// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace sigma::test {

/// The files in tests/files/VERSION, which one version of the library wrote.
class ReleasedFiles {
public:
    explicit ReleasedFiles(std::string version) : version_(std::move(version)) {
        std::filesystem::create_directories(folder() / version_);
    }
    const std::string& version() const { return version_; }
    /// Returns the path of the file of this name.
    std::string operator/(const std::string& name) const { return (folder() / version_ / name).string(); }

    /// Returns whether the files of this version are to be written.
    static bool wanted() { return std::getenv("WRITE_RELEASED_FILES") != nullptr; }
    /// Returns the files of all versions.
    static std::vector<ReleasedFiles> all() {
        std::vector<ReleasedFiles> found;
        for (const auto& entry : std::filesystem::directory_iterator(folder()))
            if (entry.is_directory()) found.emplace_back(entry.path().filename().string());
        return found;
    }

private:
    static std::filesystem::path folder() {
        return std::filesystem::path(SIGMA_TEST_DATA_DIR).parent_path() / "tests/files";
    }
    std::string version_;
};

/// What the version that wrote the files computed with them: numbers by name.
struct ReleasedNumbers : std::map<std::string, std::vector<double>> {
    void save(const std::string& path) const {
        std::ofstream to(path);
        to << std::setprecision(std::numeric_limits<double>::max_digits10);
        for (const auto& [name, values] : *this) {
            to << name;
            for (const double x : values) to << ' ' << x;
            to << '\n';
        }
    }
    static ReleasedNumbers load(const std::string& path) {
        ReleasedNumbers found;
        std::ifstream from(path);
        for (std::string line; std::getline(from, line);) {
            std::istringstream words(line);
            std::string name;
            words >> name;
            for (double x = 0; words >> x;) found[name].push_back(x);
        }
        return found;
    }
};

}  // namespace sigma::test
