// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/any_function.hpp>
#include <sigma/data/transform/preprocessing.hpp>
#include <sigma/data/transform/transform.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

// Parts that the bodies of transforms, and of code that uses them, share.
namespace sigma::data::detail {

class UserFunction;

/// Makes a transform with nothing to learn.
TransformPointer fixed_transform(std::string text, sigma::detail::AnyFunction<FittedPointer(const SectionInfo&)> make);
TransformPointer learned_transform(
    std::string text, sigma::detail::AnyFunction<sigma::detail::Owned<TransformFit>(const SectionInfo&)> begin);
/// Makes a transform that is the same for each section.
TransformPointer same_transform(std::string text, FittedPointer fitted);

/// Writes numbers as a list: "{1, 2.5}".
std::string list_text(const std::vector<double>& all);

std::size_t size_of(const std::vector<std::size_t>& record);

void require_finite(const char* where, const std::vector<double>& values);
void require_as_many(const char* where, const char* what, const std::vector<double>& values, std::size_t count);

template <class F, class... A>
FittedPointer fitted(A&&... arguments) {
    return sigma::detail::SharedOwner<const F>::make(std::forward<A>(arguments)...);
}

/// The base class of transforms that change numbers in place, by what they know of all numbers (a list of one), or of
/// each number of a record (a list of as many).
class InPlace : public FittedTransform {
public:
    explicit InPlace(std::size_t count = 1) : count_(count) {}
    SIGMA_IMPL std::vector<std::size_t> shape(const std::vector<std::size_t>& before) const override;
    bool keeps_columns() const override { return true; }

protected:
    /// Sets values[i] = f(values[i], j), in double; j is the index in those lists.
    template <class F>
    void change_each(NumberList& list, F f) const {
        list.visit([&](auto& values) {
            using T = typename std::remove_cvref_t<decltype(values)>::value_type;
            if (count_ == 1) {
                for (T& x : values) x = static_cast<T>(f(static_cast<double>(x), std::size_t{0}));
                return;
            }
            for (std::size_t first = 0; first < values.size(); first += count_) {
                T* record = values.data() + first;
                for (std::size_t j = 0; j < count_; ++j)
                    record[j] = static_cast<T>(f(static_cast<double>(record[j]), j));
            }
        });
    }

private:
    std::size_t count_;
};

/// The numbers of one fitted transform in a file. Throws DataError for a missing name.
class StoredValues {
public:
    std::string file;
    std::string prefix;  ///< "preprocessing.0.standardize."
    std::string section;
    std::vector<TransformValue> all;

    const std::vector<double>& list(std::string_view name) const;
    double number(std::string_view name) const;
    /// Returns a list of whole numbers from 0.
    std::vector<std::size_t> counts(std::string_view name) const;
    [[noreturn]] void refuse(std::string_view name, std::string expected, std::string found) const;
};

inline std::vector<double> as_numbers(const std::vector<std::size_t>& counts) { return {counts.begin(), counts.end()}; }

/// Restores a transform from the numbers in a file. Returns null if this library has no transform of that kind.
FittedPointer load_transform(std::string_view kind, const StoredValues& stored);
/// Throws ArgumentError if the name is empty or that of a transform.
FittedPointer fitted_function(const std::string& name, UserFunction function);

/// A transform's error about a record of its block: "section 'targets', record 3 of its block: …". Callers that know
/// more replace the number by that in all of the data, and add the dataset.
struct RecordRefused : DataError {
    std::string section;
    std::size_t record;

    RecordRefused(std::string section_, std::size_t record_, std::string expected_, std::string found_);
};

/// Calls f, and changes a RecordRefused to name record number_of(record) of the dataset.
template <class NumberOf, class F>
void naming_records(const std::string& dataset, NumberOf number_of, F f) {
    try {
        f();
    } catch (const RecordRefused& refused) {
        throw DataError::in_dataset(dataset,
                                    sentence("section '", refused.section, "', record ", number_of(refused.record)),
                                    refused.expected, refused.found);
    }
}

inline bool same_bits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

/// Returns whether both do the same to the same section, bit by bit. Functions of the user are compared by name.
bool alike(const Preprocessing::Step& a, const Preprocessing::Step& b);
bool alike(const Preprocessing& a, const Preprocessing& b);
/// Returns whether the last steps of `all` are those of `part`, which is not empty.
bool ends_with(const Preprocessing& all, const Preprocessing& part);

using BlockVisitor = sigma::detail::AnyFunction<void(Block&)>;

/// Writes names: "'inputs', 'targets'".
template <class All, class Name>
std::string quoted_names(const All& all, Name name) {
    std::string text;
    for (const auto& one : all) text += sentence(text.empty() ? "'" : ", '", name(one), "'");
    return text;
}

/// Learns what transforms need, one after the other, from records with these sections. Calls `pass(visit)` once for
/// each pass over the records; `pass` gives every block to `visit`, which may change it. `dataset` is the name in
/// errors. Throws ArgumentError for a section that does not exist, ShapeError if a transform does not fit.
Preprocessing learn(const std::vector<SectionInfo>& sections, const std::vector<TransformStep>& steps,
                    const sigma::detail::AnyFunction<void(const BlockVisitor&)>& pass,
                    std::string_view dataset = "data");

}  // namespace sigma::data::detail

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/impl/fitted.ipp>
#endif
