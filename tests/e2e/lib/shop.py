"""The small shop: its tables, its life, and a report that holds in every state it ever had."""

import threading

from . import places

SCHEMA = (places.ROOT / "tests/e2e/lib/shop.sql").read_text(encoding="utf-8")

# One statement, so one state on either side. Both dialects take it.
REPORT = """
select (select n from version) as version,
  (select count(*) from orders) as orders,
  (select count(*) from order_lines) as lines,
  (select cast(sum(total) as decimal(18,2)) from orders) as sold,
  (select cast(sum(quantity * price) as decimal(18,2)) from order_lines) as sold_by_lines,
  (select cast(coalesce(sum(amount), 0) as decimal(18,2)) from payments where not refunded) as paid,
  (select cast(coalesce(sum(total), 0) as decimal(18,2)) from orders where status = 'paid') as paid_by_orders,
  (select cast(sum(on_hand) as bigint) from stock) as stock"""
COLUMNS = ["version", "orders", "lines", "sold", "sold_by_lines", "paid", "paid_by_orders", "stock"]


def sound(row):
    """Is this a state that the shop can have been in? (Money taken equals money owed, lines add up to orders.)"""
    return row[3] == row[4] and row[5] == row[6]


class Writer:
    """The application: events one after another, until it is told to stop."""

    def __init__(self, cluster, database, per_second=None, clients=1):
        self.script = cluster.folder / f"{database}-moment.sql"
        self.script.write_text("call live_one_moment();\n")
        self.script.chmod(0o644)
        rate = ["-R", str(per_second)] if per_second else []
        self.child = cluster.program("pgbench", "-n", "-c", clients, "-T", 36000, *rate, "-f", self.script, database)
        self.said = []
        self.reader = threading.Thread(target=lambda: self.said.extend(self.child.stdout), daemon=True)
        self.reader.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        """Returns what it said when it had failed before; nothing otherwise."""
        failed = self.child.poll() is not None
        if not failed:
            self.child.terminate()
        self.child.wait()
        self.reader.join()
        self.child.stdout.close()
        return "".join(self.said) if failed else ""
