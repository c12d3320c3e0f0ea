import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { member, newOrganisation } from '@platform-backend/service/testing';
import { repetitions, waitFor } from '@platform-backend/testing';
import { processesBelow } from '../../../test/processes.ts';
import { startNotebooksWith } from '../../../test/test-notebooks.ts';
import { sandboxHere } from '../../../test/this-machine.ts';
import { pyodideProvider } from '../providers/pyodide/pyodide-provider.ts';
import { connectTo } from './jupyter-client.ts';

const STARTS = repetitions({ usual: 5, long: 20 });
const sandbox = await sandboxHere();
const environment = { NOTEBOOKS_KERNELS_PER_ORGANISATION: '20', NOTEBOOKS_KERNEL_STARTS_PER_MINUTE: '20' };
let running: Awaited<ReturnType<typeof startNotebooksWith>>;
beforeAll(async () => {
  running = await startNotebooksWith(pyodideProvider({ sandbox }), { environment });
});
afterAll(() => running.stop());

/** Empty where nobody can tell which processes there are. */
const guests = () => [...processesBelow(process.pid).values()].filter((line) => line.includes('pyodide/guest/main.ts'));

it('many starts at once give each a kernel that works, and none that nobody knows of', async () => {
  const by = member(newOrganisation());
  const starting = Array.from({ length: STARTS }, () => running.jupyter.startKernel({}, by));
  const ids = (await Promise.all(starting)).map(({ id }) => id);
  expect(new Set(ids).size).toBe(STARTS);
  const listed = async () => (await running.jupyter.listKernels({}, by)).kernels;
  expect((await listed()).map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  const answers = ids.map(async (id) => {
    const client = await connectTo(running.jupyter, id, by);
    const code = { code: '6 * 7', silent: false, store_history: true, user_expressions: {}, allow_stdin: false };
    const asked = client.ask('execute_request', code);
    const answer = await waitFor(
      () => client.heard.find(({ type, parent }) => type === 'execute_result' && parent === asked),
      { what: 'the answer of each kernel' },
    );
    client.leave();
    return (answer.content['data'] as Record<string, string>)['text/plain'];
  });
  expect(await Promise.all(answers)).toEqual(ids.map(() => '42'));
  await Promise.all(ids.map((kernelId) => running.jupyter.stopKernel({ kernelId }, by)));
  expect(await listed()).toEqual([]);
  await waitFor(() => guests().length === 0, { what: 'the end of every process of a kernel' });
}, 300_000);
