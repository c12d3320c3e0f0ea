import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger } from '@platform-backend/core/logger';
import { waitFor } from '@platform-backend/testing';
import { sandboxHere } from '../../../test/this-machine.ts';
import type { KernelProvider } from '../../kernels/domain/kernel-provider.ts';
import { pyodideProvider } from '../../kernels/providers/pyodide/pyodide-provider.ts';
import { usualLimits } from '../../kernels/test/kernel-suite.ts';
import { compilingKernel } from '../app/compiling-kernel.ts';
import { pythonSyntax } from '../job-program/job-program.ts';

describe('the kernel that compiles', () => {
  let pyodide: KernelProvider;
  let [started, ended] = [0, 0];
  beforeAll(async () => {
    pyodide = pyodideProvider({ sandbox: await sandboxHere() });
  });
  afterAll(() => pyodide.close());

  const provider: Pick<KernelProvider, 'specs' | 'start'> = {
    specs: () => pyodide.specs(),
    async start(wanted) {
      const handle = await pyodide.start(wanted);
      started += 1;
      return {
        ...handle,
        async shutdown() {
          await handle.shutdown();
          ended += 1;
        },
      };
    },
  };
  const syntax = {
    ...pythonSyntax,
    check: (cells: readonly string[]) => (cells[0] === 'hangs' ? 'while True: pass' : pythonSyntax.check(cells)),
  };
  const options = {
    provider,
    syntax,
    limits: usualLimits,
    logger: createLogger({ service: 'notebooks', level: 'silent' }),
  };
  const waits = new AbortController().signal;
  const wrong = { cellIndex: 0, line: 1 };

  describe('that nothing has gone wrong with', () => {
    const { check } = compilingKernel(options);

    it('says that it is not there to whoever does not wait for its start', async () => {
      await expect(check('a', [['x = 1']], AbortSignal.abort(new Error('gone')))).rejects.toMatchObject({
        kind: 'unavailable',
      });
      expect(await check('a', [['x = =']], waits)).toMatchObject([wrong]);
    }, 120_000);

    it('is one for all who want something compiled, one after the other', async () => {
      const all = await Promise.all(['a', 'b', 'c'].map((organisation) => check(organisation, [['x = =']], waits)));
      expect(all).toMatchObject([[wrong], [wrong], [wrong]]);
      expect(started).toBe(1);
    }, 120_000);

    it('leaves a program unchecked that is longer than one may be', async () => {
      expect(await check('a', [['x = 1\n'.repeat(200_000), 'x = ='], ['x = =']], waits)).toMatchObject([
        undefined,
        wrong,
      ]);
    }, 120_000);
  });

  it('ends when it takes too long, and another one takes its place', async () => {
    const { check } = compilingKernel({ ...options, timeoutMs: 1_000 });
    const before = ended;
    expect(await check('a', [['hangs'], ['x = =']], waits)).toEqual([undefined, undefined]);
    await waitFor(() => ended > before, { what: 'its end' });
    expect(await check('b', [['x = =']], waits)).toMatchObject([wrong]);
  }, 120_000);

  it('ends when nobody wants it, and begins again when somebody does', async () => {
    const { check } = compilingKernel({ ...options, idleMs: 1 });
    const before = ended;
    expect(await check('a', [['x = =']], waits)).toMatchObject([wrong]);
    await waitFor(() => ended > before, { what: 'its end' });
    expect(await check('a', [['x = =']], waits)).toMatchObject([wrong]);
  }, 120_000);
});
