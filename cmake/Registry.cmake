# Packages that Debian does not have, fetched by the machine's own registry clients, so that no address of a
# registry stands in this repository. Each package is pinned by version and by the sha256 of the file.
#
#   registry_package(NAME KIND go|maven|pip PACKAGE <id> VERSION <version> SHA256 <hex> [ONLY <pattern>…] [TAGS <pip option>…])
#
# sets NAME_DIR to the unpacked tree. The cache is keyed by sha256: REGISTRY_CACHE/<sha256>/{package,tree}. When the
# file is there no client is asked, so a second build needs no network. Build folders may share one cache, also at
# the same moment: a lock guards each package.

if(DEFINED ENV{REGISTRY_CACHE} AND NOT "$ENV{REGISTRY_CACHE}" STREQUAL "")
  set(_registry_default "$ENV{REGISTRY_CACHE}")
elseif(DEFINED ENV{XDG_CACHE_HOME} AND NOT "$ENV{XDG_CACHE_HOME}" STREQUAL "")
  set(_registry_default "$ENV{XDG_CACHE_HOME}/lockstep-registry")
elseif(DEFINED ENV{HOME} AND NOT "$ENV{HOME}" STREQUAL "")
  set(_registry_default "$ENV{HOME}/.cache/lockstep-registry")
else()
  set(_registry_default "${CMAKE_BINARY_DIR}/_registry")
endif()
set(REGISTRY_CACHE "${_registry_default}" CACHE PATH "folder that keeps downloaded packages, keyed by sha256")

# Runs one client in `folder`; its standard output goes to `out`. A failure stops the configure with all it said.
function(_registry_client out folder)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY "${folder}"
    RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE complained)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "registry: '${command}' ended with ${status}\n${said}\n${complained}")
  endif()
  set(${out} "${said}" PARENT_SCOPE)
endfunction()

# Downloads into `folder`; the path of the one file that came goes to `out`.
function(_registry_download out folder kind package version)
  if(kind STREQUAL "go")
    _registry_client(json "${folder}" go mod download -json "${package}@${version}")
    string(JSON found GET "${json}" Zip)
  elseif(kind STREQUAL "maven")
    _registry_client(ignored "${folder}" mvn -q -B dependency:copy "-Dartifact=${package}:${version}"
      "-DoutputDirectory=${folder}")
    file(GLOB found "${folder}/*.jar")
  elseif(kind STREQUAL "pip")
    _registry_client(ignored "${folder}" python3 -m pip download -q --no-deps --only-binary=:all: -d "${folder}" ${ARGN}
      "${package}==${version}")
    file(GLOB found "${folder}/*.whl")
  else()
    message(FATAL_ERROR "registry: no client for packages of kind '${kind}'")
  endif()
  list(LENGTH found count)
  if(NOT count EQUAL 1)
    message(FATAL_ERROR "registry: ${kind} brought ${count} files for ${package} ${version}, not one")
  endif()
  set(${out} "${found}" PARENT_SCOPE)
endfunction()

function(registry_package name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "KIND;PACKAGE;VERSION;SHA256" "ONLY;TAGS")
  set(home "${REGISTRY_CACHE}/${ARG_SHA256}")
  file(MAKE_DIRECTORY "${home}")
  file(LOCK "${home}/lock" GUARD FUNCTION TIMEOUT 900)

  if(NOT EXISTS "${home}/package")
    message(STATUS "registry: fetching ${ARG_PACKAGE} ${ARG_VERSION} (${ARG_KIND})")
    set(scratch "${home}/scratch")
    file(REMOVE_RECURSE "${scratch}")
    file(MAKE_DIRECTORY "${scratch}")
    _registry_download(got "${scratch}" "${ARG_KIND}" "${ARG_PACKAGE}" "${ARG_VERSION}" ${ARG_TAGS})
    file(SHA256 "${got}" sum)
    if(NOT sum STREQUAL ARG_SHA256)
      message(FATAL_ERROR "registry: ${ARG_PACKAGE} ${ARG_VERSION} has sha256 ${sum}, expected ${ARG_SHA256}")
    endif()
    file(COPY_FILE "${got}" "${home}/package.part")
    file(RENAME "${home}/package.part" "${home}/package")
    file(REMOVE_RECURSE "${scratch}")
  endif()

  if(NOT EXISTS "${home}/tree/.complete")
    file(REMOVE_RECURSE "${home}/tree")
    if(ARG_ONLY)
      set(patterns PATTERNS ${ARG_ONLY})
    endif()
    file(ARCHIVE_EXTRACT INPUT "${home}/package" DESTINATION "${home}/tree" ${patterns})
    file(TOUCH "${home}/tree/.complete")
  endif()
  set(${name}_DIR "${home}/tree" PARENT_SCOPE)
endfunction()
