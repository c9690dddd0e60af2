// SPDX-License-Identifier: BSL-1.0
#include <sigma/data/gates.hpp>
#include <sigma/data/ready.hpp>
#include <sigma/data/split.hpp>

#include "../support.hpp"

#include <array>
#include <set>

using namespace sigma;

namespace {

/// A board of connect-4, column by column from the bottom.
struct Board {
    std::array<signed char, 42> squares{};

    bool has_four(int player) const {
        const auto at = [&](int column, int row) {
            return column >= 0 && column < 7 && row >= 0 && row < 6 &&
                   squares[static_cast<std::size_t>(column * 6 + row)] == player;
        };
        constexpr int directions[4][2] = {{1, 0}, {0, 1}, {1, 1}, {1, -1}};
        for (int column = 0; column < 7; ++column)
            for (int row = 0; row < 6; ++row)
                for (const auto& d : directions) {
                    int run = 0;
                    while (run < 4 && at(column + run * d[0], row + run * d[1])) ++run;
                    if (run == 4) return true;
                }
        return false;
    }
    std::vector<Board> after_moves_of(int player) const {
        std::vector<Board> all;
        for (std::size_t column = 0; column < 7; ++column)
            for (std::size_t row = 0; row < 6; ++row)
                if (squares[column * 6 + row] == 0) {
                    all.push_back(*this);
                    all.back().squares[column * 6 + row] = static_cast<signed char>(player);
                    break;
                }
        return all;
    }
    bool can_win(int player) const {
        const auto next = after_moves_of(player);
        return std::ranges::any_of(next, [&](const Board& board) { return board.has_four(player); });
    }
    Board mirrored() const {
        Board other;
        for (std::size_t i = 0; i < 42; ++i) other.squares[(6 - i / 6) * 6 + i % 6] = squares[i];
        return other;
    }
    friend auto operator<=>(const Board&, const Board&) = default;
};

/// The file with other answers: after eight moves, one of each two mirror images, nobody can win with the next move.
std::string positions(std::size_t most) {
    std::set<Board> now{Board{}};
    for (int move = 0; move < 8; ++move) {
        std::set<Board> next;
        for (const Board& board : now)
            if (!board.has_four(1) && !board.has_four(-1))
                for (const Board& after : board.after_moves_of(move % 2 == 0 ? 1 : -1)) next.insert(after);
        now = std::move(next);
    }
    std::string text;
    std::size_t count = 0;
    for (const Board& board : now) {
        if (board.mirrored() < board || board.has_four(1) || board.has_four(-1) || board.can_win(1) ||
            board.can_win(-1))
            continue;
        if (count++ == most) break;
        for (const signed char square : board.squares) text += square == 1 ? "x," : square == -1 ? "o," : "b,";
        text += count % 3 == 0 ? "draw\n" : count % 3 == 1 ? "win\n" : "loss\n";
    }
    return text;
}

}  // namespace

TEST_CASE("Connect-4 is the 67,557 positions after eight moves in which nobody can win at once") {
    const Scratch scratch;
    std::string all = positions(100'000);
    scratch.write("connect-4.data", all);
    const auto dataset = data::connect_4(scratch.path.string());
    CHECK(dataset.size() == 67'557);
    CHECK(detail::shape_text(dataset.input_shape()) == "(42)");
    CHECK(dataset.classes() == std::vector<std::string>{"win", "loss", "draw"});
    detail::check_labels(dataset, 3);

    const std::size_t line = all.find('\n') + 1;
    scratch.write("connect-4.data", all.substr(line));
    CHECK(data_error([&] { data::connect_4(scratch.path.string()); }).found == "67556");
    std::string floating = all;
    std::swap(floating[line + floating.substr(line).find('x')], floating[line + 2 * 41]);
    scratch.write("connect-4.data", floating);
    const DataError wrong = data_error([&] { data::connect_4(scratch.path.string()); });
    CHECK(wrong.place == "line 2");
    scratch.write("connect-4.data", std::string("<!DOCTYPE html>\n<html lang=\"en\">\n"));
    CHECK_FALSE(data_error([&] { data::connect_4(scratch.path.string()); }).found.empty());
}

TEST_CASE("CIFAR-10 has its channels last, from files of planes or their archive") {
    // Record r: label r % 10, and in pixel p of plane c the number (r + 7 c + 3 p) % 256.
    const auto records = [](int first, int count) {
        std::string bytes;
        for (int r = first; r < first + count; ++r) {
            bytes += static_cast<char>(r % 10);
            for (int c = 0; c < 3; ++c)
                for (int p = 0; p < 1024; ++p) bytes += static_cast<char>((r + 7 * c + 3 * p) % 256);
        }
        return bytes;
    };
    const Scratch scratch, archive, empty;
    std::filesystem::create_directories(scratch.path / "cifar-10-batches-bin");
    for (int i = 1; i <= 5; ++i)
        scratch.write(sentence("cifar-10-batches-bin/data_batch_", i, ".bin"), records(4 * i, 4));
    scratch.write("cifar-10-batches-bin/test_batch.bin", records(100, 3));
    REQUIRE(std::system(sentence("tar -C ", scratch.path.string(), " -czf ", archive / "cifar-10-binary.tar.gz",
                                 " cifar-10-batches-bin")
                            .c_str()) == 0);
    for (const std::string& directory :
         {scratch.path.string(), scratch / "cifar-10-batches-bin", archive.path.string()}) {
        const auto [training, testing] = data::cifar10(directory);
        CHECK(training.size() == 20);
        CHECK(testing.size() == 3);
        CHECK(detail::shape_text(training.input_shape()) == "(32, 32, 3)");
        CHECK(training.classes()[9] == "truck");
        CHECK(training.label(0) == 4);
        CHECK(testing.label(2) == 2);
        const auto image = training.input(19);
        bool right = true;
        for (int p = 0; p < 1024; ++p)
            for (int c = 0; c < 3; ++c)
                right = right && image[static_cast<std::size_t>(3 * p + c)] ==
                                     static_cast<float>((23 + 7 * c + 3 * p) % 256) / 255.0f;
        CHECK(right);
    }
    CHECK_THROWS_AS(data::cifar10(empty.path.string()), DataError);
    std::string wrong = records(0, 2);
    wrong[3073] = 10;
    scratch.write("test_batch.bin", wrong);
    CHECK(data_error([&] { data::cifar10(scratch.path.string()); }).place == "byte 3073");
    scratch.write("test_batch.bin", wrong.substr(0, 4000));
    CHECK(data_error([&] { data::cifar10(scratch.path.string()); }).expected == "records of 3073 bytes");
}

TEST_CASE("Parkinson's recordings leave out the name and know their persons") {
    const Scratch scratch;
    std::string text = "name,a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,status,q,r,s,t,u\n";
    for (const char* name : {"phon_R01_S01_1", "phon_R01_S01_2", "phon_R01_S02_1", "phon_R01_S01_3"}) {
        text += name;
        for (int column = 1; column <= 22; ++column)
            text += sentence(",", column == 17 ? (name[11] == '2' ? 0 : 1) : column);
        text += "\r\n";
    }
    scratch.write("parkinsons.data", text);
    CHECK_THROWS_AS(data::parkinsons(scratch.path.string()), DataError);  // one column is missing
    const std::size_t end = text.find('\n');
    text.insert(end, ",v");
    for (std::size_t at = text.find('\r'); at != text.npos; at = text.find('\r', at + 4)) text.insert(at, ",23");
    scratch.write("parkinsons.data", text);
    const auto dataset = data::parkinsons(scratch.path.string());
    CHECK(dataset.size() == 4);
    CHECK(dataset.input_size() == 22);
    CHECK(dataset.input(0)[15] == 16);
    CHECK(dataset.input(0)[16] == 18);
    CHECK(dataset.input(0)[21] == 23);
    CHECK(dataset.label(0) == 1);
    CHECK(dataset.label(2) == 0);
    CHECK(data::parkinsons_persons(scratch.path.string()) == std::vector<std::size_t>{0, 0, 1, 0});
}

TEST_CASE("Housing has its missing bedrooms filled and its proximity as five numbers") {
    const Scratch scratch;
    scratch.write("housing.csv",
                  std::string("longitude,latitude,housing_median_age,total_rooms,total_bedrooms,population,households,"
                              "median_income,median_house_value,ocean_proximity\n"
                              "-122.23,37.88,41.0,880.0,129.0,322.0,126.0,8.3252,452600.0,NEAR BAY\n"
                              "-122.22,37.86,21.0,7099.0,,2401.0,1138.0,8.3014,358500.0,INLAND\n"
                              "-122.24,37.85,52.0,1467.0,190.0,496.0,177.0,7.2574,352100.0,<1H OCEAN\n"
                              "-122.25,37.85,52.0,1274.0,235.0,558.0,219.0,5.6431,341300.0,ISLAND\n"));
    const auto dataset = data::california_housing(scratch.path.string());
    CHECK(dataset.size() == 4);
    CHECK(dataset.input_size() == 13);
    CHECK(dataset.target(0)[0] == 452600);
    CHECK(dataset.input(1)[4] == 190);  // the median of 129, 190 and 235
    const auto proximity = [&](std::size_t record) {
        return std::vector<float>(dataset.input(record).begin() + 8, dataset.input(record).end());
    };
    CHECK(proximity(0) == std::vector<float>{0, 0, 0, 1, 0});
    CHECK(proximity(1) == std::vector<float>{1, 0, 0, 0, 0});
    CHECK(proximity(2) == std::vector<float>{0, 1, 0, 0, 0});
    CHECK(proximity(3) == std::vector<float>{0, 0, 0, 0, 1});
}

TEST_CASE("Patients of the heart clinic are ill or not, and what is missing is the median") {
    const Scratch scratch;
    scratch.write("processed.cleveland.data",
                  std::string("63.0,1.0,1.0,145.0,233.0,1.0,2.0,150.0,0.0,2.3,3.0,0.0,6.0,0\n"
                              "67.0,1.0,4.0,160.0,286.0,0.0,2.0,108.0,1.0,1.5,2.0,3.0,3.0,2\n"
                              "67.0,1.0,4.0,120.0,229.0,0.0,2.0,129.0,1.0,2.6,2.0,2.0,7.0,1\n"
                              "53.0,0.0,3.0,128.0,216.0,0.0,2.0,115.0,0.0,0.0,1.0,?,?,4\n"));
    const auto dataset = data::heart_disease(scratch.path.string());
    CHECK(dataset.size() == 4);
    CHECK(dataset.input(0)[0] == 63);
    CHECK(dataset.input(3)[11] == 2);  // the median of 0, 3 and 2
    CHECK(dataset.input(3)[12] == 6);
    CHECK(dataset.classes().empty());
    CHECK(dataset.has_labels());
    for (std::size_t record = 0; record < 4; ++record) CHECK(dataset.label(record) == (record > 0 ? 1 : 0));
    scratch.write("processed.cleveland.data", std::string("63,1,1,145,233,1,2,150,0,2.3,3,0,6,5\n"));
    CHECK(data_error([&] { data::heart_disease(scratch.path.string()); }).found == "'5'");
}

TEST_CASE("Small digits are images of 8 x 8 pixels from 0 to 1") {
    const Scratch scratch;
    std::string image;
    for (int pixel = 0; pixel < 64; ++pixel) image += sentence(pixel % 17, ",");
    scratch.write("optdigits.tra", image + "7\n" + image + "0\n");
    scratch.write("optdigits.tes", image + "9\n");
    const auto [training, testing] = data::optical_digits(scratch.path.string());
    CHECK(training.size() == 2);
    CHECK(testing.size() == 1);
    CHECK(std::vector<std::size_t>(testing.input_shape().begin(), testing.input_shape().end()) ==
          std::vector<std::size_t>{8, 8});
    CHECK(testing.input(0)[16] == 1);
    CHECK(testing.input(0)[8] == 0.5f);
    CHECK(testing.label(0) == 9);
    CHECK(testing.classes().size() == 10);
    CHECK(training.name() == "optical-digits");
}

TEST_CASE("Gates are four records") {
    for (std::size_t record = 0; record < 4; ++record) {
        const float a = data::xor_gate().input(record)[0], b = data::xor_gate().input(record)[1];
        CHECK(data::xor_gate().target(record)[0] == (a != b ? 1 : 0));
        CHECK(data::and_gate().target(record)[0] == a * b);
        CHECK(2 * a + b == static_cast<float>(record));
    }
}
