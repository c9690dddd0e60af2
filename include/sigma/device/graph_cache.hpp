// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/compute_device.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sigma::detail {

/// A cache of captured work that is repeated with few numbers of records: issued the first time, captured the second
/// time, and replayed from then on. The oldest entry is removed if there are more than `most`.
class GraphCache {
public:
    /// Runs the work for a number of records. A new `version` means that `work` has changed. Issues the work of a
    /// `program` whose next run is measured.
    template <class Work>
    void run(ComputeDevice& device, DeviceProgram& program, std::ptrdiff_t records, bool kept, std::uint64_t version,
             const Work& work) {
        if (program.is_measured_next()) return work();
        Entry& e = entry(records, kept);
        if (!e.done || e.version != version) {
            e.done = false;
            e.replay = nullptr;
            work();
            e.version = version;
            e.done = true;
            return;
        }
        if (!e.replay) e.replay = device.capture(work);
        e.replay->run();
    }
    void clear() { all_.clear(); }

private:
    struct Entry {
        std::ptrdiff_t records;
        bool kept;          ///< the value that `run` was called with
        bool done = false;  ///< true after the work was issued once with this version
        std::uint64_t version = 0;
        Owned<CapturedGraph> replay{};
    };
    std::vector<Entry> all_;
    static constexpr std::size_t most = 16;

    Entry& entry(std::ptrdiff_t records, bool kept) {
        for (Entry& e : all_)
            if (e.records == records && e.kept == kept) return e;
        if (all_.size() == most) all_.erase(all_.begin());
        return all_.emplace_back(Entry{records, kept});
    }
};

}  // namespace sigma::detail
