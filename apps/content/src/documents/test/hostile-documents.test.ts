import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeWhere } from '@platform-backend/testing/where';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testSandbox } from '../../../test/test-sandbox.ts';
import { documentReaders, type DocumentReaders } from '../extraction/document-readers.ts';

/** Documents that have taken their reader over, and what they reach then. */
describeWhere(testSandbox.reason, 'a document that has taken its reader over', () => {
  let folder: string;
  let readers: DocumentReaders;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hostile-'));
    for (const name of ['documents', 'compiled']) await mkdir(join(folder, name));
    process.env['OUR_SECRET'] = 'a secret';
    const home = {
      sandbox: testSandbox,
      module: join(import.meta.dirname, 'hostile-reader.ts'),
      compiled: join(folder, 'compiled'),
    };
    readers = documentReaders(() => Promise.resolve(home), { processes: 2, deadlineMs: 10_000 });
  });
  afterAll(async () => {
    delete process.env['OUR_SECRET'];
    readers.close();
    await rm(folder, { recursive: true });
  });

  let count = 0;
  /** What comes of code that stands in a document of this organisation. */
  async function comesOf(code: string, organisationId = 'own'): Promise<string> {
    const path = join(folder, 'documents', String((count += 1)));
    await writeFile(path, code);
    const file = { path, name: 'any.txt' };
    return (await readers.extract(file, { organisationId, signal: new AbortController().signal })).text;
  }

  it('sees no file of the machine, no secret and no process of ours, and starts none', async () => {
    const seen: Record<string, string> = {};
    for (const [what, code] of Object.entries({
      machine: `return require('fs').readFileSync('/etc/passwd', 'utf8')`,
      home: `return require('fs').readdirSync('/root')`,
      others: `return require('fs').readdirSync('${join(folder, 'documents')}')`,
      compiled: `return require('fs').readdirSync('${join(folder, 'compiled')}')`,
      process: `process.kill(${process.pid}, 'SIGKILL')`,
      start: `await new Promise((done, fail) => require('child_process').spawn(process.execPath).on('error', fail).on('exit', done))`,
    }))
      seen[what] = await comesOf(code);
    expect(seen).toEqual({
      machine: 'refused: ENOENT',
      home: 'refused: ENOENT',
      others: 'refused: ENOENT',
      compiled: '[]',
      process: 'refused: ESRCH',
      start: 'refused: EPERM',
    });
    const environment = `const fs = require('fs'); return [process.env, fs.readdirSync('/proc').filter(Number).map((id) => fs.readFileSync('/proc/' + id + '/environ', 'utf8'))]`;
    expect(await comesOf(environment)).not.toMatch(/OUR_SECRET|a secret/);
  });

  it('changes no file, also none of what other readers run', async () => {
    for (const path of [join(folder, 'compiled/planted'), join(folder, 'left'), import.meta.filename, '/tmp/left'])
      expect(await comesOf(`require('fs').writeFileSync(${JSON.stringify(path)}, 'x')`)).toMatch(/E(ROFS|NOENT)$/);
    expect(await readdir(folder, { recursive: true })).not.toContainEqual(expect.stringMatching(/planted|left/));
  });

  it('reaches no server', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const connect = `await new Promise((done, fail) => require('net').connect(${port}, '127.0.0.1').on('connect', done).on('error', fail))`;
    expect(await comesOf(connect)).toMatch(/^refused: (EAFNOSUPPORT|ENETUNREACH|ECONNREFUSED)$/);
    server.close();
  });

  it('is in a process that has read documents of its own organisation alone', async () => {
    const remember = (what: string) => `const seen = (globalThis.seen ??= []); seen.push('${what}'); return seen`;
    expect(await comesOf(remember('first'), 'one')).toBe('["first"]');
    expect(await comesOf(remember('other'), 'two')).toBe('["other"]');
    expect(await comesOf(remember('second'), 'one')).toBe('["first","second"]');
    // There is room for two, and one of them goes.
    expect(await comesOf(remember('third'), 'three')).toBe('["third"]');
    expect(await comesOf(remember('again'), 'three')).toBe('["third","again"]');
  });

  it.each([
    ['nonsense', `say({ kind: 'done', facts: { mediaType: 'text/plain', numTokens: -1 } })`],
    ['passages beyond the text', `say({ kind: 'passages', rows: [[0, 1e12, 0, '']] })`],
    ['headings longer than any', `say({ kind: 'passages', rows: [[0, 1, 0, 'x'.repeat(201)]] })`],
    ['that pictures are to be read, which nobody does', `say({ kind: 'pictures', pages: [[1, 0, 0]] })`],
    ['a message without end', `pipe.write(Buffer.from([255, 255, 255, 255]))`],
    [
      'texts without end',
      `for (;;) { say({ kind: 'text', text: 'x'.repeat(200000) }); await new Promise(setImmediate) }`,
    ],
  ])('is ended when it says %s', async (_what, code) => {
    await expect(comesOf(`${code}; await new Promise(() => undefined)`)).rejects.toMatchObject({
      code: 'reader_failed',
    });
  });
});
