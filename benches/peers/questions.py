"""The queries of one table, in the words of each side."""

import json
import string

from sides import HERE

NULLS = "SET enableNullHandling = true; "
# A loaded machine is not to break a query off.
PATIENCE = "SET timeoutMs = 3600000; "


class Questions:
    def __init__(self, table):
        text = (HERE.parent / "queries" / f"{table}.json").read_text()
        content = json.loads(text)
        self.dialects = content["dialects"]
        self.queries = content["queries"]
        self.sum_targets = content.get("sum_targets", [])

    def sql(self, query, engine, layout, table):
        """The text for one side, or none where it cannot be asked so.

        A key that no file types is a text, so not every question means the same in every layout.
        """
        if layout not in query.get("layouts", [layout]):
            return None
        flat = layout if layout in ("flat", "native") else None
        words = self.dialects.get(f"{engine} {flat}" if flat else engine)
        if words is None or layout not in words.get("layouts", [layout]):
            return None
        wanted = {name for _, name, _, _ in string.Formatter().parse(query["sql"]) if name}
        if not wanted <= words.keys() | {"t"}:
            return None
        sql = query["sql"].format(t=table, **{name: words[name] for name in wanted - {"t"}})
        if engine == "growler":
            sql = PATIENCE + (NULLS if query.get("nulls") else "") + sql
        return sql
