# The house rules that a machine can check, as tests (scripts/tidy).

find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME tidy COMMAND Python3::Interpreter "${CMAKE_SOURCE_DIR}/scripts/tidy")
add_test(NAME tidy_headers COMMAND Python3::Interpreter "${CMAKE_SOURCE_DIR}/scripts/tidy" --headers "${CMAKE_BINARY_DIR}")
add_test(NAME tidy_finds_what_is_planted COMMAND Python3::Interpreter "${CMAKE_SOURCE_DIR}/scripts/tidy_self_test.py")
set_tests_properties(tidy tidy_headers tidy_finds_what_is_planted PROPERTIES LABELS fast TIMEOUT 300
  ENVIRONMENT "PYTHONDONTWRITEBYTECODE=1;CXX=${CMAKE_CXX_COMPILER}")
