#pragma once

#include <string>

#include "model/shape.hpp"
#include "source/postgres/pgoutput.hpp"
#include "source/postgres/shapes.hpp"

/// What a Relation message of the log means, with the catalog's help. Pure.
namespace lockstep::postgres {

/// True when the catalog's table is the message's: same columns by name, type and modifier.
bool agrees(const pgoutput::Relation& relation, const CatalogTable& table);

/// The shape that the message announces. `table`: the table as the catalog has it now, which may be later than the
/// message; null: it is gone. Column numbers that cannot be told for certain are 0.
TableShape shape_from(const pgoutput::Relation& relation, const CatalogTable* table, const TypeRows& types);

/// The first column whose binary form nobody reads, so that the stream must be asked for in text; empty: there is none.
std::string first_text_column(const pgoutput::Relation& relation, const CatalogTable* table, const TypeRows& types);

}  // namespace lockstep::postgres
