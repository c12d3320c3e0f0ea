import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@platform-backend/core';
import { freePort } from '@platform-backend/embedded';
import { member, newOrganisation, publishedEvents, refusalOf } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import pg from 'pg';
import { startTestNotebooks, type TestNotebooks } from '../../../test/test-notebooks.ts';
import { connectTo, type Heard } from './jupyter-client.ts';

const JOBS_OF_LEASES = new Set(['the leases of kernels', 'the search for lost kernels']);

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

/** Of the clocks of both replicas, and of PostgreSQL's, by which leases are written and judged. */
async function pass(seconds: number): Promise<void> {
  passedMs += seconds * 1_000;
  const admin = new pg.Client({ connectionString: one.database.adminUrl });
  await admin.connect();
  await admin.query('UPDATE kernels SET lease_until = lease_until - make_interval(secs => $1)', [seconds]);
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

  it('tells what came meanwhile to whoever connects again with the same session, through whichever replica', async () => {
    const by = member(newOrganisation());
    const { id: kernelId } = await one.jupyter.startKernel({}, by);
    const [asker, watcher] = [newId(), newId()];
    const connections = async () => {
      await one.work('the leases of kernels');
      return (await other.jupyter.getKernel({ kernelId }, by)).connections;
    };
    const client = await connectTo(other.jupyter, kernelId, by, asker);
    const silent = await connectTo(one.jupyter, kernelId, by, watcher);
    const asked = client.ask('execute_request', { code: 'wait' });
    await waitFor(() => silent.heard.some(({ content }) => content['execution_state'] === 'busy'));
    client.leave();
    silent.leave();
    await waitFor(async () => (await connections()) === 0);
    await one.provider.running.get(kernelId)?.interrupt();
    // One goes on where its kernel lives, and the other where it does not.
    const [back, watching] = [
      await connectTo(one.jupyter, kernelId, by, asker),
      await connectTo(other.jupyter, kernelId, by, watcher),
    ];
    const own = ({ heard }: typeof back) => heard.filter(({ parent }) => parent === asked).map(toldIn);
    await waitFor(() => own(back).includes('idle') && own(watching).includes('idle'));
    expect(own(back)).toEqual(['execute_reply', 'idle']);
    expect(own(watching)).toEqual(['idle']);
    await one.jupyter.stopKernel({ kernelId }, by);
  });

  it('is dead when its replica is not heard of for half a minute, and the replica ends what is not its own any more', async () => {
    const by = member(newOrganisation());
    const { id: kernelId } = await one.jupyter.startKernel({}, by);
    await one.work('the leases of kernels');
    const state = async () => (await other.jupyter.getKernel({ kernelId }, by)).executionState;
    // From now on it is not heard of, by another one that is there all the time.
    let seconds = 0;
    for (; (await state()) !== 'dead' && seconds < 60; seconds += 1) {
      await pass(1);
      for (const { name, everyMs } of other.repeated())
        if (JOBS_OF_LEASES.has(name) && (seconds * 1_000) % everyMs === 0) await other.work(name);
    }
    // It may miss two renewals, and clients hear of its end within half a minute.
    expect(seconds).toBeGreaterThan(10);
    expect(seconds).toBeLessThanOrEqual(30);
    expect(await refusalOf(other.kernels.interruptKernel({ kernelId }, by))).toMatchObject({ code: 'kernel_dead' });
    const page = await (await fetch(`http://${other.metricsAddress}/metrics`)).text();
    expect(page).toContain('\nnotebooks_kernel_leases_missed_total 1\n');
    await one.work('the leases of kernels');
    await waitFor(() => !one.provider.running.has(kernelId));
    const died = (await publishedEvents(one.database)).filter(({ data }) => data['kernel_id'] === kernelId);
    expect(died.map(({ data }) => data['reason'])).toEqual([undefined, 'replica_lost']);
  });
});

const toldIn = ({ type, content }: Heard) => (type === 'status' ? content['execution_state'] : type);
