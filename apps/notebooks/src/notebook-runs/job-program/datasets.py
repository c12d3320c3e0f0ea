"""What a program that runs as a job has of datasets."""

import base64
import builtins
import datetime
import decimal
import io
import json
import math

_LONGEST = 64 * 2**20
_PIECE = 192 * 2**10
_TOO_LONG = "has more than 64 MiB as JSON lines: filter or aggregate it by an SQL step first"


class Datasets:
    """The datasets that the program reads and writes. Their names are the same in upper and lower case."""

    def __init__(self, inputs, outputs):
        self._inputs = {name.casefold(): name for name in inputs}
        self._outputs = {name.casefold(): name for name in outputs}
        self._received = {}
        self._written = {}

    def __repr__(self):
        return f"<datasets to read: {_listed(self._inputs)}; to write: {_listed(self._outputs)}>"

    def rows(self, name):
        """The rows one after the other, each as a dict."""
        key = _key(name, self._inputs, "read")
        return (json.loads(line) for line in io.BytesIO(self._received.get(key, b"")) if line.strip())

    def read(self, name):
        """All rows as a list of dicts."""
        return list(self.rows(name))

    def frame(self, name):
        """All rows as a DataFrame of pandas."""
        try:
            import pandas
        except ImportError:
            raise ImportError("pandas is not installed here: datasets.read(name) gives a list of dicts") from None
        return pandas.DataFrame.from_records(self.read(name))

    def write(self, name, rows):
        """Keeps rows as a dataset: a DataFrame, or dicts. What was written under the name before is replaced."""
        key = _key(name, self._outputs, "write")
        if hasattr(rows, "to_json") and hasattr(rows, "columns"):
            rows = json.loads(rows.to_json(orient="records", date_format="iso"))
        if isinstance(rows, (dict, str, bytes)):
            raise TypeError("datasets.write takes rows: a list of dicts, or a DataFrame")
        written = io.BytesIO()
        for row in rows:
            if not isinstance(row, dict):
                raise TypeError(f"A row is a dict, and not {type(row).__name__}")
            written.write(_line(row))
            if written.tell() > _LONGEST:
                raise ValueError(f"{name!r} {_TOO_LONG}")
        self._written[key] = written

    def _receive(self, name):
        received = io.BytesIO()
        while piece := builtins.input():
            received.write(base64.b64decode(piece))
        self._received[name.casefold()] = received.getvalue()

    def _send(self, name):
        written = self._written.get(name.casefold())
        if written is None:
            return
        with written.getbuffer() as whole:
            for start in range(0, max(len(whole), 1), _PIECE):
                builtins.input(base64.b64encode(whole[start : start + _PIECE]).decode())


def _key(name, known, what):
    key = str(name).casefold()
    if key not in known:
        raise LookupError(f"There is no dataset {str(name)!r} to {what}; there is: {_listed(known)}")
    return key


def _listed(known):
    return ", ".join(sorted(known.values())) or "none"


def _line(row):
    try:
        text = json.dumps(row, ensure_ascii=False, allow_nan=False, default=_plain)
    except ValueError:
        text = json.dumps(_without_nan(row), ensure_ascii=False, allow_nan=False, default=_plain)
    return text.encode("utf-8", "replace") + b"\n"


def _plain(value):
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, decimal.Decimal):
        return float(value) if value.is_finite() else None
    if hasattr(value, "item"):
        return _without_nan(value.item())
    return str(value)


def _without_nan(value):
    if isinstance(value, dict):
        return {key: _without_nan(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_without_nan(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
