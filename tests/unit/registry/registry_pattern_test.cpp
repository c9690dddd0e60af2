// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/pattern.hpp>
#include <sigma/registry/registry.hpp>

#include <catch2/catch.hpp>
#include <support/thrown.hpp>

using namespace sigma;
using Catch::Matchers::Message;
using Names = std::vector<std::string>;

namespace {

Registry network() {
    Registry r;
    r.set("layers.0-input.size", 4);
    r.set("layers.1-dense.weights", 1.0F).set("layers.1-dense.biases", 2.0F);
    r.set("layers.2-dropout.rate", 0.5);
    r.set("layers.3-dense.weights", 3.0F).set("layers.3-dense.biases", 4.0F);
    r.set("layers.count", 4);
    r.tag("layers.1-dense", {"dense", "fc"}).tag("layers.3-dense", {"fc"}).tag("layers.3-dense.weights", {"frozen"});
    return r;
}

}  // namespace

TEST_CASE("Patterns find values by parts, stars and tags, in order") {
    const Registry r = network();
    CHECK(r.resolve("layers.1-dense.weights") == Names{"layers.1-dense.weights"});
    CHECK(r.resolve("layers.*.weights") == Names{"layers.1-dense.weights", "layers.3-dense.weights"});
    CHECK(r.resolve("layers.3*.*s") == Names{"layers.3-dense.weights", "layers.3-dense.biases"});
    CHECK(r.resolve("*.count") == Names{"layers.count"});
    CHECK(r.resolve("layers.*") == Names{"layers.count"});  // a star stays within its part
    CHECK(r.resolve("*.weights").empty());
    CHECK(r.resolve("layers.1-*<fc>.weights") == Names{"layers.1-dense.weights"});
    CHECK(r.resolve("layers.*<fc>.weights") == Names{"layers.1-dense.weights", "layers.3-dense.weights"});
    CHECK(r.resolve("layers.<fc>.weights") == Names{"layers.1-dense.weights", "layers.3-dense.weights"});
    CHECK(r.resolve("layers.*<fc,dense>.weights") == Names{"layers.1-dense.weights"});
    CHECK(r.resolve("layers.*<fc, dense >.weights") == Names{"layers.1-dense.weights"});
    CHECK(r.resolve("layers.3-dense<fc>.biases") == Names{"layers.3-dense.biases"});
    CHECK(r.resolve("layers.3-dense<dense>.biases").empty());
    CHECK(r.resolve("layers.*.*<frozen>") == Names{"layers.3-dense.weights"});
    CHECK(r.resolve("layers.*<frozen>").empty());
    CHECK(r.resolve("layers.1+dense.weights").empty());  // no other characters are special
    CHECK(r.resolve_registries("layers.<fc>") == Names{"layers.1-dense", "layers.3-dense"});
    CHECK(r.resolve_registries("*") == Names{"layers"});
}

TEST_CASE("Two stars stand for any number of parts") {
    const Registry r = network();
    CHECK(r.resolve("**").size() == 7);
    CHECK(r.resolve("**.weights") == Names{"layers.1-dense.weights", "layers.3-dense.weights"});
    CHECK(r.resolve("layers.**.count") == Names{"layers.count"});
    CHECK(r.resolve("layers.3-dense.**") == Names{"layers.3-dense.weights", "layers.3-dense.biases"});
    CHECK(r.resolve("**.<fc>.**.biases") == Names{"layers.1-dense.biases", "layers.3-dense.biases"});
    CHECK(r.resolve("**.**").size() == 7);
    CHECK(r.resolve("layers.**.layers").empty());
}

TEST_CASE("The reference's examples resolve") {
    Registry environment;
    for (const char* name : {"trainer1", "trainer2", "other"}) {
        Registry trainer;
        trainer.set("accuracy", std::string_view(name) == "trainer1" ? 0.5 : 0.75)
            .set("layers.dense0.weights", 1)
            .set("layers.drop0.rate", 0.1);
        trainer.tag("layers.dense0", {"fc"});
        environment.add(name, trainer);
    }
    environment.tag("trainer1", {"trainer"}).child("trainer2").tag({"trainer", "second"});
    using Found = std::vector<std::pair<std::string, double>>;
    CHECK(environment.get_all<double>("trainer*.accuracy") ==
          Found{{"trainer1.accuracy", 0.5}, {"trainer2.accuracy", 0.75}});
    CHECK(environment.resolve("<trainer>.accuracy") == Names{"trainer1.accuracy", "trainer2.accuracy"});
    CHECK(environment.resolve("*<trainer,second>.accuracy") == Names{"trainer2.accuracy"});
    CHECK(environment.resolve("other.layers.d*<fc>.weights") == Names{"other.layers.dense0.weights"});

    Registry fresh;
    fresh.set("accuracy", 0.9);
    environment.set("trainer1", fresh);  // and its tags went with the registry that was there
    CHECK(environment.resolve("<trainer>.accuracy") == Names{"trainer2.accuracy"});
    CHECK(environment.get_all<double>("trainer*.accuracy").front().second == 0.9);
}

TEST_CASE("Values by pattern: all, one, one or a fallback") {
    const Registry r = network();
    CHECK(r.get_all<float>("layers.*.biases") ==
          std::vector<std::pair<std::string, float>>{{"layers.1-dense.biases", 2.0F}, {"layers.3-dense.biases", 4.0F}});
    CHECK_THROWS_MATCHES(r.get_all<float>("layers.2-dropout.*"), RegistryError,
                         Message("registry 'layers.2-dropout.rate': expected a value of type float, found double"));
    CHECK(r.get_one<double>("layers.*.rate") == 0.5);
    CHECK(r.get_one_or<double>("layers.*.momentum", 0.9) == 0.9);
    CHECK(r.get_one_or<double>("layers.*.rate", 0.9) == 0.5);
    CHECK_THROWS_MATCHES(r.get_one<double>("layers.*.momentum"), RegistryError,
                         Message("registry 'layers.*.momentum': expected one value, found no match"));
    CHECK_THROWS_MATCHES(
        r.get_one<float>("layers.*.weights"), RegistryError,
        Message("registry 'layers.*.weights': expected one value, found 2, 'layers.1-dense.weights' and "
                "'layers.3-dense.weights'"));
    CHECK_THROWS_AS(r.get_one_or<float>("layers.*.weights", 1), RegistryError);
}

TEST_CASE("Setting by pattern sets all or none, and adds what is missing if asked") {
    Registry r = network();
    CHECK(r.set_all("layers.<fc>.biases", 0) == Names{"layers.1-dense.biases", "layers.3-dense.biases"});
    CHECK(r.get<float>("layers.3-dense.biases") == 0);
    CHECK_THROWS_AS(r.set_all("layers.*.*", 9.0F), RegistryError);  // the size is an int
    CHECK(r.get<float>("layers.1-dense.biases") == 0);
    CHECK(r.set_all("layers.*.momentum", 0.9).empty());
    CHECK(r.set_all("layers.*.rate", 0.25, AddMissing::yes) ==
          Names{"layers.2-dropout.rate", "layers.0-input.rate", "layers.1-dense.rate", "layers.3-dense.rate"});
    CHECK(r.get<double>("layers.1-dense.rate") == 0.25);
    CHECK(r.set_all("layers.<fc>.seen", true, AddMissing::yes) == Names{"layers.1-dense.seen", "layers.3-dense.seen"});
    CHECK(r.set_all("shared.accuracy", 0.5, AddMissing::yes) == Names{"shared.accuracy"});
    CHECK(r.set_all("shared.accuracy", 0.75, AddMissing::yes) == Names{"shared.accuracy"});
    CHECK(r.get<double>("shared.accuracy") == 0.75);
    CHECK(r.set_all("top", 1, AddMissing::yes) == Names{"top"});
    CHECK(r.child("shared").set_all("**.x", 1, AddMissing::yes) == Names{"x"});
    CHECK_THROWS_MATCHES(
        r.set_all("shared.*", 1, AddMissing::yes), ArgumentError,
        Message("pattern 'shared.*': expected a last part without '*' and tags, to add it, found '*'"));
    r.link<double>("shared.loss", [] { return 0.5; });
    CHECK_THROWS_AS(r.set_all("shared.*s*", 1.0), RegistryError);
}

TEST_CASE("Malformed patterns say what is wrong") {
    const Registry r;
    const auto message = [&](std::string_view pattern) {
        return error_text<ArgumentError>([&] { r.resolve(pattern); });
    };
    CHECK(message("layers.d*<fc.weights") ==
          "pattern 'layers.d*<fc.weights': expected a '>' after each '<', found '<fc.weights'");
    CHECK(message("a<b<c>") == "pattern 'a<b<c>': expected a '>' after each '<', found '<b<c>'");
    CHECK(message("a.b>.c") == "pattern 'a.b>.c': expected a '<' before each '>', found 'b>'");
    CHECK(message("a..b") == "pattern 'a..b': expected a name, '*' or tags in each part, found nothing in part 2");
    CHECK(message("a.") == "pattern 'a.': expected a name, '*' or tags in each part, found nothing in part 2");
    CHECK(message("") == "pattern '': expected a name, '*' or tags in each part, found nothing in part 1");
    CHECK(message("a<>") == "pattern 'a<>': expected a tag before each ',' and '>', found an empty tag");
    CHECK(message("a<b,>") == "pattern 'a<b,>': expected a tag before each ',' and '>', found an empty tag");
    CHECK(message("a<b>c") == "pattern 'a<b>c': expected a '.' or the end after '>', found 'c'");
    CHECK(message("a<b.c>") == "pattern 'a<b.c>': expected tags without '.' and '*', found 'b.c'");
    CHECK(message("**<a>.b") ==
          "pattern '**<a>.b': expected tags after a name or '*', found tags after '**', which stands for many parts");
    std::string deep = "a";
    for (int i = 1; i < 62; ++i) deep += ".a";
    CHECK(message(deep) == "no error");
    CHECK(message(deep + ".a").ends_with("expected at most 62 parts, found 63 or more"));
}

TEST_CASE("More parts, then letters, then no star, then tags are more specific") {
    // each is more specific than all before it
    constexpr const char* ascending[] = {
        "**",         "*",         "<fc>",           "*<fc,dense>",  "d*",        "d*<fc>",       "d*<fc,x>",
        "d",          "d<fc>",     "de*<fc>",        "**.*.weights", "*.weights", "<fc>.weights", "*<fc,a>.weights",
        "d*.weights", "d*<fc>.*s", "d*<fc>.weights", "d.weights",    "*.*.*"};
    constexpr int count = sizeof(ascending) / sizeof(*ascending);
    for (int i = 0; i < count; ++i)
        for (int j = 0; j < count; ++j) {
            CAPTURE(ascending[i], ascending[j]);
            const int order = detail::compare_tagged_specificity(ascending[i], ascending[j]);
            CHECK((order > 0) == (i > j));
            CHECK((order < 0) == (i < j));
        }
    CHECK(detail::compare_tagged_specificity("<a>", "*<b>") == 0);
    static_assert(detail::compare_tagged_specificity("layers.d*<fc>.weights", "layers.*<fc>.weights") > 0);

    constexpr const char* plain[] = {"*",     "dense*",    "*.*",   "*.weights*", "*.weights",
                                     "1-*.*", "1-dense.*", "*.*.*", "a*.x"};
    for (const char* a : plain)
        for (const char* b : plain) {
            CAPTURE(a, b);
            const int tagged = detail::compare_tagged_specificity(a, b), known = detail::compare_specificity(a, b);
            CHECK((tagged > 0) == (known > 0));
            CHECK((tagged < 0) == (known < 0));
        }
}
