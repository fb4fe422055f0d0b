"""The scenarios of tests/e2e/cases, each a test. Another folder of the same format: LOCKSTEP_CASES=FOLDER test_cases.py [-k NAME]."""

import os
from pathlib import Path

from lib import case, mirror_test

FOLDER = Path(os.environ.get("LOCKSTEP_CASES", Path(__file__).parent / "cases"))


class Cases(mirror_test.MirrorTest):
    settings = {"logical_decoding_work_mem": "64kB"}


def test_of(one):
    def test(self):
        if not one.is_postgres():
            self.skipTest(f"source {one.words_of('source')} is not built")
        play = case.Play(one, self.cluster, self.folder, os.environ.get("LOCKSTEP_CASE_PAUSE", "copy.snapshot_taken"))
        try:
            problems = play.play()
        except BaseException:
            print(play.engine.log_tail())
            raise
        self.assertEqual(problems, [], "\n".join(problems))
    test.__doc__ = (one.folder / "README.md").read_text().split("\n", 1)[0] if (one.folder / "README.md").is_file() else None
    return test


for found in case.cases_in(FOLDER):
    setattr(Cases, f"test_{found.name}", test_of(found))


if __name__ == "__main__":
    mirror_test.main()
