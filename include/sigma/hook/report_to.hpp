// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>
#include <sigma/core/owners.hpp>
#include <sigma/hook/archive.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace sigma {

namespace detail {

/// A value that is reported, by its name.
struct ReportedNumber {
    std::string_view name;
    double number;
};

/// Where reports go, other than to the trainer's `print`.
class ReportPlace {
public:
    virtual ~ReportPlace() = default;
    virtual detail::Owned<ReportPlace> clone() const = 0;
    /// Does it want rows of a table in place of lines?
    virtual bool rows() const { return false; }
    /// Before the first row.
    virtual void start(std::string_view) {}
    virtual void write(std::string_view line) = 0;
    /// Does it want numbers in place of texts? Then these are all that it gets.
    virtual bool numbers() const { return false; }
    virtual void write(std::uint64_t /*iteration*/, std::span<const ReportedNumber>) {}
    virtual void restart() {}
    virtual void archive(Archive&) {}
    virtual std::string text() const = 0;
};

}  // namespace detail

/// A table: a file of names and then rows, which begins anew with its hook and after a reset of the trainer, and goes
/// on where the trainer goes on from a checkpoint.
struct ReportToCsv {
    std::string name;
};
/// `report(…).to(csv("curve.csv"))` writes the names of values, then their numbers with all digits.
ReportToCsv csv(std::string name);

namespace detail {

detail::Owned<ReportPlace> to_csv(const ReportToCsv& table);
/// The end of a file: `report(…).to(file("log.txt"))`.
detail::Owned<ReportPlace> to_file(std::string name);
/// A function that takes a line.
detail::Owned<ReportPlace> to_call(AnyFunction<void(std::string_view)> f);

}  // namespace detail
}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/report_to.ipp>
#endif
