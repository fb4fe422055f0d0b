#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>

#include "base/disk.hpp"
#include "support/scratch_folder.hpp"

namespace lockstep {
namespace {

class PosixDisk : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_.file(name); }

  test::ScratchFolder folder_;
  Disk& disk_ = posix_disk();
};

std::string read_text(const DiskFile& file, std::uint64_t offset, std::size_t count) {
  std::string text(count, '?');
  const Status read = file.read(offset, std::as_writable_bytes(std::span(text.data(), text.size())));
  return read.ok() ? text : "error: " + read.error().what;
}

TEST_F(PosixDisk, WhatIsAppendedIsReadBackByAnyHandleAtAnyPlace) {
  auto writer = disk_.open(path("a"), true);
  ASSERT_TRUE(writer.ok());
  auto reader = disk_.open(path("a"), false);
  ASSERT_TRUE(reader.ok());
  ASSERT_TRUE(writer.value()->append(bytes_of("hello ")).ok());
  ASSERT_TRUE(writer.value()->append(bytes_of("world")).ok());
  ASSERT_TRUE(writer.value()->sync().ok());
  EXPECT_EQ(reader.value()->size(), 11u);
  EXPECT_EQ(read_text(*reader.value(), 6, 5), "world");
}

TEST_F(PosixDisk, AfterATruncateTheNextAppendFollowsTheCut) {
  auto file = disk_.open(path("a"), true);
  ASSERT_TRUE(file.value()->append(bytes_of("keep-torn")).ok());
  ASSERT_TRUE(file.value()->truncate(4).ok());
  ASSERT_TRUE(file.value()->append(bytes_of("!")).ok());
  EXPECT_EQ(read_text(*file.value(), 0, 5), "keep!");
}

TEST_F(PosixDisk, ReadingPastTheEndIsBadData) {
  auto file = disk_.open(path("a"), true);
  ASSERT_TRUE(file.value()->append(bytes_of("abc")).ok());
  std::array<std::byte, 4> into{};
  const Status read = file.value()->read(0, into);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().kind, ErrorKind::bad_data);
}

TEST_F(PosixDisk, CreatingWhatExistsIsAnErrorThatNamesErrno) {
  ASSERT_TRUE(disk_.open(path("a"), true).ok());
  const auto again = disk_.open(path("a"), true);
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().native, "EEXIST");
  const auto missing = disk_.open(path("b"), false);
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().native, "ENOENT");
}

TEST_F(PosixDisk, ListsFilesSortedAndNoFolders) {
  ASSERT_TRUE(disk_.make_folder(path("nested/deep")).ok());
  ASSERT_TRUE(disk_.make_folder(path("nested/deep")).ok()) << "a second time changes nothing";
  for (const char* name : {"b", "a", "c"}) ASSERT_TRUE(disk_.open(path(name), true).ok());
  ASSERT_TRUE(disk_.remove(path("c")).ok());
  ASSERT_TRUE(disk_.sync_folder(folder_.path()).ok());
  const auto names = disk_.list(folder_.path());
  ASSERT_TRUE(names.ok());
  EXPECT_EQ(names.value(), (std::vector<std::string>{"a", "b"}));
}

TEST_F(PosixDisk, OnlyItsUserMayReadWhatItMakes) {
  ASSERT_TRUE(disk_.make_folder(path("state")).ok());
  ASSERT_TRUE(disk_.open(path("state/a"), true).ok());
  struct stat about {};
  ASSERT_EQ(::stat(path("state").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777u, 0700u);
  ASSERT_EQ(::stat(path("state/a").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0077u, 0u);
}

TEST_F(PosixDisk, TellsTheSpaceOfTheFolder) {
  const auto space = disk_.space(folder_.path());
  ASSERT_TRUE(space.ok());
  EXPECT_GT(space.value().total_bytes, 0u);
  EXPECT_LE(space.value().free_bytes, space.value().total_bytes);
  EXPECT_FALSE(disk_.space(path("nowhere")).ok());
}

TEST_F(PosixDisk, AFullDeviceIsNoSpace) {
  auto full = disk_.open("/dev/full", false);
  if (!full.ok()) GTEST_SKIP() << "no /dev/full here";
  const Status written = full.value()->append(bytes_of("x"));
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().kind, ErrorKind::no_space);
  EXPECT_EQ(written.error().native, "ENOSPC");
}

TEST_F(PosixDisk, AfterAFailedSyncTheFileNeverSaysYesAgain) {
  // A pipe cannot be synced: the one failure that is to be had without a broken disk.
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  auto pipe = disk_.open(path("pipe"), false);
  ASSERT_TRUE(pipe.ok());
  const Status first = pipe.value()->sync();
  ASSERT_FALSE(first.ok());
  EXPECT_EQ(first.error().native, "EINVAL");
  const Status second = pipe.value()->sync();
  ASSERT_FALSE(second.ok());
  EXPECT_NE(second.error().what.find("earlier sync"), std::string::npos);
}

}  // namespace
}  // namespace lockstep
