// SPDX-License-Identifier: BSL-1.0
// Models that are fitted to data: bundle adjustment (ba), tracking of a hand (ht) and a diagonal LSTM (lstm).
#include "evaluation.hpp"

#include <sigma/derivatives.hpp>
#include <sigma/tape/along_axis.hpp>
#include <sigma/tape/convolution.hpp>
#include <sigma/tape/scan.hpp>

#include <array>

using namespace sigma;

namespace gradbench {

namespace {

constexpr auto part = [](auto x, int first, int end) { return slice(x, axis(0), first, end); };
/// Joins vectors.
constexpr auto joined = [](auto first, auto... more) {
    if constexpr (sizeof...(more) == 0) return first;
    else return concatenate(axis(0), first, more...);
};
constexpr auto cross = [](auto a, auto b) {
    const auto of = [](auto v, int i) { return part(v, i, i + 1); };
    const auto x = of(a, 1) * of(b, 2) - of(a, 2) * of(b, 1), y = of(a, 2) * of(b, 0) - of(a, 0) * of(b, 2),
               z = of(a, 0) * of(b, 1) - of(a, 1) * of(b, 0);
    return joined(x, y, z);
};

// ---- ba ----

constexpr int camera_size = 11, columns = camera_size + 3 + 1;

/// The rotation of a point by a vector: its direction is the axis, its length the angle (Rodrigues).
constexpr auto rotated = [](auto rotation, auto x) {
    const auto squares = sum(square(rotation));
    const auto turns = squares > 0.0;
    const auto angle = sqrt(where(turns, squares, 1.0));
    const auto w = rotation / angle, rest = sum(w * x) * (1.0 - cos(angle));
    const auto turned = x * cos(angle) + cross(w, x) * sin(angle) + w * rest;
    return where(turns, turned, x + cross(rotation, x));
};
/// The weighted distance of the projection of a point from where a camera saw it.
constexpr auto projection_error = [](auto camera, auto x, auto w, auto feature) {
    const auto seen = rotated(part(camera, 0, 3), x - part(camera, 3, 6));
    const auto flat = part(seen, 0, 2) / part(seen, 2, 3), squares = sum(square(flat));
    const auto k1 = part(camera, 9, 10), k2 = part(camera, 10, 11);
    const auto distorted = flat * (1.0 + k1 * squares + k2 * square(squares));
    return w * (distorted * part(camera, 6, 7) + part(camera, 7, 9) - feature);
};
/// The same for all observations, with the numbers of their cameras and points.
constexpr auto projection_errors = [](auto cameras, auto points, auto w, auto features, auto camera_of, auto point_of) {
    return vmap(projection_error)(gather(cameras, camera_of), gather(points, point_of), w, features);
};
constexpr auto weight_error = [](auto w) { return 1.0 - square(w); };
/// The derivatives for each observation: (observations, 2, 11 + 3 + 1), and those of the weights.
constexpr auto derivatives = [](auto cameras, auto points, auto w, auto features, auto camera_of, auto point_of) {
    const auto slopes = vmap(jacobian(projection_error, wrt<0, 1, 2>));
    const auto [camera, x, weight] = slopes(gather(cameras, camera_of), gather(points, point_of), w, features);
    const int n = w.shape()[0];
    return std::tuple{concatenate(axis(2), camera, x, reshape(weight, {n, 2, 1})),
                      jvp(weight_error)(w, filled(w, 1, w.shape()))};
};

struct Observations {
    std::size_t n, m, p;
    Numbers cameras, points, w, features, camera_of, point_of;

    explicit Observations(const Json& input)
        : n(input.at("n")), m(input.at("m")), p(input.at("p")), cameras(repeated(input.at("cam"), n)),
          points(repeated(input.at("x"), m)), w(Numbers::from_shape({p})), features(repeated(input.at("feat"), p)),
          camera_of(Numbers::from_shape({p})), point_of(Numbers::from_shape({p})) {
        w.fill(input.at("w").get<double>());
        for (std::size_t i = 0; i < p; ++i) {
            camera_of(i) = static_cast<double>(i % n);
            point_of(i) = static_cast<double>(i % m);
        }
    }

private:
    static Numbers repeated(const Json& row, std::size_t count) {
        Numbers rows = Numbers::from_shape({count, row.size()});
        for (std::size_t i = 0; i < count; ++i)
            for (std::size_t j = 0; j < row.size(); ++j) rows(i, j) = row[j];
        return rows;
    }
};

Prepared bundle_objective(const Json& input) {
    const auto of = std::make_shared<const Observations>(input);
    auto found = std::make_shared<std::array<Numbers, 2>>();
    return {[=] {
                (*found)[0] = evaluate(projection_errors)(of->cameras, of->points, of->w, of->features, of->camera_of,
                                                          of->point_of);
                (*found)[1] = evaluate(weight_error)(of->w);
            },
            [=] {
                const auto& [errors, weights] = *found;
                return Json{{"reproj_error", {{"elements", {errors(0, 0), errors(0, 1)}}, {"repeated", of->p}}},
                            {"w_err", {{"element", weights(0)}, {"repeated", of->p}}}};
            }};
}
/// A sparse matrix: the elements of row i are rows[i] … rows[i + 1] - 1 of `columns` and `values`.
struct Sparse {
    std::vector<int> rows, columns;
    std::vector<double> values;
};
Prepared bundle_jacobian(const Json& input) {
    const auto of = std::make_shared<const Observations>(input);
    auto found = std::make_shared<Sparse>();
    return {[=] {
                const auto [slopes, of_weights] =
                    evaluate(derivatives)(of->cameras, of->points, of->w, of->features, of->camera_of, of->point_of);
                Sparse& s = *found;
                const std::size_t count = of->p * (2 * columns + 1);
                s.rows.resize(3 * of->p + 1);
                s.columns.resize(count);
                s.values.resize(count);
                const int first_point = static_cast<int>(camera_size * of->n),
                          first_weight = first_point + static_cast<int>(3 * of->m);
                std::copy(slopes.data(), slopes.data() + 2 * columns * of->p, s.values.begin());
                std::copy(of_weights.data(), of_weights.data() + of->p, s.values.end() - static_cast<int>(of->p));
                int* to = s.columns.data();
                for (std::size_t i = 0; i < of->p; ++i)
                    for (int row = 0; row < 2; ++row) {
                        const int camera = static_cast<int>(i % of->n), point = static_cast<int>(i % of->m);
                        for (int j = 0; j < camera_size; ++j) *to++ = camera_size * camera + j;
                        for (int j = 0; j < 3; ++j) *to++ = first_point + 3 * point + j;
                        *to++ = first_weight + static_cast<int>(i);
                    }
                for (std::size_t i = 0; i < of->p; ++i) *to++ = first_weight + static_cast<int>(i);
                const int errors = static_cast<int>(2 * of->p);
                for (int i = 0; i <= errors; ++i) s.rows[static_cast<std::size_t>(i)] = columns * i;
                for (int i = 1; i <= static_cast<int>(of->p); ++i)
                    s.rows[static_cast<std::size_t>(errors + i)] = columns * errors + i;
            },
            [=] {  // the first observation, and the last number
                const auto shortened = [](const auto& list) {
                    Json some = Json::array();
                    for (std::size_t i = 0; i < 2 * columns; ++i) some.push_back(list[i]);
                    some.push_back(list.back());
                    return some;
                };
                return Json{{"rows", shortened(found->rows)},
                            {"cols", shortened(found->columns)},
                            {"vals", shortened(found->values)}};
            }};
}

// ---- ht ----

/// A hand: `bones` and `absolute` are matrices (bones, 4, 4), `vertices` is (4, vertices), `weights` (bones, vertices).
struct Hand {
    std::vector<int> parents;
    bool mirrored = false;

    /// The vertices (vertices, 3) for 26 parameters: rotation, translation, and 4 angles of each finger. `angle_of` has
    /// for each angle of each bone (bones, 3) the number of its parameter, or 26 for the angle 0.
    Tensor operator()(Tensor theta, Tensor bones, Tensor absolute, Tensor vertices, Tensor weights,
                      Tensor angle_of) const {
        const int count = static_cast<int>(parents.size()), points = vertices.shape()[1];
        const Tensor angles =
            reshape(gather(pad(theta, axis(0), 0, 1), reshape(angle_of, Shape{3 * count}), axis(0)), {count, 3});
        const Tensor relative = dot(bones, turns(angles));
        std::vector<Tensor> found;
        for (int i = 0; i < count; ++i) {
            const Tensor own = reshape(slice(relative, axis(0), i, i + 1), {4, 4});
            const int parent = parents[static_cast<std::size_t>(i)];
            found.push_back(parent < 0 ? own : dot(found[static_cast<std::size_t>(parent)], own));
        }
        Tensor all = reshape(found[0], {1, 4, 4});
        for (int i = 1; i < count; ++i)
            all = concatenate(axis(0), all, reshape(found[static_cast<std::size_t>(i)], {1, 4, 4}));
        const Tensor transforms = slice(dot(all, absolute), axis(1), 0, 3);           // (bones, 3, 4)
        const Tensor wide = reshape(permute(transforms, {1, 0, 2}), {3, 4 * count});  // (3, bones·4)
        const Tensor spread =
            reshape(weights, {count, 1, points}) * reshape(vertices, {1, 4, points});  // (bones, 4, …)
        Tensor positions = dot(wide, reshape(spread, {4 * count, points}));
        if (mirrored) positions = positions * reshape(1.0 - 2.0 * equal(iota_beside(theta, 3), 0.0), {3, 1});
        return transpose(dot(rotation(part(theta, 0, 3)), positions)) + part(theta, 3, 6);
    }

private:
    /// Joins numbers of each bone to matrices.
    static Tensor matrices(const std::array<Tensor, 16>& elements, int count) {
        Tensor row = elements[0];
        for (std::size_t i = 1; i < 16; ++i) row = concatenate(axis(1), row, elements[i]);
        return reshape(row, {count, 4, 4});
    }
    /// The rotations by three angles of each bone (bones, 3), around z, y and x.
    static Tensor turns(Tensor angles) {
        const int count = angles.shape()[0];
        const auto angle = [&](int i) { return slice(angles, axis(1), i, i + 1); };
        const Tensor x = angle(0), z = angle(1), y = angle(2), o = 0.0 * x, one = o + 1.0;
        const Tensor cx = cos(x), sx = sin(x), cy = cos(y), sy = sin(y), cz = cos(z), sz = sin(z);
        const Tensor about_x = matrices({one, o, o, o, o, cx, -sx, o, o, sx, cx, o, o, o, o, one}, count);
        const Tensor about_y = matrices({cy, o, sy, o, o, one, o, o, -sy, o, cy, o, o, o, o, one}, count);
        const Tensor about_z = matrices({cz, -sz, o, o, sz, cz, o, o, o, o, one, o, o, o, o, one}, count);
        return dot(dot(about_z, about_y), about_x);
    }
    /// The matrix of a rotation around an axis; none if the angle is tiny.
    static Tensor rotation(Tensor v) {
        const Tensor squares = sum(square(v)), turns = squares >= 1e-8;
        const Tensor angle = sqrt(where(turns, squares, 1.0)), w = v / angle, s = sin(angle), c = cos(angle);
        const auto of = [&](int i) { return part(w, i, i + 1); };
        const Tensor o = 0.0 * of(0), one = o + 1.0;
        const Tensor crossed = joined(o, -of(2), of(1), of(2), o, -of(0), -of(1), of(0), o);
        const Tensor unit = joined(one, o, o, o, one, o, o, o, one);
        const Tensor outer = reshape(reshape(w, {3, 1}) * reshape(w, {1, 3}), Shape{9});
        return reshape(where(turns, outer + (unit - outer) * c + crossed * s, unit), {3, 3});
    }
};
/// The distances of points from vertices of the hand.
struct HandError {
    Hand hand;

    Tensor operator()(Tensor theta, Tensor bones, Tensor absolute, Tensor vertices, Tensor weights, Tensor angle_of,
                      Tensor points, Tensor vertex_of) const {
        const Tensor found = hand(theta, bones, absolute, vertices, weights, angle_of);
        return reshape(points - gather(found, vertex_of), Shape{3 * points.shape()[0]});
    }
};
/// The distances of points from places in triangles of the hand. `corners` has the vertices (3, points) of each.
struct HandErrorInTriangles {
    Hand hand;

    Tensor operator()(Tensor theta, Tensor bones, Tensor absolute, Tensor vertices, Tensor weights, Tensor angle_of,
                      Tensor points, Tensor corners, Tensor us) const {
        const Tensor found = hand(theta, bones, absolute, vertices, weights, angle_of);
        const int n = points.shape()[0];
        const auto corner = [&](int i) { return gather(found, reshape(part(corners, i, i + 1), Shape{n})); };
        const Tensor u = slice(us, axis(1), 0, 1), v = slice(us, axis(1), 1, 2);
        return reshape(points - u * corner(0) - v * corner(1) - (1.0 - u - v) * corner(2), Shape{3 * n});
    }
};

struct HandInput {
    Hand hand;
    Numbers theta, bones, absolute, vertices, weights, angle_of, points, place, us;

    explicit HandInput(const Json& input) {
        const Json &data = input.at("data"), &model = data.at("model");
        hand.parents = model.at("parents").get<std::vector<int>>();
        hand.mirrored = model.at("is_mirrored");
        theta = array_of(input.at("theta"));
        bones = array_of(model.at("base_relatives"));
        absolute = array_of(model.at("inverse_base_absolutes"));
        const Numbers places = array_of(model.at("base_positions")), shares = array_of(model.at("weights"));
        vertices = xt::transpose(places);
        weights = xt::transpose(shares);
        points = array_of(data.at("points"));
        const std::size_t count = hand.parents.size(), none = theta.size();
        angle_of = Numbers::from_shape({count, 3});
        angle_of.fill(static_cast<double>(none));
        // The second to the fourth bone of each finger turn around x, and the second one around z, too.
        double next = 6;
        for (std::size_t finger = 0; finger < 5; ++finger)
            for (std::size_t joint = 0; joint < 3; ++joint) {
                const std::size_t bone = 2 + 4 * finger + joint;
                angle_of(bone, 0) = next++;
                if (joint == 0) angle_of(bone, 1) = next++;
            }
        const Json& correspondences = data.at("correspondences");
        const std::size_t n = correspondences.size();
        if (input.at("us").empty()) {
            place = array_of(correspondences);
            return;
        }
        us = array_of(input.at("us"));
        place = Numbers::from_shape({3, n});
        const Json& triangles = model.at("triangles");
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t corner = 0; corner < 3; ++corner)
                place(corner, i) = triangles.at(correspondences[i].get<std::size_t>()).at(corner);
    }
    /// Calls f with all arguments.
    template <class F, class... More>
    Numbers call(const F& f, const More&... more) const {
        return f(theta, bones, absolute, vertices, weights, angle_of, points, place, more...);
    }
};
Prepared hand_objective(const Json& input) {
    const auto of = std::make_shared<const HandInput>(input);
    auto found = std::make_shared<Numbers>();
    const auto plain = evaluate(HandError{of->hand});
    const auto in_triangles = evaluate(HandErrorInTriangles{of->hand});
    return {[=] { *found = of->us.size() > 1 ? of->call(in_triangles, of->us) : of->call(plain); },
            [=] { return lists_of(*found); }};
}
Prepared hand_jacobian(const Json& input) {
    const auto of = std::make_shared<const HandInput>(input);
    auto found = std::make_shared<Numbers>();
    const auto write = [=] { return lists_of(*found); };
    if (of->us.size() <= 1) {
        const auto plain = jacobian(HandError{of->hand}, wrt<0>);
        return {[=] { *found = of->call(plain); }, write};
    }
    // Each error depends on its own two places, so two tangents have all derivatives in them.
    const HandErrorInTriangles f{of->hand};
    const auto all = evaluate([f](Tensor theta, Tensor bones, Tensor absolute, Tensor vertices, Tensor weights,
                                  Tensor angle_of, Tensor points, Tensor corners, Tensor us) {
        const int n = points.shape()[0];
        const Tensor numbers = iota_beside(us, 2);
        const auto along = [&](double which) {
            const Tensor tangent = broadcast_to(equal(numbers, which), us.shape());
            const Tensor d =
                jvp(f, wrt<8>)(theta, bones, absolute, vertices, weights, angle_of, points, corners, us, tangent);
            return reshape(d, {3 * n, 1});
        };
        const Tensor of_theta =
            jacobian(f, wrt<0>)(theta, bones, absolute, vertices, weights, angle_of, points, corners, us);
        const Tensor first = along(0), second = along(1);
        return concatenate(axis(1), first, second, of_theta);
    });
    return {[=] { *found = of->call(all, of->us); }, write};
}

// ---- lstm ----

/// The error of predicting the next row of a sequence by layers whose weights are diagonal. `main` is (2·layers, 4·b),
/// `extra` (3, b), `state` (2·layers, b). The sequence (1, time, b) is one record.
constexpr auto sequence_error = [](auto main, auto extra, auto state, auto sequence, auto following) {
    const int layers = main.shape()[0] / 2, b = extra.shape()[1];
    const auto weights = reshape(main, {2 * layers, 4, b});
    const auto gate = [&](int layer, int which, int number) {
        return reshape(
            slice(slice(weights, axis(0), 2 * layer + which, 2 * layer + which + 1), axis(1), number, number + 1),
            {1, b});
    };
    const auto row = [&](auto of, int i) { return slice(of, axis(0), i, i + 1); };
    const auto first = broadcast_to(reshape(state, {1, 2 * layers * b}), {batch, 2 * layers * b});
    const auto entered = sequence * reshape(row(extra, 0), {1, 1, b});
    const auto run = [&](auto now, auto before) {
        const auto own = [&](int i) { return slice(before, axis(1), i * b, (i + 1) * b); };
        auto input = now;
        auto all = now;
        for (int i = 0; i < layers; ++i) {
            const auto hidden = own(2 * i), cell = own(2 * i + 1);
            const auto forget = sigmoid(input * gate(i, 0, 0) + gate(i, 1, 0));
            const auto take = sigmoid(hidden * gate(i, 0, 1) + gate(i, 1, 1));
            const auto give = sigmoid(input * gate(i, 0, 2) + gate(i, 1, 2));
            const auto change = tanh(hidden * gate(i, 0, 3) + gate(i, 1, 3));
            const auto next_cell = cell * forget + take * change;
            input = give * tanh(next_cell);
            all = i == 0 ? concatenate(axis(1), input, next_cell) : concatenate(axis(1), all, input, next_cell);
        }
        return all;
    };
    const auto states = scan(entered, first, run);
    const auto hidden = slice(states, axis(2), 2 * (layers - 1) * b, (2 * layers - 1) * b);
    const auto predicted = hidden * reshape(row(extra, 1), {1, 1, b}) + reshape(row(extra, 2), {1, 1, b});
    const auto scores = predicted - log(sum(exp(predicted), axis(2), keep) + 2.0);
    return -mean(following * scores);
};

template <bool derive>
Prepared lstm(const Json& input) {
    const Numbers main = array_of(input.at("main_params")), extra = array_of(input.at("extra_params")),
                  state = array_of(input.at("state")), all = array_of(input.at("sequence"));
    const std::size_t steps = all.shape(0) - 1, b = all.shape(1);
    Numbers sequence = Numbers::from_shape({1, steps, b}), following = sequence;
    std::copy_n(all.data(), steps * b, sequence.data());
    std::copy_n(all.data() + b, steps * b, following.data());
    if constexpr (!derive) {
        auto found = std::make_shared<double>();
        return {[=] {
                    *found =
                        Numbers(evaluate(sequence_error)(main, extra, state, batched(sequence), batched(following)))();
                },
                [=] { return Json(*found); }};
    } else {
        auto found = std::make_shared<std::tuple<Numbers, Numbers>>();
        return {[=] {
                    *found =
                        gradient(sequence_error, wrt<0, 1>)(main, extra, state, batched(sequence), batched(following));
                },
                [=] {
                    Json list = Json::array();
                    for (const double d : std::get<0>(*found)) list.push_back(d);
                    for (const double d : std::get<1>(*found)) list.push_back(d);
                    return list;
                }};
    }
}

}  // namespace

Module fitted_modules(const std::string& name) {
    if (name == "ba") return {{"objective", bundle_objective}, {"jacobian", bundle_jacobian}};
    if (name == "ht") return {{"objective", hand_objective}, {"jacobian", hand_jacobian}};
    if (name == "lstm") return {{"objective", lstm<false>}, {"jacobian", lstm<true>}};
    return {};
}

}  // namespace gradbench
