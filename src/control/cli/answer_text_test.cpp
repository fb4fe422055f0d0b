#include "control/cli/answer_text.hpp"

#include <gtest/gtest.h>

#include "control/socket/protocol.hpp"

namespace lockstep::control {
namespace {

destination::Answer answer() {
  return {{"id", "name", "ok"},
          {"BIGINT", "VARCHAR", "BOOLEAN"},
          {{"1", "a \"b\", c", "true"}, {"9223372036854775807", "", std::nullopt}, {"-5", std::nullopt, "false"}}};
}

TEST(AnswerText, ATableForPeople) {
  EXPECT_EQ(answer_text(answer(), TableFormat::table),
            "                 id  name      ok\n"
            "-------------------  --------  -----\n"
            "                  1  a \"b\", c  true\n"
            "9223372036854775807            NULL\n"
            "                 -5  NULL      false\n"
            "(3 rows)\n");
}

TEST(AnswerText, CsvTellsNullFromEmpty) {
  EXPECT_EQ(answer_text(answer(), TableFormat::csv),
            "id,name,ok\r\n1,\"a \"\"b\"\", c\",true\r\n9223372036854775807,\"\",\r\n-5,,false\r\n");
}

TEST(AnswerText, JsonKeepsEveryDigit) {
  EXPECT_EQ(answer_text(answer(), TableFormat::json),
            "[\n  {\"id\": 1, \"name\": \"a \\\"b\\\", c\", \"ok\": true},\n"
            "  {\"id\": 9223372036854775807, \"name\": \"\", \"ok\": null},\n"
            "  {\"id\": -5, \"name\": null, \"ok\": false}\n]\n");
  EXPECT_EQ(answer_text({{"a"}, {"DOUBLE"}, {}}, TableFormat::json), "[]\n");
  EXPECT_EQ(answer_text({{"a"}, {"DOUBLE"}, {{"nan"}}}, TableFormat::json), "[\n  {\"a\": \"nan\"}\n]\n");
}

TEST(StatusText, ReadsItsOwnJson) {
  runtime::MirrorStatus status;
  status.mirror = "shop";
  status.state = runtime::MirrorState::stopped;
  status.error = "the journal is damaged";
  const auto text = status_text(status_json(status, UnixMicros{0}, true));
  ASSERT_TRUE(text.ok());
  EXPECT_NE(text.value().find("state     stopped\n"), std::string::npos);
  EXPECT_NE(text.value().find("the journal is damaged"), std::string::npos);
  EXPECT_FALSE(status_text("[]").ok());
  EXPECT_FALSE(status_text("{}").ok());
}

}  // namespace
}  // namespace lockstep::control
