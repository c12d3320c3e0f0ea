import { afterAll, expect, it } from '@jest/globals';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sandboxHere } from '../../../test/this-machine.ts';
import type { KernelHandle } from '../domain/kernel-provider.ts';
import { pyodideProvider } from '../providers/pyodide/pyodide-provider.ts';
import { askedWhenMissing, keptPackages, preparePackages } from '../providers/pyodide/wheels/prepared-packages.ts';
import { sha256Of, type LockFile } from '../providers/pyodide/wheels/resolve-packages.ts';
import { kernelClient } from './kernel-client.ts';
import { startKernel } from './kernel-suite.ts';
import { packageIndex, wheelOf } from './package-index.ts';

const sandbox = await sandboxHere();
const directory = await mkdtemp(join(tmpdir(), 'python-wheels-'));
const index = await packageIndex();
const ownLockFile = createRequire(import.meta.url).resolve('pyodide/pyodide-lock.json');
const GREETINGS = 'from polite_words import HELLO\ndef greet(name):\n    return f"{HELLO}, {name}!"\n';
const prepare = (packages: readonly string[], sources: readonly string[] = [index.url]) =>
  preparePackages({ packages, sources, directory });
const provider = pyodideProvider({ sandbox, packages: () => prepare(['greetings>=1']) });
afterAll(async () => {
  await provider.close();
  await index.close();
  await rm(directory, { recursive: true, force: true });
});

index.offer(wheelOf('greetings', '1.0', 'raise ImportError("an old one")'));
index.offer(
  wheelOf('greetings', '1.2', GREETINGS, [
    'polite_words (>=2) ; python_version >= "3.9"',
    'gone; extra == "test"',
    'ipython',
  ]),
);
index.offer(wheelOf('greetings', '2.0rc1', 'raise ImportError("not released")'));
index.offer(wheelOf('polite_words', '2.1', 'HELLO = "Hello"\n'));
index.offer(wheelOf('polite_words', '3.0', 'HELLO = "Hi"\n', [], '<3'));

let begun: Promise<KernelHandle> | undefined;
/** Begun when the index offers what is above. */
const sharedKernel = (): Promise<KernelHandle> => (begun ??= startKernel(provider));

it('has packages of an index with what those require, by import and by %pip', async () => {
  const client = kernelClient(await sharedKernel());
  const greeted = await client.execute('from greetings import greet\nprint(greet("Ada"))');
  expect([greeted.reply['status'], greeted.text('stdout')]).toEqual(['ok', 'Hello, Ada!\n']);
  const installed = await client.execute(
    '%pip install -q Polite.Words\n!pip install greetings==1.2\nimport polite_words',
  );
  expect(installed.reply).toMatchObject({ status: 'ok' });
  expect(installed.text('stdout')).toBe('polite-words 2.1 is installed\ngreetings 1.2 is installed\n');
  expect((await client.execute('%pip list')).text('stdout')).toBe('greetings==1.2\npolite-words==2.1\n');
  const missing = await client.execute('import not_there');
  expect(missing.reply).toMatchObject({ status: 'error', ename: 'ModuleNotFoundError' });
});

it('installs nothing else, and says so in one sentence', async () => {
  const client = kernelClient(await sharedKernel());
  const refused = await client.execute('%pip install requests');
  expect(refused.reply).toMatchObject({
    traceback: [
      'UsageError: requests may not be installed here: %pip list has what may be, and others are for whoever runs the platform to allow',
    ],
  });
  const other = await client.execute('%pip install greetings==1.0');
  expect(other.reply).toMatchObject({ evalue: 'greetings is here in version 1.2 alone, and not 1.0' });
  for (const versions of ['>=1.3', '>=1,<1.2', '~=2.0', '!=1.2.0', '==2.*'])
    expect((await client.execute(`%pip install 'greetings${versions}'`)).reply).toMatchObject({
      evalue: `greetings is here in version 1.2 alone, and not ${versions.replace(/^==/, '')}`,
    });
  const fits = await client.execute(
    `%pip install "greetings>=1.1,<2" 'greetings~=1.0' greetings==1.2.0 greetings==1.*`,
  );
  expect(fits.text('stdout')).toBe('greetings 1.2 is installed\n'.repeat(4));
});

it('gives wheels to all kernels, of which none can change them', async () => {
  const [one, other] = [kernelClient(await sharedKernel()), kernelClient(await startKernel(provider))];
  const spoil = `
import js
fs = js.Function("return process")().getBuiltinModule("node:fs")
try:
    fs.writeFileSync(${JSON.stringify(join(await prepare(['greetings>=1']), 'pyodide-lock.json'))}, "{}")
except BaseException as error:
    print(type(error).__name__)`;
  await one.execute(spoil);
  expect((await other.execute('import greetings; print(greetings.greet("Grace"))')).text('stdout')).toBe(
    'Hello, Grace!\n',
  );
});

it('fetches wheels once, also while the index is away', async () => {
  const folder = await prepare(['greetings>=1']);
  const { requests } = index;
  expect(await prepare(['greetings>=1'])).toBe(folder);
  expect(index.requests).toBe(requests);
  expect((await readdir(folder)).sort()).toEqual([
    'greetings-1.2-py3-none-any.whl',
    'polite_words-2.1-py3-none-any.whl',
    'pyodide-lock.json',
  ]);
});

it('makes a folder anew that was removed, as whoever wants newer versions does', async () => {
  const asked = askedWhenMissing(
    () => prepare(['polite-words']),
    () => undefined,
  );
  const folder = (await asked()) ?? '';
  expect(await asked()).toBe(folder);
  await rm(folder, { recursive: true });
  expect(await asked()).toBe(folder);
  expect(await readdir(folder)).toContain('polite_words-2.1-py3-none-any.whl');
});

it('takes wheels of a folder, and pages of an index in HTML', async () => {
  const folder = await mkdtemp(join(directory, 'wheels-'));
  const wheel = wheelOf('in_a_folder', '0.1', 'X = 1', ['on_a_page']);
  await writeFile(join(folder, wheel.file), wheel.bytes);
  index.offer(wheelOf('on_a_page', '1', 'Y = 2'), { asHtml: true });
  const files = await readdir(await prepare(['in-a-folder'], [folder, index.url]));
  expect(files.sort()).toEqual([
    'in_a_folder-0.1-py3-none-any.whl',
    'on_a_page-1-py3-none-any.whl',
    'pyodide-lock.json',
  ]);
});

it('takes no wheel that is another than the index says, or Pyodide itself', async () => {
  index.offer(wheelOf('forged', '1', 'X = 1'), { sha256: sha256Of('another') });
  await expect(prepare(['forged'])).rejects.toThrow('forged-1-py3-none-any.whl is not what the index names');
  const folder = await mkdtemp(join(directory, 'wheels-'));
  await writeFile(join(folder, 'numpy-2.4.6-cp314-cp314-pyemscripten_2026_0_wasm32.whl'), 'another');
  await expect(prepare(['numpy'], [folder])).rejects.toThrow('is not the file that Pyodide');
});

it('waits some seconds for an index that is silent, and has what was fetched before', async () => {
  const own = await mkdtemp(join(directory, 'silent-'));
  const silent = await packageIndex();
  try {
    const lock = JSON.parse(await readFile(ownLockFile, 'utf8')) as LockFile;
    const [locked, wheel] = [lock.packages['six'], wheelOf('greetings', '1', 'X = 1')];
    await mkdir(join(own, 'files'));
    await writeFile(join(own, 'files', locked?.sha256 ?? ''), wheel.bytes);
    silent.fallSilent();
    const packages = ['six', 'greetings'];
    const failures: string[] = [];
    const asked = askedWhenMissing(
      () => preparePackages({ packages, sources: [silent.url], directory: own }),
      (error) => failures.push(String(error)),
      () => keptPackages({ packages, directory: own }),
    );
    const folder = (await asked()) ?? '';
    expect((await readdir(folder)).sort()).toEqual(['pyodide-lock.json', locked?.file_name]);
    expect(failures).toEqual([expect.stringContaining('greetings/ has said nothing for 5 s')]);
    const { requests } = silent;
    expect(await asked()).toBe(folder);
    expect(silent.requests).toBe(requests);
  } finally {
    await silent.close();
  }
});

it('says what cannot be had', async () => {
  await expect(prepare(['greetings>=7'])).rejects.toThrow('no wheel of greetings>=7 for Python 3.14.2 in WebAssembly');
  await expect(prepare(['greetings', 'polite-words<2'])).rejects.toThrow('is to be had');
});

it('shows an index the name and the password in its address, and nobody else', async () => {
  const secret = await packageIndex();
  try {
    secret.offer(wheelOf('own', '1', 'X = 1'));
    secret.requireAuthorization(`Basic ${Buffer.from('ada:p@ss').toString('base64')}`);
    const address = secret.url.replace('//', '//ada:p%40ss@');
    expect(await readdir(await prepare(['own'], [address]))).toContain('own-1-py3-none-any.whl');
    const error = await prepare(['other'], [address.replace('p%40', 'q%40')]).catch(String);
    expect(error).toContain('was answered with 401');
    expect(error).not.toMatch(/ada|ss@|q%40/);
  } finally {
    await secret.close();
  }
});
