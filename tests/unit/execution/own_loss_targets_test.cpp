// SPDX-License-Identifier: BSL-1.0
#include <sigma/execution/check_data.hpp>
#include <sigma/execution/evaluator.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/reduction.hpp>
#include <sigma/layer/weighted_records.hpp>
#include <sigma/network/model.hpp>

#include <catch2/catch.hpp>
#include <support/thrown.hpp>

#include <string>
#include <utility>
#include <vector>

using namespace sigma;

namespace {

/// What a program writes that knows of classes and of no `labels()`: the squared distance from the class.
struct OwnClasses : Loss {
    struct Options {
        Reduction reduction = Reduction::over_elements;
    };
    Options options{};

    static constexpr Text kind = "own_classes";
    static constexpr bool classifies = true, reduces_records = true;
    constexpr Shape target(const Shape& output) const {
        Shape rows = output;
        rows.rank -= 1;
        return rows;
    }
    constexpr Tensor predict(Tensor z) const { return z; }
    constexpr Tensor loss(Tensor z, Tensor y) const {
        const auto distances = square(z - one_hot(y, z.shape().last()));
        return detail::reduced(options.reduction, sum(distances, axis(-1)));
    }
};
/// One that compares rows with rows, and says itself what is right.
struct OwnRows : Loss {
    static constexpr Text kind = "own_rows";
    static constexpr bool classifies = true;
    constexpr Shape target(const Shape& output) const { return output; }
    constexpr Tensor predict(Tensor z) const { return z; }
    constexpr Tensor loss(Tensor z, Tensor y) const { return mean(square(z - y)); }
    constexpr Tensor accuracy(Tensor z, Tensor y) const {
        return mean(equal(argmax(z, axis(-1)), argmax(y, axis(-1))));
    }
};

struct ClassesOfRecords : Network<Input(2) + OwnClasses()> {};
struct ClassesOfSteps : Network<Input(3, 2) + OwnClasses()> {};
struct WeighedClasses : Network<Input(2) + weighted_records(OwnClasses())> {};
struct RowsOfRecords : Network<Input(2) + OwnRows()> {};

template <class N>
std::string refused(std::vector<std::size_t> shape, std::vector<float> targets) {
    std::vector<std::size_t> inputs(1, 2);
    std::size_t count = 2;
    for (const int extent : {N::input[1], N::input.rank > 2 ? N::input[2] : 0})
        if (extent > 0) inputs.push_back(static_cast<std::size_t>(extent)), count *= inputs.back();
    const Dataset data(Numbers{std::move(inputs), std::vector<float>(count)},
                       Numbers{std::move(shape), std::move(targets)}, "own");
    try {
        detail::check_data(detail::network_table<N>, data);
    } catch (const DataError& wrong) { return wrong.what(); } catch (const ShapeError& wrong) {
        return wrong.what();
    }
    return "";
}

}  // namespace

TEST_CASE("Class numbers of a loss of one's own are checked, of records and of their steps") {
    CHECK(refused<ClassesOfRecords>({2}, {0, 1}) == "");
    CHECK(refused<ClassesOfRecords>({2}, {0, 2}) == "dataset 'own', record 1: expected a label from 0 to 1, found 2");
    CHECK(refused<ClassesOfRecords>({2, 2}, {0, 1, 1, 0}) ==
          "dataset 'own': expected one class index for each record, found targets of shape (2) each");
    CHECK(refused<ClassesOfSteps>({2, 3}, {0, 1, 1, 0, 0, 1}) == "");
    CHECK(refused<ClassesOfSteps>({2, 3}, {0, 1, 1, 0, 0.5f, 1}) ==
          "dataset 'own', record 1, position 1: expected a label from 0 to 1, found 0.5");
    CHECK(refused<ClassesOfSteps>({2}, {0, 1}) ==
          "targets of dataset 'own': expected shape (records, 3), found shape (2, 1)");
    CHECK(refused<WeighedClasses>({2, 2}, {0, 2.5f, 1, 0}) == "");
    CHECK(refused<WeighedClasses>({2, 2}, {0, 2.5f, 3, 0}) ==
          "dataset 'own', record 1, position 0: expected a label from 0 to 1, found 3");
    CHECK(refused<WeighedClasses>({2, 2}, {0, -1, 1, 0}) ==
          "dataset 'own', record 0: expected a weight of 0 or more, found -1");
}

TEST_CASE("Targets of a loss of one's own that are no class numbers are not taken for them") {
    CHECK(refused<RowsOfRecords>({2, 2}, {0.25f, 0.75f, -3, 7}) == "");
    CHECK(refused<RowsOfRecords>({2}, {0, 1}) ==
          "targets of dataset 'own': expected shape (records, 2), found shape (2, 1)");
    const Dataset data(Numbers{{2, 2}, {1, 0, 0, 1}}, Numbers{{2, 2}, {0.25f, 0.75f, 0, 1}}, "own");
    CHECK(detail::Evaluator<RowsOfRecords>(data)(Model<RowsOfRecords>(1)).accuracy == 0.5);
}
