// SPDX-License-Identifier: BSL-1.0
#pragma once
// The mistake of other_place.cpp is here, not in the user's file.
inline int elsewhere() {
    return not_declared;
}
