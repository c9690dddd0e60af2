// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Arguments of functions on arrays: shaped, wrt. Included by `<sigma/xtensor.hpp>`.
#include <sigma/core/any_array.hpp>
#include <sigma/core/error.hpp>
#include <sigma/core/memory.hpp>
#include <sigma/core/xtensor.hpp>
#include <sigma/device/device_array.hpp>
#include <sigma/tape/movement.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

// Maps C++ array types to shapes, and gives access to their elements.
namespace sigma {

namespace detail {

/// An array with its extents at run time, declared at compile time.
template <Shape S, class E>
struct Shaped {
    const E& array;
};

}  // namespace detail

/// Declares the extents of an xt::xtensor or xt::xarray, which its type does not contain. A call checks them.
/// @tparam extents  extents of the array; `batch` stands for any number of records
/// @tparam E  type of the array
/// @param array  the array
/// @return an argument for a function on arrays
/// @par Example
/// @code
/// const xt::xtensor<float, 2> x = xt::zeros<float>({100, 784}), w = xt::zeros<float>({784, 10});
/// const auto f = evaluate([](auto a, auto b) { return dot(a, b); });
/// const auto y = f(shaped<batch, 784>(x), shaped<784, 10>(w));
/// @endcode
///
/// @see evaluate, gradient
template <int... extents, class E>
constexpr detail::Shaped<Shape{extents...}, E> shaped(const E& array) {
    return {array};
}

namespace detail {

/// An array whose first axis has one element for each record, and whose other extents are known when it is passed.
template <class E>
struct Batched {
    const E& array;
};

}  // namespace detail

/// Declares that the first axis of an array contains the records, if no extent is known when the program is compiled.
///
/// Functions with `scan` need an axis of records. `shaped<batch, …>` declares all extents instead.
/// @tparam E  type of the array
/// @param array  the array, of at least one axis. All batched arguments of a call have as many records.
/// @return an argument for a function on arrays, which is then recorded when it is called
/// @par Example
/// @code
/// const xt::xtensor<double, 3> x = xt::ones<double>({2, 50, 3});  // records, time, values
/// const auto averages = evaluate([](auto v) {
///     return scan(v, filled(v, 0, {batch, 3}), [](auto now, auto before) { return 0.9 * before + 0.1 * now; });
/// });
/// const auto y = averages(batched(x));
/// @endcode
///
/// @see shaped, scan
template <class E>
constexpr detail::Batched<E> batched(const E& array) {
    return {array};
}

namespace detail {

/// Numbers of the arguments that a gradient is taken of, see `wrt`.
template <int... numbers>
struct Wrt {};

}  // namespace detail

/// The arguments that a gradient is taken of, by their numbers from 0. Without `wrt`, it is taken of all.
/// @tparam numbers  numbers of arguments
/// @par Example
/// @code
/// const auto slopes = gradient([](auto x, auto y, auto w) { return sum(square(x * w - y)); }, wrt<0, 2>);
/// const auto [dx, dw] = slopes(1.0, 2.0, 0.5);
/// @endcode
///
/// @see gradient, value_and_gradient, check_gradients, jacobian
template <int... numbers>
inline constexpr detail::Wrt<numbers...> wrt{};

namespace detail {

template <class S>
struct StaticShape {
    static constexpr bool known = false;
    static constexpr Shape shape{};
};
template <std::size_t... N>
struct StaticShape<xt::fixed_shape<N...>> {
    static constexpr bool known = true;
    static constexpr Shape shape{[] {
        Shape s;
        ((s.extent[s.rank++] = static_cast<int>(N)), ...);
        return s;
    }()};
};
template <class V, std::size_t n>
struct StaticShape<std::array<V, n>> {
    static constexpr bool known = n <= 1;  // a vector of any length has the batch as its extent
    static constexpr Shape shape{[] {
        Shape s;
        s.rank = static_cast<int>(n);
        s.extent[0] = n ? batch : 0;
        return s;
    }()};
};

/// The type in which elements are computed.
template <class E>
using FloatOrDouble = std::conditional_t<std::is_same_v<E, float>, float, double>;

/// The shape and element type of an argument, and a pointer to dense row-major elements of type T: those of the array,
/// or a copy if the array is laid out otherwise.
template <class E>
struct Argument_ {
    static constexpr bool known = StaticShape<typename E::shape_type>::known;
    static constexpr Shape shape = StaticShape<typename E::shape_type>::shape;
    using value_type = FloatOrDouble<typename E::value_type>;
    static const E& array(const E& e) { return e; }
};
template <class E>
    requires std::is_arithmetic_v<E>
struct Argument_<E> {
    static constexpr bool known = true;
    static constexpr Shape shape{};
    using value_type = FloatOrDouble<E>;
};
template <Shape S, class E>
struct Argument_<Shaped<S, E>> {
    static constexpr bool known = true;
    static constexpr Shape shape = S;
    using value_type = FloatOrDouble<typename E::value_type>;
    static const E& array(const Shaped<S, E>& e) { return e.array; }
};

template <class E>
struct Argument_<Batched<E>> {
    static constexpr bool known = false, batched = true;
    static constexpr Shape shape{};
    using value_type = FloatOrDouble<typename E::value_type>;
    static const E& array(const Batched<E>& e) { return e.array; }
};

/// Dense elements of type T of an argument. A number is one element.
template <class A, class T>
class Elements : public DenseElements<T> {
public:
    explicit Elements(const A& argument) : DenseElements<T>(Argument_<A>::array(argument)) {}
};
template <class A, class T>
    requires std::is_arithmetic_v<A>
class Elements<A, T> {
public:
    explicit Elements(A argument) : scalar_(static_cast<T>(argument)) {}
    Elements(const Elements&) = delete;
    Elements& operator=(const Elements&) = delete;
    const T* data() const { return &scalar_; }

private:
    T scalar_;
};

template <class>
inline constexpr bool is_device_array = false;
template <class T>
inline constexpr bool is_device_array<DeviceArray<T>> = true;
/// True for arguments in the memory of a device.
template <class>
inline constexpr bool is_on_device = false;
template <Shape S, class T>
inline constexpr bool is_on_device<Shaped<S, DeviceArray<T>>> = true;
template <class T>
inline constexpr bool is_on_device<Batched<DeviceArray<T>>> = true;
template <class T>
inline constexpr bool is_on_device<DeviceArray<T>> = true;

template <class A, class T>
    requires is_on_device<A>
class Elements<A, T> {
    using E = typename Argument_<A>::value_type;

public:
    explicit Elements(const A& argument) : array_(Argument_<A>::array(argument)) {
        static_assert(std::is_same_v<E, T>,
                      "arrays in the memory of a device: all arguments have elements of one type");
    }
    const T* data() const { return array_.data(); }
    const Device& device() const { return array_.device(); }

private:
    const DeviceArray<E>& array_;
};

/// Returns the extents of an array. Throws ShapeError if it has no elements or too many axes.
template <class Extents>
Shape shape_of_array(int number, const Extents& extents) {
    Shape s;
    bool fits = extents.size() <= static_cast<std::size_t>(max_rank);
    for (std::size_t i = 0; i < extents.size() && fits; ++i) {
        fits = extents[i] > 0 && extents[i] <= 2147483647;
        s.extent[s.rank++] = static_cast<int>(extents[i]);
    }
    if (!fits)
        throw ShapeError(sentence("argument ", number), sentence("at most ", max_rank, " axes of 1 element or more"),
                         "shape " + shape_text(extents));
    return s;
}
/// Returns the extents of an array with records, of which it notes or compares the number. Throws ShapeError.
template <class Extents>
Shape shape_of_batched(int number, const Extents& extents, std::ptrdiff_t& records) {
    Shape s = shape_of_array(number, extents);
    if (s.rank == 0 || (records != 0 && s[0] != records))
        throw ShapeError(sentence("argument ", number),
                         s.rank == 0 ? std::string("an axis of records") : sentence(records, " records"),
                         "shape " + shape_text(extents));
    records = s[0];
    return s.with(0, batch);
}
/// Checks an array against the shape of its type, and notes or compares the batch.
template <class A>
void check_argument(int number, const A& argument, std::ptrdiff_t& records) {
    if constexpr (!std::is_arithmetic_v<A>) {
        constexpr Shape s = Argument_<A>::shape;
        const auto& array = Argument_<A>::array(argument);
        bool fits = static_cast<int>(array.dimension()) == s.rank;
        for (int i = 0; i < s.rank && fits; ++i) {
            const auto extent = static_cast<std::ptrdiff_t>(array.shape()[static_cast<std::size_t>(i)]);
            if (s[i] > 0) fits = extent == s[i];
            else if (records == 0 && extent % -s[i] == 0) records = extent / -s[i];
            else fits = extent == -s[i] * records;
            if (extent == 0) fits = false;
        }
        if (fits) return;
        std::string wanted;
        for (int i = 0; i < s.rank; ++i) {
            if (i > 0) wanted += ", ";
            if (s[i] > 0 || records > 0) wanted += sentence(s[i] > 0 ? s[i] : -s[i] * records);
            else wanted += s[i] == batch ? "batch" : sentence(-s[i], "*batch");
        }
        throw ShapeError(sentence("argument ", number), "shape (" + wanted + ")", "shape " + shape_text(array.shape()));
    }
}

/// The array type of a result of shape S, or a number if S is a scalar.
template <class T, Shape S>
using Result = std::conditional_t<S.rank == 0, T, xt::xtensor<T, static_cast<std::size_t>(S.rank)>>;

template <Shape S>
auto extents_of(std::ptrdiff_t records) {
    std::array<std::size_t, static_cast<std::size_t>(S.rank)> extents{};
    for (int i = 0; i < S.rank; ++i)
        extents[static_cast<std::size_t>(i)] = static_cast<std::size_t>(S[i] < 0 ? -S[i] * records : S[i]);
    return extents;
}
inline std::ptrdiff_t elements_of(const Shape& s, std::ptrdiff_t records) {
    std::ptrdiff_t n = 1;
    for (int i = 0; i < s.rank; ++i) n *= s[i] < 0 ? -s[i] * records : s[i];
    return n;
}
template <class T, Shape S>
Result<T, S> make_result(std::ptrdiff_t records) {
    if constexpr (S.rank == 0) {
        return T(0);
    } else {
        Result<T, S> result(extents_of<S>(records));
        prefer_huge_pages(result.data(), result.size() * sizeof(T));
        return result;
    }
}
/// Makes an array for a result in the memory of a device; a number is on the host.
template <class T, Shape S>
auto make_result_there(const Device& device, std::ptrdiff_t records) {
    if constexpr (S.rank == 0) {
        return T(0);
    } else {
        const auto extents = extents_of<S>(records);
        return DeviceArray<T>::from_shape(device, {extents.begin(), extents.end()});
    }
}
/// Returns whether an array of this type can have so many axes.
template <class D>
constexpr bool may_have(const D&, std::size_t axes) {
    if constexpr (requires { std::tuple_size<typename D::shape_type>::value; })
        return std::tuple_size_v<typename D::shape_type> == axes;
    else return true;
}
template <class R>
auto* result_data(R& r) {
    if constexpr (std::is_arithmetic_v<R>) return &r;
    else return r.data();
}

/// Returns the memory of an existing array for a result. Resizes the array if its extents differ.
template <class T, class D, class Extents>
T* place_of(D& result, const Extents& extents) {
    if constexpr (is_device_array<D>) {
        static_assert(std::is_same_v<typename D::value_type, T>,
                      "into(...): an array of a result has elements of the arguments' type");
        typename D::shape_type wanted(extents.begin(), extents.end());
        if (result.shape() != wanted) result = D::from_shape(result.device(), std::move(wanted));
        return result.data();
    } else {
        static_assert(InLayouts<D>, "into(...): this result is an array of xtensor");
        if constexpr (InLayouts<D>) {
            static_assert(std::is_same_v<typename D::value_type, T>,
                          "into(...): an array of a result has elements of the arguments' type");
            const auto fits = [&] {
                return result.dimension() == extents.size() &&
                       std::equal(extents.begin(), extents.end(), result.shape().begin());
            };
            constexpr bool may_grow =
                requires(typename D::shape_type s) { s[0] = std::size_t{1}; };  // not xtensor_fixed
            if constexpr (may_grow && requires { result.resize(result.shape()); })
                if (!fits() && may_have(result, extents.size())) {
                    auto wanted = result.shape();
                    if constexpr (requires { wanted.resize(extents.size()); }) wanted.resize(extents.size());
                    std::copy(extents.begin(), extents.end(), wanted.begin());
                    result.resize(wanted);
                }
            if (!fits() || !follow_one_another(result))
                throw ShapeError("result of into(...)", "shape " + shape_text(extents) + ", row-major without gaps",
                                 "shape " + shape_text(result.shape()) + (fits() ? " with gaps or column-major" : ""));
            return result.data() + static_cast<std::ptrdiff_t>(result.data_offset());
        }
    }
}
template <class T, Shape S, class D>
T* place_of(D& result, std::ptrdiff_t records) {
    if constexpr (S.rank == 0) {
        static_assert(std::is_same_v<D, T>, "into(...): this result is one number, of the arguments' type");
        return &result;
    } else return place_of<T>(result, extents_of<S>(records));
}
/// Returns the memory for a result with a shape that is known at run time only: a number has no extents.
template <class T, class D>
T* place_when_run(D& result, const std::vector<std::size_t>& extents) {
    if constexpr (std::is_arithmetic_v<D>) {
        static_assert(std::is_same_v<D, T>, "into(...): a result that is one number is of the arguments' type");
        if (!extents.empty()) throw ShapeError("result of into(...)", "shape " + shape_text(extents), "a number");
        return &result;
    } else return place_of<T>(result, extents);
}
/// Throws ArgumentError if a result shares memory with an argument.
template <class T>
void check_apart(const T* result, std::ptrdiff_t count, const T* argument, std::ptrdiff_t elements) {
    const std::less<const T*> before;
    if (before(result, argument + elements) && before(argument, result + count))
        throw ArgumentError("result of into(...)", "memory apart from the arguments", "memory of an argument");
}

}  // namespace detail
}  // namespace sigma
