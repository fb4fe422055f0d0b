# How everything of ours is compiled. Flags that belong to a kind of build (-O, sanitizers) come from CMakePresets.json.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "kind of build" FORCE)
endif()

option(LOCKSTEP_WERROR "a warning stops the build (off in release, where a newer compiler may find new ones)" OFF)
option(LOCKSTEP_CCACHE "use ccache when it is installed" ON)
option(LOCKSTEP_FUZZ "link the programs of tests/fuzz with libFuzzer (clang)" OFF)
set(LOCKSTEP_SANITIZE "" CACHE STRING "value of -fsanitize= for all of our code, e.g. address,undefined")

find_program(CCACHE_PROGRAM ccache)
if(LOCKSTEP_CCACHE AND CCACHE_PROGRAM)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
endif()

find_package(Threads REQUIRED)

# Linked by each of our targets: warnings, sanitizers, the include path that starts at src/.
add_library(lockstep_flags INTERFACE)
target_include_directories(lockstep_flags INTERFACE "${CMAKE_SOURCE_DIR}/src")
target_link_libraries(lockstep_flags INTERFACE Threads::Threads)
target_compile_options(lockstep_flags INTERFACE
  -Wall -Wextra -Wpedantic
  -Wshadow -Wconversion -Wsign-conversion -Wdouble-promotion -Wold-style-cast -Wcast-align -Wcast-qual
  -Wnon-virtual-dtor -Woverloaded-virtual -Wimplicit-fallthrough -Wswitch-enum -Wformat=2 -Wundef -Wnull-dereference
  -Wextra-semi -Wunused -fno-omit-frame-pointer)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(lockstep_flags INTERFACE -Wduplicated-cond -Wduplicated-branches -Wlogical-op
    # g++ 12 reports both of these inside libstdc++ and std::variant once it inlines; they are right too seldom.
    -Wno-maybe-uninitialized -Wno-null-dereference)
endif()
if(LOCKSTEP_WERROR)
  target_compile_options(lockstep_flags INTERFACE -Werror)
endif()
if(LOCKSTEP_SANITIZE)
  target_compile_options(lockstep_flags INTERFACE "-fsanitize=${LOCKSTEP_SANITIZE}" -fno-sanitize-recover=all)
  target_link_options(lockstep_flags INTERFACE "-fsanitize=${LOCKSTEP_SANITIZE}")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # g++ 12 takes sanitizer code for real branches and then warns about paths that nobody wrote.
    target_compile_options(lockstep_flags INTERFACE -Wno-stringop-overflow -Wno-array-bounds -Wno-restrict)
  endif()
endif()
