// However a text is cut into windows, and whatever of one is left unread, nothing is lost.
#include "readers/text_windows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "readers/mapped_file.h"
#include "support/program.h"
#include "support/random.h"
#include "support/trace_json.h"

namespace jaxtrace {
namespace {

/// Letters that compress, but not to nothing.
std::string some_text(std::size_t size) {
  synth::Random random(1, "text");
  std::string text;
  while (text.size() < size) {
    text.append(static_cast<std::size_t>(random.between(1, 40)),
                static_cast<char>('a' + random.between(0, 25)));
  }
  text.resize(size);
  return text;
}

/// Reads the file in windows, leaving up to `most_unread` bytes of each, and compares with `text`.
void expect_text(const std::string& bytes, const std::string& text, std::size_t most_unread) {
  const ScratchDir directory;
  write_file(directory.path() / "file", bytes);
  const MappedFile file(directory.path() / "file");
  TextWindows windows(file);
  synth::Random random(most_unread, "unread");
  std::string_view view;
  std::size_t at = 0;  // Of `view` in the text.
  while (true) {
    const std::size_t had = view.size();
    view = windows.next(view);
    ASSERT_EQ(view, std::string_view(text).substr(at, view.size()));
    ASSERT_EQ(windows.text_bytes(), at + view.size());
    if (view.size() == had) break;
    const std::size_t unread = random.below(std::min(most_unread, view.size()) + 1);
    at += view.size() - unread;
    view.remove_prefix(view.size() - unread);
  }
  EXPECT_EQ(at + view.size(), text.size());
  EXPECT_EQ(windows.end().how, TextEnd::How::clean);
}

TEST(TextWindows, GiveAllOfAPlainOrCompressedFile) {
  const std::string text = some_text(5'000'000);
  const std::string compressed = gzipped(text);
  for (const std::size_t most_unread : {0U, 100U, 200'000U, 3'000'000U}) {
    expect_text(text, text, most_unread);
    expect_text(compressed, text, most_unread);
  }
  expect_text("", "", 0);
  expect_text(gzipped(""), "", 0);
}

TEST(TextWindows, MayBeLeftInTheMiddle) {
  const ScratchDir directory;
  write_file(directory.path() / "file", gzipped(some_text(20'000'000)));
  const MappedFile file(directory.path() / "file");
  TextWindows windows(file);
  EXPECT_FALSE(windows.next({}).empty());
}

TEST(TextWindows, SayHowTheFileEnds) {
  const std::string whole = gzipped(some_text(100'000));
  const auto end_of = [](const std::string& bytes) {
    const ScratchDir directory;
    write_file(directory.path() / "file", bytes);
    const MappedFile file(directory.path() / "file");
    TextWindows windows(file);
    std::string_view view = windows.next({});
    while (!view.empty()) view = windows.next({});
    return windows.end();
  };
  EXPECT_EQ(end_of(whole).how, TextEnd::How::clean);
  EXPECT_EQ(end_of(whole + whole).how, TextEnd::How::clean);
  EXPECT_EQ(end_of(whole.substr(0, whole.size() - 1)).how, TextEnd::How::cut);
  EXPECT_EQ(end_of(whole + "x").how, TextEnd::How::followed);
  EXPECT_EQ(end_of(whole + "x").byte, whole.size());
  std::string changed = whole;
  changed[whole.size() - 7] ^= 1;
  EXPECT_EQ(end_of(changed).how, TextEnd::How::checksum);
  changed = whole;
  changed[10] = 7;  // After gzip's header: a block of a type that there is none of.
  EXPECT_EQ(end_of(changed).how, TextEnd::How::damaged);
}

}  // namespace
}  // namespace jaxtrace
