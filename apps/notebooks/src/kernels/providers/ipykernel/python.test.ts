import { expect, it } from '@jest/globals';
import { describeWhere } from '@platform-backend/testing/where';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pythonHere } from '../../../../test/this-machine.ts';
import { findPython, type Python } from './python.ts';

const { python, lack } = await pythonHere();

describeWhere(lack, 'what a Python is made of', () => {
  it('has every link between its name and its program', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'python-'));
    try {
      const [first, second] = [join(folder, 'python3'), join(folder, 'python3-between')];
      symlinkSync((python as Python).program, second);
      symlinkSync('python3-between', first);
      expect((await findPython(first))?.readable).toEqual(expect.arrayContaining([first, second]));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
