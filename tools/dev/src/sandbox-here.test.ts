import { describe, expect, it } from '@jest/globals';
import { tmpdir } from 'node:os';
import { sandboxHere } from './sandbox-here.ts';

describe('what npm start says of a machine without bubblewrap', () => {
  const env = { BWRAP_BINARY: '/nowhere/bwrap' };

  it('that programs are refused, and which setting allows them', async () => {
    const [line = ''] = await sandboxHere(tmpdir(), env);
    expect(line).toMatch(/no sandbox: .*They are refused; NOTEBOOKS_WITHOUT_SANDBOX=allow npm start/s);
  });

  it('whom programs are for and what they reach, once that setting allows them', async () => {
    const [line = ''] = await sandboxHere(tmpdir(), { ...env, NOTEBOOKS_WITHOUT_SANDBOX: 'allow' });
    expect(line).toMatch(/They run as you, with all that you may read, for the first organisation/);
  });

  it('that documents and recordings are read all the same, also where kernels are those of a Jupyter server', async () => {
    const readers = expect.stringMatching(/^Documents are read and recordings decoded without a sandbox: .*ENOENT/);
    expect(await sandboxHere(tmpdir(), env)).toEqual([expect.anything(), readers]);
    expect(await sandboxHere(tmpdir(), { ...env, JUPYTER_URL: 'http://jupyter:8888/' })).toEqual([readers]);
  });
});
