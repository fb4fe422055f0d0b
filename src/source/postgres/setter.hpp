#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "source/postgres/address.hpp"
#include "source/postgres/selection.hpp"
#include "source/source.hpp"

namespace lockstep::postgres {

class PgSetter final : public source::Setter {
 public:
  PgSetter(Address address, Selection selection) : address_(std::move(address)), selection_(std::move(selection)) {}

  Result<source::Identity> identify() override;
  Result<std::vector<Error>> obstacles(const source::Setup& planned) override;
  Result<std::vector<source::Table>> tables() override;
  Status publish(const source::Setup& setup) override;
  Result<source::CreatedSlot> create_slot(const source::Setup& setup,
                                          const std::function<bool(const std::string& blockers)>& waiting) override;
  Result<source::LogState> log_state(const source::Setup& setup) override;
  Status remove(const source::Setup& setup) override;

 private:
  Address address_;
  Selection selection_;
};

}  // namespace lockstep::postgres
