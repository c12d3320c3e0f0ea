import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { waitFor } from '@platform-backend/testing';
import { describeWhere } from '@platform-backend/testing/where';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pythonHere, sandboxHere } from '../../../test/this-machine.ts';
import type { KernelHandle, KernelProvider } from '../domain/kernel-provider.ts';
import { ipykernelProvider } from '../providers/ipykernel/ipykernel-provider.ts';
import { kernelClient, type KernelClient } from './kernel-client.ts';
import { startKernel } from './kernel-suite.ts';

const folder = mkdtempSync(join(tmpdir(), 'escapes-'));
const secretFile = join(folder, 'secret.txt');
const sandbox = await sandboxHere();
const { python, lack } = await pythonHere();

const attempts = `
import ctypes, glob, json, os, signal, socket, subprocess, threading, time
libc = ctypes.CDLL(None, use_errno=True)
def attempt(what):
    try:
        return str(what())
    except BaseException as error:
        return f"refused: {type(error).__name__} {error}"
`;

describeWhere(lack ?? sandbox.reason, 'code in a kernel of ipykernel that is out to harm', () => {
  let provider: KernelProvider;
  let kernel: KernelHandle;
  let other: KernelClient;
  let client: KernelClient;
  let server: Server;

  const valueOf = async (code: string): Promise<string> => {
    const { outputs, reply } = await client.execute(code);
    const shown = outputs.findLast(({ type }) => type === 'execute_result')?.content['data'];
    return (shown as Record<string, string> | undefined)?.['text/plain'] ?? JSON.stringify(reply);
  };
  const attempt = async (expression: string): Promise<string> => await valueOf(`attempt(lambda: ${expression})`);

  /** The other kernel and the service do what they did before. */
  const othersAreWell = async (): Promise<void> => {
    expect((await other.execute('1 + 1')).reply).toMatchObject({ status: 'ok' });
  };

  let isSpent = true;
  /** A new one only for the one that a test has ended or stopped. */
  async function begin(): Promise<void> {
    if (!isSpent) return;
    isSpent = false;
    kernel = await startKernel(provider);
    client = kernelClient(kernel);
    expect((await client.execute(attempts)).reply).toMatchObject({ status: 'ok' });
  }

  beforeAll(async () => {
    if (!python) throw new Error('there is no Python');
    writeFileSync(secretFile, 'a secret');
    process.env['OUR_SECRET'] = 'a secret';
    server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    provider = ipykernelProvider({ sandbox, python });
    other = kernelClient(await startKernel(provider));
    await begin();
  });

  afterAll(async () => {
    delete process.env['OUR_SECRET'];
    await provider.close();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('reads no file of this machine but those that Python is made of', async () => {
    for (const path of ['/etc/passwd', '/root', '/proc/1/root/etc/passwd', secretFile, import.meta.filename]) {
      expect(await attempt(`open(${JSON.stringify(path)}).read()`)).toMatch(/refused: (FileNotFound|Permission)Error/);
    }
  });

  it('writes nowhere but in a /tmp of its own', async () => {
    const beside = join(import.meta.dirname, 'written');
    for (const path of [secretFile, '/written', '/dev/written', '/usr/lib/python3/dist-packages/w.py', beside]) {
      expect(await attempt(`open(${JSON.stringify(path)}, "w")`)).toMatch(/refused: (OSError|FileNotFoundError|Perm)/);
    }
    expect(await attempt('open("/dev/shm/filled", "wb").write(bytes(65 * 2 ** 20))')).toMatch(
      /refused: OSError .*No space/,
    );
    // Its own 64 MiB, and those of the notebook's folder.
    const filled = await attempt('open("/tmp/filled", "wb").write(bytes(129 * 2 ** 20))');
    expect(filled).toMatch(/refused: OSError .*No space/);
  });

  it("sees the sockets of no other organisation's kernel", async () => {
    const seen = `glob.glob("${tmpdir()}/kernel-*") + glob.glob("/proc/*/root${tmpdir()}/kernel-*")`;
    expect(await valueOf(`len({os.path.basename(path) for path in ${seen}})`)).toBe('1');
    expect(await valueOf('open("/proc/net/unix").read().count("/s-")')).toMatch(/^\d$/);
  });

  it('sees an environment of nothing of ours, in every process that it sees', async () => {
    const seen = await valueOf(`
found = [json.dumps(dict(os.environ))]
for name in os.listdir("/proc"):
    if name.isdigit():
        found.append(attempt(lambda: open(f"/proc/{name}/environ").read()))
found`);
    expect(seen).not.toMatch(/OUR_SECRET|a secret|DATABASE|TOKEN|NODE|[' ]PATH/);
  });

  it('reaches no server of this machine', async () => {
    const { port } = server.address() as AddressInfo;
    let reached = 0;
    server.on('connection', () => (reached += 1));
    expect(await attempt(`socket.create_connection(("127.0.0.1", ${port}), 2)`)).toMatch(/refused: \w*Error/);
    expect(await attempt('socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM)')).toMatch(/refused: \w*Error/);
    expect(reached).toBe(0);
  });

  it('starts no process, and sees none but its own', async () => {
    for (const start of [
      'os.fork()',
      'subprocess.run(["/usr/bin/python3", "-V"])',
      'os.posix_spawn("/usr/bin/python3", ["python3", "-V"], {})',
      '__import__("multiprocessing").Process(target=print).start()',
    ]) {
      expect(await attempt(start)).toMatch(/refused: (PermissionError|OSError|BlockingIOError)/);
    }
    expect(await attempt(`os.kill(${process.pid}, signal.SIGKILL)`)).toContain('refused: ProcessLookupError');
    expect(await valueOf('len([name for name in os.listdir("/proc") if name.isdigit()])')).toBe('2');
    await othersAreWell();
  });

  it('makes no namespaces, and traces nobody', async () => {
    expect(await valueOf('[libc.unshare(0x10000000), libc.ptrace(16, 1, 0, 0), libc.mount(0, b"/tmp", 0, 0, 0)]')).toBe(
      '[-1, -1, -1]',
    );
  });

  it('is stopped while it tries to start processes without end', async () => {
    const id = await client.begin('while True:\n    attempt(os.fork)');
    await kernel.interrupt();
    // It hears no interrupt, so it is started again, unless it was between two tries just then.
    const isStopped = () =>
      client.heard.some(
        ({ type, parent, content }) =>
          content['execution_state'] === 'restarting' || (type === 'execute_reply' && parent === id),
      );
    await waitFor(isStopped, { what: 'the end of the attempts' });
    await othersAreWell();
    isSpent = true;
    await begin();
  });

  it('forges messages for its own clients at most, and those that are none go nowhere', async () => {
    await client.execute(`
shell = get_ipython().kernel
shell.session.send(shell.iopub_socket, "forged", content={"forged": 1})
for _ in range(200):
    shell.iopub_socket.send_multipart([os.urandom(20) for _ in range(7)])
    shell.iopub_socket.send_multipart([b"<IDS|MSG>", b"", b"{}", b"{}", b"{}", b"{}"])
    shell.session.send(shell.iopub_socket, "x" * 300, content={"forged": 1})
    shell.session.send(shell.iopub_socket, "forged", content={"forged": 1}, buffers=[b"1"] * 65)`);
    await client.execute('1');
    expect(client.heard.filter(({ content }) => content['forged'] === 1)).toHaveLength(1);
    expect(other.heard.filter(({ content }) => content['forged'] === 1)).toHaveLength(0);
    await othersAreWell();
  });

  it.each([
    ['more memory than it may have', 'kept = [bytearray(os.urandom(2 ** 20) * 16) for _ in range(10000)]', /512 MiB/],
    [
      'threads without end',
      'while True: attempt(lambda: threading.Thread(target=time.sleep, args=(1e6,), daemon=True).start())',
      /ended|MiB/,
    ],
    [
      'files beside its sockets',
      `open(glob.glob("${tmpdir()}/kernel-*")[0] + "/kept", "wb").write(bytes(2 ** 20)); time.sleep(1e6)`,
      /It wrote/,
    ],
  ])('ends its own kernel alone with %s', async (_, code, reason) => {
    await begin();
    const { died } = kernel;
    await client.post(code);
    expect(await died).toMatch(reason);
    isSpent = true;
    await othersAreWell();
  });
});
