import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '@platform-backend/embedded';
import { member, newOrganisation, publishedEvents, refusalOf } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import pg from 'pg';
import { startTestNotebooks, type TestNotebooks } from '../../../test/test-notebooks.ts';
import { connectTo } from './jupyter-client.ts';

let passedMs = 0;
/** Of both; it begins with the real time, by which replicas trust each other. */
const clock = { now: () => new Date(Date.now() + passedMs) };
let one: TestNotebooks;
let other: Awaited<ReturnType<TestNotebooks['replica']>>;
beforeAll(async () => {
  const [first, second] = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`];
  one = await startTestNotebooks({ clock, environment: { NOTEBOOKS_LISTEN: first } });
  other = await one.replica({ NOTEBOOKS_LISTEN: second }, clock);
});
afterAll(async () => {
  await other.stop();
  await one.stop();
});

/** By the clock of PostgreSQL, which goes on by itself. */
async function endLease(kernelId: string): Promise<void> {
  const admin = new pg.Client({ connectionString: one.database.adminUrl });
  await admin.connect();
  await admin.query(`UPDATE kernels SET lease_until = now() - interval '1 second' WHERE id = $1`, [kernelId]);
  await admin.end();
}

describe('a kernel in another replica', () => {
  it('is seen, spoken to, interrupted, restarted and stopped through any of them', async () => {
    const by = member(newOrganisation());
    const { id: kernelId } = await one.jupyter.startKernel({}, by);
    expect((await other.jupyter.listKernels({}, by)).kernels).toMatchObject([{ id: kernelId }]);
    const client = await connectTo(other.jupyter, kernelId, by);
    client.ask('execute_request', { code: 'Hi' });
    await waitFor(() => client.heard.some(({ type }) => type === 'execute_reply'));
    await other.kernels.interruptKernel({ kernelId }, by);
    expect(one.provider.running.get(kernelId)?.interrupts).toBe(1);
    await other.jupyter.restartKernel({ kernelId }, by);
    // What only its own replica knows is told to the others with its lease.
    await one.work('the leases of kernels');
    expect(await other.jupyter.getKernel({ kernelId }, by)).toMatchObject({ connections: 1 });
    await other.jupyter.stopKernel({ kernelId }, by);
    expect(one.provider.running.has(kernelId)).toBe(false);
    expect(await client.closed).toBeUndefined();
    expect(client.heard.at(-1)).toMatchObject({ content: { execution_state: 'dead' } });
  });

  it('is dead when its replica is not heard of, and the replica ends what is not its own any more', async () => {
    const by = member(newOrganisation());
    const { id: kernelId } = await one.jupyter.startKernel({}, by);
    // Once it is not heard of for 18 s, by another one that was there all the time.
    for (let seconds = 0; seconds < 25; seconds += 5) {
      await other.work('the leases of kernels');
      if (seconds === 20) await endLease(kernelId);
      await other.work('the search for lost kernels');
      expect(await other.jupyter.getKernel({ kernelId }, by)).toMatchObject({
        executionState: seconds < 20 ? 'idle' : 'dead',
      });
      passedMs += 5_000;
    }
    expect(await other.jupyter.getKernel({ kernelId }, by)).toMatchObject({ executionState: 'dead' });
    expect(await refusalOf(other.kernels.interruptKernel({ kernelId }, by))).toMatchObject({ code: 'kernel_dead' });
    await one.work('the leases of kernels');
    await waitFor(() => !one.provider.running.has(kernelId));
    const died = (await publishedEvents(one.database)).filter(({ data }) => data['kernel_id'] === kernelId);
    expect(died.map(({ data }) => data['reason'])).toEqual([undefined, 'replica_lost']);
  });
});
