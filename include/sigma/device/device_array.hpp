// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_array.hpp>
#include <sigma/core/array.hpp>
#include <sigma/device/device.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

namespace sigma {

namespace detail {

/// Memory of a device, which may be the processor's.
class DeviceBytes {
public:
    /// Zeroed. Throws DeviceMemoryError.
    DeviceBytes(Device device, std::size_t bytes);
    DeviceBytes(const DeviceBytes& other);
    DeviceBytes(DeviceBytes&&) noexcept = default;
    DeviceBytes& operator=(DeviceBytes other) noexcept;
    ~DeviceBytes() = default;

    const Device& device() const { return device_; }
    void* data() const { return memory_.data(); }
    /// `from` may change when this returns.
    void upload(const void* from);
    /// Waits for all work before.
    void download(void* to) const;

private:
    Device device_;
    std::size_t bytes_;
    DeviceMemory memory_;
};

}  // namespace detail

/// An array that stays in the memory of a device: `DeviceArray x(gpu(), array);`. Functions (`f.on(gpu())(x)`) and
/// predictions (`model.predict(x)`) read it there, and what they return is there, too. On `cpu()` it is in the host's
/// memory, so that programs are the same. Extents known at run time, dense, row-major. Throws DeviceError, as all of a
/// device does, which is for one thread at a time.
template <class T>
class DeviceArray {
    static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>, "a DeviceArray is of float or double");

public:
    using value_type = T;
    using shape_type = std::vector<std::size_t>;

    /// A copy of any array.
    template <AnyArray E>
    DeviceArray(const Device& device, const E& from) : DeviceArray(from_shape(device, detail::counted_shape(from))) {
        bytes_.upload(detail::DenseElements<T>(from).data());
    }
    /// Of zeros.
    static DeviceArray from_shape(const Device& device, shape_type shape) {
        const std::size_t bytes = detail::array_bytes(shape, sizeof(T));
        return DeviceArray(std::move(shape), detail::DeviceBytes(device, bytes));
    }
    /// Elements of an array of the same shape take the place of these. Throws ShapeError where it has another.
    template <AnyArray E>
    DeviceArray& operator=(const E& from) {
        detail::check_assigned_shape(shape_, detail::shape_of(from));
        bytes_.upload(detail::DenseElements<T>(from).data());
        return *this;
    }
    /// A copy in the host's memory, when all work before is done.
    Array<T> to_host() const {
        auto copy = Array<T>::from_shape(shape_);
        bytes_.download(copy.data());
        return copy;
    }

    const shape_type& shape() const& { return shape_; }
    shape_type shape() && { return std::move(shape_); }
    /// Throws ArgumentError where there is no such axis.
    std::size_t shape(std::size_t axis) const { return detail::array_extent(shape_, axis); }
    std::size_t dimension() const { return shape_.size(); }
    std::size_t size() const { return detail::array_count(shape_); }
    const Device& device() const { return bytes_.device(); }
    /// An address of the device.
    T* data() { return static_cast<T*>(bytes_.data()); }
    const T* data() const { return static_cast<const T*>(bytes_.data()); }
    /// Is it in the memory of another device than the processor?
    bool there() const { return device().compute_device() != nullptr; }

private:
    shape_type shape_;
    detail::DeviceBytes bytes_;

    DeviceArray(shape_type shape, detail::DeviceBytes bytes) : shape_(std::move(shape)), bytes_(std::move(bytes)) {}
};
template <class D, AnyArray E>
DeviceArray(const D&, const E&) -> DeviceArray<typename E::value_type>;

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/device/impl/device_array.ipp>
#endif
