#include "source/postgres/postgres.hpp"

#include "base/clock.hpp"
#include "source/postgres/change_source.hpp"
#include "source/postgres/decoder_factory.hpp"
#include "source/postgres/names.hpp"
#include "source/postgres/setter.hpp"
#include "source/postgres/snapshot_source.hpp"

namespace lockstep::postgres {

Result<AddressSummary> summarize(const std::string& url) {
  TRY(address, Address::parse(url));
  return AddressSummary{address.printable(), address.database()};
}

Result<source::Source> open_postgres(const std::string& url, const PgOptions& options) {
  TRY(address, Address::parse(url));
  source::Source made;
  made.setter = std::make_unique<PgSetter>(address, options.selection);
  made.snapshots = std::make_unique<PgSnapshotSource>(address);
  made.changes = std::make_unique<PgChangeSource>(address, system_clock());
  made.decoders = std::make_unique<PgDecoderFactory>();
  return made;
}

source::Setup plan_setup(std::string_view mirror, std::string_view database) {
  source::Setup setup;
  setup.slot = slot_name(mirror, database);
  setup.publication = publication_name(mirror, database);
  return setup;
}

}  // namespace lockstep::postgres
