"""jupyter_kernel_test's suite against a kernel of a gateway (GATEWAY_URL, TOKEN), or without them of this machine.

Prints as JSON, for each of its tests, what has failed of it.
"""

import functools
import json
import os
import sys
import unittest

import jupyter_kernel_test as suite
import websocket
from jupyter_client.manager import start_new_kernel
from jupyter_client.utils import run_sync
from jupyter_kernel_test.msgspec_v5 import validate_message
from jupyter_server.gateway.managers import GatewayClient, GatewayKernelManager

# Seconds. The suite gives up after tenths of one, which on a busy machine says nothing.
PATIENCE = 120

suite.TIMEOUT = PATIENCE


class Python(suite.KernelTests):
    """As jupyter_kernel_test tests ipykernel."""

    language_name = "python"
    file_extension = ".py"
    code_hello_world = "print('hello, world')"
    code_stderr = "import sys; print('test', file=sys.stderr)"
    completion_samples = [{"text": "zi", "matches": {"zip"}}]
    complete_code_samples = ["1", "print('hello, world')", "def f(x):\n  return x*2\n\n\n"]
    incomplete_code_samples = ["print('''hello", "def f(x):\n  x*2"]
    invalid_code_samples = ["import = 7q"]
    code_page_something = "zip?"
    code_generate_error = "raise"
    code_execute_result = [
        {"code": "1+2+3", "result": "6"},
        {"code": "[n*n for n in range(1, 4)]", "result": "[1, 4, 9]"},
    ]
    code_display_data = [
        {"code": "from IPython.display import HTML, display; display(HTML('<b>test</b>'))", "mime": "text/html"},
        {"code": "from IPython.display import Math, display; display(Math('\\frac{1}{2}'))", "mime": "text/latex"},
    ]
    code_history_pattern = "1?2*"
    supported_history_operations = ("tail", "range", "search")
    code_inspect_sample = "zip"
    code_clear_output = "from IPython.display import clear_output; clear_output()"

    @classmethod
    def setUpClass(cls):
        start = kernel_of_gateway if "GATEWAY_URL" in os.environ else kernel_here
        cls.kc, cls.shut_down = start()
        for channel in (cls.kc.shell_channel, cls.kc.iopub_channel):
            channel.get_msg = lambda timeout=None, get=channel.get_msg: get(timeout=PATIENCE)

    @classmethod
    def tearDownClass(cls):
        cls.kc.stop_channels()
        cls.shut_down()

    def flush_channels(self):
        """Until what is asked now has been answered; the suite waits a moment instead."""
        asked = self.kc.kernel_info()
        answered = lambda message: message["parent_header"].get("msg_id") == asked
        while True:
            message = self.kc.get_shell_msg(timeout=PATIENCE)
            validate_message(message)
            if answered(message):
                break
        while True:
            message = run_sync(self.kc.iopub_channel.get_msg)()
            validate_message(message)
            if answered(message) and message["content"].get("execution_state") == "idle":
                break


def kernel_here():
    manager, client = start_new_kernel(startup_timeout=PATIENCE)
    return client, manager.shutdown_kernel


def kernel_of_gateway():
    token = os.environ["TOKEN"]
    GatewayClient.instance(url=os.environ["GATEWAY_URL"], auth_token=token)
    # jupyter_server sends no credential with its WebSocket.
    header = [f"Authorization: token {token}"]
    websocket.create_connection = functools.partial(websocket.create_connection, header=header)
    manager = GatewayKernelManager()
    run_sync(manager.start_kernel)(kernel_name="python3")
    client = manager.client()
    run_sync(client.start_channels)()
    run_sync(client.wait_for_ready)(timeout=PATIENCE)
    client.get_shell_msg = run_sync(client.get_shell_msg)
    return client, run_sync(manager.shutdown_kernel)


class Outcomes(unittest.TestResult):
    def __init__(self):
        super().__init__()
        self.failed = {}

    def startTest(self, test):
        super().startTest(test)
        self.failed[test._testMethodName] = []

    def add(self, test, what):
        self.failed.setdefault(getattr(test, "_testMethodName", str(test)), []).append(what)

    def addSubTest(self, test, subtest, error):
        super().addSubTest(test, subtest, error)
        if error:
            self.add(test, " ".join(str(value) for value in subtest.params.values()))

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self.add(test, str(error[1]).splitlines()[0])

    def addError(self, test, error):
        super().addError(test, error)
        self.add(test, repr(error[1]))

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.add(test, "skipped")


outcomes = Outcomes()
unittest.defaultTestLoader.loadTestsFromTestCase(Python).run(outcomes)
for _, trace in [*outcomes.errors, *outcomes.failures]:
    print(trace, file=sys.stderr)
print(json.dumps(outcomes.failed))
