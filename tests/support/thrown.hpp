// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/error.hpp>

#include <catch2/catch.hpp>

#include <string>

/// The E that the call throws; the test fails where it throws none or another.
template <class E, class Call>
E thrown(Call&& call) {
    try {
        call();
    } catch (const E& error) { return error; }
    FAIL("nothing was thrown");
    throw 0;
}

template <class Call>
sigma::DataError data_error(Call&& call) {
    return thrown<sigma::DataError>(call);
}

/// What the E says that the call throws, or "no error".
template <class E = sigma::Error, class Call>
std::string error_text(Call&& call) {
    try {
        call();
    } catch (const E& error) { return error.what(); }
    return "no error";
}
