import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { member, newOrganisation, refusalOf } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import { startTestNotebooks, type TestNotebooks } from '../../../test/test-notebooks.ts';

let running: TestNotebooks;
beforeAll(async () => {
  running = await startTestNotebooks();
});
afterAll(() => running.stop());

const stateOf = async (by: ReturnType<typeof member>, kernelId: string) =>
  (await running.jupyter.getKernel({ kernelId }, by)).executionState;

describe('sessions', () => {
  it('have a path and a kernel, and are answered again for the same path', async () => {
    const by = member(newOrganisation());
    const request = { path: 'a.ipynb', name: 'a', type: 'notebook', kernel: { name: 'echo' } };
    const session = await running.jupyter.createSession(request, by);
    expect(session).toMatchObject({ path: 'a.ipynb', kernel: { name: 'echo', executionState: 'idle' } });
    expect(await running.jupyter.createSession(request, by)).toMatchObject({ id: session.id });
    const sessionId = session.id;
    const moved = await running.jupyter.updateSession({ sessionId, path: 'b.ipynb', kernel: { name: 'echo' } }, by);
    expect(moved).toMatchObject({ id: sessionId, path: 'b.ipynb' });
    expect(moved.kernel?.id).not.toBe(session.kernel?.id);
    expect((await running.jupyter.listSessions({}, by)).sessions).toHaveLength(1);
    await running.jupyter.deleteSession({ sessionId }, by);
    expect((await running.jupyter.listKernels({}, by)).kernels).toEqual([]);
    expect(await refusalOf(running.jupyter.getSession({ sessionId }, by))).toMatchObject({ code: 'session_not_found' });
  });

  it('with what is no id of a kernel are refused as not found', async () => {
    const by = member(newOrganisation());
    const request = { path: 'a.ipynb', name: 'a', type: 'notebook', kernel: { id: 'x' } };
    const refused = await refusalOf(running.jupyter.createSession(request, by));
    expect(refused).toMatchObject({ code: 'kernel_not_found' });
  });

  it('have whatever path a client works at, also one of Windows', async () => {
    const by = member(newOrganisation());
    const paths = [String.raw`C:\Users\me\Sales.ipynb`, String.raw`\x`, String.raw`a\\b`, String.raw`a\b`];
    for (const path of paths) {
      const session = await running.jupyter.createSession({ path, name: 'a', type: 'notebook' }, by);
      expect(session.path).toBe(path);
      expect((await running.jupyter.createSession({ path, name: 'a', type: 'notebook' }, by)).id).toBe(session.id);
    }
    expect((await running.jupyter.listSessions({}, by)).sessions.map(({ path }) => path)).toEqual(paths);
  });

  it('are not moved to the path of another one', async () => {
    const by = member(newOrganisation());
    const at = (path: string) => running.jupyter.createSession({ path, name: path, type: 'notebook' }, by);
    const [, second] = [await at('a.ipynb'), await at('b.ipynb')];
    const moving = running.jupyter.updateSession({ sessionId: second.id, path: 'a.ipynb' }, by);
    expect(await refusalOf(moving)).toMatchObject({ kind: 'conflict', code: 'session_path_taken' });
    expect(await running.jupyter.getSession({ sessionId: second.id }, by)).toMatchObject({ path: 'b.ipynb' });
  });

  it('whose kernel has died have one other kernel, however many clients come back at once', async () => {
    const by = member(newOrganisation());
    const request = { path: 'a.ipynb', name: 'a', type: 'notebook' };
    const session = await running.jupyter.createSession(request, by);
    const died = session.kernel?.id ?? '';
    running.provider.running.get(died)?.kill('It was killed');
    await waitFor(async () => (await stateOf(by, died)) === 'dead');
    const back = await Promise.all([1, 2, 3].map(() => running.jupyter.createSession(request, by)));
    expect(new Set(back.map(({ id }) => id))).toEqual(new Set([session.id]));
    expect(new Set(back.map(({ kernel }) => kernel?.id)).size).toBe(1);
    const { kernels } = await running.jupyter.listKernels({}, by);
    expect(kernels.filter(({ executionState }) => executionState !== 'dead')).toHaveLength(1);
  });
});
