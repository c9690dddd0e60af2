// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/device/arena.hpp>
#include <sigma/device/compute_group.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sigma::detail {

/// The copy of a tensor that has changed since all copies were equal. `first` is the copy of the first member of a
/// group.
enum class BufferSide : std::uint8_t { none, host, device, first };

/// A source of newer values of tensors that is not a device, and that receives the values that the host has changed.
class BufferSource {
public:
    /// Copies the values of tensors first … end - 1 to host memory.
    virtual void download(int first, int end) = 0;
    /// Receives the values of tensors first … end - 1 from host memory.
    virtual void upload(int first, int end) = 0;

protected:
    ~BufferSource() = default;
};

/// Consecutive tensors in host memory and, while an accelerator works on them, also in its memory. The buffer knows for
/// each tensor which copy is newer, so that only tensors that are read or written are copied.
template <class T>
class DualBuffer {
public:
    /// Constructs a buffer. Tensor i begins at element offsets[i]; the last offset is the total size.
    explicit DualBuffer(std::vector<std::size_t> offsets);
    ~DualBuffer();
    DualBuffer(const DualBuffer&) = delete;
    DualBuffer& operator=(const DualBuffer&) = delete;

    int count() const { return static_cast<int>(newer_.size()); }
    std::size_t size() const { return host_.size(); }
    /// Returns the number of elements before tensor i.
    std::size_t offset(int i) const { return offsets_[at(i)]; }
    std::size_t size(int i) const { return offsets_[at(i) + 1] - offsets_[at(i)]; }

    // ---- the host's side ----

    /// Returns the host memory of a tensor. Its values may be out of date.
    T* place(int i) const { return host_.data() + offsets_[at(i)]; }
    /// Returns the host memory of a tensor with the newest values.
    const T* read(int i) const {
        fetch(i);
        return place(i);
    }
    std::span<const T> read_all() const;
    /// Returns the host memory of a tensor with the newest values, for changes that must be made at once.
    T* write(int i) {
        fetch(i);
        if (active_) newer_[at(i)] = Side::host;
        return place(i);
    }
    std::span<T> write_all();

    // ---- the accelerators' side ----

    /// Returns the accelerator that works on the tensors, of a group the first member; null for the processor.
    const detail::SharedOwner<ComputeDevice>& compute_device() const {
        return active_ && source_ == nullptr ? copies_[0].device() : none_;
    }
    /// Sets the accelerator that works on the tensors. The host's values are the newest until `upload`, and always if
    /// the device works in host memory. Throws DeviceMemoryError.
    void attach(const detail::SharedOwner<ComputeDevice>& device, const std::string& what);
    /// Sets the group that works on the tensors. Each member gets a copy of all tensors. Throws DeviceMemoryError.
    void attach(const detail::SharedOwner<ComputeGroup>& group, const std::string& what);
    /// Sets a source of newer values. The processor works on the tensors.
    void attach(BufferSource& source);
    /// Returns whether an accelerator or a source is attached.
    bool is_elsewhere() const { return active_; }
    /// Gets newer values from the source, if any. Call it before the processor works on host memory.
    void refresh() const {
        if (source_ != nullptr) fetch_all();
    }
    /// Gets the newest values and lets the processor work on the tensors again. Throws DeviceError.
    void detach();
    /// Lets the processor work on the host's values again, after the accelerator has failed.
    void drop_device_copies() noexcept;
    /// Returns the number of copies: one for each accelerator that works on the tensors.
    std::size_t copies() const { return copies_.size(); }
    const detail::SharedOwner<ComputeDevice>& device_of(std::size_t copy) const { return copies_[copy].device(); }
    T* on_device(int i, std::size_t copy = 0) const { return copies_[copy].template as<T>() + offsets_[at(i)]; }
    /// Copies to the accelerators the tensors that the host has changed, and to the other members of a group those that
    /// only the first has changed.
    void upload();
    /// Records that the accelerator has changed a tensor; of a group only the first member.
    void mark_written(int i) { newer_[at(i)] = group_ ? Side::first : Side::device; }
    /// Records that all members of a group have changed a tensor in the same way.
    void mark_written_by_all(int i) {
        if (active_) newer_[at(i)] = Side::device;
    }
    /// Waits for the group. Call it before waiting for its first member, see ComputeGroup::synchronize.
    void wait_for_group() const;

private:
    using Side = BufferSide;
    std::vector<std::size_t> offsets_;
    Arena<T> host_;
    mutable std::vector<Side> newer_;
    std::vector<DeviceMemory> copies_;
    detail::SharedOwner<ComputeGroup> group_;
    BufferSource* source_ = nullptr;
    bool active_ = false;
    inline static const detail::SharedOwner<ComputeDevice> none_{};

    static std::size_t at(int i) { return static_cast<std::size_t>(i); }
    bool is_there(int i) const { return newer_[at(i)] == Side::device || newer_[at(i)] == Side::first; }
    void make_copies(std::span<const detail::SharedOwner<ComputeDevice>> devices, const std::string& what);
    void download(int first, int end) const;
    void fetch(int i) const {
        if (active_ && is_there(i)) download(i, i + 1);
    }
    /// Gets the newest values of all tensors, adjacent tensors in one copy.
    void fetch_all() const;
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/device/impl/dual_buffer.ipp>
#endif
