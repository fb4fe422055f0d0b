"""Is the copy equal to the source? All columns of all tables, as multisets, read on two ways that share no code.

The source is read by psql, the copy by DuckDB's own Python package (lockstep stopped) or by `lockstep query` (running).
Each column is brought into one form on either side by SQL, chosen by the two types; what is left is text.
"""

import decimal
import json
from collections import Counter

from . import places

BIG_TABLE_ROWS = 50_000  # above, and where forms allow it, sums of hashes are compared instead of rows

COLUMNS = """
select a.attname, format_type(coalesce(nullif(t.typbasetype, 0), t.oid), null), t.typcategory
from pg_attribute a join pg_type t on t.oid = a.atttypid
where a.attrelid = '{}'::regclass and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by a.attnum"""

TABLES = """
select c.oid::regclass from pg_class c where c.relnamespace = 'public'::regnamespace
and (c.relkind = 'r' and not c.relispartition or c.relkind = 'p' and not c.relispartition) and c.relpersistence = 'p' order by 1"""


class File:
    """The copy as a file, while lockstep does not run."""

    def __init__(self, path):
        self.connection = places.duckdb_module().connect(str(path), read_only=True)
        self.connection.execute("SET TimeZone='UTC'")
        if self.connection.execute("SELECT count(*) FROM duckdb_schemas() WHERE schema_name = 'public'").fetchone() != (0,):
            self.connection.execute("SET search_path = 'public,main'")  # as lockstep's own queries

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def query(self, sql):
        def text(cell):
            if cell is None or isinstance(cell, str):
                return cell
            return str(cell).lower() if isinstance(cell, bool) else str(cell)
        return [[text(cell) for cell in row] for row in self.connection.execute(sql).fetchall()]


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


class Column:
    """How one column is compared: an expression for each side that gives text, and what is done with that text."""

    def __init__(self, name, source_type, category, copy_type):
        self.name = name
        here = quoted(name)
        self.source = f"{here}::text"
        self.copy = f"CAST({here} AS VARCHAR)"
        self.form = None
        self.category = category
        if copy_type == "VARCHAR":
            if source_type == "numeric":
                self.form = number_form
            elif source_type in ("bpchar", "character"):  # a cast to text would take the blanks away
                self.source = f"CASE WHEN {here} IS NOT NULL THEN concat({here}) END"
        elif copy_type.endswith("[]"):
            depth = copy_type.count("[]")
            self.source = f"to_json({here}::text[])::text"
            self.copy = f"CAST(to_json(CAST({here} AS VARCHAR{'[]' * depth})) AS VARCHAR)"
            element = scalar_form(copy_type.split("[")[0], source_type.split("[")[0])
            self.form = lambda text: json.dumps(map_leaves(json.loads(text), element))
        elif copy_type == "BLOB":
            self.source, self.copy = f"encode({here}, 'hex')", f"lower(hex({here}))"
        elif copy_type == "INTERVAL":
            self.source = (f"(extract(year from {here})*12 + extract(month from {here}))::int || ' ' || "
                           f"extract(day from {here})::int || ' ' || "
                           f"((extract(hour from {here})*3600 + extract(minute from {here})*60 + "
                           f"extract(second from {here}))*1000000)::bigint")
            months = f"(datepart('year',{here})*12 + datepart('month',{here}))"
            self.copy = (f"{months} || ' ' || datepart('day',{here}) || ' ' || "
                         f"(datepart('hour',{here})*3600000000 + datepart('minute',{here})*60000000 + "
                         f"datepart('microsecond',{here}))")
        else:
            self.form = scalar_form(copy_type, source_type)

    def plain(self):
        return self.form is None


def scalar_form(copy_type, source_type):
    if copy_type.startswith("DECIMAL") or source_type == "numeric":
        return number_form
    if copy_type in ("FLOAT", "DOUBLE"):
        return lambda text: repr(float(text))
    if copy_type.startswith(("DATE", "TIMESTAMP")):
        return lambda text: text.replace("(BC)", "BC")
    if copy_type.startswith("TIMETZ") or copy_type == "TIME WITH TIME ZONE":
        return lambda text: text
    return None


def number_form(text):
    number = decimal.Decimal(text)
    if not number.is_finite():
        return str(number)
    with decimal.localcontext() as exact:
        exact.prec = 200_000
        return format(number.normalize(), "f")


def map_leaves(value, form):
    if isinstance(value, list):
        return [map_leaves(item, form) for item in value]
    return value if value is None or form is None else form(value)


class Difference(AssertionError):
    """The two sides differ; says where."""


def assert_equal(cluster, database, copy, tables=None, leave_out=()):
    """`copy` has query(sql) -> rows of text (a File or an Engine). Returns the number of rows compared."""
    names = tables or [row[0] for row in cluster.sql(TABLES, database)]
    return sum(assert_table_equal(cluster, database, copy, name) for name in names if name not in leave_out)


def assert_table_equal(cluster, database, copy, table):
    here = table if table.startswith('"') else quoted(table)
    columns = columns_of(cluster, database, copy, here)
    rows = int(cluster.value(f"select count(*) from public.{here}", database))
    if rows > BIG_TABLE_ROWS and all(c.plain() for c in columns):
        sums_differ = hash_sums(cluster, database, copy, here, columns)
        if not sums_differ:
            return rows
    left = rows_of(cluster.sql(select(columns, "source", here), database), columns)
    right = rows_of(copy.query(select(columns, "copy", here)), columns)
    if left != right:
        missing, extra = list((left - right).elements()), list((right - left).elements())
        raise Difference(f"public.{table} ({[c.name for c in columns]}): {len(missing)} rows of the source are not in the "
                         f"copy, {len(extra)} of the copy not in the source; for example {missing[:4]} and {extra[:4]}")
    return rows


def columns_of(cluster, database, copy, here):
    at_source = cluster.sql(COLUMNS.format(f"public.{here}"), database)
    at_copy = {row[0]: row[1] for row in copy.query(f"DESCRIBE public.{here}")}
    if sorted(at_copy) != sorted(row[0] for row in at_source):
        raise Difference(f"public.{here}: the source has columns {[r[0] for r in at_source]}, the copy {list(at_copy)}")
    return [Column(name, kind, category, at_copy[name]) for name, kind, category in at_source]


def select(columns, side, here):
    return f"SELECT {', '.join(f'{getattr(c, side)} AS c{i}' for i, c in enumerate(columns))} FROM public.{here}"


def rows_of(rows, columns):
    return Counter(tuple(cell if cell is None or c.form is None else c.form(cell)
                         for cell, c in zip(row, columns, strict=True)) for row in rows)


def hash_sums(cluster, database, copy, here, columns):
    """True when count or sum of the rows' hashes differ."""
    def row(side):
        return " || chr(1) || ".join(f"coalesce({getattr(c, side)}, chr(2))" for c in columns)
    left = cluster.sql("select count(*), sum(('x' || substr(md5(" + row("source") + f"), 1, 15))::bit(60)::bigint) "
                       f"from public.{here}", database)
    right = copy.query("SELECT count(*), CAST(sum(CAST('0x' || substr(md5(" + row("copy") + "), 1, 15) AS BIGINT)) "
                       f"AS VARCHAR) FROM public.{here}")
    return left != right
