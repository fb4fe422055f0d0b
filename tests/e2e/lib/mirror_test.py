"""The base of the end-to-end tests: one server a class, one database and one mirror a test, nothing left afterwards.

Environment: LOCKSTEP (the program), POSTGRES (15 or 18), LOCKSTEP_LONG=1 (the long tests instead of the short ones).
"""

import os
import sys
import unittest

from . import compare, places
from .cluster import Cluster
from .engine import Engine

SKIPPED = 77  # ctest's SKIP_RETURN_CODE

long = unittest.skipUnless(os.environ.get("LOCKSTEP_LONG"), "a long test (LOCKSTEP_LONG=1)")
short = unittest.skipIf(os.environ.get("LOCKSTEP_LONG"), "the long version runs instead")


class MirrorTest(unittest.TestCase):
    settings = {}
    hba = ()
    tls = False
    database = "shop"

    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster(os.environ.get("POSTGRES", "15"), cls.settings, cls.hba, cls.tls)
        cls.addClassCleanup(cls.cluster.remove)

    def setUp(self):
        self.folder = places.temporary_folder("e2e")
        self.addCleanup(places.remove_folder, self.folder)
        self.addCleanup(self._free_the_source)
        self.engines = []
        self.cluster.create(self.database)

    def tearDown(self):
        for engine in self.engines:
            engine.end()

    def _free_the_source(self):
        """A failed test must not make the next one fail."""
        self.cluster.sql("select pg_terminate_backend(active_pid) from pg_replication_slots where active", "postgres")
        for slot in self.cluster.slots():
            self.cluster.sql(f"select pg_drop_replication_slot('{slot}')", "postgres")

    # ---- Doing ----

    def engine(self, *options, source=None, folder=None, **how):
        engine = Engine(source or self.cluster.url(self.database), folder or self.folder, options, **how)
        self.engines.append(engine)
        return engine

    def sql(self, text):
        return self.cluster.sql(text, self.database)

    def value(self, text):
        return self.cluster.value(text, self.database)

    # ---- Holding ----

    def assert_equal_while_running(self, engine, **how):
        engine.wait_caught_up()
        return compare.assert_equal(self.cluster, self.database, engine, **how)

    def assert_equal_on_disk(self, engine, **how):
        with compare.File(engine.file) as copy:
            return compare.assert_equal(self.cluster, self.database, copy, **how)

    def assert_source_clean(self):
        self.assertEqual(self.cluster.slots(), [], "replication slots are left")
        self.assertEqual(self.cluster.publications(self.database), [], "publications are left")
        self.assertEqual(self.cluster.identities(self.database), [], "replica identities are left")

    def finish(self, engine, **how):
        """The end of most tests: caught up, equal on both ways, stopped cleanly, dropped, nothing left."""
        self.assert_equal_while_running(engine, **how)
        engine.stop()
        self.assert_equal_on_disk(engine, **how)
        engine.drop("--from", engine.source)
        self.assert_source_clean()
        self.assertEqual(engine.left_on_disk(), [])
        self.assert_equal_on_disk(engine, **how)  # the copied tables stay


def main():
    if places.where(f"postgresql-{os.environ.get('POSTGRES', '15')}") is None:
        print("skipped: this PostgreSQL is not installed here")
        sys.exit(SKIPPED)
    unittest.main(module="__main__", verbosity=2)
