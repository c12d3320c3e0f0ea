"""What a kernel has been given to execute, as clients ask for it."""

import fnmatch

# The number of its only session, the current one, which clients also ask for as 0.
_SESSION = 1


class History:
    def __init__(self):
        self.entered = []

    def add(self, count, code):
        self.entered.append((count, code))

    def answer(self, request):
        """As IPython, which like this one keeps no outputs unless told to: `null` stands in their place."""
        found = getattr(self, f"_{request.get('hist_access_type')}", lambda _: [])(request)
        outputs = bool(request.get("output"))
        return {"status": "ok", "history": [[_SESSION, count, [code, None] if outputs else code] for count, code in found]}

    def _tail(self, request):
        return _last(self.entered, request.get("n"))

    def _range(self, request):
        if (request.get("session") or _SESSION) != _SESSION:
            return []
        end = self.entered[-1][0] + 1 if self.entered else 1
        start, stop = request.get("start") or 0, request.get("stop")
        start = start + end if start < 0 else start
        stop = end if stop is None else stop + end if stop < 0 else stop
        return [(count, code) for count, code in self.entered if start <= count < stop]

    def _search(self, request):
        pattern = request.get("pattern") or "*"
        found = [(count, code) for count, code in self.entered if fnmatch.fnmatchcase(code, pattern)]
        if request.get("unique"):
            latest = {code: count for count, code in found}
            found = [(count, code) for count, code in found if latest[code] == count]
        return _last(found, request.get("n"))


def _last(found, n):
    return found if n is None else found[max(len(found) - n, 0) :]
