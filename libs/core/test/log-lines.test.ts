import { describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { join } from 'node:path';

interface Line {
  msg: string;
  number?: number;
}

const linesOf = (ending: 'exiting' | 'killed'): Promise<Line[]> =>
  new Promise((resolve) => {
    const script = join(import.meta.dirname, 'services/log-writer.ts');
    execFile(process.execPath, [script, ending], (_error, output) => {
      const lines = output.trim().split('\n');
      resolve(lines.map((line) => JSON.parse(line) as Line));
    });
  });

const everyNumber = Array.from({ length: 500 }, (_, index) => index + 1);

describe('lines that are written many at a time', () => {
  it('are all there and in order when the process exits', async () => {
    const lines = await linesOf('exiting');
    expect(lines.map(({ number }) => number)).toEqual(everyNumber);
  });

  it('are written as soon as a warning is among them, so that a killed process has said why', async () => {
    const lines = await linesOf('killed');
    expect(lines.slice(0, -1).map(({ number }) => number)).toEqual(everyNumber);
    expect(lines.at(-1)).toMatchObject({ msg: 'the last words' });
  });
});
