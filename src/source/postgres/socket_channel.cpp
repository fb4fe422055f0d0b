// COPY over the bare socket. libpq connects and authenticates; then this speaks the protocol itself (PostgreSQL manual,
// "Frontend/Backend Protocol", "Message Formats"), because libpq allocates and copies every message once. libpq never
// learns of it: it begins when the connection is idle and ends with ReadyForQuery, in the same transaction as before.

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <vector>

#include "base/wire.hpp"
#include "source/postgres/copy_channel.hpp"
#include "source/postgres/sqlstate.hpp"

namespace lockstep::postgres {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr std::size_t block_bytes = 1 << 20;
constexpr std::size_t message_bytes_max = std::size_t{1} << 30;  // the server's own limit (MaxAllocSize)
// Less than this at once means that we are quicker than the server: give it a moment, and save both sides wake-ups.
constexpr std::size_t crumb_bytes = 32 * 1024;
constexpr microseconds crumb_pause{250};
constexpr std::size_t header_bytes = 5;

Error broke(const char* how) {
  return {ErrorKind::unreachable, std::string("the connection to the source broke: ") + how};
}

/// An ErrorResponse: fields of one letter and a text each.
Error read_error(Bytes body) {
  WireReader in(body);
  Error error{ErrorKind::unexpected, "the source says: "};
  for (std::uint8_t field = in.u8(); field != 0 && in.ok(); field = in.u8()) {
    const std::string_view text = in.c_string();
    if (field == 'C') error.native = text;
    if (field == 'M') error.what += text;
    if (field == 'H') error.remedy = text;
  }
  error.kind = kind_of_sqlstate(error.native);
  return error;
}

class SocketChannel final : public CopyChannel {
 public:
  SocketChannel(Connection& connection, bool paced) : socket_(connection.socket()), paced_(paced) { make_room(0); }

  Status start(const std::string& sql) override {
    std::vector<std::byte> message;
    WireWriter writer(message);
    writer.u8('Q');
    writer.u32(static_cast<std::uint32_t>(sql.size() + header_bytes));
    writer.bytes(bytes_of(sql));
    writer.u8(0);
    unsent_.insert(unsent_.end(), message.begin(), message.end());
    TRY_DO(flush());
    for (;;) {
      TRY(message_read, read_message(milliseconds(1000)));
      if (!message_read) continue;
      if (tag_ == 'H' || tag_ == 'W') return Done{};
      if (tag_ == 'E') failed_ = read_error(body_);
      if (tag_ == 'Z') return failed_.value_or(Error{ErrorKind::bad_data, "the source did not start to copy"});
    }
  }

  Result<Message> next(milliseconds wait_max) override {
    if (!unsent_.empty()) TRY_DO(flush());
    for (;;) {
      TRY(message_read, read_message(wait_max));
      if (!message_read) return Message{};
      switch (tag_) {
        case 'd': return Message{Got::data, body_};
        case 'E': failed_ = read_error(body_); break;
        case 'Z':
          if (failed_) return *failed_;
          return Message{Got::end};
        case 'c':
        case 'C':
        case 'N':
        case 'S':
        case 'A': break;
        default: return Error{ErrorKind::bad_data, "the source's connection sent a message of an unknown kind"};
      }
    }
  }

  void release() override {
    // One spent block is kept for the next turn.
    if (!kept_.empty()) spare_ = std::move(kept_.back());
    kept_.clear();
  }

  Status send(Bytes content) override {
    WireWriter writer(unsent_);
    writer.u8('d');
    writer.u32(static_cast<std::uint32_t>(content.size() + 4));
    writer.bytes(content);
    return flush();
  }

 private:
  using Buffer = std::vector<std::byte>;

  /// Takes the next whole message out of the block. False: none came in time.
  Result<bool> read_message(milliseconds wait_max) {
    for (;;) {
      TRY(whole, take_message());
      if (whole) return true;
      TRY(more, receive(wait_max));
      if (!more) return false;
    }
  }

  Result<bool> take_message() {
    if (end_ - begin_ < header_bytes) return false;
    WireReader header(Bytes(block_->data() + begin_, header_bytes));
    const char tag = static_cast<char>(header.u8());
    const std::size_t length = header.u32();
    if (length < 4 || length > message_bytes_max) {
      return Error{ErrorKind::bad_data, "the source's connection sent a message of an impossible length"};
    }
    wanted_ = length + 1;
    if (end_ - begin_ < wanted_) return false;
    tag_ = tag;
    body_ = Bytes(block_->data() + begin_ + header_bytes, length - 4);
    begin_ += wanted_;
    wanted_ = header_bytes;
    return true;
  }

  /// Room for a fair read, and for the whole of a message that has begun. What was given out stays where it is.
  void make_room(std::size_t needed) {
    if (block_ != nullptr && begin_ + needed <= block_->size() && block_->size() - end_ >= crumb_bytes) return;
    std::unique_ptr<Buffer> fresh = std::move(spare_);
    const std::size_t size = std::max(block_bytes, needed + 2 * crumb_bytes);
    if (fresh == nullptr || fresh->size() < size) fresh = std::make_unique<Buffer>(size);
    const std::size_t rest = end_ - begin_;
    if (rest > 0) std::memcpy(fresh->data(), block_->data() + begin_, rest);
    if (block_ != nullptr) kept_.push_back(std::move(block_));
    block_ = std::move(fresh);
    begin_ = 0;
    end_ = rest;
  }

  /// True when bytes came.
  Result<bool> receive(milliseconds wait_max) {
    make_room(wanted_);
    if (paced_ && last_got_ < crumb_bytes && last_got_ > 0) pause_for(crumb_pause);
    for (;;) {
      const ssize_t got = recv(socket_, block_->data() + end_, block_->size() - end_, MSG_DONTWAIT);
      if (got > 0) {
        last_got_ = static_cast<std::size_t>(got);
        end_ += last_got_;
        return true;
      }
      if (got == 0) return failed_.value_or(broke("the server closed it"));
      if (errno == EINTR) continue;
      if (errno != EAGAIN) return broke(std::strerror(errno));
      last_got_ = 0;
      if (!wait_for_socket(socket_, !unsent_.empty(), wait_max)) return false;
      if (!unsent_.empty()) TRY_DO(flush());
    }
  }

  Status flush() {
    while (!unsent_.empty()) {
      const ssize_t sent = ::send(socket_, unsent_.data(), unsent_.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent < 0 && errno == EAGAIN) return Done{};
      if (sent < 0) return broke(std::strerror(errno));
      unsent_.erase(unsent_.begin(), unsent_.begin() + sent);
    }
    return Done{};
  }

  int socket_;
  bool paced_;
  std::unique_ptr<Buffer> block_;
  std::unique_ptr<Buffer> spare_;
  std::vector<std::unique_ptr<Buffer>> kept_;  // blocks that views given out point into
  std::size_t begin_ = 0;                      // of what is not read yet, in block_
  std::size_t end_ = 0;
  std::size_t wanted_ = header_bytes;  // bytes of the message at begin_, as far as known
  std::size_t last_got_ = 0;
  char tag_ = 0;
  Bytes body_;
  std::optional<Error> failed_;
  Buffer unsent_;
};

}  // namespace

std::unique_ptr<CopyChannel> open_socket_channel(Connection& connection, bool paced) {
  return std::make_unique<SocketChannel>(connection, paced);
}

}  // namespace lockstep::postgres
