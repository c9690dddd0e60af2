// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/not_included.hpp>
#include <sigma/data/pipeline/dataset_of.hpp>
#include <sigma/data/share_directory.hpp>

#include <string>

template <class W>
struct sigma::detail::Included<sigma::data::include_sigma_data_heart_disease_hpp, W> {};

namespace sigma::data {

/// Patients of the Cleveland clinic (R. Detrano et al., American Journal of Cardiology 64, 1989): 303 records of 13
/// numbers, of which 164 have no heart disease (class 0) and 139 have (class 1; the table tells four degrees). They are
/// age, sex (1: male), kind of chest pain (1 to 4), blood pressure, cholesterol, blood sugar above 120 mg/dl (0, 1),
/// electrocardiogram (0 to 2), highest heart rate, pain when exercising (0, 1), depression of the ST segment, its slope
/// (1 to 3), vessels colored (0 to 3), thalassemia (3, 6 or 7). 6 numbers are missing and become the median. From
/// `directory` if given, else as published() says.
Supervised<Extents<13>, Extents<>> heart_disease(const std::string& directory = "");

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/heart_disease.ipp>
#endif
