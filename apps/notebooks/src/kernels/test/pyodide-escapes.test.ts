import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeWhere } from '@platform-backend/testing/where';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sandboxHere } from '../../../test/this-machine.ts';
import type { KernelHandle, KernelProvider } from '../domain/kernel-provider.ts';
import { pyodideProvider } from '../providers/pyodide/pyodide-provider.ts';
import { kernelClient, type KernelClient } from './kernel-client.ts';
import { startKernel } from './kernel-suite.ts';

const folder = mkdtempSync(join(tmpdir(), 'escapes-'));
const secretFile = join(folder, 'secret.txt');
const sandbox = await sandboxHere();
/** As little as Python begins with: what fills it has less to do. */
const memoryBytes = 448 * 2 ** 20;

/** Python whose cells reach all of Node in their own process, as hostile code does. */
const reachNode = `
import js, json
from pyodide.code import run_js
process = js.Object.constructor("return process")()
require = process.getBuiltinModule("module").createRequire("/node")
def attempt(what):
    try:
        return str(what())
    except BaseException as error:
        return "refused: " + str(error)
`;

describeWhere(sandbox.reason, 'code in a kernel of Pyodide that is out to harm', () => {
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
  /** A new one only for the one that a test has ended. */
  async function begin(): Promise<void> {
    if (!isSpent) return;
    isSpent = false;
    kernel = await startKernel(provider, { memoryBytes });
    client = kernelClient(kernel);
    expect((await client.execute(reachNode)).reply).toMatchObject({ status: 'ok' });
  }

  beforeAll(async () => {
    writeFileSync(secretFile, 'a secret');
    process.env['OUR_SECRET'] = 'a secret';
    server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    provider = pyodideProvider({ sandbox, memoryBytes });
    other = kernelClient(await startKernel(provider, { memoryBytes }));
    await begin();
  });

  afterAll(async () => {
    delete process.env['OUR_SECRET'];
    await provider.close();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each([
    ['Python', (path: string) => `open(${path}).read()`],
    ['Node', (path: string) => `require("fs").readFileSync(${path}, "utf8")`],
    ['a folder of Node in Python', (path: string) => `__import__("pyodide_js").mountNodeFS("/mounted", ${path})`],
  ])('reads no file of this machine by %s', async (_, read) => {
    for (const path of ['/etc/passwd', '/root', '/proc/1/root/etc/passwd', secretFile]) {
      expect(await attempt(read(JSON.stringify(path)))).toMatch(
        /refused: .*(ENOENT|No such file|does not exist|EACCES|not permitted|Permission)/s,
      );
    }
  });

  it('reads none from another thread of Node', async () => {
    const read = `run_js("""(path) => new Promise((done) => {
      const code = 'require("worker_threads").parentPort.postMessage(require("fs").readFileSync(' + JSON.stringify(path) + ', "utf8"))';
      const worker = new (process.getBuiltinModule('worker_threads').Worker)(code, { eval: true, execArgv: [] });
      worker.on('message', done).on('error', (error) => done('refused: ' + error.code));
    })""")`;
    expect(await valueOf(`await ${read}(${JSON.stringify(secretFile)})`)).toBe("'refused: ENOENT'");
  });

  it('writes nowhere', async () => {
    for (const path of [
      secretFile,
      '/written',
      '/dev/shm/written',
      '/tmp/written',
      join(import.meta.dirname, 'written'),
    ]) {
      expect(await attempt(`require("fs").writeFileSync(${JSON.stringify(path)}, "x")`)).toMatch(
        /refused: .*(ENOENT|EROFS|EACCES)/,
      );
    }
  });

  it('sees an environment of nothing, in every process that it sees', async () => {
    const seen = await valueOf(`
fs = require("fs")
found = [json.dumps(process.env.to_py() if hasattr(process.env, "to_py") else dict(js.Object.entries(process.env)))]
for name in fs.readdirSync("/proc"):
    if name.isdigit():
        found.append(attempt(lambda: fs.readFileSync(f"/proc/{name}/environ", "utf8")))
found`);
    expect(seen).not.toMatch(/OUR_SECRET|a secret|DATABASE|TOKEN|PATH=/);
  });

  it('reaches no server of this machine', async () => {
    const { port } = server.address() as AddressInfo;
    let reached = 0;
    server.on('connection', () => (reached += 1));
    const connect = `run_js("(port) => new Promise((done) => { const s = process.getBuiltinModule('net').connect(port, '127.0.0.1'); s.on('connect', () => done('connected')); s.on('error', (e) => done('refused: ' + e.code)); })")`;
    expect(await valueOf(`await ${connect}(${port})`)).toMatch(/refused: E/);
    expect(
      await valueOf(`
try:
    await js.fetch("http://127.0.0.1:${port}/")
    found = "connected"
except BaseException as error:
    found = "refused"
found`),
    ).toContain('refused');
    expect(reached).toBe(0);
  });

  it('starts no process, and sees none but its own', async () => {
    expect(await attempt('require("child_process").execFileSync(process.execPath, ["-v"])')).toMatch(
      /refused: .*EPERM/,
    );
    expect(await attempt('__import__("os").fork()')).toMatch(/refused/);
    expect(await attempt(`process.kill(${process.pid}, "SIGKILL")`)).toMatch(/refused: .*ESRCH/);
    expect(await valueOf('len([name for name in require("fs").readdirSync("/proc") if name.isdigit()])')).toBe('2');
    await othersAreWell();
  });

  it('finds no object of the service behind those that it is given', async () => {
    expect(await attempt('process.pid')).not.toContain(String(process.pid));
    expect(await attempt('process.channel')).toContain('refused');
    expect(await attempt('list(js.Object.keys(require("module")._cache or js.Object.new()))')).not.toMatch(/platform/);
  });

  it('forges messages for its own clients at most, and those that are none go nowhere', async () => {
    const forged = (header: string) => `run_js(r"""(bytes) => {
      const parts = ['iopub', ${JSON.stringify(header)}, '{}', '{}', '{"forged":1}'].map((text) => Buffer.from(text));
      const table = Buffer.alloc(8 * 7);
      table.writeUInt32LE(6, 0);
      let offset = 56;
      for (let i = 0; i <= 5; i++) { table.writeUInt32LE(offset, 8 * (i + 1)); offset += parts[i]?.length ?? 0; }
      const frame = Buffer.concat([table, ...parts]);
      const length = Buffer.alloc(4);
      length.writeUInt32LE(frame.length);
      process.getBuiltinModule('fs').writeSync(4, Buffer.concat([length, frame]));
    }""")(0)`;
    await client.execute(forged('{"msg_id":"1","msg_type":"forged","session":""}'));
    await client.execute(forged('no header'));
    await client.execute('1');
    expect(client.heard.filter(({ content }) => content['forged'] === 1)).toHaveLength(1);
    expect(other.heard.filter(({ content }) => content['forged'] === 1)).toHaveLength(0);
  });

  it('gets MemoryError for too much of it, and goes on', async () => {
    const { reply } = await client.execute('kept = [bytearray(16 * 2 ** 20) for _ in range(1000)]');
    expect(reply).toMatchObject({ status: 'error', ename: 'MemoryError' });
    expect((await client.execute('kept = None\n1')).reply).toMatchObject({ status: 'ok' });
  });

  it.each([
    [
      'memory outside of Python',
      'run_js("const kept = []; for (;;) kept.push(new Uint8Array(16 * 2 ** 20).fill(1))")',
      /held more than 448 MiB|ended/,
    ],
    [
      'threads without end',
      "run_js(\"for (;;) new (process.getBuiltinModule('worker_threads').Worker)('for (;;);', { eval: true })\")",
      /held more than 448 MiB|ended/,
    ],
    ['bytes that are no messages', 'require("fs").writeSync(4, "x" * 100000)', /no message/],
    [
      'messages without end and sense',
      'run_js("(b) => { for (;;) try { process.getBuiltinModule(\'fs\').writeSync(4, b) } catch {} }")(js.Uint8Array.new([255, 255, 255, 0] + [0] * 65536))',
      /no message|ended/,
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
