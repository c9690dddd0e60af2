// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/compute_device.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sigma::detail {

/// The same work, asked for again and again with few numbers of records: as it is the first time, captured the second,
/// replayed from then on. The oldest is forgotten where there are many.
class GraphCache {
public:
    /// What `work` asks for has changed where `version` has.
    template <class Work>
    void run(ComputeDevice& device, std::ptrdiff_t records, bool kept, std::uint64_t version, const Work& work) {
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
        bool kept;          ///< are the records?
        bool done = false;  ///< with this version, once
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
