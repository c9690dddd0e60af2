// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace sigma::detail {

/// Tells threads that run at the same time from each other, as std::this_thread::get_id() does; never null.
inline const void* this_thread() noexcept {
    static thread_local constinit char own = 0;
    return &own;
}

}  // namespace sigma::detail
