// SPDX-License-Identifier: BSL-1.0
#include "web/people.hpp"

#include <sigma/core/number_text.hpp>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

namespace sigma::monitor {

namespace {

/// Returns whether a user id belongs to a person: smaller ones are services, larger ones containers and nobody.
bool is_person(std::uint64_t id) { return id >= 1000 && id < 60'000; }

std::vector<std::string_view> fields_of(std::string_view line) {
    std::vector<std::string_view> fields;
    while (true) {
        const std::size_t colon = line.find(':');
        fields.push_back(line.substr(0, colon));
        if (colon == line.npos) return fields;
        line.remove_prefix(colon + 1);
    }
}

}  // namespace

std::size_t people_of(const std::string& accounts, const std::string& sessions, unsigned long own) {
    std::set<unsigned long> people;
    const auto meet = [&](std::string_view id) {
        std::uint64_t number = 0;
        if (sigma::detail::read_number(id, number) && is_person(number)) people.insert(number);
    };
    if (is_person(own)) people.insert(own);
    // People with a login. Reads the file, since a lookup in a network may take long.
    std::ifstream lines(accounts);
    for (std::string line; std::getline(lines, line);) {
        const auto fields = fields_of(line);
        if (fields.size() == 7 && !fields[6].ends_with("nologin") && !fields[6].ends_with("false")) meet(fields[2]);
    }
    // People with a session, including accounts from a network.
    std::error_code failed;
    for (const auto& session : std::filesystem::directory_iterator(sessions, failed))
        meet(session.path().filename().string());
    return people.size();
}

bool machine_is_shared() {
    if (const char* shared = std::getenv("SIGMA_SHARED_MACHINE"); shared != nullptr && *shared != '\0')
        return std::string_view(shared) != "0";
    return people_of("/etc/passwd", "/run/user", ::getuid()) > 1;
}

}  // namespace sigma::monitor
