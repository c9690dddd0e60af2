// SPDX-License-Identifier: BSL-1.0
#include <sigma/registry/registry.hpp>

#include <catch2/catch.hpp>

using namespace sigma;
using Catch::Matchers::Message;
using Names = std::vector<std::string>;

TEST_CASE("Values are set, read, changed and removed by name, in order of insertion") {
    Registry r;
    r.set("optimizer.learning_rate", 0.01).set("name", "digits").set("epoch", 3);
    CHECK(r.get<double>("optimizer.learning_rate") == 0.01);
    CHECK(r.get<std::string>("name") == "digits");
    CHECK(r.get<int>("epoch") == 3);
    r.set("optimizer.learning_rate", 0.5).set("name", std::string("letters"));
    CHECK(r.get<double>("optimizer.learning_rate") == 0.5);
    CHECK(r.get<std::string_view>("name") == "letters");
    CHECK(r.names() == Names{"optimizer", "name", "epoch"});
    CHECK(r.contains("optimizer"));
    CHECK_FALSE(r.contains("optimizer."));
    CHECK_FALSE(r.contains("name.length"));
    CHECK(r.find<int>("iteration") == std::nullopt);
    CHECK(r.find<int>("epoch") == 3);

    CHECK(r.remove("name"));
    CHECK_FALSE(r.remove("name"));
    CHECK_FALSE(r.remove("nothing.here"));
    CHECK(r.names() == Names{"optimizer", "epoch"});
    CHECK(r.remove("optimizer"));
    CHECK_FALSE(r.contains("optimizer.learning_rate"));
    r.clear();
    CHECK(r.names().empty());
}

TEST_CASE("Names that are missing or taken are said") {
    Registry r;
    r.set("optimizer.learning_rate", 0.01);
    CHECK_THROWS_MATCHES(r.get<double>("optimizer.momentum"), RegistryError,
                         Message("registry 'optimizer.momentum': expected a value, found an unknown name"));
    CHECK_THROWS_MATCHES(r.get<double>("optimizer"), RegistryError,
                         Message("registry 'optimizer': expected a value, found a registry"));
    CHECK_THROWS_MATCHES(
        r.add("optimizer.learning_rate", 1.0), RegistryError,
        Message("registry 'optimizer.learning_rate': expected a new name, found a value of type double"));
    CHECK_THROWS_MATCHES(r.add("optimizer", 1.0), RegistryError,
                         Message("registry 'optimizer': expected a new name, found a registry"));
    CHECK_THROWS_MATCHES(
        r.set("optimizer.learning_rate.scale", 1.0), RegistryError,
        Message("registry 'optimizer.learning_rate': expected a registry, found a value of type double"));
    CHECK_THROWS_MATCHES(r.set("optimizer", 1.0), RegistryError,
                         Message("registry 'optimizer': expected a value of type double, found a registry"));
    CHECK_THROWS_MATCHES(r.child("optimizer").get<int>("steps"), RegistryError,
                         Message("registry 'optimizer.steps': expected a value, found an unknown name"));
    CHECK_THROWS_MATCHES(r.tags("layers"), RegistryError,
                         Message("registry 'layers': expected a value or a registry, found an unknown name"));
    CHECK_THROWS_MATCHES(r.set("a..b", 1), ArgumentError,
                         Message("name 'a..b': expected a name in each part, found nothing in part 2"));
    CHECK_THROWS_MATCHES(r.set("", 1), ArgumentError,
                         Message("name '': expected a name in each part, found nothing in part 1"));
    CHECK_THROWS_MATCHES(r.set("a.b*", 1), ArgumentError,
                         Message("name 'a.b*': expected no '*', '<', '>' and ',', found '*'"));
    CHECK(r.names() == Names{"optimizer"});
}

TEST_CASE("Registries in registries: children, parents, root") {
    Registry r;
    Registry optimizer = r.child("optimizer");
    optimizer.set("learning_rate", 0.01);
    CHECK(r.get<double>("optimizer.learning_rate") == 0.01);
    CHECK(r.child("optimizer") == optimizer);
    CHECK(*optimizer.parent() == r);
    CHECK(optimizer.root() == r);
    CHECK_FALSE(r.parent());
    const Registry handle = r;
    r.set("epoch", 1);
    CHECK(handle.get<int>("epoch") == 1);
    CHECK_THROWS_AS(r.child("epoch"), RegistryError);
    CHECK_THROWS_AS(ReadOnlyRegistry(r).child("network"), RegistryError);
    CHECK_FALSE(r.contains("network"));
}

TEST_CASE("A registry may stand in another one") {
    Registry environment, trainer, second;
    trainer.set("epoch", 1);
    second.set("epoch", 7);
    environment.add("trainers.a", trainer).add("trainers.b", second);
    trainer.set("epoch", 2);
    CHECK(environment.get<int>("trainers.a.epoch") == 2);
    environment.set("trainers.b.epoch", 8);
    CHECK(second.get<int>("epoch") == 8);
    CHECK(trainer.root() == environment);
    CHECK_THROWS_MATCHES(second.get<int>("x"), RegistryError,
                         Message("registry 'trainers.b.x': expected a value, found an unknown name"));
    CHECK_THROWS_AS(environment.add("trainers.a", second), RegistryError);
    CHECK_THROWS_AS(environment.set("trainers.a.epoch", second), RegistryError);
    CHECK_THROWS_MATCHES(trainer.add("all", environment), ArgumentError,
                         Message("registry 'trainers.a.all': expected a registry that does not contain this name, "
                                 "found a registry that contains it"));
    CHECK_THROWS_AS(trainer.add("self", trainer), ArgumentError);

    environment.set("trainers.a", second);  // changes later results, and keeps the order
    CHECK(environment.get<int>("trainers.a.epoch") == 8);
    CHECK(environment.child("trainers").names() == Names{"a", "b"});
    CHECK(environment.remove("trainers.a"));
    CHECK(second.get<int>("epoch") == 8);  // removed from there, but still whole
    CHECK(trainer.get<int>("epoch") == 2);
    CHECK(trainer.root() == trainer);
    CHECK(second.root() == environment);

    environment.replace("trainers", 3);
    CHECK(environment.get<int>("trainers") == 3);
    environment.replace("trainers", trainer);
    CHECK(environment.get<int>("trainers.epoch") == 2);
}

TEST_CASE("Tags are kept once, in order") {
    Registry r;
    r.set("layers.1-dense.weights", 1.0F);
    r.tag("layers.1-dense", {"dense", "fc"}).tag("layers.1-dense", {"fc", "mine"}).tag({"network"});
    CHECK(r.tags("layers.1-dense") == Names{"dense", "fc", "mine"});
    CHECK(r.tags() == Names{"network"});
    CHECK(r.untag("layers.1-dense", "fc"));
    CHECK_FALSE(r.untag("layers.1-dense", "fc"));
    CHECK(r.tags("layers.1-dense") == Names{"dense", "mine"});
    CHECK_THROWS_AS(r.tag("layers.2-dense", {"fc"}), RegistryError);
    CHECK_THROWS_AS(r.tag("layers", {"a,b"}), ArgumentError);
    CHECK_THROWS_AS(r.tag("layers", {""}), ArgumentError);
}

TEST_CASE("A copy is a tree of its own") {
    Registry r;
    double live = 0.5;
    r.set("a.x", 1).set("name", "first").link<double>("loss", [&] { return live; });
    r.tag("a", {"t"}).tag("a.x", {"u"}).tag({"root"});
    Registry inner;
    inner.set("y", 2.0F);
    r.add("inner", inner);

    Registry copy = r.copy();
    r.set("a.x", 2).set("name", "second").set("a.z", 1);
    inner.set("y", 3.0F);
    live = 0.25;
    CHECK(copy.get<int>("a.x") == 1);
    CHECK(copy.get<std::string>("name") == "first");
    CHECK(copy.get<double>("loss") == 0.5);
    CHECK(copy.get<float>("inner.y") == 2.0F);
    CHECK(copy.tags("a") == Names{"t"});
    CHECK(copy.tags("a.x") == Names{"u"});
    CHECK(copy.tags() == Names{"root"});
    CHECK(copy.names() == r.names());
    CHECK_FALSE(copy.contains("a.z"));
    copy.set("loss", 1.0).set("a.x", 9).set("inner.y", 9.0F);
    CHECK(r.get<int>("a.x") == 2);
    CHECK(inner.get<float>("y") == 3.0F);
    CHECK(*copy.child("inner").parent() == copy);
}

TEST_CASE("A read-only registry sees changes") {
    Registry r;
    const ReadOnlyRegistry view = r;
    r.set("shared.accuracy", 0.5);
    CHECK(view.get<double>("shared.accuracy") == 0.5);
    CHECK(view.child("shared").names() == Names{"accuracy"});
    CHECK(*view.child("shared").parent() == view);
    CHECK(view.copy().get<double>("shared.accuracy") == 0.5);
}
