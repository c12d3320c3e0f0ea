import { afterAll, expect, it } from '@jest/globals';
import { zipArchive } from '@platform-backend/testing';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sandboxHere } from '../../../test/this-machine.ts';
import { pyodideProvider } from '../providers/pyodide/pyodide-provider.ts';
import { kernelClient } from './kernel-client.ts';
import { startKernel } from './kernel-suite.ts';

const sandbox = await sandboxHere();
const packages = await mkdtemp(join(tmpdir(), 'pyodide-packages-'));
const provider = pyodideProvider({ sandbox, packages });
afterAll(async () => {
  await provider.close();
  await rm(packages, { recursive: true, force: true });
});

const sha256 = (bytes: Buffer | string, encoding: 'hex' | 'base64url'): string =>
  createHash('sha256').update(bytes).digest(encoding);

/** A wheel of one module of pure Python, as PEP 427 has it. */
function wheelOf(name: string, module: string): Buffer {
  const about = `${name}-1.0.dist-info`;
  const files = [
    { name: `${name}.py`, content: module },
    { name: `${about}/METADATA`, content: `Metadata-Version: 2.1\nName: ${name}\nVersion: 1.0\n` },
    { name: `${about}/WHEEL`, content: 'Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n' },
  ];
  const lines = files.map((file) => `${file.name},sha256=${sha256(file.content, 'base64url')},${file.content.length}`);
  return zipArchive([...files, { name: `${about}/RECORD`, content: [...lines, `${about}/RECORD,,\n`].join('\n') }]);
}

/** The folder as a distribution of Pyodide has it: the wheel, and a lock file that names it. */
async function distribute(name: string, wheel: Buffer): Promise<void> {
  const fileName = `${name}-1.0-py3-none-any.whl`;
  const own = createRequire(import.meta.url).resolve('pyodide/pyodide-lock.json');
  const { info } = JSON.parse(await readFile(own, 'utf8')) as { info: object };
  const entry = { depends: [], imports: [name], install_dir: 'site', package_type: 'package', unvendored_tests: false };
  const listed = { ...entry, name, version: '1.0', file_name: fileName, sha256: sha256(wheel, 'hex') };
  await writeFile(join(packages, fileName), wheel);
  await writeFile(join(packages, 'pyodide-lock.json'), JSON.stringify({ info, packages: { [name]: listed } }));
}

it('has the packages of a folder, without a word about them in a cell but the import', async () => {
  await distribute('greetings', wheelOf('greetings', 'def greet(name):\n    return f"Hello, {name}!"\n'));
  const client = kernelClient(await startKernel(provider));
  const greeted = await client.execute('from greetings import greet\nprint(greet("Ada"))');
  expect([greeted.reply['status'], greeted.text('stdout')]).toEqual(['ok', 'Hello, Ada!\n']);
  const missing = await client.execute('import not_there');
  expect(missing.reply).toMatchObject({ status: 'error', ename: 'ModuleNotFoundError' });
});
