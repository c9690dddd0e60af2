// SPDX-License-Identifier: BSL-1.0
// Random programs on an accelerator, against the interpreter of plans, which computes as the processor does.
#include "devices.hpp"
#include "support/plan_interpreter.hpp"
#include "support/random_program.hpp"

#include <catch2/catch.hpp>

using namespace sigma;
using namespace sigma::test;

namespace {

bool all_small(const std::vector<Values>& list) {
    for (const Values& v : list)
        for (double x : v)
            if (!(std::abs(x) < 1e6)) return false;
    return true;
}
/// Returns the error of one program, or nothing. Programs with values that are not finite are skipped.
std::string examine(unsigned seed, int& compared) {
    const RandomProgram random(seed);
    const int lanes = seed % 2 ? 4 : 8;
    const sigma::detail::Plan plan = sigma::detail::make_plan(random.program(), lanes);
    for (const auto& device : all_devices()) {
        Machine<double> machine(device, view_of<double>(plan));
        for (long long records : {5, 1, 8}) {
            Bindings values = random.bindings(records, seed + 1);
            values.uniform = uniform_of(9, 2);
            PlanInterpreter wanted(plan, lanes, records, records);
            wanted.bind(values);
            wanted.run(PlanInterpreter::Order::plain);
            if (!all_small(wanted.outputs()) || !all_small(wanted.parameters()) || !all_small(wanted.states()))
                continue;
            machine.set_random(9, 2);
            machine.bind(values, records);
            machine.run();
            ++compared;
            for (std::string text : {difference("output", machine.outputs(), wanted.outputs(), 1e-9),
                                     difference("parameter", machine.parameters(), wanted.parameters(), 1e-9),
                                     difference("state", machine.states(), wanted.states(), 1e-9)})
                if (!text.empty())
                    return sentence(device->name(), ", ", records, " records, ", device->threads(256),
                                    " threads: ", text);
        }
    }
    return "";
}

}  // namespace

TEST_CASE("random programs on an accelerator", "[gpu]") {
    int compared = 0;
    for (unsigned seed = 1; seed <= 8; ++seed) {
        INFO("seed " << seed);
        CHECK(examine(seed, compared) == "");
    }
    CHECK(compared > 15 * static_cast<int>(all_devices().size()));
}
