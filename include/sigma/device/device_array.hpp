// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Arrays in the memory of a device: DeviceArray. Include it yourself.
#include <sigma/core/any_array.hpp>
#include <sigma/core/array.hpp>
#include <sigma/device/device.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

namespace sigma {

namespace detail {

/// A block of memory of a device, which may be the host's memory.
class DeviceBytes {
public:
    /// Allocates zeroed memory. Throws DeviceMemoryError.
    DeviceBytes(Device device, std::size_t bytes);
    DeviceBytes(const DeviceBytes& other);
    DeviceBytes(DeviceBytes&&) noexcept = default;
    DeviceBytes& operator=(DeviceBytes other) noexcept;
    ~DeviceBytes() = default;

    const Device& device() const { return device_; }
    void* data() const { return memory_.data(); }
    /// Copies from host memory, which may change when the function returns.
    void upload(const void* from);
    /// Copies to host memory, after all earlier work of the device.
    void download(void* to) const;

private:
    Device device_;
    std::size_t bytes_;
    DeviceMemory memory_;
};

}  // namespace detail

/// An array in the memory of a device.
///
/// Functions (`f.on(gpu())(x)`) and predictions (`model.predict(x)`) read it there and return arrays in the same
/// memory. With `cpu()` the elements are in host memory, so that a program works with both. The extents are known at
/// run time. The elements are dense and in row-major order. Use each device from one thread at a time.
///
/// @tparam T  type of the elements: `float` or `double`
///
/// @par Example
/// @code
/// DeviceArray resident(cpu(), images);          // with gpu(): in the GPU's memory
/// Array<float> copy = resident.to_host();
/// @endcode
///
/// @see Array, gpu
template <class T>
class DeviceArray {
    static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>,
                  "DeviceArray: the elements must be float or double");

public:
    using value_type = T;                         ///< The type of an element.
    using shape_type = std::vector<std::size_t>;  ///< The type of the extents, one number for each axis.

    /// Copies an array to the memory of a device.
    /// @param device  device, such as `gpu()` or `cpu()`
    /// @param from    array to copy. Each element is converted to T.
    /// @throws DeviceMemoryError  if the device does not have enough memory
    /// @throws DeviceError        if the device cannot be used
    /// @throws MemoryError        if there is not enough host memory for a copy of the elements
    template <AnyArray E>
    DeviceArray(const Device& device, const E& from) : DeviceArray(from_shape(device, detail::counted_shape(from))) {
        bytes_.upload(detail::DenseElements<T>(from).data());
    }
    /// Returns an array of zeros in the memory of a device.
    /// @param device  device, such as `gpu()` or `cpu()`
    /// @param shape   extents
    /// @return the array
    /// @throws MemoryError        if a size_t cannot hold the number of bytes
    /// @throws DeviceMemoryError  if the device does not have enough memory
    static DeviceArray from_shape(const Device& device, shape_type shape) {
        const std::size_t bytes = detail::array_bytes(shape, sizeof(T));
        return DeviceArray(std::move(shape), detail::DeviceBytes(device, bytes));
    }
    /// Copies the elements of an array to this array.
    /// @param from  array of the same shape
    /// @throws ShapeError  if the shapes differ
    template <AnyArray E>
    DeviceArray& operator=(const E& from) {
        detail::check_assigned_shape(shape_, detail::shape_of(from));
        bytes_.upload(detail::DenseElements<T>(from).data());
        return *this;
    }
    /// Returns a copy in host memory. Waits for all earlier work of the device.
    /// @return a copy in host memory
    /// @throws MemoryError  if there is not enough host memory
    /// @throws DeviceError  if the device fails
    Array<T> to_host() const {
        auto copy = Array<T>::from_shape(shape_);
        bytes_.download(copy.data());
        return copy;
    }

    /// Returns the extents, one for each axis.
    /// @return the extents, one for each axis
    const shape_type& shape() const& { return shape_; }
    /// Moves the extents out of a temporary object.
    /// @return the extents, one for each axis
    shape_type shape() && { return std::move(shape_); }
    /// Returns the extent of one axis.
    /// @param axis  number of the axis, from 0
    /// @return the extent of one axis
    /// @throws ArgumentError  if there is no such axis
    std::size_t shape(std::size_t axis) const { return detail::array_extent(shape_, axis); }
    /// Returns the number of axes.
    /// @return the number of axes
    std::size_t dimension() const { return shape_.size(); }
    /// Returns the number of elements.
    std::size_t size() const { return detail::array_count(shape_); }
    /// Returns the device that holds the elements.
    /// @return the device that holds the elements
    const Device& device() const { return bytes_.device(); }
    /// Returns the address of the first element in the memory of the device.
    T* data() { return static_cast<T*>(bytes_.data()); }
    /// Returns the address of the first element, for reading.
    const T* data() const { return static_cast<const T*>(bytes_.data()); }
    /// Returns whether the elements are in the memory of an accelerator.
    /// @return true if the elements are in the memory of an accelerator
    bool there() const { return device().compute_device() != nullptr; }

private:
    shape_type shape_;
    detail::DeviceBytes bytes_;

    DeviceArray(shape_type shape, detail::DeviceBytes bytes) : shape_(std::move(shape)), bytes_(std::move(bytes)) {}
};
/// @cond internal
template <class D, AnyArray E>
DeviceArray(const D&, const E&) -> DeviceArray<typename E::value_type>;
/// @endcond

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/device/impl/device_array.ipp>
#endif
