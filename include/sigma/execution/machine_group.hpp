// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>
#include <sigma/core/error.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace sigma {

/// A process of several that train together has failed, is missing, or is not like the others; or none of them can be
/// reached. "rank 2: file 'a.csv': …"
struct MachineError : Error {
    using Error::Error;
};

namespace detail {

/// Processes that train together, on one machine or on many; each is a rank. What they do together all of them call in
/// the same order, one thread at a time. Waiting ends with a MachineError when another rank has failed; then the group
/// is of no use any more.
class MachineGroup {
public:
    virtual ~MachineGroup() = default;
    MachineGroup() = default;
    MachineGroup(const MachineGroup&) = delete;
    MachineGroup& operator=(const MachineGroup&) = delete;

    virtual int rank() const = 0;
    virtual int count() const = 0;

    /// All get what rank 0 has.
    virtual void broadcast(void* data, std::size_t bytes) = 0;
    /// Bytes from[r] … from[r + 1] - 1 of `data` go to rank r, whose bytes for this one come to `result`, those from
    /// rank r at to[r]. What a rank has for itself need not come.
    virtual void exchange(const void* data, std::span<const std::size_t> from, void* result,
                          std::span<const std::size_t> to) = 0;
    /// Each has bytes places[rank] … places[rank + 1] - 1 of `data`; afterwards each has all of them.
    virtual void gather(void* data, std::span<const std::size_t> places) = 0;
    /// Rank 0 gets the texts of all, by rank; the others get none. Throws MachineError, which names them, where some
    /// have not come after so many seconds.
    virtual std::vector<std::string> texts(const std::string& own, double patience) = 0;
    /// A text to all others, for which nobody waits; and what has come of such, those of one rank in its order. From
    /// any thread.
    virtual void post(const std::string& text) = 0;
    virtual std::vector<std::string> posted() = 0;
    /// Tells all others that this one has failed, and why.
    virtual void fail(const std::string& what) noexcept = 0;
};

/// All are to be alike: throws a MachineError, on all of them, which names the first rank of which a line of the text,
/// "name: value", is not that of rank 0; or those that have not come after so many seconds.
void require_alike(MachineGroup& group, const std::string& lines, double patience);
/// All get what rank 0 has: a text or a vector of any length, of what is copied byte by byte.
template <class List>
    requires std::is_trivially_copyable_v<typename List::value_type>
void broadcast(MachineGroup& group, List& list) {
    std::uint64_t size = list.size();
    group.broadcast(&size, sizeof size);
    list.resize(size);
    group.broadcast(list.data(), size * sizeof(typename List::value_type));
}
/// f(), of which the others are told where it throws what they do not know of.
void with_others(MachineGroup& group, const AnyFunction<void()>& f);

}  // namespace detail
}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/execution/impl/machine_group.ipp>
#endif
