// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/device/compute_device.hpp>

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

namespace sigma::detail {

/// The batches of a device: gathered from records that are kept there, or copied from the host through two buffers,
/// while the step before is computed.
template <class T>
class DeviceRecords {
public:
    /// Constructs a batch with sections of so many elements per record, for at most `most` records.
    [[gnu::cold]] DeviceRecords(SharedOwner<ComputeDevice> device, std::vector<std::size_t> sections, std::size_t most)
        : device_(std::move(device)), sections_(std::move(sections)), most_(most) {
        for (const std::size_t width : sections_) batch_elements_ += aligned(width * most_);
        batch_ = DeviceMemory(device_, batch_elements_ * sizeof(T), sentence("a batch of ", most_, " records"));
    }
    ~DeviceRecords() {
        for (Slot& slot : slots_)
            if (slot.host) device_->release_host(slot.host);
    }
    DeviceRecords(const DeviceRecords&) = delete;
    DeviceRecords& operator=(const DeviceRecords&) = delete;

    int sections() const { return static_cast<int>(sections_.size()); }
    /// Returns the elements of a record in a section.
    std::size_t width(int s) const { return sections_[static_cast<std::size_t>(s)]; }
    /// Returns the batch's rows of a section.
    T* section(int s) const { return place(batch_, s); }

    // ---- records that are kept there ----

    /// Returns the bytes that `records` records take.
    std::size_t bytes_of(std::size_t records) const {
        std::size_t bytes = records * sizeof(std::uint32_t);
        for (const std::size_t width : sections_) bytes += aligned(width * records) * sizeof(T);
        return bytes;
    }
    /// Keeps all records of the sections on each of `all`, which have the same sections. `fill(section, first, count,
    /// rows)` writes some of them as dense rows. Returns false, and keeps none, if there is not enough memory.
    template <class Fill>
    [[gnu::cold]] static bool keep(std::span<DeviceRecords* const> all, std::size_t records, Fill fill) {
        constexpr std::size_t at_a_time = std::size_t{4} << 20;  // bytes, roughly
        const std::vector<std::size_t>& sections = all[0]->sections_;
        try {
            for (DeviceRecords* r : all)
                for (std::size_t s = 0; s < sections.size(); ++s)
                    r->kept_.emplace_back(r->device_, sections[s] * records * sizeof(T),
                                          sentence("the records of a data set, section ", s));
        } catch (const DeviceMemoryError&) {
            for (DeviceRecords* r : all) r->forget();
            return false;
        }
        for (std::size_t s = 0; s < sections.size(); ++s) {
            const std::size_t width = sections[s];
            const std::size_t rows = std::max<std::size_t>(1, at_a_time / std::max<std::size_t>(1, width * sizeof(T)));
            std::vector<T> some(std::min(rows, records) * width);
            for (std::size_t first = 0; first < records; first += rows) {
                const std::size_t count = std::min(rows, records - first);
                fill(s, first, count, some.data());
                for (DeviceRecords* r : all)
                    r->device_->upload(r->kept_[s].template as<T>() + first * width, some.data(),
                                       count * width * sizeof(T));
            }
        }
        return true;
    }
    /// Frees the kept records.
    [[gnu::cold]] void forget() {
        kept_.clear();
        order_there_ = {};
        ++version_;
    }
    bool keeps() const { return !kept_.empty(); }
    /// Returns the kept rows of a section, from a record on.
    const T* kept(int s, std::size_t record) const {
        return kept_[static_cast<std::size_t>(s)].template as<T>() + record * sections_[static_cast<std::size_t>(s)];
    }
    /// Sets the order of records in the next batches.
    [[gnu::cold]] void set_order(std::span<const std::size_t> positions) {
        order_.assign(positions.begin(), positions.end());
        const std::size_t bytes = order_.size() * sizeof(std::uint32_t);
        if (order_there_.bytes() < bytes) {
            order_there_ = {};
            order_there_ = DeviceMemory(device_, bytes, "the order of an epoch");
            ++version_;
        }
        device_->upload(order_there_.data(), order_.data(), bytes);
    }
    /// Returns a number that changes if a captured `gather` is out of date.
    std::uint64_t version() const { return version_; }
    /// Fills the batch with kept records, from the position within the order that the counters have. May be captured.
    void gather(const StepCounters* counters, std::ptrdiff_t records) const {
        std::vector<GatherRecords::Section> all;
        for (int s = 0; s < sections(); ++s)
            all.push_back({kept(s, 0), section(s), sections_[static_cast<std::size_t>(s)]});
        device_->gather({all, order_there_.as<std::uint32_t>(), counters, records, element_type<T>});
    }

    // ---- records from the host ----

    /// Fills the batch with dense rows of the host's memory, from row `first` on. The rows may change when this
    /// returns.
    void upload(std::span<const T* const> rows, std::size_t first, std::ptrdiff_t records) {
        Slot& slot = slots_[next_slot_];
        next_slot_ = 1 - next_slot_;
        if (!slot.host) {
            slot.there = DeviceMemory(device_, batch_elements_ * sizeof(T), "a batch ahead");
            slot.host = device_->allocate_host(batch_elements_ * sizeof(T));
        } else {
            device_->wait(slot.copied);
        }
        T* const host = static_cast<T*>(slot.host);
        T* const there = slot.there.template as<T>();
        std::size_t end = 0;
        for (int s = 0; s < sections(); ++s) {
            const auto at = static_cast<std::size_t>(place(slot.there, s) - there);
            const std::size_t width = sections_[static_cast<std::size_t>(s)],
                              count = width * static_cast<std::size_t>(records);
            std::memcpy(host + at, rows[static_cast<std::size_t>(s)] + first * width, count * sizeof(T));
            end = at + count;
        }
        slot.copied = device_->upload_ahead(there, host, end * sizeof(T), slot.used);
        device_->copy(batch_.data(), there, end * sizeof(T));
        slot.used = device_->mark();
    }

private:
    struct Slot {
        void* host = nullptr;
        DeviceMemory there;
        std::uint64_t copied = 0, used = 0;  ///< marks
    };

    SharedOwner<ComputeDevice> device_;
    std::vector<std::size_t> sections_;
    std::size_t most_, batch_elements_ = 0;
    DeviceMemory batch_, order_there_;
    std::vector<DeviceMemory> kept_;
    std::vector<std::uint32_t> order_;
    std::uint64_t version_ = 0;
    Slot slots_[2];
    std::size_t next_slot_ = 0;

    static std::size_t aligned(std::size_t elements) { return (elements + 63) / 64 * 64; }
    T* place(const DeviceMemory& of, int section) const {
        std::size_t at = 0;
        for (int s = 0; s < section; ++s) at += aligned(sections_[static_cast<std::size_t>(s)] * most_);
        return of.as<T>() + at;
    }
};

}  // namespace sigma::detail
