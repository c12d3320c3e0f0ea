"""The folder that cells work in, and how it is kept by the service: what is brought into it, and what a cell has changed."""

import os
import stat
import time

_PIECE = 2**20
# A file that was written so shortly before may be written again without looking another one.
_UNSETTLED_NS = 100_000_000
_SKIPPED = {"__pycache__", ".ipynb_checkpoints"}


class WorkingFolder:
    """`send(content, piece)` tells the service of a change; nothing is told before `begin`."""

    def __init__(self, root, send):
        self.root = root
        self.send = send
        self.limits = None
        self.known = {}
        self.told = 0
        # What a cell makes of these names is nobody else's.
        self.open, self.scandir, self.join = open, os.scandir, os.path.join

    def begin(self, limits):
        self.limits = limits

    def forget(self):
        """Everything is told again."""
        self.known = {}

    def put(self, change, piece):
        """One change of somebody else's; a file may come in several pieces."""
        path = self.join(self.root, *change["path"].split("/"))
        try:
            if change.get("removed"):
                self._remove(path)
                for known in [known for known in self.known if known == change["path"] or known.startswith(change["path"] + "/")]:
                    del self.known[known]
                return
            if os.path.lexists(path) and os.path.isdir(path) != bool(change.get("folder")):
                self._remove(path)
            if change.get("folder"):
                os.makedirs(path, exist_ok=True)
            else:
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with self.open(path, "ab" if change.get("added") else "wb") as file:
                    file.write(piece)
                if change.get("more"):
                    return
            self.known[change["path"]] = self._signature(os.lstat(path), path)
        except OSError:
            # A cell has put something else there, or there is no room: the next cell tells what there is.
            pass

    def _remove(self, path):
        if os.path.isdir(path) and not os.path.islink(path):
            for entry in list(self.scandir(path)):
                self._remove(entry.path)
            os.rmdir(path)
        elif os.path.lexists(path):
            os.remove(path)

    def _signature(self, found, path):
        if stat.S_ISDIR(found.st_mode):
            return "folder"
        signature = (found.st_size, found.st_mtime_ns, found.st_ino)
        if abs(time.time_ns() - found.st_mtime_ns) < _UNSETTLED_NS and found.st_size <= self.limits["file_bytes"]:
            with self.open(path, "rb") as file:
                return (*signature, hash(file.read()))
        return signature

    def _found(self):
        """Files and folders by path, as far as there may be any; links and what is no file are nobody's."""
        found, waiting = {}, [("", self.root)]
        while waiting:
            prefix, folder = waiting.pop()
            with self.scandir(folder) as entries:
                for entry in entries:
                    if entry.name in _SKIPPED or entry.is_symlink():
                        continue
                    is_folder = entry.is_dir(follow_symlinks=False)
                    if not is_folder and not entry.is_file(follow_symlinks=False):
                        continue
                    found[prefix + entry.name] = (entry.path, is_folder, entry.stat(follow_symlinks=False))
                    if len(found) > 2 * self.limits["entries"]:
                        return found
                    if is_folder:
                        waiting.append((f"{prefix}{entry.name}/", entry.path))
        return found

    def tell(self):
        """Tells what has changed since this was called for the last time. Answers how often something was told."""
        if self.limits is None:
            return 0
        found = self._found()
        gone = [path for path in self.known if path not in found]
        changed = [path for path in sorted(found) if self._is_changed(path, *found[path])]
        if not gone and not changed:
            return self.told
        for path in gone:
            self.send({"path": path, "removed": True}, b"")
        room = self.limits["notebook_bytes"]
        for path in changed:
            name, is_folder, status = found[path]
            if path in self.known and (self.known[path] == "folder") != is_folder:
                self.send({"path": path, "removed": True}, b"")
            if is_folder:
                self.send({"path": path, "folder": True}, b"")
            elif status.st_size > self.limits["file_bytes"] or status.st_size > room:
                self.send({"path": path, "too_large": status.st_size}, b"")
            else:
                room -= status.st_size
                self._send_file(path, name)
            self.known[path] = self._signature(status, name)
        for path in gone:
            del self.known[path]
        self.told += 1
        self.send({"end": self.told}, b"")
        return self.told

    def _is_changed(self, path, name, is_folder, status):
        known = self.known.get(path)
        if is_folder or known is None or known == "folder":
            return known != "folder" if is_folder else True
        if known[:3] != (status.st_size, status.st_mtime_ns, status.st_ino):
            return True
        if len(known) == 3:
            return False
        with self.open(name, "rb") as file:
            is_changed = hash(file.read()) != known[3]
        if not is_changed and time.time_ns() - status.st_mtime_ns >= _UNSETTLED_NS:
            self.known[path] = known[:3]
        return is_changed

    def _send_file(self, path, name):
        with self.open(name, "rb") as file:
            piece = file.read(_PIECE)
            while True:
                following = file.read(_PIECE)
                self.send({"path": path, "more": bool(following)}, piece)
                if not following:
                    return
                piece = following
