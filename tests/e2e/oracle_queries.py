"""Random queries, each written three times: for Pinot, for DuckDB with SQL's nulls, and for DuckDB
with the default null values in place of nulls, as Pinot has it without null handling.

In texts a column stands as «x»: the value as the mode has it, or as «!x»: with its nulls whatever
the mode. `expand_pinot` and `expand_duck` replace them.
"""

import re

from oracle_tables import COLUMNS, LISTS, REQUIRED

PLACEHOLDERS = {"int": "0", "long": "0", "double": "0::DOUBLE", "dec": "0", "bool": "FALSE", "str": "'null'"}
KINDS = {
    "i": "int", "l": "long", "d": "double", "n": "dec", "b": "bool", "t": "ts", "s": "str", "z": "str", "k": "str",
    "g": "int", "f": "double", "o": "long",
}
NUMERIC = ("int", "long", "double", "dec")

# Comparisons of doubles: NaN is only different.
MACROS = [
    f"CREATE MACRO f_{name}(x, y) AS (CASE WHEN x IS NULL OR y IS NULL THEN NULL "
    f"WHEN isnan(x::DOUBLE) OR isnan(y::DOUBLE) THEN {nan} ELSE x::DOUBLE {op} y::DOUBLE END)"
    for name, op, nan in (
        ("eq", "=", "FALSE"), ("ne", "<>", "TRUE"), ("lt", "<", "FALSE"),
        ("le", "<=", "FALSE"), ("gt", ">", "FALSE"), ("ge", ">=", "FALSE"),
    )
] + [
    "CREATE MACRO to_long(x) AS (CASE WHEN x IS NULL THEN NULL WHEN isnan(x) THEN 0 "
    "WHEN x >= 9.2e18 THEN 9223372036854775807 WHEN x <= -9.2e18 THEN -9223372036854775808 ELSE trunc(x)::BIGINT END)",
    "CREATE MACRO jsign(x) AS (CASE WHEN isnan(x) THEN x ELSE sign(x) END)",
    "CREATE MACRO floor_ms(x) AS floor(epoch_us(x)::DECIMAL(38,0) / 1000)::BIGINT",
    "CREATE MACRO int_div(x, y) AS (sign(x) * (abs(x::HUGEINT) // y))",
    "CREATE MACRO no_nan(x) AS (CASE WHEN isnan(x) THEN NULL ELSE x END)",
]
OPERATORS = {"=": "eq", "<>": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}


class E:
    """An expression: its kind, Pinot's text, DuckDB's with nulls, DuckDB's with defaults."""

    def __init__(self, kind, pinot, on, off=None, bare=None):
        self.kind, self.pinot, self.on, self.off = kind, pinot, on, on if off is None else off
        self.bare = bare

    def raw(self):
        """DuckDB's text that sees nulls whatever the mode."""
        return self.on.replace("«", "«!").replace("«!!", "«!")


def expand_pinot(text, form):
    return re.sub("«(\\w+)»", r"\1" if form == "plain" else r"p['\1']", text)


def expand_duck(text, null_handling, form):
    def column(match):
        mark, name = match.groups()
        # A key that is missing is a null in a selected cell, whatever the mode.
        if mark == "!" or null_handling or name in REQUIRED or mark == "=" and form != "plain":
            return name
        return f"coalesce({name}, {LISTS[name][1] if name in LISTS else COLUMNS[name][2]})"

    return re.sub("«([!=]?)(\\w+)»", column, text)


def used_columns(text):
    return set(re.findall("«[!=]?(\\w+)»", text))


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


class Generator:
    def __init__(self, rng):
        self.rng = rng

    def pick(self, *choices):
        return self.rng.choice(choices)

    def chance(self, probability):
        return self.rng.random() < probability

    # Values

    def column(self, *kinds):
        names = [name for name, kind in KINDS.items() if not kinds or kind in kinds]
        name = self.rng.choice(names)
        return E(KINDS[name], f"«{name}»", f"«{name}»", bare=name)

    def number(self, depth=2):
        """A numeric expression that no division by zero of decimals makes null."""
        if depth == 0 or self.chance(0.45):
            return self.column(*NUMERIC)
        shape = self.pick("arithmetic", "arithmetic", "abs", "case", "cast", "length", "coalesce", "nullif", "least", "negate", "mod", "floor", "date", "date", "millis", "strpos", "trunc", "shift", "span", "intdiv")
        if shape == "arithmetic":
            a = self.number(depth - 1)
            b = self.number(depth - 1) if self.chance(0.4) else self.small_literal()
            return self.arithmetic(a, b)
        if shape == "abs":
            a = self.as_double(self.no_decimal(self.number(depth - 1)))
            return E("double", f"ABS({a.pinot})", f"abs({a.on})", f"abs({a.off})")
        if shape == "negate":
            a = self.no_decimal(self.number(depth - 1))
            return E("double", f"-({a.pinot})", f"(-({a.on})::DOUBLE)", f"(-({a.off})::DOUBLE)")
        if shape == "mod":
            a, b = self.number(depth - 1), self.pick(2, 3, 7)
            a = self.no_decimal(a)
            return E("double", f"({a.pinot} % {b})", f"(({a.on})::DOUBLE % {b})", f"(({a.off})::DOUBLE % {b})")
        if shape == "case":
            kind = self.pick("int", "long", "double")
            return self.case(depth, kind)
        if shape == "cast":
            a, (kind, pinot, duck) = self.column("int", "bool"), self.pick(
                ("long", "LONG", "BIGINT"), ("double", "DOUBLE", "DOUBLE"), ("int", "INT", "INTEGER")
            )
            return E(kind, f"CAST({a.pinot} AS {pinot})", f"({a.on})::{duck}", f"({a.off})::{duck}")
        if shape == "length":
            a = self.text(depth - 1)
            return E("int", f"LENGTH({a.pinot})", f"length({a.on})", f"length({a.off})")
        if shape == "coalesce":
            a, b = self.column("int", "long"), self.column("int", "long")
            kind = "long" if "long" in (a.kind, b.kind) else "int"
            body = f"coalesce({a.raw()}, {b.raw()})"
            return E(kind, f"COALESCE({a.pinot}, {b.pinot})", body, f"coalesce({body}, 0)")
        if shape == "nullif":
            a = self.column("int", "long")
            value = self.pick(0, 1, 3)
            body = f"nullif({a.raw()}, {value})"
            return E(a.kind, f"NULLIF({a.pinot}, {value})", body, f"coalesce({body}, 0)")
        if shape == "floor":
            a, name = self.no_decimal(self.number(depth - 1)), self.pick("FLOOR", "CEIL", "SIGN")
            duck = "jsign" if name == "SIGN" else name
            return E("double", f"{name}({a.pinot})", f"{duck}(({a.on})::DOUBLE)", f"{duck}(({a.off})::DOUBLE)")
        if shape == "date":
            a, name = self.column("ts"), self.pick("YEAR", "MONTH", "DAYOFMONTH", "HOUR", "MINUTE", "SECOND", "QUARTER", "DAYOFYEAR", "WEEK")
            return E("int", f"{name}({a.pinot})", f"{name}({a.on})", f"{name}({a.off})")
        if shape == "trunc":
            a, unit = self.column("ts"), self.pick("second", "minute", "hour", "day", "week", "month", "quarter", "year")
            return E("long", f"DATETRUNC('{unit}', {a.pinot})", f"floor_ms(date_trunc('{unit}', {a.on}))", f"floor_ms(date_trunc('{unit}', {a.off}))")
        if shape == "shift":
            a, unit, count = self.column("ts"), self.pick("SECOND", "HOUR", "DAY", "WEEK", "MONTH", "YEAR"), self.pick(-30, -1, 0, 1, 13)
            shift = f"to_{unit.lower()}s({count})"
            return E("long", f"TIMESTAMPADD('{unit}', {count}, {a.pinot})", f"floor_ms({a.on} + {shift})", f"floor_ms({a.off} + {shift})")
        if shape == "span":
            a, unit, size = self.column("ts"), *self.pick(("SECOND", 1), ("MINUTE", 60), ("HOUR", 3600), ("DAY", 86400), ("WEEK", 604800))
            end = "1735689600000"

            def span(x):
                return f"trunc(({end} - floor_ms({x}))::DECIMAL(38,9) / {size * 1000})::BIGINT"

            return E("long", f"TIMESTAMPDIFF('{unit}', {a.pinot}, {end})", span(a.on), span(a.off))
        if shape == "root":
            a, name = self.column("int", "double"), self.pick("SQRT", "EXP", "CBRT")
            return E("double", f"{name}(LEAST(ABS({a.pinot}), 100))", f"{name}(jleast({a.on}))", f"{name}(jleast({a.off}))")
        if shape == "intdiv":
            a, b = self.column("int", "long"), self.pick(2, 3, 7, 10)
            return E("long", f"INTDIV({a.pinot}, {b})", f"int_div({a.on}, {b})", f"int_div({a.off}, {b})")
        if shape == "millis":
            a = self.column("ts")
            return E("long", f"CAST({a.pinot} AS LONG)", f"floor_ms({a.on})", f"floor_ms({a.off})")
        if shape == "strpos":
            a, text = self.text(depth - 1), quoted(self.pick("a", "b", "本", "%", "zz"))
            return E("int", f"STRPOS({a.pinot}, {text})", f"(strpos({a.on}, {text}) - 1)", f"(strpos({a.off}, {text}) - 1)")
        a, b = self.column("int", "long"), self.column("int", "long")
        name = self.pick("LEAST", "GREATEST")
        kind = "long" if "long" in (a.kind, b.kind) else "int"

        def both(x, y):
            return f"(CASE WHEN ({x}) IS NULL OR ({y}) IS NULL THEN NULL ELSE {name}({x}, {y}) END)"

        return E("double", f"{name}({a.pinot}, {b.pinot})", both(a.on, b.on), both(a.off, b.off))

    def as_double(self, a):
        return E("double", a.pinot, f"({a.on})::DOUBLE", f"({a.off})::DOUBLE")

    def small_literal(self):
        text = self.pick("0", "1", "2", "-3", "10", "0.5", "2.25", "1000000")
        if "." in text:
            return E("literal", text, text)
        return E("int", text, text)

    def arithmetic(self, a, b):
        if "dec" in (a.kind, b.kind) and "double" not in (a.kind, b.kind):
            return self.exact_arithmetic(a, b)
        a, b = self.no_decimal(a), self.no_decimal(b)
        op = self.pick("+", "-", "*", "/")

        def both(x, y):
            return f"(({x})::DOUBLE {op} ({y})::DOUBLE)"

        return E("double", f"({a.pinot} {op} {b.pinot})", both(a.on, b.on), both(a.off, b.off))

    def no_decimal(self, a):
        """Decimals that were computed are cast, lest DuckDB's run out of digits."""
        if a.kind not in ("dec", "computed dec"):
            return a
        return E("double", f"CAST({a.pinot} AS DOUBLE)", f"({a.on})::DOUBLE", f"({a.off})::DOUBLE")

    def exact_arithmetic(self, a, b):
        op = self.pick("+", "-", "*")
        if op == "*" and ("long" in (a.kind, b.kind) and "computed dec" in (a.kind, b.kind)):
            op = "+"
        if op == "*" and "computed dec" in (a.kind, b.kind):
            a, b = E("dec", "«n»", "«n»"), self.column("int")
        width = "DECIMAL(38,9)" if op != "*" else "DECIMAL(19,3)"

        def both(x, y):
            return f"(({x})::{width} {op} ({y})::{width})"

        return E("computed dec", f"({a.pinot} {op} {b.pinot})", both(a.on, b.on), both(a.off, b.off))

    def text(self, depth=1):
        if depth == 0 or self.chance(0.55):
            return self.column("str")
        shape = self.pick("upper", "lower", "concat", "case", "coalesce", "cast", "substr", "trim", "reverse", "replace", "bars", "substring", "repeat")
        if shape == "substring":
            a, begin, size = self.text(depth - 1), self.pick(1, 2, 3), self.pick(0, 1, 2, 50)
            return E("str", f"SUBSTRING({a.pinot}, {begin}, {size})", f"substring({a.on}, {begin}, {size})", f"substring({a.off}, {begin}, {size})")
        if shape == "repeat":
            a, count = self.text(depth - 1), self.pick(0, 1, 3)
            return E("str", f"REPEAT({a.pinot}, {count})", f"repeat({a.on}, {count})", f"repeat({a.off}, {count})")
        if shape == "replace":
            a, (old, new) = self.text(depth - 1), self.pick(("a", "X"), ("b", ""), ("本", "'"), ("red", "é"))
            args = f"{quoted(old)}, {quoted(new)}"
            return E("str", f"REPLACE({a.pinot}, {args})", f"replace({a.on}, {args})", f"replace({a.off}, {args})")
        if shape == "bars":
            a, b = self.text(depth - 1), self.column("str")
            return E("str", f"({a.pinot} || {b.pinot})", f"({a.on} || {b.on})", f"({a.off} || {b.off})")
        if shape in ("upper", "lower", "trim", "reverse"):
            a = self.text(depth - 1)
            return E("str", f"{shape.upper()}({a.pinot})", f"{shape}({a.on})", f"{shape}({a.off})")
        if shape == "concat":
            a, b = self.text(depth - 1), self.column("str")
            return E("str", f"CONCAT({a.pinot}, {b.pinot}, '-')", f"({a.on} || '-' || {b.on})", f"({a.off} || '-' || {b.off})")
        if shape == "case":
            return self.case(depth, "str")
        if shape == "coalesce":
            a = self.column("str")
            body = f"coalesce({a.raw()}, 'none')"
            return E("str", f"COALESCE({a.pinot}, 'none')", body)
        if shape == "cast":
            a = self.column("int", "long", "bool")
            return E("str", f"CAST({a.pinot} AS STRING)", f"({a.on})::VARCHAR", f"({a.off})::VARCHAR")
        a = E("str", "«k»", "«k»")
        return E("str", f"SUBSTR({a.pinot}, 1, 3)", f"substr({a.on}, 2, 2)", f"substr({a.off}, 2, 2)")

    def case(self, depth, kind):
        def value():
            if kind == "str":
                text = self.pick("low", "high", "")
                return self.column("str") if self.chance(0.5) else E("str", quoted(text), quoted(text))
            if kind == "double":
                a = self.column("double")
                return a if self.chance(0.5) else E("double", "1.5", "1.5::DOUBLE")
            names = ("int",) if kind == "int" else ("int", "long")
            if self.chance(0.5):
                return self.column(*names)
            text = str(self.pick(0, 1, 7))
            return E("int", text, text)

        conditions = [self.condition(depth - 1) for _ in range(self.pick(1, 1, 2))]
        values = [value() for _ in conditions]
        last = value() if self.chance(0.7) else None
        if kind == "long" and all(v.kind == "int" for v in values + [last or values[0]]):
            kind = "int"
        texts = []
        for which in ("pinot", "on", "off"):
            arms = " ".join(
                f"WHEN {getattr(c, which)} THEN {getattr(v, which)}" for c, v in zip(conditions, values)
            )
            otherwise = f" ELSE {getattr(last, which)}" if last else ""
            texts.append(f"(CASE {arms}{otherwise} END)")
        if not last:
            texts[2] = f"coalesce({texts[2]}, {PLACEHOLDERS[kind]})"
        return E(kind, *texts)

    def value(self, depth=2):
        shape = self.pick("number", "number", "text", "bool", "ts")
        if shape == "number":
            return self.number(depth)
        if shape == "text":
            return self.text(depth)
        if shape == "bool" and self.chance(0.5) and depth > 0:
            a = self.condition(depth - 1)
            return E("bool", f"({a.pinot})", f"({a.on})", f"({a.off})", a.bare)
        return self.column("bool" if shape == "bool" else "ts")

    # Conditions

    def literal(self, kind):
        """Pinot's text and DuckDB's."""
        pinot, duck = self.plain_literal(kind)
        # A quoted number is one beside a number; a time may be a count of milliseconds.
        if kind in ("int", "long", "dec", "double") and self.chance(0.1):
            return quoted(pinot), duck
        if kind in ("int", "long") and self.chance(0.05):
            text = self.pick("99999999999999999999", "-99999999999999999999", "1e25")
            return text, {"1e25": "10000000000000000000000000"}.get(text, text)
        if kind == "ts" and self.chance(0.2):
            return "1709209800000", "TIMESTAMP '2024-02-29 12:30:00'"
        return pinot, duck

    def plain_literal(self, kind):
        if kind == "int":
            text = self.pick("0", "1", "-1", "3", "7", "42", "2147483647", "-2147483648", "3000000000", "5.5", "1.0", "-5")
            return text, text
        if kind == "long":
            text = self.pick("0", "1", "-1", "2147483648", "9007199254740993", "9007199254740992", "9223372036854775807", "1700000000000", "0.5", "-9223372036854775807")
            return text, text
        if kind in ("dec", "computed dec"):
            text = self.pick("0", "1", "1.0", "-1.5", "2.25", "2.2501", "999999999.999", "10", "3.000")
            return text, text
        if kind == "double":
            text = self.pick("0", "1", "0.5", "-2.25", "100.75", "10000000000", "1e10", "-1", "3")
            return text, f"{text}::DOUBLE"
        if kind == "bool":
            text = self.pick("true", "false")
            return text, text
        if kind == "ts":
            text = self.pick("1970-01-01 00:00:00", "2024-02-29 12:30:00", "2024-02-29 12:30:00.5", "2001-01-01 00:00:00", "2025-09-23 17:38:00.123456", "2030-01-01 00:00:00")
            return quoted(text), f"TIMESTAMP '{text}'"
        text = quoted(self.pick("", "a", "A", "b", "ab", "null", "it's", 'q"uote', "back\\slash", "é", "日本", "🐻", "0", "10", "red", "Red", "blue", "zz", "low", " lead"))
        return text, text

    def compared(self, a, op, b_on, literal=False):
        """DuckDB's comparison of two texts of a kind."""

        def one(x, y):
            if a.kind == "double":
                return f"f_{OPERATORS[op]}({x}, {y})"
            if a.kind in ("int", "long") and literal:
                return f"(({x})::DECIMAL(38,6) {op} {y}::DECIMAL(38,6))"
            return f"({x} {op} {y})"

        return one

    def leaf(self, depth):
        shape = self.pick("compare", "compare", "compare", "between", "in", "like", "null", "null", "columns", "bool", "constant", "mirrored", "text", "apart", "sorted")
        if shape == "sorted":
            low, span, a = self.pick(0, 3, 50, 120, 226), self.pick(0, 1, 20, 300), E("long", "«o»", "«o»")
            text = self.pick(f"«o» BETWEEN {low} AND {low + span}", f"«o» <= {low}", f"«o» > {low}", f"«o» = {low}", f"«o» <> {low}", f"«o» IN ({low}, {low + span})")
            return E("bool", text, f"({text})")
        if shape == "text":
            a, text = self.text(depth), quoted(self.pick("a", "A", "re", "é", "", "null"))
            name, duck = self.pick(("STARTSWITH", "starts_with"), ("ENDSWITH", "ends_with"), ("CONTAINS", "contains"), ("REGEXP_LIKE", "regexp_matches"))
            return E("bool", f"{name}({a.pinot}, {text})", f"{duck}({a.on}, {text})", f"{duck}({a.off}, {text})")
        if shape == "apart":
            kinds = self.pick(("int", "long"), ("str",), ("bool",))
            a, b, negated = self.column(*kinds), self.column(*kinds), self.pick("", "NOT ")
            return E("bool", f"{a.pinot} IS {negated}DISTINCT FROM {b.pinot}", f"({a.raw()} IS {negated}DISTINCT FROM {b.raw()})")
        if shape in ("compare", "mirrored"):
            a = self.value(depth)
            op = self.pick(*OPERATORS)
            if a.kind == "bool":
                op = self.pick("=", "<>")
            pinot, duck = self.literal(a.kind)
            one = self.compared(a, op, duck, True)
            if shape == "mirrored":
                mirror = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}.get(op, op)
                return E("bool", f"{pinot} {mirror} {a.pinot}", one(a.on, duck), one(a.off, duck))
            return E("bool", f"{a.pinot} {op} {pinot}", one(a.on, duck), one(a.off, duck))
        if shape == "between":
            a = self.value(depth)
            if a.kind == "bool":
                a = self.column("int")
            (p1, d1), (p2, d2) = self.literal(a.kind), self.literal(a.kind)
            ge, le = self.compared(a, ">=", d1, True), self.compared(a, "<=", d2, True)
            negated = self.pick("", "", "NOT ")

            def both(x):
                return f"({negated}({ge(x, d1)} AND {le(x, d2)}))"

            return E("bool", f"{a.pinot} {negated}BETWEEN {p1} AND {p2}", both(a.on), both(a.off))
        if shape == "in":
            a = self.value(depth)
            if a.kind == "bool":
                a = self.column("str")
            negated = self.pick("", "NOT ")
            literals = [self.literal(a.kind) for _ in range(self.pick(1, 2, 3, 5))]
            eq = self.compared(a, "=", None, True)

            def any_of(x):
                return f"({negated}({' OR '.join(eq(x, d) for _, d in literals)}))"

            return E("bool", f"{a.pinot} {negated}IN ({', '.join(p for p, _ in literals)})", any_of(a.on), any_of(a.off))
        if shape == "like":
            a = self.text(depth)
            negated = self.pick("", "NOT ")
            pattern = quoted(self.pick("a%", "%B", "%b%", "_", "__", "%", "", "r%d", "%e%", "null", "é", "É%", "%\\%%", "a\\_b", "it's", "_本", "%l_e", "q\"%"))
            duck = f"ILIKE {pattern} ESCAPE '\\'"
            return E("bool", f"{a.pinot} {negated}LIKE {pattern}", f"({a.on} {negated}{duck})", f"({a.off} {negated}{duck})")
        if shape == "null":
            a = self.value(depth) if self.chance(0.3) else self.column()
            negated = self.pick("", "NOT ")
            text = f"(({a.raw()}) IS {negated}NULL)"
            return E("bool", f"{a.pinot} IS {negated}NULL", text)
        if shape == "columns":
            kinds = self.pick(("int", "long"), ("int", "long", "double"), ("dec",), ("str",), ("ts",), ("bool",))
            a, b = self.column(*kinds), self.column(*kinds)
            op = self.pick("=", "<>") if kinds == ("bool",) else self.pick(*OPERATORS)
            wide = E("double" if "double" in (a.kind, b.kind) else a.kind, "", "")
            one = self.compared(wide, op, None)
            return E("bool", f"{a.pinot} {op} {b.pinot}", one(a.on, b.on), one(a.off, b.off))
        if shape == "bool":
            return self.column("bool")
        text = self.pick("TRUE", "FALSE", "1 = 1", "1 > 2")
        return E("bool", text, f"({text})")

    def condition(self, depth=2):
        if depth <= 0 or self.chance(0.35):
            return self.leaf(max(depth - 1, 0))
        if self.chance(0.25):
            a = self.condition(depth - 1)
            return E("bool", f"NOT ({a.pinot})", f"(NOT {a.on})", f"(NOT {a.off})")
        op = self.pick("AND", "OR")
        parts = [self.condition(depth - 1) for _ in range(self.pick(2, 2, 3))]
        texts = [f" {op} ".join(f"({getattr(part, which)})" for part in parts) for which in ("pinot", "on", "off")]
        return E("bool", f"({texts[0]})" if self.chance(0.5) else texts[0], f"({texts[1]})", f"({texts[2]})")

    # Aggregates

    def aggregate(self):
        """An aggregate: its texts, null where nothing is folded, or Pinot's answer to that."""
        name = self.pick("count", "count", "countx", "sum", "min", "max", "avg", "distinct", "range", "sumlong", "minlong", "maxlong", "stddev", "bools", "distinctsum", "arithmetic", "percentile")
        filtered = None
        if self.chance(0.2):
            filtered = self.condition(1)

        def fold(a, on, off, empty, where_on="", where_off=""):
            f_on = f" FILTER (WHERE {filtered.on}{where_on})" if filtered else ""
            f_off = f" FILTER (WHERE {filtered.off}{where_on})" if filtered else ""
            return E("double", a + (f" FILTER (WHERE {filtered.pinot})" if filtered else ""), on.replace("@", f_on), f"coalesce({off.replace('@', f_off)}, {empty})")

        if name == "count":
            return fold("COUNT(*)", "count(*)@", "count(*)@", "0")
        if name == "countx":
            a = self.value(1)
            return fold(f"COUNT({a.pinot})", f"count({a.on})@", "count(*)@", "0")
        if name == "distinct":
            a = self.value(1)
            return fold(f"COUNT(DISTINCT {a.pinot})", f"count(DISTINCT {a.on})@", f"count(DISTINCT {a.off})@", "0")
        if name == "percentile":
            a, percent = self.column("int", "long"), self.pick(0, 25, 50, 90, 100)

            def quantile(x):
                return f"list_sort(list({x})@ )[least((count({x})@ * {percent}) // 100, count({x})@ - 1) + 1]::DOUBLE"

            a.on, a.off = (f"(CASE WHEN {x} IS NOT NULL THEN {x} END)" for x in (a.on, a.off))
            f_on = f" FILTER (WHERE {filtered.on} AND {a.on} IS NOT NULL)" if filtered else f" FILTER (WHERE {a.on} IS NOT NULL)"
            f_off = f" FILTER (WHERE {filtered.off})" if filtered else ""
            shown = f" FILTER (WHERE {filtered.pinot})" if filtered else ""
            pinot = f"PERCENTILE({a.pinot}, {percent}){shown}"
            return E("double", pinot, quantile(a.on).replace("@", f_on), f"coalesce({quantile(a.off).replace('@', f_off)}, '-inf'::DOUBLE)")
        if name == "bools":
            a = self.column("bool")
            which = self.pick("BOOL_AND", "BOOL_OR")
            empty = "TRUE" if which == "BOOL_AND" else "FALSE"
            return fold(f"{which}({a.pinot})", f"{which}({a.on})@", f"{which}({a.off})@", empty)
        if name in ("sumlong", "minlong", "maxlong"):
            a = self.column("int") if name == "sumlong" else self.column("int", "long")
            empty = {"sumlong": "0", "minlong": "9223372036854775807", "maxlong": "-9223372036854775808"}[name]
            duck = name[:3]
            return fold(f"{name.upper()}({a.pinot})", f"{duck}({a.on})@", f"{duck}({a.off})@", empty)
        if name == "stddev":
            a = self.column("int")
            return fold(f"STDDEV_POP({a.pinot})", f"stddev_pop({a.on})@", f"stddev_pop({a.off})@", "'-inf'::DOUBLE")
        if name == "distinctsum":
            a = self.column("int", "long")
            return fold(f"DISTINCTSUM({a.pinot})", f"sum(DISTINCT {a.on})@::DOUBLE", f"sum(DISTINCT {a.off})@::DOUBLE", "0")
        if name == "arithmetic":
            a = self.column("int")
            on = f"(sum({a.on})@::DOUBLE + 1) / count(*)@"
            off = f"(coalesce(sum({a.off})@, 0)::DOUBLE + 1) / count(*)@"
            shown = f" FILTER (WHERE {filtered.pinot})" if filtered else ""
            f_on = f" FILTER (WHERE {filtered.on})" if filtered else ""
            f_off = f" FILTER (WHERE {filtered.off})" if filtered else ""
            return E("double", f"(SUM({a.pinot}){shown} + 1) / COUNT(*){shown}", on.replace("@", f_on), off.replace("@", f_off))
        a = self.number(1)
        if name in ("min", "max", "range"):
            def extreme(which, x, empty):
                wrapped = f"({x})::DOUBLE"
                return f"(CASE WHEN count({x})@ = 0 THEN NULL ELSE coalesce({which}(no_nan({wrapped}))@, {empty}) END)"

            def body(x):
                low, high = extreme("min", x, "'inf'::DOUBLE"), extreme("max", x, "'-inf'::DOUBLE")
                return {"min": low, "max": high, "range": f"({high} - {low})"}[name]

            empty = "'inf'::DOUBLE" if name == "min" else "'-inf'::DOUBLE"
            pinot = {"min": "MIN", "max": "MAX", "range": "MINMAXRANGE"}[name]
            return fold(f"{pinot}({a.pinot})", body(a.on), body(a.off), empty)
        if a.kind not in ("int", "long", "dec"):
            a = self.column("int", "long", "dec", "double")

        def total(x):
            return f"sum({x})@::DOUBLE"

        if name == "sum":
            return fold(f"SUM({a.pinot})", total(a.on), total(a.off), "0")

        def mean(x):
            return f"({total(x)} / nullif(count({x})@, 0))"

        return fold(f"AVG({a.pinot})", mean(a.on), mean(a.off), "'-inf'::DOUBLE")

    # Queries

    def order(self, items):
        """ORDER BY over selected items: Pinot's keys, DuckDB's with and without nulls."""
        keys = []
        # The last digits of deviations differ, and with them their order.
        items = [item for item in items if "STDDEV" not in item.pinot]
        for item in self.rng.sample(items, k=min(len(items), self.pick(1, 1, 2, 3))):
            direction = self.pick("", " ASC", " DESC")
            nulls = self.pick("", "", " NULLS FIRST", " NULLS LAST")
            duck = direction + (nulls or (" NULLS FIRST" if direction == " DESC" else " NULLS LAST"))
            keys.append((item, direction + nulls, duck))
        return keys

    def query(self):
        shape = self.pick("select", "select", "distinct", "aggregate", "group", "group", "group")
        where = self.condition(self.pick(1, 2, 3)) if self.chance(0.8) else None
        return getattr(self, shape)(where)

    def window(self):
        if self.chance(0.3):
            return "", " LIMIT 10"
        limit = self.pick(1, 5, 50, 100000)
        if self.chance(0.3):
            offset = self.pick(0, 1, 7, 2000)
            return f" LIMIT {limit} OFFSET {offset}", f" LIMIT {limit} OFFSET {offset}"
        return f" LIMIT {limit}", f" LIMIT {limit}"

    def assemble(self, head, items, keys, where, tail, window, first_row):
        """Joins the parts; `items` are shown, `keys` sort, `first_row` breaks ties in DuckDB."""
        shown, names = [], {}
        style = self.pick("plain", "plain", "alias", "ordinal")
        for idx, item in enumerate(items, 1):
            shown.append(item.pinot + (f" AS c{idx}" if style == "alias" else ""))
            names[id(item)] = {"plain": item.pinot, "alias": f"c{idx}", "ordinal": str(idx)}[style]
        pinot_keys = ", ".join(names.get(id(key), key.pinot) + text for key, text, _ in keys)
        pinot = f"{head}{', '.join(shown)} FROM @table"
        pinot += f" WHERE {where.pinot}" if where else ""
        pinot += tail[0] + (f" ORDER BY {pinot_keys}" if keys else "") + window[0]
        duck = []
        for idx, which in ((1, "on"), (2, "off")):
            order = [f"{getattr(key, which)}{text}" for key, _, text in keys] + ([first_row] if first_row else [])
            columns = [
                f"«={item.bare}»" if head == "SELECT " and item.bare and not tail[0] and which == "off" and first_row == "id" else getattr(item, which)
                for item in items
            ]
            text = f"SELECT {', '.join(columns)} FROM r"
            text += f" WHERE {getattr(where, which)}" if where else ""
            text += tail[idx] + (f" ORDER BY {', '.join(order)}" if order else "") + window[1]
            duck.append(text)
        return pinot, duck[0], duck[1]

    def select(self, where):
        items = [self.value() if self.chance(0.5) else self.column() for _ in range(self.pick(1, 2, 3))]
        if self.chance(0.3):
            items.insert(0, E("int", "id", "id"))
        keys = self.order(items + [self.value()]) if self.chance(0.6) else []
        return self.assemble("SELECT ", items, keys, where, ("", "", ""), self.window(), "id")

    def distinct(self, where):
        items = [self.value(1) for _ in range(self.pick(1, 1, 2))]
        keys = self.order(items) if self.chance(0.6) else []
        group = [", ".join(getattr(item, which) for item in items) for which in ("on", "off")]
        tail = ("", f" GROUP BY {group[0]}", f" GROUP BY {group[1]}")
        return self.assemble("SELECT DISTINCT ", items, keys, where, tail, self.window(), "min(id)")

    def aggregate_items(self):
        return [self.aggregate() for _ in range(self.pick(1, 2, 3))]

    def aggregate_query(self, where):
        items = self.aggregate_items()
        return self.assemble("SELECT ", items, [], where, ("", "", ""), ("", ""), None)

    def group(self, where):
        items = [self.value(1) for _ in range(self.pick(1, 1, 2, 3))]
        folds = self.aggregate_items()
        texts = [", ".join(getattr(item, which) for item in items) for which in ("pinot", "on", "off")]
        tail = [f" GROUP BY {text}" for text in texts]
        if self.chance(0.15):
            # HAVING over a key.
            item = self.rng.choice(items)
            negated = self.pick("", "NOT ")
            tail = [f"{text} HAVING {getattr(item, which)} IS {negated}NULL" for text, which in zip(tail, ("pinot", "on", "off"))]
            if item.kind != "bool" and not item.bare:
                tail = [f" GROUP BY {text}" for text in texts]
        elif self.chance(0.3):
            fold = self.rng.choice(folds)
            op, value = self.pick(*OPERATORS), self.pick("0", "1", "2", "10", "100.5")
            having = [f"{fold.pinot} {op} {value}"]
            having += [f"f_{OPERATORS[op]}({text}, {value})" for text in (fold.on, fold.off)]
            if not fold.pinot.startswith("BOOL"):
                tail = [text + f" HAVING {extra}" for text, extra in zip(tail, having)]
        shown = items + folds
        self.rng.shuffle(shown)
        keys = self.order(shown + [self.aggregate()]) if self.chance(0.6) else []
        if self.chance(0.2) and len(shown) > 1:
            shown.pop()
        return self.assemble("SELECT ", shown, keys, where, tail, self.window(), "min(id)")


def make_query(rng):
    generator = Generator(rng)
    shape = rng.choice(["select", "select", "distinct", "aggregate_query", "group", "group", "group"])
    where = generator.condition(rng.choice([1, 2, 3])) if rng.random() < 0.8 else None
    return getattr(generator, shape)(where)


def make_loose_query(rng):
    """A query that has one answer whether keys are typed or only known as text, with nulls."""
    generator = Generator(rng)
    pick = generator.pick

    def leaf():
        shape = pick("number", "number", "text", "null", "bool")
        if shape == "null":
            name, negated = rng.choice(sorted(COLUMNS)), pick("", "NOT ")
            return E("bool", f"«{name}» IS {negated}NULL", f"(«{name}» IS {negated}NULL)")
        if shape == "bool":
            text = f"«b» {pick('=', '<>')} {pick('true', 'false')}"
            return E("bool", text, f"({text})")
        if shape == "text":
            a, text = E("str", "«s»", "«s»"), generator.literal("str")[0]
            if generator.chance(0.3):
                return E("bool", f"«k» LIKE {text}", f"(«k» ILIKE {text} ESCAPE '\\')")
            op = pick(*OPERATORS)
            return E("bool", f"«s» {op} {text}", f"(«s» {op} {text})")
        a, op = generator.column(*NUMERIC), pick(*OPERATORS)
        pinot, duck = generator.plain_literal(a.kind)
        one = generator.compared(a, op, duck, True)
        if generator.chance(0.3):
            other, duck_other = generator.plain_literal(a.kind)
            eq = generator.compared(a, "=", None, True)
            return E("bool", f"{a.pinot} IN ({pinot}, {other})", f"({eq(a.on, duck)} OR {eq(a.on, duck_other)})")
        return E("bool", f"{a.pinot} {op} {pinot}", one(a.on, duck))

    def condition(depth):
        if depth == 0 or generator.chance(0.3):
            return leaf()
        if generator.chance(0.2):
            a = condition(depth - 1)
            return E("bool", f"NOT ({a.pinot})", f"(NOT {a.on})")
        op, a, b = pick("AND", "OR"), condition(depth - 1), condition(depth - 1)
        return E("bool", f"(({a.pinot}) {op} ({b.pinot}))", f"({a.on} {op} {b.on})")

    where = condition(pick(0, 1, 2, 3))
    name = pick("i", "g", "d", "f", "o")
    extreme = f"(CASE WHEN count(«{name}») = 0 THEN NULL ELSE coalesce(%s(no_nan(«{name}»::DOUBLE)), '%sinf'::DOUBLE) END)"
    pinot = f"SELECT COUNT(*), COUNT(«{name}»), SUM(«{name}»), MIN(«{name}»), MAX(«{name}») FROM @table WHERE {where.pinot}"
    duck = (
        f"SELECT count(*), count(«{name}»), sum(«{name}»)::DOUBLE, {extreme % ('min', '')}, {extreme % ('max', '-')} "
        f"FROM r WHERE {where.on}"
    )
    return pinot, duck, None


def make_list_query(rng):
    """A query over columns of many values: a predicate holds when it does for any of them, a negated one when for none."""
    generator = Generator(rng)
    pick = generator.pick

    def any_of(name, test, wanted=True):
        body = f"(len(list_filter(«{name}», lambda x: {test})) {'>' if wanted else '='} 0)"
        return body

    def leaf():
        if generator.chance(0.3):
            return generator.leaf(0)
        name = pick(*LISTS)
        kind = "int" if name == "q" else "str"
        literal, other = ((str(pick(1, 2, 3, 5, 9)), str(pick(0, 2, 4))) if kind == "int" else (generator.plain_literal(kind)[0], generator.plain_literal(kind)[0]))
        shape = pick("compare", "compare", "in", "between", "null", "like", "length")
        if shape == "null":
            negated = pick("", "NOT ")
            return E("bool", f"«{name}» IS {negated}NULL", f"(«!{name}» IS {negated}NULL)")
        if shape == "length":
            op = pick(*OPERATORS)
            return length(name, op)
        if shape == "in":
            negated = generator.chance(0.5)
            return E("bool", f"«{name}» {'NOT ' if negated else ''}IN ({literal}, {other})", any_of(name, f"x IN ({literal}, {other})", not negated))
        if shape == "between":
            negated = pick("", "NOT ")
            return E("bool", f"«{name}» {negated}BETWEEN {literal} AND {other}", f"({negated}{any_of(name, f'x BETWEEN {literal} AND {other}')})")
        if shape == "like" and kind == "str":
            negated = generator.chance(0.5)
            pattern = quoted(pick("a%", "%b%", "_", "", "%"))
            return E("bool", f"«{name}» {'NOT ' if negated else ''}LIKE {pattern}", any_of(name, f"x ILIKE {pattern} ESCAPE '\\'", not negated))
        op = pick(*OPERATORS)
        if op == "<>":
            return E("bool", f"«{name}» <> {literal}", any_of(name, f"x = {literal}", False))
        return E("bool", f"«{name}» {op} {literal}", any_of(name, f"x {op} {literal}"))

    def length(name, op):
        value = pick(0, 1, 2)
        return E("bool", f"ARRAYLENGTH(«{name}») {op} {value}", f"(len(«{name}») {op} {value})")

    def condition(depth):
        if depth == 0 or generator.chance(0.3):
            return leaf()
        if generator.chance(0.25):
            a = condition(depth - 1)
            return E("bool", f"NOT ({a.pinot})", f"(NOT {a.on})", f"(NOT {a.off})")
        op, a, b = pick("AND", "OR"), condition(depth - 1), condition(depth - 1)
        return E("bool", f"(({a.pinot}) {op} ({b.pinot}))", f"({a.on} {op} {b.on})", f"({a.off} {op} {b.off})")

    where = condition(pick(0, 1, 2, 3))
    shape = pick("select", "fold", "group", "group")
    if shape == "select":
        pinot = f"SELECT id, «q», «r» FROM @table WHERE {where.pinot} LIMIT 100000"
        on, off = (f"SELECT id, «q», «r» FROM r WHERE {text} ORDER BY id" for text in (where.on, where.off))
        return pinot, on, off
    if shape == "fold":
        pinot = f"SELECT COUNT(*), SUM(«q»), MIN(«q»), MAX(«q»), COUNT(DISTINCT «q»), COUNT(DISTINCT «r») FROM @table WHERE {where.pinot}"
        values = "sum(list_sum(«q»))::DOUBLE, min(list_min(«q»))::DOUBLE, max(list_max(«q»))::DOUBLE"
        distinct = ", ".join(f"coalesce(len(list_distinct(flatten(list(«{name}»)))), 0)" for name in LISTS)
        return pinot, f"SELECT count(*), {values}, {distinct} FROM r WHERE {where.on}", None
    name, key = pick(*LISTS), pick("", "k", "b")
    keys = f"«{name}»" + (f", «{key}»" if key else "")
    pinot = f"SELECT {keys}, COUNT(*), SUM(«g») FROM @table WHERE {where.pinot} GROUP BY {keys} ORDER BY {keys} LIMIT 100000"
    texts = []
    for text, missing in ((where.on, "NULL"), (where.off, LISTS[name][1].strip("[]"))):
        exploded = f"SELECT *, unnest(CASE WHEN len({name}) > 0 THEN {name} ELSE [{missing}] END) AS e FROM r WHERE {text}"
        shown = "e" + (f", «{key}»" if key else "")
        order = "e NULLS LAST" + (f", «{key}» NULLS LAST" if key else "")
        texts.append(f"SELECT {shown}, count(*), sum(«g»)::DOUBLE FROM ({exploded}) GROUP BY {shown} ORDER BY {order}")
    return pinot, *texts
