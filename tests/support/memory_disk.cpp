#include "support/memory_disk.hpp"

#include <algorithm>
#include <utility>

namespace lockstep::test {
namespace {

std::string folder_of(const std::string& path) { return path.substr(0, path.find_last_of('/')); }

std::size_t below(std::mt19937_64& chance, std::size_t end) {
  return end == 0 ? 0 : static_cast<std::size_t>(chance() % end);
}

}  // namespace

class MemoryFile final : public DiskFile {
 public:
  MemoryFile(MemoryDisk& disk, std::shared_ptr<MemoryDisk::File> file) : disk_(disk), file_(std::move(file)) {}

  Status append(Bytes bytes) override {
    const std::scoped_lock lock(disk_.mutex_);
    return disk_.append_to(*file_, bytes);
  }
  Status sync() override {
    const std::scoped_lock lock(disk_.mutex_);
    return disk_.sync(*file_);
  }
  Status read(std::uint64_t offset, std::span<std::byte> into) const override {
    const std::scoped_lock lock(disk_.mutex_);
    TRY_DO(disk_.pass("read"));
    const std::vector<std::byte>& content = file_->content;
    if (offset > content.size() || into.size() > content.size() - offset) {
      return Error{ErrorKind::bad_data, "the file ends too early"};
    }
    std::copy_n(content.begin() + static_cast<std::ptrdiff_t>(offset), into.size(), into.begin());
    return Done{};
  }
  std::uint64_t size() const override {
    const std::scoped_lock lock(disk_.mutex_);
    return file_->content.size();
  }
  Status truncate(std::uint64_t size) override {
    const std::scoped_lock lock(disk_.mutex_);
    TRY_DO(disk_.pass("truncate"));
    return MemoryDisk::truncate(*file_, size);
  }
  Status write_again(std::uint64_t offset, Bytes bytes) override {
    const std::scoped_lock lock(disk_.mutex_);
    TRY_DO(disk_.pass("write_again"));
    return MemoryDisk::write_again(*file_, static_cast<std::size_t>(offset), bytes);
  }

 private:
  MemoryDisk& disk_;
  std::shared_ptr<MemoryDisk::File> file_;
};

Status MemoryDisk::pass(const char* what) {
  ++calls_;
  const bool fails = fail_at_ != 0 && (stop_ ? calls_ >= fail_at_ : calls_ == fail_at_);
  if (!fails) return Done{};
  return Error{fail_kind_, std::string(what) + " was asked to fail"};
}

Status MemoryDisk::append_to(File& file, Bytes bytes) {
  const Status passed = pass("append");
  const std::uint64_t room = bytes_max_ - std::min(bytes_max_, used());
  std::size_t done = bytes.size();
  if (!passed.ok()) done = stop_ && calls_ > fail_at_ ? 0 : bytes.size() / 2;
  if (done > room) done = static_cast<std::size_t>(room);
  file.content.insert(file.content.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(done));
  if (!passed.ok()) return passed.error();
  if (done < bytes.size()) return Error{ErrorKind::no_space, "the disk is full"};
  return Done{};
}

Status MemoryDisk::sync(File& file) {
  if (const Status passed = pass("sync"); !passed.ok()) {
    if (stop_) return passed.error();
    for (Hole& hole : file.lost) hole.written_again = false;
    if (file.synced < file.content.size()) file.lost.push_back({file.synced, file.content.size(), false});
    file.synced = file.content.size();
    return passed.error();
  }
  file.synced = file.content.size();
  std::erase_if(file.lost, [](const Hole& hole) { return hole.written_again; });
  file.before.reset();
  return Done{};
}

/// A piece of a hole is left lost: the journal writes again all that may be, or it is caught.
Status MemoryDisk::write_again(File& file, std::size_t begin, Bytes bytes) {
  if (begin + bytes.size() > file.content.size()) return Error{ErrorKind::bad_data, "the file ends too early"};
  if (!equal(Bytes(file.content).subspan(begin, bytes.size()), bytes)) {
    return Error{ErrorKind::bad_data, "other bytes than those that are there"};
  }
  for (Hole& hole : file.lost) hole.written_again |= begin <= hole.begin && hole.end <= begin + bytes.size();
  return Done{};
}

Status MemoryDisk::truncate(File& file, std::uint64_t size) {
  if (size > file.content.size()) return Error{ErrorKind::unexpected, "a truncate that grows"};
  const auto cut = static_cast<std::size_t>(size);
  if (cut < file.synced && !file.before.has_value()) {
    file.before = std::vector(file.content.begin(), file.content.begin() + static_cast<std::ptrdiff_t>(file.synced));
    for (const Hole& hole : file.lost) {
      for (std::size_t i = hole.begin; i < hole.end && i < file.before->size(); ++i) (*file.before)[i] = std::byte{0};
    }
  }
  file.content.resize(cut);
  file.synced = std::min(file.synced, cut);
  std::erase_if(file.lost, [&](const Hole& hole) { return hole.begin >= cut; });
  for (Hole& hole : file.lost) hole.end = std::min(hole.end, cut);
  return Done{};
}

std::uint64_t MemoryDisk::used() const {
  std::uint64_t sum = 0;
  for (const auto& [path, file] : names_) sum += file->content.size();
  return sum;
}

Status MemoryDisk::make_folder(const std::string&) {
  const std::scoped_lock lock(mutex_);
  return pass("make_folder");
}

Result<std::vector<std::string>> MemoryDisk::list(const std::string& folder) {
  const std::scoped_lock lock(mutex_);
  TRY_DO(pass("list"));
  std::vector<std::string> names;
  for (const auto& [path, file] : names_) {
    if (folder_of(path) == folder) names.push_back(path.substr(folder.size() + 1));
  }
  return names;
}

Result<std::unique_ptr<DiskFile>> MemoryDisk::open(const std::string& path, bool create) {
  const std::scoped_lock lock(mutex_);
  TRY_DO(pass("open"));
  const auto found = names_.find(path);
  if (create == (found != names_.end())) {
    return Error{ErrorKind::unexpected,       (create ? "there is already a " : "there is no ") + path, "", "", "",
                 create ? "EEXIST" : "ENOENT"};
  }
  std::shared_ptr<File>& file = names_[path];
  if (create) file = std::make_shared<File>();
  return std::unique_ptr<DiskFile>(std::make_unique<MemoryFile>(*this, file));
}

Status MemoryDisk::remove(const std::string& path) {
  const std::scoped_lock lock(mutex_);
  TRY_DO(pass("remove"));
  if (names_.erase(path) == 0) return Error{ErrorKind::unexpected, "there is no " + path, "", "", "", "ENOENT"};
  return Done{};
}

Status MemoryDisk::sync_folder(const std::string& folder) {
  const std::scoped_lock lock(mutex_);
  TRY_DO(pass("sync_folder"));
  std::erase_if(synced_names_, [&](const auto& entry) { return folder_of(entry.first) == folder; });
  for (const auto& entry : names_) {
    if (folder_of(entry.first) == folder) synced_names_.insert(entry);
  }
  return Done{};
}

Result<DiskSpace> MemoryDisk::space(const std::string&) {
  const std::scoped_lock lock(mutex_);
  TRY_DO(pass("space"));
  if (space_.has_value()) return *space_;
  return DiskSpace{bytes_max_ - std::min(bytes_max_, used()), bytes_max_};
}

void MemoryDisk::crash(std::mt19937_64& chance) {
  const std::scoped_lock lock(mutex_);
  Names after;
  for (const auto& [path, file] : synced_names_) {
    const auto now = names_.find(path);
    const bool unchanged = now != names_.end() && now->second == file;
    if (unchanged || chance() % 2 == 0) after[path] = survivor(*file, chance);
  }
  for (const auto& [path, file] : names_) {
    const auto old = synced_names_.find(path);
    const bool unchanged = old != synced_names_.end() && old->second == file;
    if (!unchanged && chance() % 2 == 0) after[path] = survivor(*file, chance);
  }
  names_ = after;
  synced_names_ = std::move(after);
  fail_at_ = 0;
  stop_ = false;
}

std::shared_ptr<MemoryDisk::File> MemoryDisk::survivor(const File& file, std::mt19937_64& chance) {
  auto kept = std::make_shared<File>();
  if (file.before.has_value() && chance() % 2 == 0) {
    kept->content = *file.before;
  } else {
    const auto synced = file.content.begin() + static_cast<std::ptrdiff_t>(file.synced);
    kept->content.assign(file.content.begin(), synced);
    for (const Hole& hole : file.lost) {
      for (std::size_t i = hole.begin; i < hole.end && i < kept->content.size(); ++i) kept->content[i] = std::byte{0};
    }
    tear(*kept, Bytes(file.content).subspan(file.synced), chance);
  }
  kept->synced = kept->content.size();
  return kept;
}

void MemoryDisk::tear(File& kept, Bytes unsynced, std::mt19937_64& chance) {
  const auto how = chance() % 5;
  if (unsynced.empty() || how == 0) return;
  const std::size_t count = how == 1 ? unsynced.size() : below(chance, unsynced.size() + 1);
  const std::size_t start = kept.content.size();
  kept.content.insert(kept.content.end(), unsynced.begin(), unsynced.begin() + static_cast<std::ptrdiff_t>(count));
  if (how == 3) {
    const std::size_t garbage = below(chance, 200);
    for (std::size_t i = 0; i < garbage; ++i) kept.content.push_back(static_cast<std::byte>(chance() & 0xff));
  }
  if (how == 4) {
    constexpr std::size_t sector = 64;  // smaller than a real one, because so are the files of tests
    kept.content.resize(start);
    kept.content.insert(kept.content.end(), unsynced.begin(), unsynced.end());
    for (std::size_t i = start; i < kept.content.size(); ++i) {
      if ((i - start) % sector != 0 || chance() % 3 != 0) continue;
      const std::size_t end = std::min(kept.content.size(), i + sector);
      std::fill(kept.content.begin() + static_cast<std::ptrdiff_t>(i),
                kept.content.begin() + static_cast<std::ptrdiff_t>(end), std::byte{0});
    }
  }
}

void MemoryDisk::fail_call(std::uint64_t nth, ErrorKind kind) {
  const std::scoped_lock lock(mutex_);
  fail_at_ = nth == 0 ? 0 : calls_ + nth;
  fail_kind_ = kind;
  stop_ = false;
}

void MemoryDisk::stop_at_call(std::uint64_t nth) {
  const std::scoped_lock lock(mutex_);
  fail_at_ = calls_ + nth;
  fail_kind_ = ErrorKind::unexpected;
  stop_ = true;
}

std::uint64_t MemoryDisk::calls() const {
  const std::scoped_lock lock(mutex_);
  return calls_;
}

void MemoryDisk::limit_bytes(std::uint64_t bytes_max) {
  const std::scoped_lock lock(mutex_);
  bytes_max_ = bytes_max;
}

void MemoryDisk::set_space(std::optional<DiskSpace> space) {
  const std::scoped_lock lock(mutex_);
  space_ = space;
}

std::vector<std::byte> MemoryDisk::content(const std::string& path) const {
  const std::scoped_lock lock(mutex_);
  const auto found = names_.find(path);
  return found == names_.end() ? std::vector<std::byte>{} : found->second->content;
}

void MemoryDisk::set_content(const std::string& path, std::vector<std::byte> content) {
  const std::scoped_lock lock(mutex_);
  auto file = std::make_shared<File>();
  file->content = std::move(content);
  file->synced = file->content.size();
  names_[path] = file;
  synced_names_[path] = file;
}

void MemoryDisk::flip_bit(const std::string& path, std::uint64_t offset) {
  const std::scoped_lock lock(mutex_);
  names_.at(path)->content.at(static_cast<std::size_t>(offset)) ^= std::byte{1};
}

std::vector<std::string> MemoryDisk::paths() const {
  const std::scoped_lock lock(mutex_);
  std::vector<std::string> paths;
  for (const auto& [path, file] : names_) paths.push_back(path);
  return paths;
}

}  // namespace lockstep::test
