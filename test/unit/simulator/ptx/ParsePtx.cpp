#include "ParsePtx.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace tile::sim::test {

std::string moduleOf(std::string_view text) {
  return ".version 9.0\n.target sm_90a\n.address_size 64\n" + std::string(text);
}

std::string kernelOf(std::string_view body) {
  return moduleOf(".visible .entry k() {\n" + std::string(body) + "\n}\n");
}

ptx::Module parsed(std::string_view text) {
  ptx::Parsed result = ptx::parse(text);
  if (result)
    return std::move(*result);
  const ptx::ParseError &error = result.error();
  ADD_FAILURE() << error.line << ":" << error.column << ": " << error.message << "\n" << text.substr(0, 500);
  return {};
}

ptx::Function body(std::string_view text) {
  ptx::Module module = parsed(kernelOf(text));
  return module.functions.empty() ? ptx::Function{} : std::move(module.functions.front());
}

std::vector<RecordedPtx> recordedPtx() {
  std::vector<std::string> folders = {TILE_FOREIGN_PTX_DIR, TILE_EMITTED_PTX_DIR};
  if (const char *more = std::getenv("TILE_PTX_CORPUS"))
    folders.push_back(more);
  std::vector<RecordedPtx> recorded;
  for (const std::string &folder : folders)
    for (auto &entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() != ".ptx")
        continue;
      std::ifstream in(entry.path(), std::ios::binary);
      recorded.push_back({entry.path().string(), {std::istreambuf_iterator<char>(in), {}}});
    }
  std::sort(recorded.begin(), recorded.end(), [](auto &a, auto &b) { return a.path < b.path; });
  return recorded;
}

} // namespace tile::sim::test
