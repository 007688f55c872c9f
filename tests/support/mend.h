// Sound checksums for damaged files, as far as they still have the places for them: otherwise those
// would stop nearly all damage at the door of a reader.
#pragma once

#include <string>

namespace convoy::test {

// Each stored member's, in the directory of a zip file.
void mend_zip(std::string& bytes);
// Those of all chunks of a PNG file.
void mend_png(std::string& bytes);
// The hash in the index of a packed JPEG.
void mend_index(std::string& bytes);
// Those of the blocks of a TensorFlow checkpoint's index that its footer and its own index name.
void mend_table(std::string& bytes);

}  // namespace convoy::test
