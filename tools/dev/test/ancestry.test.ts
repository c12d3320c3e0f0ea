import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isAlive } from '@platform-backend/embedded';
import { waitFor } from '@platform-backend/testing';
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const program = join(import.meta.dirname, 'fixtures/outlive-starter.ts');

describe('a process that ends with whoever started it', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'ancestry-'));
    const command = `${process.execPath} ${program}`;
    // The second form keeps a shell between npm and the program.
    writeFileSync(
      join(folder, 'package.json'),
      JSON.stringify({ scripts: { plain: command, shell: `${command}; echo over` } }),
    );
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each([
    ['a shell', ['sh', '-c', `${process.execPath} ${program}; true`]],
    ['npm', ['npm', 'run', '--silent', 'plain']],
    ['npm with a shell below it', ['npm', 'run', '--silent', 'shell']],
  ])('notices the sudden end of %s', async (_who, [command = '', ...args]) => {
    const starter = spawn(command, args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
    const pid = await printedPid(starter);
    starter.kill('SIGKILL');
    await waitFor(() => !isAlive(pid), { what: 'the end of the process' });
    expect(isAlive(pid)).toBe(false);
  });
});

async function printedPid(child: ChildProcess): Promise<number> {
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  return await waitFor(() => Number(/pid (\d+)/.exec(output)?.[1]), { what: 'the process id' });
}
