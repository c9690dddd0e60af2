// SPDX-License-Identifier: BSL-1.0
#include "members.hpp"

namespace sigma::monitor {

std::function<std::vector<Watched>()> members_of(sigma::detail::Environment& environment) {
    return [&environment] {
        std::vector<Watched> members;
        Registry all = environment.registry();
        for (const std::string& name : environment.names()) try {
                const Remote remote = environment.find(name);
                const auto places = all.resolve_registries(name);
                members.push_back(
                    {.name = name, .remote = remote, .registry = places.empty() ? Registry() : all.child(name)});
            } catch (const Error&) {  // it left meanwhile
            }
        return members;
    };
}

}  // namespace sigma::monitor
