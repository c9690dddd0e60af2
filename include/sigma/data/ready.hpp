// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Published tables and a text, ready to use: iris, wine, wdbc and others. Include it yourself.

#include <sigma/core/words.hpp>
#include <sigma/data/pipeline/dataset_of.hpp>
#include <sigma/data/share_directory.hpp>

#include <cstddef>
#include <string>
#include <vector>

/// @cond internal
SIGMA_INCLUDED(sigma::data, include_sigma_data_ready_hpp);
/// @endcond

/// Sources, readers, transforms and data sets.
namespace sigma::data {

/// Returns R. A. Fisher's iris flowers (1936), which come with the library.
///
/// 150 records, sorted by class, 50 of each of 3 classes. Inputs are 4 lengths in centimeters.
///
/// @param directory  directory of the file; empty (the default): searches as `published` does
/// @return the dataset: inputs (4), class indices
/// @throws DataError  if the file is not found or damaged
///
/// @par Example
/// @code
/// const auto [fitting, validation] = stratified_split(shuffled(data::iris(), 1), 0.8, 0.2);
/// @endcode
///
/// @see docs/ready-datasets.md
Supervised<Extents<4>, Extents<>> iris(const std::string& directory = "");

/// Returns wines of three growers in one region of Italy (M. Forina et al., UCI), which come with the library.
///
/// 178 records, sorted by class: 59, 71 and 48. Inputs are 13 chemical measurements of very different size: standardize
/// them.
///
/// @param directory  directory of the file; empty (the default): searches as `published` does
/// @return the dataset: inputs (13), class indices
/// @throws DataError  if the file is not found or damaged
///
/// @par Example
/// @code
/// const auto wines = data::wine() >> data::standardize(data::inputs);
/// @endcode
///
/// @see docs/ready-datasets.md
Supervised<Extents<13>, Extents<>> wine(const std::string& directory = "");

/// Returns Wisconsin diagnostic breast cancer (W. H. Wolberg, W. N. Street, O. L. Mangasarian, UCI), which comes with
/// the library.
///
/// 569 records: 357 benign (class 0, "B") and 212 malignant (class 1, "M"). Inputs are 30 measurements of cell nuclei:
/// standardize them.
///
/// @param directory  directory of the file; empty (the default): searches as `published` does
/// @return the dataset: inputs (30), class indices
/// @throws DataError  if the file is not found or damaged
///
/// @par Example
/// @code
/// const auto cells = data::wdbc() >> data::standardize(data::inputs);
/// @endcode
///
/// @see docs/ready-datasets.md
Supervised<Extents<30>, Extents<>> wdbc(const std::string& directory = "");

/// Returns measurements of voices (M. A. Little et al., BioMedical Engineering OnLine 6:23, 2007).
///
/// 195 recordings of 32 persons: 147 of persons with Parkinson's disease (class 1) and 48 of healthy persons (class 0).
/// Inputs are 22 numbers of very different size: standardize them. Each person has several recordings: split by
/// persons.
///
/// @param directory  directory of the file; empty (the default): searches as `published` does
/// @return the dataset: inputs (22), class indices
/// @throws DataError  if the file is not found or damaged
///
/// @par Example
/// @code
/// const auto [fitting, validation] = split_groups(data::parkinsons(), data::parkinsons_persons(), 0.8, 0.2);
/// @endcode
///
/// @see parkinsons_persons, docs/ready-datasets.md
Supervised<Extents<22>, Extents<>> parkinsons(const std::string& directory = "");

/// Returns the person, from 0, of each record of `parkinsons`, for `split_groups`.
///
/// @param directory  directory of the file; empty (the default): searches as `published` does
/// @return one number for each record
/// @throws DataError  if the file is not found or damaged
///
/// @see parkinsons
std::vector<std::size_t> parkinsons_persons(const std::string& directory = "");

/// Returns patients of the Cleveland clinic (R. Detrano et al., American Journal of Cardiology 64, 1989).
///
/// 303 records: 164 without heart disease (class 0) and 139 with heart disease (class 1; the table has four degrees).
/// Inputs are age, sex (1: male), kind of chest pain (1 to 4), blood pressure, cholesterol, blood sugar above 120 mg/dl
/// (0, 1), electrocardiogram (0 to 2), highest heart rate, pain when exercising (0, 1), depression of the ST segment,
/// its slope (1 to 3), vessels colored (0 to 3), thalassemia (3, 6 or 7). 6 numbers are missing and become the median.
///
/// @param directory  directory of the file; empty (the default): searches as `published` does, or downloads the file
/// @return the dataset: inputs (13), class indices
/// @throws DataError  if the file is not found or damaged
///
/// @par Example
/// @code
/// const auto patients = data::heart_disease() >> data::standardize(data::inputs);
/// @endcode
///
/// @see docs/ready-datasets.md
Supervised<Extents<13>, Extents<>> heart_disease(const std::string& directory = "");

/// Returns districts of California in the census of 1990 (R. K. Pace and R. Barry, Statistics & Probability Letters 33,
/// 1997, with the column ocean_proximity and missing values added since).
///
/// 20,640 records. Inputs are longitude, latitude, median age of houses, rooms, bedrooms (207 are missing and become
/// the median), population, households, median income; then 1 for one of: INLAND, <1H OCEAN, NEAR OCEAN, NEAR BAY,
/// ISLAND. The target is the median value of a house in dollars, cut at 500,001.
///
/// @param directory  directory of the file; empty (the default): searches as `published` does, or downloads the file
/// @return the dataset: inputs (13), targets (1)
/// @throws DataError  if the file is not found or damaged
///
/// @par Example
/// @code
/// const auto houses = data::california_housing() >> data::standardize();
/// @endcode
///
/// @see docs/ready-datasets.md
Supervised<Extents<13>, Extents<1>> california_housing(const std::string& directory = "");

/// Returns positions of Connect-4 after eight moves (J. Tromp, UCI).
///
/// 67,557 records: every position in which nobody has won and the next move is not forced. Inputs are 42 squares,
/// column by column from the bottom: 1 for the first player, the next to move, -1 for the second player, 0 for an empty
/// square. Classes are win (44,473), loss (16,635) and draw (6,449) of the first player if both play perfectly. The
/// file is downloaded without a digest, so its records are checked.
///
/// @param directory  directory of the file; empty (the default): searches as `published` does, or downloads the file
/// @return the dataset: inputs (42), class indices
/// @throws DataError  if the file is not found, or does not hold 67,557 boards with four marks of each player
///
/// @par Example
/// @code
/// const auto [fitting, validation] = split(shuffled(data::connect_4(), 1), 0.9, 0.1);
/// @endcode
///
/// @see docs/ready-datasets.md
Supervised<Extents<42>, Extents<>> connect_4(const std::string& directory = "");

/// The two parts of `optical_digits`: `auto [training, testing] = data::optical_digits()`.
///
/// @see optical_digits
struct OpticalDigits {
    Supervised<Extents<8, 8>, Extents<>> training;  ///< 3,823 images of 30 writers
    Supervised<Extents<8, 8>, Extents<>> testing;   ///< 1,797 images of 13 other writers
};

/// Returns small handwritten digits (E. Alpaydin and C. Kaynak, "Optical Recognition of Handwritten Digits", UCI,
/// 1998).
///
/// 3,823 images to train on and 1,797 to test with, of 8 x 8 pixels from 0 to 1, labels 0 to 9. A network learns them
/// in about a second.
///
/// @param directory  directory of the files; empty (the default): searches as `published` does, or downloads the files
/// @return both parts: inputs (8, 8), class indices
/// @throws DataError  if a file is not found or damaged
///
/// @par Example
/// @code
/// const auto [small, small_test] = data::optical_digits();
/// @endcode
///
/// @see mnist, docs/ready-datasets.md
OpticalDigits optical_digits(const std::string& directory = "");

/// Labelled images of 32 x 32 pixels in red, green and blue, from 0 to 1.
///
/// @see cifar10
using Images32 = Supervised<Extents<32, 32, 3>, Extents<>>;

/// The two parts of `cifar10`: `auto [training, testing] = data::cifar10()`.
///
/// @see cifar10
struct Cifar10 {
    Images32 training;  ///< 50,000 images to train on
    Images32 testing;   ///< 10,000 images to test with
};

/// Returns small photographs of 10 kinds (A. Krizhevsky, "Learning Multiple Layers of Features from Tiny Images",
/// 2009).
///
/// 50,000 images to train on and 10,000 to test with, of 32 x 32 pixels from 0 to 1, (height, width, channels). Pixels
/// are stored as bytes (`Dataset::compact`), in 184 MB. Searches the folder `cifar-10` for data_batch_1.bin to
/// data_batch_5.bin and test_batch.bin, also in its folder `cifar-10-batches-bin`, then for the archive
/// cifar-10-binary.tar.gz of 170 MB, which it downloads if it is found nowhere.
///
/// @param directory  directory of the files; empty (the default): searches as `published` does, or downloads the
/// archive
/// @return both parts: inputs (32, 32, 3), class indices
/// @throws DataError  if a file is not found or damaged
///
/// @par Example
/// @code
/// auto [photos, photos_to_test] = data::cifar10();
/// photos.classes()[9];  // "truck"
/// @endcode
///
/// @see mnist, augment, docs/ready-datasets.md
Cifar10 cifar10(const std::string& directory = "");

/// Returns the first 99,844 characters of `tiny_shakespeare`, which come with the library.
///
/// @return the text
/// @throws DataError  if the file is not found
///
/// @see tiny_shakespeare
std::string tiny_shakespeare_beginning();

/// Returns scenes of Shakespeare, as collected by A. Karpathy (char-rnn, 2015): 1,115,394 characters.
///
/// If the text is not found and cannot be downloaded, returns `tiny_shakespeare_beginning()` and prints the reason to
/// stderr.
///
/// @param directory  directory of the file; empty (the default): searches as `published` does, or downloads the file
/// @return the text
/// @throws DataError  if the file is not in `directory`
///
/// @par Example
/// @code
/// using namespace sigma::data;
/// const Source text = memory(tiny_shakespeare());
/// const Vocabulary vocabulary(text);
/// const auto sequences = characters<64>(text, vocabulary) >> dataset("shakespeare");
/// @endcode
///
/// @see characters, docs/text.md, docs/ready-datasets.md
std::string tiny_shakespeare(const std::string& directory = "");

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/ready.ipp>
#endif
