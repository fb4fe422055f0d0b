#pragma once

#include <string>

#include "type_cases.hpp"

/// SQL literals of random values, biased towards the edges of their type.
namespace lockstep::types_test {

template <class Integer>
std::string random_integer(Dice& dice) {
  // As many bits as chance gives, so that small numbers are as frequent as large ones.
  const auto bits = static_cast<Integer>(dice() >> (dice() % 64));
  return std::to_string(dice() % 2 == 0 ? bits : static_cast<Integer>(~bits));
}

std::string random_float4(Dice& dice);
std::string random_float8(Dice& dice);
std::string random_numeric(Dice& dice, std::size_t whole_max, std::size_t fraction_max);
std::string random_date(Dice& dice);
std::string random_time(Dice& dice);
std::string random_time_tz(Dice& dice);
std::string random_timestamp(Dice& dice);
std::string random_interval(Dice& dice);
std::string random_hex(Dice& dice, std::size_t count);
std::string random_bits(Dice& dice, std::size_t count);
std::string random_ipv4(Dice& dice);
std::string random_ipv6(Dice& dice);
/// Characters that arrays, COPY and JSON have rules for, and some beyond ASCII.
std::string random_text(Dice& dice, std::size_t characters_max);
/// A literal of an array with random dimensions and lower bounds; one dimension from 1 on unless `wild`.
std::string random_array(Dice& dice, std::string (*element)(Dice&), bool wild);

}  // namespace lockstep::types_test
