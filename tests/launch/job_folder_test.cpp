#include "launch/job_folder.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "support/temp_folder.h"

namespace convoy {
namespace {

using test::TempFolder;

size_t entries(const fs::path& folder) {
  return static_cast<size_t>(std::distance(fs::directory_iterator(folder), {}));
}

TEST(LockedFolder, IsRemovedWithAllThatIsInIt) {
  const TempFolder parent;
  {
    const LockedFolder folder(parent.path());
    ASSERT_FALSE(folder.path().empty());
    fs::create_directories(folder.path() / "a/b");
    std::ofstream(folder.path() / "a/b/c") << "x";
  }
  EXPECT_EQ(entries(parent.path()), 0u);
}

TEST(LockedFolder, OnlyWhatAKilledProcessLeftIsRemovedByTheNext) {
  const TempFolder parent;
  const pid_t child = ::fork();
  if (child == 0) {
    const LockedFolder left(parent.path());
    ::_exit(0);  // as if it had been killed
  }
  ::waitpid(child, nullptr, 0);
  const LockedFolder used(parent.path());
  fs::create_directory(parent / "convoy-launch-begun");  // has no lock yet
  fs::create_directory(parent / "other");
  fs::create_directory_symlink("/", parent / "convoy-launch-link");
  EXPECT_EQ(entries(parent.path()), 5u);
  LockedFolder::remove_abandoned(parent.path());
  EXPECT_EQ(entries(parent.path()), 4u);
  EXPECT_TRUE(fs::exists(used.path()));
}

TEST(LockedFolder, WhereNoneCanBeMadeThereIsNone) {
  EXPECT_TRUE(LockedFolder("/no/such/folder").path().empty());
  LockedFolder::remove_abandoned("/no/such/folder");
}

TEST(JobFolder, IsForJobsOfThisHostAlone) {
  const Environment here = JobFolder({{{"localhost", 2}}}).environment();
  EXPECT_TRUE(here.contains("OMPI_MCA_orte_tmpdir_base"));
  EXPECT_FALSE(fs::exists(here.at("OMPI_MCA_orte_tmpdir_base")));
  EXPECT_TRUE(JobFolder({{{"a", 1}}}).environment().empty());
  EXPECT_TRUE(JobFolder({{{"localhost", 1}, {"a", 1}}}).environment().empty());
}

}  // namespace
}  // namespace convoy
