// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Detection of objects in images: Box, Detection, intersection_over_union, non_maximum_suppression,
/// mean_average_precision. `sigma.hpp` does not include it.
#include <sigma/core/words.hpp>

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

SIGMA_INCLUDED(sigma, include_sigma_decoding_boxes_hpp);

namespace sigma {

/// A rectangle in an image, with x to the right and y down, in any unit.
///
/// @par Example
/// @code
/// const Box box{.left = 2, .top = 3, .right = 6, .bottom = 5};
/// box.area();  // 8
/// @endcode
///
/// @see intersection_over_union, Detection
struct Box {
    double left = 0;    ///< x of the left side
    double top = 0;     ///< y of the upper side
    double right = 0;   ///< x of the right side
    double bottom = 0;  ///< y of the lower side

    /// Returns width × height, or 0 if the box is empty: right ≤ left, or bottom ≤ top.
    constexpr double area() const { return right > left && bottom > top ? (right - left) * (bottom - top) : 0; }
    /// Returns whether all sides are equal.
    friend bool operator==(const Box&, const Box&) = default;
};

/// Returns the area that two boxes share, divided by the area that they cover together.
///
/// @param one    a box
/// @param other  another box
/// @return from 0 (nothing in common) to 1 (equal). 0 if both boxes are empty
///
/// @par Example
/// @code
/// intersection_over_union({0, 0, 2, 2}, {1, 0, 3, 2});  // 2 / 6
/// @endcode
///
/// @see non_maximum_suppression
double intersection_over_union(const Box& one, const Box& other);

/// An object in an image, as an annotator has drawn it.
///
/// @see Detection, mean_average_precision
struct ImageObject {
    Box box{};              ///< place of the object
    std::size_t label = 0;  ///< class of the object
};

/// An object that a network has found.
///
/// @see non_maximum_suppression, ImageObject
struct Detection {
    Box box{};              ///< place of the object
    std::size_t label = 0;  ///< class of the object
    double score = 0;       ///< confidence of the network; larger is surer
};

/// Options of `non_maximum_suppression`.
///
/// @see non_maximum_suppression
struct SuppressionOptions {
    double most_overlap = 0.5;  ///< largest intersection over union with a kept detection, from 0 to 1
    double least_score = -std::numeric_limits<double>::infinity();  ///< least score that is kept
    bool across_labels = false;  ///< true: also compares detections of different classes
    std::size_t most = std::numeric_limits<std::size_t>::max();  ///< number of detections that are kept at most
};

/// Removes detections that overlap a surer detection of the same class too much.
///
/// A network often finds one object at several neighboring places. The function takes detections in order of score,
/// highest first, and skips scores below `options.least_score`. It keeps a detection if its intersection over union
/// with each kept detection of its class is at most `options.most_overlap`. `options.across_labels` extends this
/// comparison to all classes. The function stops at `options.most` detections. Equal scores are taken in the order
/// given. The time is in proportion to the number of detections times the number that is kept.
///
/// @param found    detections of one image, in any order
/// @param options  limits. Defaults: overlap 0.5, all scores, each class by itself, any number
/// @return the detections that are kept, the surest first
/// @throws ArgumentError  if `most_overlap` is not from 0 to 1, or `least_score`, a coordinate or a score is NaN
///
/// @par Example
/// @code
/// const std::vector<Detection> found{{.box = {0, 0, 4, 4}, .score = 0.9}, {.box = {0, 1, 4, 5}, .score = 0.6}};
/// const std::vector<Detection> kept = non_maximum_suppression(found, {.most_overlap = 0.3});  // the first
/// @endcode
///
/// @see mean_average_precision, docs/detection.md
std::vector<Detection> non_maximum_suppression(std::span<const Detection> found,
                                               const SuppressionOptions& options = {});

/// Returns the average precision of each class, averaged over the classes of `objects`.
///
/// The average precision of a class is the area under its precision-recall curve. The precision at a recall is the
/// largest one at this recall or at any larger recall (Everingham et al. 2010, PASCAL VOC from 2010 on). Detections are
/// taken in order of score, highest first. Each is compared with the object of its class that it overlaps most. It is
/// right if their intersection over union is at least `overlap` and no earlier detection was right for this object.
/// Detections of classes without objects do not count.
///
/// @param found    detections of each image
/// @param objects  objects of each image
/// @param overlap  least intersection over union of a right detection, above 0, at most 1
/// @return from 0 to 1
/// @throws ArgumentError  if the numbers of images differ, no image has an object, `overlap` is out of range, or a
///         coordinate or a score is NaN
///
/// @par Example
/// @code
/// const std::vector<std::vector<Detection>> found{{{.box = {0, 0, 4, 4}, .score = 0.9}}};
/// const std::vector<std::vector<ImageObject>> objects{{{.box = {0, 0, 4, 5}}}};
/// mean_average_precision(found, objects);  // 1: the overlap is 16 / 20
/// @endcode
///
/// @see non_maximum_suppression, docs/detection.md
double mean_average_precision(std::span<const std::vector<Detection>> found,
                              std::span<const std::vector<ImageObject>> objects, double overlap = 0.5);

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/decoding/impl/boxes.ipp>
#endif
