import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  member,
  newOrganisation,
  publishedEvents,
  startService,
  type ServiceProcess,
} from '@platform-backend/service/testing';
import { repetitions, waitFor } from '@platform-backend/testing';
import { alive, processesBelow } from './processes.ts';
import { startTestNotebooks, type TestNotebooks } from './test-notebooks.ts';

const ROUNDS = repetitions({ usual: 1, long: 3 });
const NOTEBOOKS = 4;
/** Kernels that an organisation may have at once: some are ready and some are starting when the service is killed. */
const KERNELS = repetitions({ usual: 4, long: 100 });

const contentOf = (round: number, change: number) => ({
  cells: [{ cell_type: 'markdown', id: 'a', metadata: {}, source: `${round} ${change}` }],
  metadata: {},
  nbformat: 4,
  nbformat_minor: 5,
});

describe('a service that is killed while notebooks are saved and kernels start', () => {
  let service: TestNotebooks;
  let running: ServiceProcess;
  const ada = member(newOrganisation());

  beforeAll(async () => {
    const run = async (env: Readonly<Record<string, string>>) => {
      running = await startService('notebooks', env);
      return { address: running.address, metricsAddress: '', stop: () => running.kill() };
    };
    const many = { NOTEBOOKS_KERNELS_PER_ORGANISATION: String(KERNELS), NOTEBOOKS_KERNEL_STARTS_PER_MINUTE: '1000' };
    service = await startTestNotebooks({ run, environment: { ...many, NOTEBOOKS_WARM_KERNELS: '1' } });
  });
  afterAll(async () => await service.stop());

  /** Saves and keeps one notebook, over and over, until the service is gone; answers what was acknowledged last. */
  async function saveUntilKilled(round: number, notebookId: string, known: number, onAnswer: () => void) {
    let [version, checkpointId] = [known, ''];
    for (let change = 0; ; change += 1) {
      try {
        const content = contentOf(round, change);
        version = (await service.notebooks.saveNotebook({ notebookId, content, version: null }, ada)).version;
        onAnswer();
        if (change % 5 === 4) checkpointId = (await service.notebooks.createCheckpoint({ notebookId }, ada)).id;
      } catch {
        return { version, checkpointId };
      }
    }
  }

  /** Starts kernels, one after the other, until there are enough or the service is gone; answers those that were acknowledged. */
  async function startUntilKilled(): Promise<string[]> {
    const started: string[] = [];
    for (;;) {
      try {
        started.push((await service.jupyter.startKernel({}, ada)).id);
      } catch {
        return started;
      }
    }
  }

  const eventsOf = async (type: string) =>
    (await publishedEvents(service.database)).filter((event) => event.type === `platform.v1.notebooks.${type}`);

  it('keeps what it has acknowledged and tells of it, and no kernel outlives it anywhere', async () => {
    /** Of each notebook, as far as it is known. */
    const versions = new Map<string, number>();
    for (let made = 0; made < NOTEBOOKS; made += 1) {
      const { id, version } = await service.notebooks.createNotebook({ name: `Notebook ${made}` }, ada);
      versions.set(id, version);
    }
    const ids = [...versions.keys()];
    const started: string[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = (await eventsOf('kernel.started')).length;
      let answers = 0;
      const killAt = 1 + Math.floor(Math.random() * 40);
      const killed = Promise.withResolvers<ReadonlyMap<number, string>>();
      const onAnswer = () => {
        answers += 1;
        if (answers !== killAt) return;
        const below = processesBelow(running.pid);
        running.kill().then(() => killed.resolve(below), killed.reject);
      };
      const starting = Promise.all([startUntilKilled(), startUntilKilled()]);
      await waitFor(async () => (await eventsOf('kernel.started')).length > before, {
        what: 'a kernel',
      });
      const saving = Promise.all([...versions].map(([id, known]) => saveUntilKilled(round, id, known, onAnswer)));
      const below = await killed.promise;
      const acknowledged = await saving;
      started.push(...(await starting).flat());
      await waitFor(() => alive(below).length === 0, { what: 'the end of its processes' });

      // Where its callers look for it.
      running = await startService('notebooks', { ...service.env, NOTEBOOKS_LISTEN: service.address });
      for (const [at, notebookId] of ids.entries()) {
        const { version, checkpointId } = acknowledged[at] ?? { version: 0, checkpointId: '' };
        expect(version).toBeGreaterThan(0);
        const now = await waitFor(() => service.notebooks.getNotebook({ notebookId }, ada));
        // What was on its way may have come in or not.
        expect([version, version + 1]).toContain(now.version);
        versions.set(notebookId, now.version);
        const { checkpoints } = await service.notebooks.listCheckpoints({ notebookId }, ada);
        if (checkpointId !== '') expect(checkpoints.map(({ id }) => id)).toContain(checkpointId);
      }
    }
    const updates = await eventsOf('notebook.updated');
    for (const notebookId of ids) {
      const { version } = await service.notebooks.getNotebook({ notebookId }, ada);
      expect(updates.filter(({ data }) => data['notebook_id'] === notebookId)).toHaveLength(version - 1);
    }
    // Those of killed processes are dead when their leases have ended.
    const states = async () => (await service.jupyter.listKernels({}, ada)).kernels.map((one) => one.executionState);
    await waitFor(async () => (await states()).every((state) => state === 'dead'), {
      what: 'the death of all kernels of killed processes',
    });
    for (const kernelId of started) {
      expect((await service.jupyter.getKernel({ kernelId }, ada)).executionState).toBe('dead');
    }
    const [begun, died] = [await eventsOf('kernel.started'), await eventsOf('kernel.died')];
    const told = (events: typeof begun) => events.map(({ data }) => data['kernel_id']);
    // One that was still starting was told of by nobody.
    expect(begun.length).toBeGreaterThanOrEqual(ROUNDS);
    expect(told(died)).toEqual(expect.arrayContaining(told(begun)));
    expect(new Set(told(died)).size).toBe(died.length);
    // It works as ever.
    const { id } = await service.jupyter.startKernel({}, ada);
    const state = async () => (await service.jupyter.getKernel({ kernelId: id }, ada)).executionState;
    await waitFor(async () => (await state()) === 'idle', { what: 'the start of a kernel' });
  }, 900_000);
});
