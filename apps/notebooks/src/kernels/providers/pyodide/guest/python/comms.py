"""Comms: what a widget and its view in a client say to each other, as the package `comm` has them and Jupyter's messages."""

import sys
import traceback
import types
import uuid


class Comm:
    """One of them. Its other side is with all clients of the kernel; closed by either, it is over."""

    def __init__(self, target_name="", data=None, metadata=None, buffers=None, comm_id=None, primary=True, target_module=None, **_):
        self.comm_id = comm_id or uuid.uuid4().hex
        self.target_name = target_name
        self.target_module = target_module
        self.primary = primary
        self._closed = primary
        self._heard = {}
        if primary:
            self.open(data, metadata, buffers)

    def open(self, data=None, metadata=None, buffers=None):
        if self.target_name == "":
            raise ValueError("A comm needs the name of its target")
        self._say("comm_open", data, metadata, buffers, target_name=self.target_name, target_module=self.target_module)
        self._closed = False
        _comms.register_comm(self)

    def send(self, data=None, metadata=None, buffers=None):
        self._say("comm_msg", data, metadata, buffers)

    def close(self, data=None, metadata=None, buffers=None, deleting=False):
        if self._closed:
            return
        self._closed = True
        self._say("comm_close", data, metadata, buffers)
        if not deleting:
            _comms.unregister_comm(self)

    def on_msg(self, callback):
        self._heard["comm_msg"] = callback

    def on_close(self, callback):
        self._heard["comm_close"] = callback

    def handle_msg(self, message):
        self._hear("comm_msg", message)

    def handle_close(self, message):
        self._hear("comm_close", message)

    def _hear(self, kind, message):
        callback = self._heard.get(kind)
        if callback:
            callback(message)

    def _say(self, kind, data, metadata, buffers, **more):
        publish(kind, {"data": {} if data is None else data, "comm_id": self.comm_id, **more}, metadata, buffers)

    def __del__(self):
        try:
            self.close(deleting=True)
        except Exception:
            pass


class CommManager:
    """The comms that are open, and who takes those that clients open, by the names of targets."""

    def __init__(self):
        self.comms = {}
        self.targets = {}

    def register_target(self, name, callback):
        self.targets[name] = callback

    def unregister_target(self, name, callback=None):
        return self.targets.pop(name)

    def register_comm(self, comm):
        self.comms[comm.comm_id] = comm
        return comm.comm_id

    def unregister_comm(self, comm):
        self.comms.pop(comm.comm_id, None)

    def get_comm(self, comm_id):
        return self.comms.get(comm_id)

    def comm_open(self, stream, ident, message):
        content = message["content"]
        comm = Comm(comm_id=content["comm_id"], target_name=content.get("target_name", ""), primary=False)
        take = self.targets.get(comm.target_name)
        if take is None:
            comm.close()
            return
        self.register_comm(comm)
        try:
            take(comm, message)
        except Exception:
            comm.close()
            raise

    def comm_msg(self, stream, ident, message):
        comm = self.get_comm(message["content"]["comm_id"])
        if comm is not None:
            comm.handle_msg(message)

    def comm_close(self, stream, ident, message):
        comm = self.comms.pop(message["content"]["comm_id"], None)
        if comm is not None:
            comm._closed = True
            comm.handle_close(message)

    def open_comms(self, target_name):
        """As clients are told of them."""
        known = self.comms.items()
        return {key: {"target_name": comm.target_name} for key, comm in known if target_name in (None, comm.target_name)}

    def take(self, kind, message):
        """What a client says. An exception is shown, and goes no further: nobody waits for an answer."""
        try:
            getattr(self, kind)(None, None, message)
        except Exception:
            traceback.print_exc()


_comms = CommManager()


def install_comms():
    """Makes `import comm` work, by which libraries of widgets find their kernel."""
    package = types.ModuleType("comm")
    package.__version__ = "0.2.3"
    package.create_comm = Comm
    package.get_comm_manager = lambda: _comms
    package.__path__ = []
    base = types.ModuleType("comm.base_comm")
    base.BaseComm, base.CommManager = Comm, CommManager
    package.base_comm, package.BaseComm, package.CommManager = base, Comm, CommManager
    sys.modules["comm"], sys.modules["comm.base_comm"] = package, base
