# A room is a folder under src with one static library and, beside the code, its tests.

# lockstep_room(NAME <name> [SOURCES <file>…] [DEPENDS <room>…] [LIBRARIES <third party target>…] [TEST_DEPENDS <room>…])
#
# Makes lockstep_<name>. Without SOURCES it takes every *.cpp of the folder that is no test. A room with nothing but
# headers becomes an interface library. Every *_test.cpp of the folder goes into <name>_test.
# Rooms are named without the prefix "lockstep_".
function(lockstep_room)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "" "NAME" "SOURCES;DEPENDS;LIBRARIES;TEST_DEPENDS")
  if(NOT ARG_SOURCES)
    file(GLOB ARG_SOURCES CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
    list(FILTER ARG_SOURCES EXCLUDE REGEX "_test\\.cpp$")
  endif()
  list(TRANSFORM ARG_DEPENDS PREPEND lockstep_)
  if(ARG_SOURCES)
    add_library(lockstep_${ARG_NAME} STATIC ${ARG_SOURCES})
    target_link_libraries(lockstep_${ARG_NAME} PUBLIC lockstep_flags ${ARG_DEPENDS} PRIVATE ${ARG_LIBRARIES})
  else()
    add_library(lockstep_${ARG_NAME} INTERFACE)
    target_link_libraries(lockstep_${ARG_NAME} INTERFACE lockstep_flags ${ARG_DEPENDS} ${ARG_LIBRARIES})
  endif()

  if(NOT BUILD_TESTING)
    return()
  endif()
  file(GLOB tests CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*_test.cpp")
  if(tests)
    lockstep_test(NAME ${ARG_NAME}_test SOURCES ${tests} DEPENDS ${ARG_NAME} ${ARG_TEST_DEPENDS}
      LIBRARIES ${ARG_LIBRARIES})
  endif()
endfunction()

# lockstep_test(NAME <name> SOURCES <file>… [DEPENDS <room>…] [LIBRARIES <target>…] [LABEL fast] [TIMEOUT 120]
#               [RAPIDCHECK] [SERIAL])
#
# One GoogleTest program and one ctest entry for it. RAPIDCHECK adds the property testing library. SERIAL: never at
# the same time as another test (it measures, or it takes both cores).
function(lockstep_test)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "RAPIDCHECK;SERIAL" "NAME;LABEL;TIMEOUT" "SOURCES;DEPENDS;LIBRARIES")
  if(NOT ARG_LABEL)
    set(ARG_LABEL fast)
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  list(TRANSFORM ARG_DEPENDS PREPEND lockstep_)
  add_executable(${ARG_NAME} ${ARG_SOURCES})
  target_link_libraries(${ARG_NAME} PRIVATE lockstep_flags ${ARG_DEPENDS} ${ARG_LIBRARIES} GTest::gmock
    GTest::gtest_main)
  if(ARG_RAPIDCHECK)
    target_link_libraries(${ARG_NAME} PRIVATE rapidcheck)
  endif()
  add_test(NAME ${ARG_NAME} COMMAND ${ARG_NAME})
  set_tests_properties(${ARG_NAME} PROPERTIES LABELS "${ARG_LABEL}" TIMEOUT ${ARG_TIMEOUT})
  if(ARG_SERIAL)
    set_tests_properties(${ARG_NAME} PROPERTIES RUN_SERIAL ON)
  endif()
endfunction()

# A program that is called from anywhere and may be moved together with the libraries beside it: it lies at the top
# of the build folder and looks for them there, not in a path of the machine that built it.
function(lockstep_runs_beside_its_libraries target)
  set_target_properties(${target} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}"
    BUILD_WITH_INSTALL_RPATH ON
    INSTALL_RPATH "$ORIGIN")
endfunction()

# Adds each folder that exists and has a CMakeLists.txt, in the order given.
function(lockstep_add_if_there)
  foreach(folder IN LISTS ARGN)
    if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/CMakeLists.txt")
      add_subdirectory("${folder}")
    endif()
  endforeach()
endfunction()

# lockstep_fuzzer(NAME <name> SOURCES <file with LLVMFuzzerTestOneInput>… [DEPENDS <room>…] [LIBRARIES <target>…])
#
# In the fuzz build (clang) a libFuzzer program. Elsewhere a program that replays corpus/<name>/ once, as a quick
# test, so that an input that once broke a decoder stays tested by every `make test`.
function(lockstep_fuzzer)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "" "NAME" "SOURCES;DEPENDS;LIBRARIES")
  list(TRANSFORM ARG_DEPENDS PREPEND lockstep_)
  set(corpus "${CMAKE_CURRENT_SOURCE_DIR}/corpus/${ARG_NAME}")
  if(LOCKSTEP_FUZZ)
    add_executable(${ARG_NAME} ${ARG_SOURCES})
    target_link_options(${ARG_NAME} PRIVATE -fsanitize=fuzzer)
  else()
    add_executable(${ARG_NAME} ${ARG_SOURCES} "${CMAKE_SOURCE_DIR}/tests/fuzz/replay_main.cpp")
    add_test(NAME ${ARG_NAME} COMMAND ${ARG_NAME} "${corpus}")
    set_tests_properties(${ARG_NAME} PROPERTIES LABELS fast TIMEOUT 120)
  endif()
  target_link_libraries(${ARG_NAME} PRIVATE lockstep_flags ${ARG_DEPENDS} ${ARG_LIBRARIES})
endfunction()
