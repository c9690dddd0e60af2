// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/words.hpp>
#include <sigma/data/pipeline/dataset_of.hpp>
#include <sigma/data/share_directory.hpp>

#include <cstddef>
#include <string>
#include <vector>

SIGMA_INCLUDED(sigma::data, include_sigma_data_ready_hpp);

/// Published tables and a text. They are read from `directory` if given, else as published() says.
namespace sigma::data {

/// R. A. Fisher's iris flowers (1936): 150 records sorted by class, 50 of each of 3; 4 lengths in centimetres. It comes
/// with the library.
Supervised<Extents<4>, Extents<>> iris(const std::string& directory = "");

/// Wines of three growers in one region of Italy (M. Forina et al., UCI): 178 records sorted by class, 59, 71 and 48;
/// 13 chemical measurements of very different size, so standardize them. It comes with the library.
Supervised<Extents<13>, Extents<>> wine(const std::string& directory = "");

/// Wisconsin diagnostic breast cancer (W. H. Wolberg, W. N. Street, O. L. Mangasarian, UCI): 569 records, 357 benign
/// (class 0, "B") and 212 malignant (class 1, "M"); 30 measurements of cell nuclei, so standardize them. It comes with
/// the library.
Supervised<Extents<30>, Extents<>> wdbc(const std::string& directory = "");

/// Measures of voices (M. A. Little et al., BioMedical Engineering OnLine 6:23, 2007): 195 recordings of 32 persons,
/// 147 of those who have Parkinson's disease (class 1) and 48 of those who have not; 22 numbers of very different size,
/// so standardize them. A person has several recordings: split by parkinsons_persons().
Supervised<Extents<22>, Extents<>> parkinsons(const std::string& directory = "");

/// For each record of parkinsons() the person, from 0: split_groups(parkinsons(), parkinsons_persons(), 0.8, 0.2).
std::vector<std::size_t> parkinsons_persons(const std::string& directory = "");

/// Patients of the Cleveland clinic (R. Detrano et al., American Journal of Cardiology 64, 1989): 303 records of 13
/// numbers, of which 164 have no heart disease (class 0) and 139 have (class 1; the table tells four degrees). They are
/// age, sex (1: male), kind of chest pain (1 to 4), blood pressure, cholesterol, blood sugar above 120 mg/dl (0, 1),
/// electrocardiogram (0 to 2), highest heart rate, pain when exercising (0, 1), depression of the ST segment, its slope
/// (1 to 3), vessels colored (0 to 3), thalassemia (3, 6 or 7). 6 numbers are missing and become the median.
Supervised<Extents<13>, Extents<>> heart_disease(const std::string& directory = "");

/// Districts of California in the census of 1990 (R. K. Pace and R. Barry, Statistics & Probability Letters 33, 1997,
/// with the column ocean_proximity and missing values added since): 20,640 records of 13 numbers. They are longitude,
/// latitude, median age of houses, rooms, bedrooms (207 are missing and become the median), population, households,
/// median income; then 1 for one of: INLAND, <1H OCEAN, NEAR OCEAN, NEAR BAY, ISLAND. The target is the median value of
/// a house in dollars, (records, 1), cut at 500,001.
Supervised<Extents<13>, Extents<1>> california_housing(const std::string& directory = "");

/// Connect-4 after eight moves (J. Tromp, UCI): every position in which nobody has won and the next move is not forced,
/// 67,557 records; 42 squares, column by column from the bottom: 1 of the first player, who moves, -1 of the second, 0
/// empty. Classes: win (44,473), loss (16,635) and draw (6,449) of the first player when both play perfectly. No digest
/// of the file is known: what is not 67,557 records of boards with four marks of each is refused with a DataError.
Supervised<Extents<42>, Extents<>> connect_4(const std::string& directory = "");

/// Two parts of one set: auto [training, testing] = data::optical_digits().
struct OpticalDigits {
    Supervised<Extents<8, 8>, Extents<>> training, testing;
};

/// Small handwritten digits (E. Alpaydin and C. Kaynak, "Optical Recognition of Handwritten Digits", UCI, 1998): 3,823
/// images of 30 writers to train on and 1,797 of 13 others to test with, of 8 x 8 pixels from 0 to 1, labels 0 to 9. A
/// network learns them in a second.
OpticalDigits optical_digits(const std::string& directory = "");

/// The first 99,844 characters of tiny_shakespeare(), which come with the library.
std::string tiny_shakespeare_beginning();

/// Scenes of Shakespeare, as collected by A. Karpathy (char-rnn, 2015): 1,115,394 characters. Where they are nowhere
/// and cannot be downloaded, tiny_shakespeare_beginning() takes their place, and a line on stderr says why.
///   const Source text = memory(tiny_shakespeare());
///   const Vocabulary vocabulary(text);
///   const auto sequences = characters<64>(text, vocabulary) >> dataset("shakespeare");
std::string tiny_shakespeare(const std::string& directory = "");

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/ready.ipp>
#endif
