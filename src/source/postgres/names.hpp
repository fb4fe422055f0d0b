#pragma once

#include <string>
#include <string_view>

namespace lockstep::postgres {

/// Name of the mirror's slot: "lockstep_MIRROR_DATABASE" in [a-z0-9_], at most 63 bytes. Slots are one namespace for a
/// whole server, so the database is part of it. Names that had to be changed or cut end in a hash of both.
std::string slot_name(std::string_view mirror, std::string_view database);

/// Name of the mirror's publication, made the same way.
std::string publication_name(std::string_view mirror, std::string_view database);

/// `name` as an SQL identifier, quoted.
std::string quote_identifier(std::string_view name);
/// "schema"."table".
std::string quote_table(std::string_view schema, std::string_view table);
/// `text` as an SQL string constant; needs standard_conforming_strings, which our sessions have.
std::string quote_literal(std::string_view text);

}  // namespace lockstep::postgres
