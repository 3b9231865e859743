/// The standard library's source, embedded.
#ifndef FRONTEND_STD_STD_H
#define FRONTEND_STD_STD_H

#include <string_view>

namespace tile {

/// The text of std.tile.
std::string_view standardLibraryText();

} // namespace tile

#endif
