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
        # Whether what was told has no end yet: an interrupt came between.
        self.is_telling = False
        self.pieces = []
        # The number of the last change of somebody else's.
        self.brought = 0
        # What a cell makes of these names is nobody else's.
        self.open, self.scandir, self.join = open, os.scandir, os.path.join

    def begin(self, limits):
        self.limits = limits

    def forget(self):
        """Everything is told again."""
        self.known = {}

    def put(self, change, piece):
        """One change of somebody else's. A file may come in several pieces, and is another one when all of them are there."""
        if not change.get("added"):
            self.pieces = []
        self.pieces.append(piece)
        if change.get("more"):
            return
        pieces, self.pieces = self.pieces, []
        path = self.join(self.root, *change["path"].split("/"))
        try:
            if change.get("removed"):
                self._remove(path)
                for known in [known for known in self.known if known == change["path"] or known.startswith(change["path"] + "/")]:
                    del self.known[known]
            else:
                self._write(path, bool(change.get("folder")), pieces)
                self.known[change["path"]] = self._signature(os.lstat(path), path)
        except Exception:
            # A cell has put something else there, or there is no room: the next cell tells what there is.
            self.known.pop(change["path"], None)
        self.brought = change.get("at", self.brought)

    def _write(self, path, is_folder, pieces):
        if os.path.islink(path) or os.path.lexists(path) and os.path.isdir(path) != is_folder:
            self._remove(path)
        if is_folder:
            os.makedirs(path, exist_ok=True)
            return
        os.makedirs(os.path.dirname(path), exist_ok=True)
        try:
            with self.open(path, "wb") as file:
                for piece in pieces:
                    file.write(piece)
        except Exception:
            # Half of it would be told as what a cell has made of it.
            self._remove(path)
            raise

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
            try:
                with self.open(path, "rb") as file:
                    return (*signature, hash(file.read()))
            except OSError:
                pass
        return signature

    def _found(self):
        """Files and folders by path, as far as there may be any, and how the paths begin of which not all were read. Links and what is no
        file are nobody's."""
        found, unread, waiting = {}, [], [("", self.root)]
        while waiting:
            prefix, folder = waiting.pop()
            try:
                entries = self.scandir(folder)
            except FileNotFoundError:
                continue
            except OSError:
                unread.append(prefix)
                continue
            with entries:
                for entry in entries:
                    try:
                        is_folder = entry.is_dir(follow_symlinks=False)
                        if entry.name in _SKIPPED or entry.is_symlink() or not is_folder and not entry.is_file(follow_symlinks=False):
                            continue
                        status = entry.stat(follow_symlinks=False)
                    except FileNotFoundError:
                        continue
                    except OSError:
                        unread.append(prefix + entry.name)
                        continue
                    if len(found) > 2 * self.limits["entries"]:
                        return found, [*unread, prefix, *(one for one, _ in waiting)]
                    found[prefix + entry.name] = (entry.path, is_folder, status)
                    if is_folder:
                        waiting.append((f"{prefix}{entry.name}/", entry.path))
        return found, unread

    def tell(self):
        """Tells what has changed since this was called for the last time. Answers how often something was told."""
        if self.limits is None:
            return 0
        found, unread = self._found()
        # Of what was not read nobody knows that it is gone.
        gone = [path for path in self.known if path not in found and not path.startswith(tuple(unread))]
        changed = [path for path in sorted(found) if self._is_changed(path, *found[path])]
        if not gone and not changed and not self.is_telling:
            return self.told
        self.is_telling = True
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
                try:
                    self._send_file(path, name)
                except FileNotFoundError:
                    continue
                except OSError:
                    self.send({"path": path, "unread": True}, b"")
            self.known[path] = self._signature(status, name)
        for path in gone:
            del self.known[path]
        self.told += 1
        self.send({"end": self.told, "brought": self.brought}, b"")
        self.is_telling = False
        return self.told

    def _is_changed(self, path, name, is_folder, status):
        known = self.known.get(path)
        if is_folder or known is None or known == "folder":
            return known != "folder" if is_folder else True
        if known[:3] != (status.st_size, status.st_mtime_ns, status.st_ino):
            return True
        if len(known) == 3:
            return False
        try:
            with self.open(name, "rb") as file:
                is_changed = hash(file.read()) != known[3]
        except OSError:
            return False
        if not is_changed and time.time_ns() - status.st_mtime_ns >= _UNSETTLED_NS:
            self.known[path] = known[:3]
        return is_changed

    def _send_file(self, path, name):
        with self.open(name, "rb") as file:
            piece, is_added = file.read(_PIECE), False
            while True:
                following = file.read(_PIECE)
                self.send({"path": path, "added": is_added, "more": bool(following)}, piece)
                if not following:
                    return
                piece, is_added = following, True
