#!/usr/bin/env python3
"""Plants one violation of each rule in a small tree and asks scripts/tidy whether it is found.

A checker that finds nothing looks exactly like a clean tree, so it has to prove that it can see.
"""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TIDY = Path(__file__).resolve().parent / "tidy"

CLEAN = {
    "README.md": "[events](docs/operate/log.md), [elsewhere](https://example.org/), [below](#below)\n",
    "docs/operate/log.md": "| `begun`, `ended` | info, warn | when |\n| `source_waited` | warn | when |\n",
    **{f"src/{room}/README.md": f"# {room}\n" for room in ("base", "model", "apply", "destination")},
    "src/destination/says.cpp": 'void say() { log.info("begun"); log.warn(\n  "ended"); patiently(stop, "source_waited"); }\n',
    "CMakeLists.txt": "lockstep_add_if_there(src/base src/model src/apply src/destination src/destination/duckdb)\n",
    "src/base/CMakeLists.txt": "lockstep_room(NAME base)\n",
    "src/base/clock.hpp": "#pragma once\n",
    "src/base/result.hpp": "#pragma once\n",
    "src/base/result.cpp": '#include "base/result.hpp"\n\n// rand() in a comment, "throw" in a text: neither is a call.\n'
                           'const char* text() { return "throw rand() {"; }\n',
    "src/base/result_test.cpp": '#include "base/result.hpp"\n',
    "src/model/CMakeLists.txt": "lockstep_room(NAME model DEPENDS base)\n",
    "src/model/value.hpp": '#pragma once\n#include <vector>\n\n#include "base/result.hpp"\n',
    "src/apply/CMakeLists.txt": "lockstep_room(NAME apply DEPENDS model)\n",
    "src/apply/fold.hpp": '#pragma once\n#include "model/value.hpp"\n',
    "src/destination/CMakeLists.txt": "lockstep_room(NAME destination DEPENDS model)\n",
    "src/destination/destination.hpp": '#pragma once\n#include "model/value.hpp"\n',
    "src/destination/duckdb/CMakeLists.txt": "lockstep_room(NAME destination_duckdb DEPENDS destination)\n",
    "src/destination/duckdb/connection.cpp": '#include <duckdb.h>\n\n#include "destination/destination.hpp"\n',
}


def long_function(lines):
    return "namespace a {\n\nvoid f(int& x) {\n" + "  ++x;\n" * (lines - 2) + "}\n\n}  // namespace a\n"


# (rule that must fire, file, content)
PLANTED = [
    ("rooms", "src/model/up.hpp", '#pragma once\n#include "apply/fold.hpp"\n'),
    ("rooms", "src/apply/adapter.hpp", '#pragma once\n#include "destination/duckdb/connection.hpp"\n'),
    ("rooms", "src/destination/duckdb/peer.hpp", '#pragma once\n#include "destination/postgres/x.hpp"\n'),
    ("rooms", "src/nowhere/x.hpp", "#pragma once\n"),
    ("include-path", "src/model/relative.hpp", '#pragma once\n#include "value.hpp"\n'),
    ("library", "src/destination/duckdb/leak.hpp", "#pragma once\n#include <duckdb.h>\n"),
    ("library", "src/apply/leak.cpp", "#include <libpq-fe.h>\n"),
    ("pure", "src/apply/timed.hpp", '#pragma once\n#include "base/clock.hpp"\n'),
    ("pure", "src/apply/filed.cpp", "#include <fstream>\n"),
    ("pure", "src/apply/now.cpp", "auto t() { return std::chrono::steady_clock::now(); }\n"),
    ("threads", "src/model/locked.hpp", "#pragma once\n#include <mutex>\n"),
    ("pragma-once", "src/model/twice.hpp", "int x();\n"),
    ("own-header", "src/base/clock.cpp", '#include <vector>\n\n#include "base/clock.hpp"\n'),
    ("clock", "src/model/when.cpp", "auto t() { return std::chrono::system_clock::now(); }\n"),
    ("chance", "src/model/dice.cpp", "int d() { return rand() % 6; }\n"),
    ("sleep", "src/model/nap.cpp", "void n() { std::this_thread::sleep_for(s); }\n"),
    ("sleep", "src/base/nap_test.cpp".replace("base", "model"), "void n() { usleep(5); }\n"),
    ("detach", "src/model/lost.cpp", "void n(T& t) { t.detach(); }\n"),
    ("catch-all", "src/model/deaf.cpp", "void n() {\n  try {\n    f();\n  } catch (...) {\n  }\n}\n"),
    ("throw", "src/model/thrower.cpp", "void n() { throw 1; }\n"),
    ("assert", "src/model/asserts.cpp", "void n(int i) { assert(i > 0); }\n"),
    ("using-namespace", "src/model/names.hpp", "#pragma once\nusing namespace std;\n"),
    ("spaces", "src/model/blank.cpp", "int x;  \n"),
    ("tabs", "src/model/tab.cpp", "\tint x;\n"),
    ("newline", "src/model/open.cpp", "int x;"),
    ("machine", "README.md", "see /wo" "rk/somewhere\n"),
    ("length", "src/model/long.cpp", long_function(61)),
    ("length", "src/model/file.cpp", "int a;\n" * 601),
    ("length", "src/model/header.hpp", "#pragma once\n" + "int a;\n" * 250),
    ("length", "scripts/x.py", "def f():\n" + "    a = 1\n" * 60),
    ("length", "src/model/init.cpp", "struct S {\n  S() : a_{1}, b_{2} {\n" + "  ++a_;\n" * 60 + "  }\n};\n"),
    ("ratchet", "scripts/tidy-ratchet.txt", "function src/model/value.cpp f 70\n"),
    ("link", "docs/limits.md", "see [this](gone.md#part)\n"),
    ("link", "src/model/named.cpp", "// docs/gone.md says why.\n"),
    ("readme", "src/poll/CMakeLists.txt", "lockstep_room(NAME poll)\n"),
    ("event", "src/destination/unknown.cpp", 'void f() { log.info("unheard_of"); }\n'),
    ("event", "src/destination/louder.cpp", 'void f() { log.error("begun"); }\n'),
    ("event", "docs/operate/log.md", "| `begun` | info |\n| `ended` | warn |\n| `source_waited`, `gone` | warn |\n"),
    ("registered", "src/model/deep/x_test.cpp", "int x;\n"),
    ("registered", "src/journal/CMakeLists.txt", "lockstep_room(NAME journal)\n"),
]

EXCUSED = [
    ("src/model/deaf.cpp", "void n() {\n  try {\n    f();\n  // tidy: allow catch-all (foreign code)\n  } catch (...) {\n  }\n}\n"),
    ("src/model/locked.hpp", "#pragma once\n#include <mutex>  // tidy: allow threads (the library calls from its own)\n"),
    ("src/model/long.cpp", long_function(60)),
]


def plant(root, files):
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(content)


def run_tidy(files, *arguments):
    with tempfile.TemporaryDirectory() as folder:
        plant(Path(folder), files)
        done = subprocess.run([sys.executable, TIDY, "--root", folder, *(a.format(root=folder) for a in arguments)],
                              capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr


class Tidy(unittest.TestCase):
    def test_a_clean_tree_is_clean(self):
        status, said = run_tidy(CLEAN)
        self.assertEqual(status, 0, said)

    def test_each_planted_violation_is_found(self):
        for rule, path, content in PLANTED:
            with self.subTest(rule=rule, path=path):
                status, said = run_tidy({**CLEAN, path: content})
                self.assertEqual(status, 1, said)
                self.assertIn(f": {rule}: ", said)

    def test_an_excuse_with_its_reason_is_accepted(self):
        for path, content in EXCUSED:
            with self.subTest(path=path):
                status, said = run_tidy({**CLEAN, path: content})
                self.assertEqual(status, 0, said)

    def test_a_known_length_may_stay_but_not_grow(self):
        ratchet = "function src/model/long.cpp f 70\n"
        for lines, expected in ((70, 0), (71, 1), (69, 1)):
            with self.subTest(lines=lines):
                files = {**CLEAN, "src/model/long.cpp": long_function(lines), "scripts/tidy-ratchet.txt": ratchet}
                status, said = run_tidy(files)
                self.assertEqual(status, expected, said)

    def test_a_header_that_leans_on_its_includer_is_found(self):
        commands = json.dumps([{"command": "g++ -I{root}/src -c x.cpp", "file": "x.cpp", "directory": "."}])
        leaning = {"src/model/leans.hpp": "#pragma once\nstd::string text();\n"}
        for files, expected in ((leaning, 1), ({}, 0)):
            with tempfile.TemporaryDirectory() as folder:
                plant(Path(folder), {**CLEAN, **files, "out/compile_commands.json": commands.replace("{root}", folder)})
                done = subprocess.run([sys.executable, TIDY, "--root", folder, "--headers", f"{folder}/out"],
                                      capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, expected, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
