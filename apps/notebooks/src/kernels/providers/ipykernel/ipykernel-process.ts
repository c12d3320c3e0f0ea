import { cpuMsOf, memoryBytesOf, type Sandbox } from '@platform-backend/sandbox';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, watch } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Channel, KernelMessage } from '../../domain/kernel-provider.ts';
import { stateIn } from '../../domain/status-message.ts';
import { GUEST_NICENESS } from '../guest-niceness.ts';
import { kernelMessage, parentIdOf, readHeader, requestMessage } from '../jupyter/messages.ts';
import { NO_PACKAGES, NO_SHELL } from '../jupyter/no-processes.ts';
import { silentRequests } from '../jupyter/silent-requests.ts';
import type { KernelRun, Receive } from '../kernel-run.ts';
import { connect } from './connection.ts';
import { makeKernelFolder } from './kernel-folders.ts';
import type { Python } from './python.ts';

export interface IpykernelProcess extends KernelRun {
  /** What comes before this is called is nobody's. */
  readonly receive: (receive: Receive) => void;
}

export interface IpykernelProcessOptions {
  readonly sandbox: Sandbox;
  readonly python: Python;
  readonly memoryBytes: number;
  /** Room for the files that cells write; 64 MiB unless given. */
  readonly folderBytes?: number;
  /** Of one message; 128 MiB unless given. What is larger ends its connection. */
  readonly messageBytes?: number;
  readonly startTimeoutMs: number;
  /** Ends it, ready or not. */
  readonly signal: AbortSignal;
}

/** Room for what IPython writes down: its history and profile. */
const temporaryBytes = 64 * 2 ** 20;
const usualFolderBytes = 64 * 2 ** 20;
/** What a flood of output prints in a fifth of a second is one message. */
const usualMessageBytes = 128 * 2 ** 20;
/** Room for shared memory, and for semaphores of `multiprocessing`, which queues have. */
const sharedMemoryBytes = 64 * 2 ** 20;
const nudgeMs = 100;
/** The descriptor of a pipe that nothing goes through; it ends with this process. */
const lifeline = 4;

const workingFolderCode = readFileSync(new URL('../jupyter/working_folder.py', import.meta.url), 'utf8');

/**
 * As `ipykernel_launcher`, in the folder that it is given; also ends when this process does before the sandbox sees to that, in the
 * moment of its start. What IPython would start a process for says that there is none, and what shared memory is left over goes with
 * the kernel, for which Python has a process as well.
 */
const launcher = `
import os, sys, threading
def end_with_owner():
    try:
        while os.read(${lifeline}, 1): pass
    except OSError:
        return
    os._exit(1)
threading.Thread(target=end_with_owner, daemon=True).start()
if sys.path[0] == "": del sys.path[0]
from ipykernel.kernelapp import IPKernelApp
from IPython.core.error import UsageError
from multiprocessing import resource_tracker
resource_tracker.register = resource_tracker.unregister = resource_tracker.ensure_running = lambda *_: None
folder = sys.argv.pop(1)
os.makedirs(folder, exist_ok=True)
os.chdir(folder)
app = IPKernelApp.instance()
app.initialize()
def refusing(sentence):
    def refuse(*_, **__): raise UsageError(sentence)
    return refuse
shell = app.shell
no_shell = refusing("${NO_SHELL}")
no_packages = refusing("${NO_PACKAGES}")
for name in ("system", "system_piped", "system_raw", "getoutput"): setattr(shell, name, no_shell)
for kind, names in (("line", ("sx", "system", "sc", "script")), ("cell", ("!", "sx", "system", "script", "bash", "sh", "perl", "ruby", "python", "python2", "python3", "pypy", "cmd"))):
    for name in names:
        if name in shell.magics_manager.magics[kind]: shell.magics_manager.magics[kind][name] = no_shell
for name in ("pip", "conda", "mamba", "micromamba", "uv"):
    if name in shell.magics_manager.magics["line"]: shell.magics_manager.magics["line"][name] = no_packages
kernel = app.kernel
here = {}
exec(${JSON.stringify(workingFolderCode)}, here)
def changed(content, piece):
    kernel.session.send(kernel.iopub_socket, "folder_changed", content, parent=kernel.get_parent(), ident=kernel._topic("folder_changed"), buffers=[piece])
working = here["WorkingFolder"](folder, changed)
def put(stream, ident, parent):
    working.put(parent["content"], bytes(parent["buffers"][0]) if parent["buffers"] else b"")
def forget(stream, ident, parent):
    working.forget()
def prepare(stream, ident, parent):
    prepared = parent["content"]
    os.environ.update(prepared.get("environment") or {})
    if prepared.get("folder"): working.begin(prepared["folder"])
    kernel.session.send(stream, "preparation_reply", {"status": "ok"}, parent, ident=ident)
kernel.shell_handlers.update(folder_put=put, folder_forget=forget, preparation_request=prepare)
finished = kernel.finish_metadata
def finish_metadata(parent, metadata, content):
    metadata = finished(parent, metadata, content)
    # What the cell has written. An interrupt that comes now is late, and the next cell tells what is left out.
    try: metadata["folder"] = working.tell()
    except BaseException: pass
    return metadata
kernel.finish_metadata = finish_metadata
app.start()`;

const wakeMs = 200;
/** An interrupt that hits what Python swallows exceptions in, such as a finaliser, is lost. */
const againMs = 1500;
/** By then a process that has ended is known to have. */
const exitMs = 300;

interface Execution {
  readonly header: Uint8Array;
  /** Called when it is answered. */
  stopped?: () => void;
}

/** Starts an ipykernel and waits until all its channels speak. */
export async function startIpykernel({
  sandbox,
  python,
  memoryBytes,
  folderBytes = usualFolderBytes,
  messageBytes = usualMessageBytes,
  startTimeoutMs,
  signal,
}: IpykernelProcessOptions): Promise<IpykernelProcess> {
  signal.throwIfAborted();
  const isAborted = () => signal.aborted;
  // Not reachable by others: sockets are files in it. Their paths may not be long.
  const folder = await makeKernelFolder('');
  // In a sandbox /tmp is the kernel's own; without one others write there as well.
  const work = sandbox.kind === 'none' ? await makeKernelFolder('work-') : '/tmp/work';
  const key = randomUUID();
  const file = join(folder, 'connection.json');
  const ports = { shell_port: 1, iopub_port: 2, stdin_port: 3, control_port: 4, hb_port: 5 };
  const details = { transport: 'ipc', ip: join(folder, 's'), key, signature_scheme: 'hmac-sha256', kernel_name: '' };
  await writeFile(file, JSON.stringify({ ...details, ...ports }), { mode: 0o600 });

  let reason: string | undefined;
  const child = sandbox.spawn(python.program, {
    args: ['-c', launcher, work, '-f', file],
    readable: python.readable,
    writable: [folder],
    environment: {
      HOME: '/tmp',
      USER: 'notebook',
      LOGNAME: 'notebook',
      PYDEVD_DISABLE_FILE_VALIDATION: '1',
      PYTHONUNBUFFERED: '1',
      MPLBACKEND: 'module://matplotlib_inline.backend_inline',
    },
    temporaryBytes: temporaryBytes + folderBytes,
    sharedMemoryBytes,
    memoryBytes,
    niceness: GUEST_NICENESS,
    onTooMuchMemory: () => (reason ??= `It held more than ${Math.floor(memoryBytes / 2 ** 20)} MiB of memory`),
    output: 'pipe',
    pipes: 1,
  });
  child.stdio[lifeline]?.on('error', () => undefined);
  let lastWords = '';
  child.stdout?.resume();
  child.stderr?.setEncoding('latin1').on('data', (text: string) => (lastWords = (lastWords + text).slice(-500)));
  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(`Its process could not be started: ${error.message}`));
    child.once('exit', (code, by) => resolve(`Its process ended (${by ?? String(code)}): ${lastWords.trim()}`));
  });
  const ended = exited.then(async (how) => {
    connection.close();
    await rm(folder, { recursive: true, force: true });
    // A cell may have closed a folder in it, and whoever waits for the end hears of that all the same.
    if (sandbox.kind === 'none') await rm(work, { recursive: true, force: true }).catch(() => undefined);
    return reason ?? how;
  });
  const stop = (why: string): void => {
    reason ??= why;
    child.kill('SIGKILL');
  };
  const abort = (): void => stop('It was ended');
  signal.addEventListener('abort', abort);
  // It may have come while the folder was made.
  if (isAborted()) abort();
  void ended.then(() => signal.removeEventListener('abort', abort));

  let receive: Receive | undefined;
  const ownSession = randomUUID();
  const own = silentRequests(ownSession, (message) => connection.send(message));
  const speaks = Promise.withResolvers<true>();
  /** What it was asked to execute and has not answered, by the ids of the requests. */
  const running = new Map<string, Execution>();
  /** Whose last words may have been lost with the connection. */
  const unheard = new Map<string, Uint8Array>();
  let latest: readonly [string, Uint8Array] | undefined;
  function take(message: KernelMessage): void {
    const parent = readHeader(message.parentHeader);
    if (parent?.session === ownSession) {
      if (message.channel === 'iopub') speaks.resolve(true);
      if (message.channel === 'shell') own.heard(parent.msg_id, message);
      return;
    }
    if (message.channel === 'iopub' && stateIn(message) === 'idle') unheard.delete(parentIdOf(message));
    // It is not awaited: what a kernel says while nobody reads is dropped, its states too. The limit of output bounds it.
    void receive?.(message);
    if (message.channel === 'shell' && readHeader(message.header)?.msg_type === 'execute_reply')
      finish(parentIdOf(message));
  }
  function finish(id: string): void {
    const execution = running.get(id);
    if (!execution) return;
    execution.stopped?.();
    running.delete(id);
    latest = [id, execution.header];
    sayIdle(id);
  }
  const say = (type: string, content: object, parent: Uint8Array): void =>
    void receive?.(kernelMessage('iopub', type, content, { session: ownSession, parent }));
  function sayIdle(id: string): void {
    const header = unheard.get(id);
    if (header && unheard.delete(id)) say('status', { execution_state: 'idle' }, header);
  }

  /** A connection ends with its process, or by one message that is too large; then what came after it is lost as well. */
  async function heardNoMore(channel: Channel): Promise<void> {
    const asked = [...running].map(([id, { header }]) => [id, header] as const);
    if (await Promise.race([exited.then(() => true), delay(exitMs, false)])) return;
    if (channel !== 'iopub') {
      stop(`It said more at once than ${messageBytes / 2 ** 20} MiB`);
      return;
    }
    await connection.reopenIopub();
    const affected = asked.length > 0 || !latest ? asked : [latest];
    for (const [id, header] of affected) unheard.set(id, header);
    const text = `\nThe output is longer than ${messageBytes} bytes in one piece: it is not shown.\n`;
    if (affected[0]) say('stream', { name: 'stderr', text }, affected[0][1]);
    for (const [id] of affected) if (!running.has(id)) sayIdle(id);
  }

  const connection = connect(details.ip, key, messageBytes, take, (channel) => void heardNoMore(channel));
  /** Sockets that are connected may still lose the first messages; what has been heard on iopub once is heard always. */
  async function untilItSpeaks(): Promise<void> {
    await connection.connected;
    do await connection.send(requestMessage('shell', 'kernel_info_request', {}, ownSession));
    while (!(await Promise.race([speaks.promise, delay(nudgeMs, false)])));
  }
  const timer = setTimeout(() => stop('It took too long to start'), startTimeoutMs);
  try {
    // A socket that was closed under it says less than the end of the process.
    const ready = untilItSpeaks().catch(async () => await new Promise<never>(() => undefined));
    await Promise.race([ready, ended.then((how) => Promise.reject(new Error(how)))]);
  } finally {
    clearTimeout(timer);
  }

  // It lies on the disk of the machine, where nobody counts what a guest keeps. Its sockets are there, and nothing comes later.
  const folderWatch = watch(folder, (_event, name) => {
    if (name === null || existsSync(join(folder, name))) stop('It wrote into the folder of its sockets');
  });
  void ended.finally(() => folderWatch.close());

  const stoppedRunning = async (): Promise<void> => {
    const [first] = running.keys();
    const execution = first === undefined ? undefined : running.get(first);
    if (!execution) return;
    // Another interrupt may wait for it as well.
    const { stopped: others } = execution;
    await new Promise<void>((resolve) => {
      execution.stopped = () => {
        others?.();
        resolve();
      };
    });
  };

  return {
    ended,
    receive: (listener) => (receive = listener),
    async send(message) {
      const header = readHeader(message.header);
      if (header?.msg_type === 'execute_request') running.set(header.msg_id, { header: message.header });
      await connection.send(message);
    },
    async interrupt() {
      const stopped = stoppedRunning();
      // The kernel sends itself the signal: its process is another namespace's, and the control channel is a thread's own.
      const signal = async () => await connection.send(requestMessage('control', 'interrupt_request', {}, ownSession));
      await signal();
      let signalledAt = performance.now();
      const over = Promise.race([stopped, ended]).then(() => true);
      do {
        // A signal alone does not wake a loop that awaits; any request after it does.
        await connection.send(requestMessage('shell', 'kernel_info_request', {}, ownSession)).catch(() => undefined);
        if (performance.now() - signalledAt >= againMs) {
          await signal().catch(() => undefined);
          signalledAt = performance.now();
        }
      } while (!(await Promise.race([over, delay(wakeMs, false)])));
      await Promise.race([own.untilItExecutes(), ended]);
    },
    cpuMs: () => cpuMsOf(child.pid),
    memoryBytes: () => memoryBytesOf(child.pid),
    async end() {
      stop('It was ended');
      await ended;
      if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) await once(child, 'exit');
    },
  };
}
