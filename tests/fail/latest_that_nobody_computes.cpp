// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_nobody_computes<.*value_named<.*(accuracy"|'a', 'c', 'c').*hook_number<1>
#include <sigma/hook/over_time.hpp>
#include <sigma/hook/order.hpp>
using namespace sigma;

struct Score : Action<Score> {
    using Writes = Types<Computed<"accuracy">>;
    static void run(auto&) {}
    static std::string text() { return "score"; }
};
template <class... H>
auto add(H...) -> std::enable_if_t<detail::Hooks<H...>::good>;
template <class... H>
auto add(H...) -> decltype(detail::called(detail::Hooks<H...>::mistake_type()))
    requires(!detail::Hooks<H...>::good);

void hooks() {
#ifdef TWIN
    add(every(1, iteration).when(latest(accuracy).reaches(0.9)).then(stop), every(1, epoch).then(Score{}));
#else
    add(every(1, iteration).when(latest(accuracy).reaches(0.9)).then(stop));
#endif
}
