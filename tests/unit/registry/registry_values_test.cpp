// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/xtensor.hpp>
#include <sigma/registry/registry.hpp>

#include <catch2/catch.hpp>
#include <support/thrown.hpp>

using namespace sigma;
using Catch::Matchers::Message;

namespace registry_values {
struct Point {
    int x = 0, y = 0;
    std::string text() const { return sentence("(", x, ", ", y, ")"); }
};
struct Opaque {};
}  // namespace registry_values
using namespace registry_values;

TEST_CASE("Types have readable names") {
    CHECK(sigma::detail::type_name<bool>() == "bool");
    CHECK(sigma::detail::type_name<int>() == "int");
    CHECK(sigma::detail::type_name<unsigned>() == "uint");
    CHECK(sigma::detail::type_name<long long>() == "int64");
    CHECK(sigma::detail::type_name<std::size_t>() == "uint64");
    CHECK(sigma::detail::type_name<unsigned char>() == "uint8");
    CHECK(sigma::detail::type_name<char>() == "char");
    CHECK(sigma::detail::type_name<float>() == "float");
    CHECK(sigma::detail::type_name<double>() == "double");
    CHECK(sigma::detail::type_name<std::string>() == "string");
    CHECK(sigma::detail::type_name<std::vector<std::string>>() == "vector of string");
    CHECK(sigma::detail::type_name<std::array<float, 3>>() == "array of float");
    CHECK(sigma::detail::type_name<xt::xarray<float>>() == "array of float");
    CHECK(sigma::detail::type_name<xt::xtensor<double, 2>>() == "array of double");
    CHECK(sigma::detail::type_name<Point>() == "registry_values::Point");
}

TEST_CASE("A value keeps its type") {
    Registry r;
    r.set("optimizer.learning_rate", 0.01).set("scale", 0.5F).set("epoch", 3).set("on", true).set("name", "a");
    CHECK_THROWS_MATCHES(r.set("optimizer.learning_rate", "fast"), RegistryError,
                         Message("registry 'optimizer.learning_rate': expected a value of type double, found string"));
    CHECK_THROWS_MATCHES(r.set("epoch", 1.0), RegistryError,
                         Message("registry 'epoch': expected a value of type int, found double"));
    CHECK_THROWS_MATCHES(r.set("epoch", std::int64_t{1}), RegistryError,
                         Message("registry 'epoch': expected a value of type int, found int64"));
    CHECK_THROWS_MATCHES(r.set("scale", 0.5), RegistryError,
                         Message("registry 'scale': expected a value of type float, found double"));
    CHECK_THROWS_MATCHES(r.set("optimizer.learning_rate", true), RegistryError,
                         Message("registry 'optimizer.learning_rate': expected a value of type double, found bool"));
    CHECK_THROWS_MATCHES(r.get<int>("optimizer.learning_rate"), RegistryError,
                         Message("registry 'optimizer.learning_rate': expected a value of type int, found double"));
    CHECK_THROWS_MATCHES(r.get<float>("optimizer.learning_rate"), RegistryError,
                         Message("registry 'optimizer.learning_rate': expected a value of type float, found double"));
    CHECK_THROWS_AS(r.get<double>("on"), RegistryError);
    CHECK_THROWS_AS(r.find<double>("name"), RegistryError);
    const auto e = thrown<RegistryError>([&] { r.set("epoch", "x"); });
    CHECK(e.name == "epoch");
    CHECK(e.expected == "a value of type int");
    CHECK(e.found == "string");
    CHECK(r.get<int>("epoch") == 3);
    r.replace("epoch", "three");
    CHECK(r.get<std::string>("epoch") == "three");
    CHECK(r.names().at(2) == "epoch");
}

TEST_CASE("Whole numbers become floating ones where nothing is lost") {
    Registry r;
    r.set("x", 0.5).set("y", 0.5F).set("n", std::int64_t{1} << 60).set("m", (std::int64_t{1} << 53) + 1).set("f", 0.1F);
    r.set("x", 1).set("y", -2);
    CHECK(r.get<double>("x") == 1);
    CHECK(r.get<float>("y") == -2);
    CHECK(r.get<double>("f") == static_cast<double>(0.1F));
    CHECK(r.get<double>("n") == 0x1p60);
    CHECK(r.get<float>("n") == 0x1p60F);
    CHECK_THROWS_MATCHES(r.get<double>("m"), RegistryError,
                         Message("registry 'm': expected a value of type double, found int64 9007199254740993, which "
                                 "it cannot hold exactly"));
    CHECK_THROWS_MATCHES(
        r.set("y", -16777217), RegistryError,
        Message("registry 'y': expected a value of type float, found int -16777217, which it cannot hold exactly"));
    CHECK_THROWS_AS(r.set("x", std::numeric_limits<std::uint64_t>::max()), RegistryError);
    CHECK_THROWS_AS(r.set("x", std::numeric_limits<std::int64_t>::max()), RegistryError);
    r.set("x", std::numeric_limits<std::int64_t>::min());
    CHECK(r.get<double>("x") == -0x1p63);
    CHECK(r.get<float>("y") == -2);
}

TEST_CASE("Types that share a short name are told apart") {
    Registry r;
    r.set("weights", xt::xarray<float>::from_shape({2, 3}));
    const auto e = thrown<RegistryError>([&] { r.set("weights", xt::xtensor<float, 2>::from_shape({2, 3})); });
    CHECK(e.expected != sentence("a value of type ", e.found));
    CHECK(e.found.find("xtensor_container") != std::string::npos);
}

TEST_CASE("A shared value stays what it was") {
    Registry r;
    r.set("weights", std::vector<float>{1, 2});
    const auto before = r.share<std::vector<float>>("weights");
    CHECK(before == r.share<std::vector<float>>("weights"));
    r.set("weights", std::vector<float>{3});
    CHECK(*before == std::vector<float>{1, 2});
    CHECK(r.get<std::vector<float>>("weights") == std::vector<float>{3});
    CHECK_THROWS_AS(r.share<std::string>("weights"), RegistryError);
}

TEST_CASE("Links are computed when read") {
    Registry r;
    double rate = 0.01;
    int reads = 0;
    r.link<double>("loss", [&] { return ++reads * 0.5; });
    r.link<double>("optimizer.learning_rate", [&] { return rate; }, [&](double value) { rate = value; });
    CHECK(reads == 0);
    CHECK(r.get<double>("loss") == 0.5);
    CHECK(r.get<double>("loss") == 1.0);
    CHECK_THROWS_MATCHES(r.set("loss", 1.0), RegistryError,
                         Message("registry 'loss': expected a value that can be set, found a read-only value"));
    r.set("optimizer.learning_rate", 1);
    CHECK(rate == 1);
    CHECK(r.value("loss").read_only());
    CHECK_FALSE(r.value("optimizer.learning_rate").read_only());
    CHECK_THROWS_AS(r.link<int>("loss", [] { return 1; }), RegistryError);
    CHECK_THROWS_MATCHES(r.cell<double>("loss"), RegistryError,
                         Message("registry 'loss': expected a value that is stored, found a linked value"));
    const sigma::detail::RegistryValue held = r.value("loss");
    CHECK(r.remove("loss"));
    const int before = reads;
    CHECK(held.number() == std::nullopt);  // what the getter refers to may be gone
    CHECK(held.as<double>() == std::nullopt);
    CHECK(held.text().empty());
    CHECK(reads == before);
}

TEST_CASE("Cells publish numbers and outlive their entries") {
    Registry r;
    r.set("shared.accuracy", 0.25);
    const Cell<double> cell = r.cell<double>("shared.accuracy");
    CHECK(cell.load() == 0.25);
    cell.store(0.5);
    CHECK(r.get<double>("shared.accuracy") == 0.5);
    r.set("shared.accuracy", 0.75).set("shared.other", 1).tag("shared", {"hooks"});
    CHECK(cell.load() == 0.75);
    CHECK(r.cell<int>("steps").load() == 0);
    CHECK(r.type_name("steps") == "int");
    CHECK_THROWS_MATCHES(r.cell<float>("shared.accuracy"), RegistryError,
                         Message("registry 'shared.accuracy': expected a value of type float, found double"));
    CHECK(cell.attached());
    r.remove("shared");
    CHECK_FALSE(cell.attached());
    r.set("shared.accuracy", 0.1);
    cell.store(0.9);
    CHECK(cell.load() == 0.9);
    CHECK(r.get<double>("shared.accuracy") == 0.1);
    r = Registry();
    cell.store(1.0);
    const Cell<int> empty;
    empty.store(3);
    CHECK(empty.load() == 0);
}

TEST_CASE("Values read as texts, trees as lines") {
    Registry r;
    r.set("name", "digits").set("epoch", 3).set("loss", 0.0625F).set("on", false).set("place", Point{1, 2});
    r.set("layers.1-dense.weights", xt::xarray<float>({{1.5F, 2}, {3, 4}}));
    r.set("layers.1-dense.biases", std::vector<double>(9, 0.5)).set("self", Opaque{});
    r.tag("layers.1-dense", {"dense", "fc"});
    CHECK(r.to_text("layers.1-dense.weights") == "(2, 2) [1.5, 2, 3, 4]");
    CHECK(r.to_text("layers.1-dense.biases") == "[0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, ...]");
    CHECK(r.type_name("place") == "registry_values::Point");
    CHECK(r.text() ==
          "name: string = digits\n"
          "epoch: int = 3\n"
          "loss: float = 0.0625\n"
          "on: bool = false\n"
          "place: registry_values::Point = (1, 2)\n"
          "layers\n"
          "  1-dense <dense,fc>\n"
          "    weights: array of float = (2, 2) [1.5, 2, 3, 4]\n"
          "    biases: vector of double = [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, ...]\n"
          "self: registry_values::Opaque\n");

    std::string seen;
    r.visit([&](std::string_view name, const sigma::detail::RegistryValue& value) {
        if (value.number()) seen += sentence(name, "=", *value.number(), " ");
    });
    CHECK(seen == "epoch=3 loss=0.0625 on=0 ");
    CHECK(r.value("epoch").as<double>() == 3.0);
    CHECK(r.value("epoch").as<std::string>() == std::nullopt);
}

TEST_CASE("A link whose getter gives none is missing for that time") {
    Registry r;
    std::optional<double> now;
    r.link<double>("gradient", [&] { return now; });
    CHECK_FALSE(r.find<double>("gradient").has_value());
    CHECK_THROWS_AS(r.get<double>("gradient"), RegistryError);
    CHECK(r.get_all<double>("*").empty());
    CHECK(r.to_text("gradient").empty());
    CHECK(r.copy().names().empty());
    now = 2;
    CHECK(r.get<double>("gradient") == 2);
    CHECK(r.get_all<double>("*").size() == 1);
}
