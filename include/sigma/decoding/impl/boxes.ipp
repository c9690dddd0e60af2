// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/decoding/boxes.hpp>

#include <algorithm>
#include <cmath>
#include <set>

namespace sigma {

namespace detail {

SIGMA_IMPL void check_box(const char* what, const Box& box, double score = 0) {
    if (std::isnan(box.left + box.top + box.right + box.bottom) || std::isnan(score))
        throw ArgumentError(what, "numbers", "NaN");
}

/// A detection, the number of its image, and its place among all that are compared.
struct FoundInImage {
    std::size_t image, place;
    const Detection* detection;
};
/// Returns whether a detection is taken before another: it is surer, or equally sure and was given first.
SIGMA_IMPL bool comes_before(double score, std::size_t place, double other_score, std::size_t other_place) {
    return score != other_score ? score > other_score : place < other_place;
}

/// Returns the area under the curve of precision over recall. `right` has a value for each detection, the surest
/// first.
SIGMA_IMPL double area_under_precision(const std::vector<bool>& right, std::size_t objects) {
    std::vector<double> precision(right.size());
    double count = 0, area = 0, largest = 0;
    for (std::size_t i = 0; i < right.size(); ++i) {
        count += right[i] ? 1 : 0;
        precision[i] = count / static_cast<double>(i + 1);
    }
    // Each right detection raises the recall by the same step.
    for (std::size_t i = right.size(); i-- > 0;) {
        largest = std::max(largest, precision[i]);
        if (right[i]) area += largest;
    }
    return area / static_cast<double>(objects);
}

SIGMA_IMPL double average_precision(std::span<const std::vector<Detection>> found,
                                    std::span<const std::vector<ImageObject>> objects, double overlap,
                                    std::size_t label) {
    std::vector<FoundInImage> all;
    std::size_t count = 0;
    for (std::size_t image = 0; image < found.size(); ++image) {
        for (const Detection& one : found[image])
            if (one.label == label) all.push_back({image, all.size(), &one});
        count += static_cast<std::size_t>(std::ranges::count(objects[image], label, &ImageObject::label));
    }
    std::ranges::sort(all, [](const FoundInImage& one, const FoundInImage& other) {
        return comes_before(one.detection->score, one.place, other.detection->score, other.place);
    });
    std::set<const ImageObject*> taken;
    std::vector<bool> right;
    for (const auto& [image, place, detection] : all) {
        const ImageObject* nearest = nullptr;
        double most = -1;
        for (const ImageObject& object : objects[image]) {
            if (object.label != label) continue;
            const double here = intersection_over_union(object.box, detection->box);
            if (here > most) {
                most = here;
                nearest = &object;
            }
        }
        right.push_back(most >= overlap && taken.insert(nearest).second);
    }
    return area_under_precision(right, count);
}

}  // namespace detail

SIGMA_IMPL double intersection_over_union(const Box& one, const Box& other) {
    const Box common{.left = std::max(one.left, other.left),
                     .top = std::max(one.top, other.top),
                     .right = std::min(one.right, other.right),
                     .bottom = std::min(one.bottom, other.bottom)};
    const double both = common.area(), together = one.area() + other.area() - both;
    return together > 0 ? both / together : 0;
}

SIGMA_IMPL std::vector<Detection> non_maximum_suppression(std::span<const Detection> found,
                                                          const SuppressionOptions& options) {
    if (!(options.most_overlap >= 0 && options.most_overlap <= 1))
        throw ArgumentError("most_overlap of non_maximum_suppression", "a number from 0 to 1",
                            sentence(options.most_overlap));
    if (std::isnan(options.least_score))
        throw ArgumentError("least_score of non_maximum_suppression", "a number", "NaN");
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < found.size(); ++i) {
        detail::check_box("a detection of non_maximum_suppression", found[i].box, found[i].score);
        if (found[i].score >= options.least_score) order.push_back(i);
    }
    std::ranges::sort(order, [&](std::size_t i, std::size_t k) {
        return detail::comes_before(found[i].score, i, found[k].score, k);
    });
    std::vector<Detection> kept;
    for (const std::size_t i : order) {
        if (kept.size() >= options.most) break;
        const Detection& one = found[i];
        const bool again = std::ranges::any_of(kept, [&](const Detection& surer) {
            return (options.across_labels || surer.label == one.label) &&
                   intersection_over_union(surer.box, one.box) > options.most_overlap;
        });
        if (!again) kept.push_back(one);
    }
    return kept;
}

SIGMA_IMPL double mean_average_precision(std::span<const std::vector<Detection>> found,
                                         std::span<const std::vector<ImageObject>> objects, double overlap) {
    if (found.size() != objects.size())
        throw ArgumentError("detections of mean_average_precision", sentence(objects.size(), " images"),
                            sentence(found.size()));
    if (!(overlap > 0 && overlap <= 1))
        throw ArgumentError("overlap of mean_average_precision", "a number above 0, at most 1", sentence(overlap));
    std::set<std::size_t> labels;
    for (const auto& image : objects)
        for (const ImageObject& one : image) {
            detail::check_box("an object of mean_average_precision", one.box);
            labels.insert(one.label);
        }
    for (const auto& image : found)
        for (const Detection& one : image)
            detail::check_box("a detection of mean_average_precision", one.box, one.score);
    if (labels.empty()) throw ArgumentError("objects of mean_average_precision", "at least one", "none");
    double sum = 0;
    for (const std::size_t label : labels) sum += detail::average_precision(found, objects, overlap, label);
    return sum / static_cast<double>(labels.size());
}

}  // namespace sigma
