#include "control/cli/state_folder.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "support/scratch_folder.hpp"

namespace lockstep::control {
namespace {

using namespace std::chrono_literals;

class StateFolderTest : public testing::Test {
 protected:
  void SetUp() override { ::setenv("XDG_STATE_HOME", home_.path().c_str(), 1); }
  void TearDown() override { ::unsetenv("XDG_STATE_HOME"); }
  void add_mirror(const std::string& name) {
    ASSERT_TRUE(make_state_folder(state_home() + "/" + name).ok());
    std::ofstream(state_home() + "/" + name + "/catalog.sqlite") << "x";
  }
  test::ScratchFolder home_;
};

TEST_F(StateFolderTest, TheOnlyMirrorNeedsNoName) {
  EXPECT_EQ(find_state_folder({}).error().kind, ErrorKind::unreachable);
  add_mirror("shop");
  EXPECT_EQ(find_state_folder({}).value(), home_.file("lockstep/shop"));
  add_mirror("crm");
  const auto several = find_state_folder({});
  ASSERT_FALSE(several.ok());
  EXPECT_EQ(several.error().kind, ErrorKind::bad_input);
  EXPECT_EQ(find_state_folder({"crm", ""}).value(), home_.file("lockstep/crm"));
  EXPECT_EQ(find_state_folder({"crm", "/elsewhere"}).value(), "/elsewhere");
}

TEST_F(StateFolderTest, ANameThatIsAPathIsRefused) {
  for (const char* name : {"", "../x", "a/b", ".hidden", "-x", "a b", "ä"})
    EXPECT_FALSE(check_mirror_name(name).ok()) << name;
  EXPECT_TRUE(check_mirror_name("shop_2.eu-1").ok());
}

TEST_F(StateFolderTest, TheFolderIsForItsOwnerOnly) {
  const std::string folder = state_home() + "/shop";
  ASSERT_TRUE(make_state_folder(folder).ok());
  ASSERT_TRUE(make_state_folder(folder).ok());
  struct stat about {};
  ASSERT_EQ(::stat(folder.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777u, 0700u);
}

TEST_F(StateFolderTest, OneAtATimeHoldsTheLock) {
  const std::string folder = home_.path();
  {
    const auto first = FolderLock::take(folder, 0ms, system_clock());
    ASSERT_TRUE(first.ok());
    EXPECT_EQ(FolderLock::take(folder, 30ms, system_clock()).error().kind, ErrorKind::busy);
  }
  EXPECT_TRUE(FolderLock::take(folder, 0ms, system_clock()).ok());
  EXPECT_EQ(FolderLock::take(folder + "/nowhere", 0ms, system_clock()).error().kind, ErrorKind::refused);
}

TEST_F(StateFolderTest, RemovingLeavesWhatIsNotOurs) {
  add_mirror("shop");
  const std::string folder = state_home() + "/shop";
  std::ofstream(folder + "/theirs") << "x";
  remove_state_folder(folder);
  EXPECT_TRUE(std::filesystem::exists(folder + "/theirs"));
  EXPECT_FALSE(std::filesystem::exists(folder + "/catalog.sqlite"));
  std::filesystem::remove(folder + "/theirs");
  remove_state_folder(folder);
  EXPECT_FALSE(std::filesystem::exists(folder));
}

}  // namespace
}  // namespace lockstep::control
