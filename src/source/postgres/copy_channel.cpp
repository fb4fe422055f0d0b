#include "source/postgres/copy_channel.hpp"

#include <libpq-fe.h>

#include <vector>

namespace lockstep::postgres {
namespace {

using std::chrono::milliseconds;

/// Through libpq, which allocates and copies each message: for connections that it encrypts.
class LibpqChannel final : public CopyChannel {
 public:
  LibpqChannel(Connection& connection, bool paced) : connection_(connection), paced_(paced) {}

  Status start(const std::string& sql) override {
    TRY_DO(connection_.send(sql));
    for (;;) {
      TRY(ready, connection_.result_ready(milliseconds(1000)));
      if (ready) break;
    }
    Rows answer(PQgetResult(raw()));
    const ExecStatusType status = PQresultStatus(answer.raw());
    if (status == PGRES_COPY_OUT || status == PGRES_COPY_BOTH) return Done{};
    const Error error = connection_.error_of(answer.raw());
    while (PGresult* more = PQgetResult(raw())) PQclear(more);
    return error;
  }

  Result<Message> next(milliseconds wait_max) override {
    for (bool waited = false;; waited = true) {
      char* buffer = nullptr;
      const int got = PQgetCopyData(raw(), &buffer, 1);
      if (got > 0) {
        kept_.emplace_back(buffer);
        return Message{Got::data, bytes_of({buffer, static_cast<std::size_t>(got)})};
      }
      if (got < 0) return finish(got);
      if (waited) return Message{};
      PQflush(raw());
      if (!wait_for_socket(connection_.socket(), false, wait_max)) return Message{};
      if (paced_) pause_for(std::chrono::microseconds(250));
      if (PQconsumeInput(raw()) == 0) return connection_.last_error();
    }
  }

  void release() override { kept_.clear(); }

  Status send(Bytes content) override {
    const std::string_view text = text_of(content);
    if (PQputCopyData(raw(), text.data(), static_cast<int>(text.size())) != 1 || PQflush(raw()) < 0) {
      return connection_.last_error();
    }
    return Done{};
  }

 private:
  struct Free {
    void operator()(char* buffer) const { PQfreemem(buffer); }
  };

  PGconn* raw() const { return connection_.raw(); }

  Result<Message> finish(int got) {
    if (got < -1) return connection_.last_error();
    Rows end(PQgetResult(raw()));
    const ExecStatusType status = PQresultStatus(end.raw());
    if (status != PGRES_COMMAND_OK && status != PGRES_COPY_IN) {
      const Error error = connection_.error_of(end.raw());
      while (PGresult* more = connection_.broken() ? nullptr : PQgetResult(raw())) PQclear(more);
      return error;
    }
    if (status == PGRES_COMMAND_OK) {
      while (PGresult* more = PQgetResult(raw())) PQclear(more);
    }
    return Message{Got::end};
  }

  Connection& connection_;
  bool paced_;
  std::vector<std::unique_ptr<char, Free>> kept_;
};

}  // namespace

std::unique_ptr<CopyChannel> open_libpq_channel(Connection& connection, bool paced) {
  return std::make_unique<LibpqChannel>(connection, paced);
}

std::unique_ptr<CopyChannel> open_channel(Connection& connection, bool paced) {
  return connection.encrypted() ? open_libpq_channel(connection, paced) : open_socket_channel(connection, paced);
}

}  // namespace lockstep::postgres
