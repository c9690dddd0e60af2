// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Groups of processes that train together. Private, except MachineError.
#include <sigma/core/any_function.hpp>
#include <sigma/core/error.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace sigma {

/// The error of processes that train together: one has failed, is missing or differs from the others, or cannot be
/// reached.
///
/// An example of the text is "rank 2: file 'a.csv': …".
///
/// @see machines
struct MachineError : Error {
    using Error::Error;
};

namespace detail {

/// The processes that train together, on one machine or several. Each is a rank. All ranks call the same functions in
/// the same order, on one thread at a time. Waiting ends with a MachineError if another rank has failed. The group
/// cannot be used any more then.
class MachineGroup {
public:
    virtual ~MachineGroup() = default;
    MachineGroup() = default;
    MachineGroup(const MachineGroup&) = delete;
    MachineGroup& operator=(const MachineGroup&) = delete;

    virtual int rank() const = 0;
    virtual int count() const = 0;

    /// Copies the data of rank 0 to all ranks.
    virtual void broadcast(void* data, std::size_t bytes) = 0;
    /// Sends bytes from[r] … from[r + 1] - 1 of `data` to rank r, and receives its bytes for this rank in `result` at
    /// to[r]. The bytes of a rank for itself need not be copied.
    virtual void exchange(const void* data, std::span<const std::size_t> from, void* result,
                          std::span<const std::size_t> to) = 0;
    /// Gathers data: each rank has bytes places[rank] … places[rank + 1] - 1, and afterwards all of them.
    virtual void gather(void* data, std::span<const std::size_t> places) = 0;
    /// Returns the texts of all ranks on rank 0, and nothing on the others. Throws MachineError, with the missing
    /// ranks, if some have not sent theirs within `patience` seconds.
    virtual std::vector<std::string> texts(const std::string& own, double patience) = 0;
    /// Sends a text to all other ranks without waiting. `posted` returns the texts that have arrived, those of one rank
    /// in order. Any thread may call both.
    virtual void post(const std::string& text) = 0;
    virtual std::vector<std::string> posted() = 0;
    /// Reports to all other ranks that this one has failed, and why.
    virtual void fail(const std::string& what) noexcept = 0;
};

/// Requires that all ranks are alike. Throws a MachineError on all ranks if a line of the text, "name: value", differs
/// from that of rank 0, or ranks have not sent theirs within `patience` seconds.
void require_alike(MachineGroup& group, const std::string& lines, double patience);
/// Copies a list of rank 0 to all ranks: a text or a vector of any length, of trivially copyable elements.
template <class List>
    requires std::is_trivially_copyable_v<typename List::value_type>
void broadcast(MachineGroup& group, List& list) {
    std::uint64_t size = list.size();
    group.broadcast(&size, sizeof size);
    list.resize(size);
    group.broadcast(list.data(), size * sizeof(typename List::value_type));
}
/// Reports the exception that is being handled to the other ranks, unless it came from them.
void report_to_others(MachineGroup& group) noexcept;
/// Calls f(), and reports its exception to the other ranks.
void with_others(MachineGroup& group, const AnyFunction<void()>& f);

}  // namespace detail
}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/execution/impl/machine_group.ipp>
#endif
