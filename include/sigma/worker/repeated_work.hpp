// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owned.hpp>
#include <sigma/device/accelerator.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace sigma::detail {

/// The same work, asked for again and again: as it is the first time, captured the second, replayed from then on.
class RepeatedWork {
public:
    /// What `work` asks for has changed where `version` has.
    template <class Work>
    void run(Accelerator& device, std::uint64_t version, const Work& work) {
        if (version_ != version) {
            version_ = version;
            replay_ = nullptr;
            return work();
        }
        if (!replay_) replay_ = device.capture(work);
        replay_->run();
    }

private:
    std::optional<std::uint64_t> version_{};
    Owned<Replay> replay_{};
};

/// Work for each number of records, of which there are few, and each of two kinds.
class RepeatedWorks {
public:
    RepeatedWork& of(std::ptrdiff_t records, bool kind = false) {
        for (Entry& entry : all_)
            if (entry.records == records && entry.kind == kind) return entry.work;
        return all_.emplace_back(Entry{records, kind, {}}).work;
    }
    void clear() { all_.clear(); }

private:
    struct Entry {
        std::ptrdiff_t records;
        bool kind;
        RepeatedWork work;
    };
    std::vector<Entry> all_;
};

}  // namespace sigma::detail
