import { describe, expect, it } from '@jest/globals';
import { tmpdir } from 'node:os';
import { kernelsHere } from './kernels-here.ts';

describe('what npm start says of a machine without bubblewrap', () => {
  const env = { BWRAP_BINARY: '/nowhere/bwrap' };

  it('programs are refused, and which setting allows them', async () => {
    const [line = ''] = await kernelsHere(tmpdir(), env);
    expect(line).toMatch(/no sandbox: .*They are refused; NOTEBOOKS_WITHOUT_SANDBOX=allow npm start/s);
  });

  it('whom they are for and what they reach, once that is allowed', async () => {
    const [line = ''] = await kernelsHere(tmpdir(), { ...env, NOTEBOOKS_WITHOUT_SANDBOX: 'allow' });
    expect(line).toMatch(/They run as you, with all that you may read, for the first organisation/);
  });

  it('nothing, where kernels are those of a Jupyter server', async () => {
    expect(await kernelsHere(tmpdir(), { ...env, JUPYTER_URL: 'http://jupyter:8888/' })).toEqual([]);
  });
});
