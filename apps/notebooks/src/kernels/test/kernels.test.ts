import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { creditLedger, debitsOf, type CreditLedger } from '@platform-backend/contract-billing/client/testing';
import { newId } from '@platform-backend/core';
import { member, newOrganisation, publishedEvents, refusalOf } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import pg from 'pg';
import { keys, startTestNotebooks, type TestNotebooks } from '../../../test/test-notebooks.ts';
import { connectTo } from './jupyter-client.ts';

let time = new Date('2026-01-01T12:00:00Z');
const minutesPass = (minutes: number) => (time = new Date(time.getTime() + minutes * 60_000));
let ledger: CreditLedger;
let running: TestNotebooks;
beforeAll(async () => {
  ledger = await creditLedger(keys);
  running = await startTestNotebooks({
    clock: { now: () => time },
    environment: { BILLING_ADDRESS: ledger.address, NOTEBOOKS_KERNEL_MINUTE_MICROS: '5000' },
  });
});
afterAll(async () => {
  await running.stop();
  await ledger.close();
});

type Member = ReturnType<typeof member>;

const start = async (by: Member, request: { name?: string; path?: string } = {}) =>
  (await running.jupyter.startKernel(request, by)).id;

const stateOf = async (by: Member, kernelId: string) =>
  (await running.jupyter.getKernel({ kernelId }, by)).executionState;

const eventsOf = async (kernelId: string) =>
  (await publishedEvents(running.database))
    .filter(({ data }) => data['kernel_id'] === kernelId)
    .map(({ type, data }) => [type.slice('platform.v1.notebooks.'.length), data['reason']].filter(Boolean).join(' '));

describe('kernels', () => {
  it('are started, listed, interrupted, restarted and stopped, and everybody hears of it', async () => {
    const by = member(newOrganisation());
    const { id: kernelId, executionState, name } = await running.jupyter.startKernel({}, by);
    expect([executionState, name]).toEqual(['idle', 'echo']);
    expect((await running.jupyter.listKernels({}, by)).kernels.map(({ id }) => id)).toEqual([kernelId]);
    await running.kernels.interruptKernel({ kernelId }, by);
    expect(running.provider.running.get(kernelId)?.interrupts).toBe(1);
    expect(await running.jupyter.restartKernel({ kernelId }, by)).toMatchObject({ id: kernelId });
    await running.jupyter.stopKernel({ kernelId }, by);
    expect(running.provider.running.has(kernelId)).toBe(false);
    const gone = { code: 'kernel_not_found' };
    expect(await refusalOf(running.jupyter.getKernel({ kernelId }, by))).toMatchObject(gone);
    expect(await refusalOf(running.kernels.interruptKernel({ kernelId }, by))).toMatchObject(gone);
    expect(await eventsOf(kernelId)).toEqual([
      'kernel.started',
      'kernel.interrupted',
      'kernel.restarted',
      'kernel.stopped',
    ]);
  });

  it('are the running services of their organisation, with their notebooks', async () => {
    const by = member(newOrganisation());
    const { id: notebookId } = await running.notebooks.createNotebook({ name: 'Sales' }, by);
    const kernelId = await start(by, { path: 'Sales.ipynb' });
    const { services } = await running.kernels.listRunningServices({}, by);
    expect(services).toMatchObject([{ kernelId, notebookId, name: 'echo', executionState: 'idle', connections: 0 }]);
    expect((await running.kernels.listRunningServices({}, member(newOrganisation()))).services).toEqual([]);
    await running.notebooks.deleteNotebook({ notebookId }, by);
    expect((await running.kernels.listRunningServices({}, by)).services).toEqual([]);
    expect(running.provider.running.has(kernelId)).toBe(false);
  });

  it('of a notebook that is deleted may be stopped by somebody else in that moment', async () => {
    const by = member(newOrganisation());
    const { id: notebookId } = await running.notebooks.createNotebook({ name: 'Sales' }, by);
    const kernelId = await start(by, { path: 'Sales.ipynb' });
    const client = await connectTo(running.jupyter, kernelId, by, newId());
    const end = running.provider.running.get(kernelId)?.endSlowly();
    const deleting = running.notebooks.deleteNotebook({ notebookId }, by);
    await client.closed;
    await running.jupyter.stopKernel({ kernelId }, by);
    end?.();
    expect(await deleting).toMatchObject({ deleted: true });
  });

  it('that begin while their notebook is deleted end with it', async () => {
    const by = member(newOrganisation());
    const { id: notebookId } = await running.notebooks.createNotebook({ name: 'Sales' }, by);
    const kernelId = await start(by, { path: 'Sales.ipynb' });
    const client = await connectTo(running.jupyter, kernelId, by, newId());
    const end = running.provider.running.get(kernelId)?.endSlowly();
    const deleting = running.notebooks.deleteNotebook({ notebookId }, by);
    await client.closed;
    const begun = await start(by, { path: 'Sales.ipynb' });
    end?.();
    await deleting;
    expect(running.provider.running.has(begun)).toBe(false);
    expect((await running.jupyter.listKernels({}, by)).kernels).toEqual([]);
  });

  it('are no more than the organisation may have, however many start at once', async () => {
    const by = member(newOrganisation());
    const all = await Promise.allSettled(Array.from({ length: 8 }, () => start(by)));
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    expect(await refusalOf(start(by))).toMatchObject({ kind: 'conflict', code: 'kernel_limit_reached' });
  });

  it('are started so often a minute at most', async () => {
    const by = member(newOrganisation());
    for (let started = 0; started < 10; started += 1) {
      await running.jupyter.stopKernel({ kernelId: await start(by) }, by);
    }
    expect(await refusalOf(start(by))).toMatchObject({ code: 'kernel_starts_limit_reached' });
    minutesPass(2);
    await start(by);
  });

  it('of an unknown kind are refused as not found', async () => {
    const by = member(newOrganisation());
    expect(await refusalOf(start(by, { name: 'fortran' }))).toMatchObject({ code: 'kernel_spec_not_found' });
  });

  it('that died say so, and are dead for everybody afterwards', async () => {
    const by = member(newOrganisation());
    const kernelId = await start(by);
    const client = await connectTo(running.jupyter, kernelId, by);
    running.provider.running.get(kernelId)?.kill('out of memory');
    expect(await client.closed).toBeUndefined();
    expect(client.heard.at(-1)).toMatchObject({ type: 'status', content: { execution_state: 'dead' } });
    await waitFor(async () => (await stateOf(by, kernelId)) === 'dead');
    const dead = { kind: 'conflict', code: 'kernel_dead' };
    expect(await refusalOf(running.kernels.interruptKernel({ kernelId }, by))).toMatchObject(dead);
    expect(await refusalOf(connectTo(running.jupyter, kernelId, by))).toMatchObject(dead);
    expect(await eventsOf(kernelId)).toEqual(['kernel.started', 'kernel.died out of memory']);
  });

  it('that died are in the list until they are stopped, and begin again when they are restarted, each minute paid once', async () => {
    const organisationId = newOrganisation();
    const by = member(organisationId);
    const kernelId = await start(by);
    running.provider.running.get(kernelId)?.kill('out of memory');
    await waitFor(async () => (await stateOf(by, kernelId)) === 'dead');
    const { kernels } = await running.jupyter.listKernels({}, by);
    expect(kernels).toMatchObject([{ id: kernelId, executionState: 'dead' }]);
    expect((await running.kernels.listRunningServices({}, by)).services).toEqual([]);
    expect(await running.jupyter.restartKernel({ kernelId }, by)).toMatchObject({ executionState: 'idle' });
    const client = await connectTo(running.jupyter, kernelId, by);
    client.ask('execute_request', { code: 'again' });
    await waitFor(() => client.heard.some(({ content }) => content['text'] === 'again'));
    expect(await eventsOf(kernelId)).toEqual(['kernel.started', 'kernel.died out of memory', 'kernel.started']);
    ledger.useUp(organisationId);
    running.provider.running.get(kernelId)?.kill('out of memory');
    await waitFor(async () => (await stateOf(by, kernelId)) === 'dead');
    expect(await refusalOf(running.jupyter.restartKernel({ kernelId }, by))).toMatchObject({
      kind: 'payment_required',
    });
    expect(await stateOf(by, kernelId)).toBe('dead');
    await running.jupyter.stopKernel({ kernelId }, by);
    expect((await running.jupyter.listKernels({}, by)).kernels).toEqual([]);
  });

  it('are neither dead nor unpaid because their own code says so, and nobody else suffers from it', async () => {
    const organisationId = newOrganisation();
    const [by, other] = [member(organisationId), member(newOrganisation())];
    const [kernelId, others] = [await start(by), await start(other)];
    const paidBefore = ledger.heldBy(organisationId).length;
    await running.provider.running.get(kernelId)?.claim('starting');
    minutesPass(1);
    await running.work('the counting of minutes');
    expect(ledger.heldBy(organisationId)).toHaveLength(paidBefore + 1);
    await running.provider.running.get(kernelId)?.claim('dead');
    minutesPass(1);
    await running.work('the leases of kernels');
    await running.work('the search for lost kernels');
    expect([await stateOf(by, kernelId), await stateOf(other, others)]).toEqual(['idle', 'idle']);
  });

  it('that nobody uses are culled, those that work and those with a client later', async () => {
    const by = member(newOrganisation());
    const [idle, busy, watched] = [await start(by), await start(by), await start(by)];
    const working = await connectTo(running.jupyter, busy, by);
    working.ask('execute_request', { code: 'wait' });
    await waitFor(() => working.heard.some(({ content }) => content['execution_state'] === 'busy'));
    await connectTo(running.jupyter, watched, by);
    minutesPass(31);
    await running.work('the culling of kernels');
    expect([await stateOf(by, idle), await stateOf(by, busy), await stateOf(by, watched)]).toEqual([
      'dead',
      'busy',
      'idle',
    ]);
    minutesPass(31);
    await running.work('the culling of kernels');
    expect([await stateOf(by, busy), await stateOf(by, watched)]).toEqual(['busy', 'dead']);
    minutesPass(24 * 60);
    await running.work('the culling of kernels');
    expect(await eventsOf(busy)).toEqual(['kernel.started', 'kernel.culled lifetime']);
    expect(await eventsOf(idle)).toEqual(['kernel.started', 'kernel.culled idle']);
    expect(await working.closed).toBeUndefined();
  });

  it('cost credits for every minute once, and end when there are none', async () => {
    const organisationId = newOrganisation();
    const by = member(organisationId);
    const kernelId = await start(by);
    const owed = () => debitsOf(running, organisationId);
    // With the start itself, whatever becomes of billing afterwards.
    const [{ reservationId } = { reservationId: '' }] = ledger.heldBy(organisationId);
    expect(await owed()).toMatchObject([
      {
        reservation_id: reservationId,
        amount_micros: '5000',
        credit_class: 'INFRASTRUCTURE',
        purpose: 'kernel_minute',
        work_id: kernelId,
        member_id: by.caller.userId,
        occurred_at: time.toISOString(),
      },
    ]);
    minutesPass(2);
    await running.work('the counting of minutes');
    await running.work('the counting of minutes');
    expect(new Set((await owed()).map(({ debit_id: id }) => id)).size).toBe(3);
    expect(await owed()).toHaveLength(3);
    ledger.useUp(organisationId);
    minutesPass(1);
    await running.work('the counting of minutes');
    expect(await owed()).toHaveLength(3);
    expect(await eventsOf(kernelId)).toEqual(['kernel.started', 'kernel.culled credits']);
    expect(await refusalOf(start(by))).toMatchObject({ kind: 'payment_required' });
    expect((await running.jupyter.listKernels({}, by)).kernels).toMatchObject([
      { id: kernelId, executionState: 'dead' },
    ]);
  });

  it('owe the minute in which they are stopped,', async () => {
    const organisationId = newOrganisation();
    const by = member(organisationId);
    const kernelId = await start(by);
    minutesPass(1);
    await running.work('the leases of kernels');
    await running.jupyter.stopKernel({ kernelId }, by);
    expect((await debitsOf(running, organisationId)).map(({ work_id: id }) => id)).toEqual([kernelId, kernelId]);
  });

  it('go on owing their minutes while billing is away, and after it has come back', async () => {
    const organisationId = newOrganisation();
    const by = member(organisationId);
    const leaving = await creditLedger(keys);
    const alone = await startTestNotebooks({
      clock: { now: () => time },
      environment: { BILLING_ADDRESS: leaving.address, NOTEBOOKS_KERNEL_MINUTE_MICROS: '5000' },
    });
    await alone.jupyter.startKernel({}, by);
    await leaving.close();
    for (let minute = 1; minute <= 3; minute += 1) {
      minutesPass(1);
      await alone.work('the counting of minutes');
    }
    const owed = await debitsOf(alone, organisationId);
    expect(owed.map(({ reservation_id: reserved }) => reserved !== null)).toEqual([true, false, false, false]);
    expect(new Set(owed.map(({ debit_id: id }) => id)).size).toBe(4);
    await alone.stop();
  }, 120_000);
});

describe('a replica with kernels', () => {
  it('goes on renewing leases while a kernel that is not its own any more ends slowly', async () => {
    const by = member(newOrganisation());
    const [lost, kept] = [await start(by), await start(by)];
    const letItEnd = running.provider.running.get(lost)?.endSlowly();
    const admin = new pg.Client({ connectionString: running.database.adminUrl });
    await admin.connect();
    await admin.query('DELETE FROM kernels WHERE id = $1', [lost]);
    await admin.end();
    await running.work('the leases of kernels');
    minutesPass(1);
    await running.work('the leases of kernels');
    await running.work('the search for lost kernels');
    expect(await stateOf(by, kept)).toBe('idle');
    letItEnd?.();
    await waitFor(() => !running.provider.running.has(lost));
  });
});

describe('the channels of a kernel', () => {
  it('begin with its state, and carry what is asked and everything that it says of it, in order', async () => {
    const by = member(newOrganisation());
    const kernelId = await start(by);
    const client = await connectTo(running.jupyter, kernelId, by);
    const asked = client.ask('execute_request', { code: 'Hi' });
    await waitFor(() => client.heard.length === 5);
    expect(client.heard.map(({ channel, type, parent }) => [channel, type, parent === asked])).toEqual([
      ['iopub', 'status', false],
      ['iopub', 'status', true],
      ['iopub', 'stream', true],
      ['shell', 'execute_reply', true],
      ['iopub', 'status', true],
    ]);
    expect((await running.jupyter.listKernels({}, by)).kernels).toMatchObject([{ connections: 1 }]);
    client.leave();
    expect(await client.closed).toBeUndefined();
    await waitFor(async () => (await running.jupyter.getKernel({ kernelId }, by)).connections === 0);
  });

  it('give output to all clients, replies and questions to the one who asked', async () => {
    const by = member(newOrganisation());
    const kernelId = await start(by);
    const [asking, watching] = [
      await connectTo(running.jupyter, kernelId, by),
      await connectTo(running.jupyter, kernelId, by),
    ];
    asking.ask('execute_request', { code: 'ask' });
    const isDone = ({ heard }: typeof asking) =>
      heard.length > 1 && heard.at(-1)?.content['execution_state'] === 'idle';
    await waitFor(() => isDone(asking) && isDone(watching));
    const channels = (client: typeof asking) => client.heard.map(({ channel }) => channel);
    expect(channels(asking)).toEqual(expect.arrayContaining(['stdin', 'shell']));
    expect(new Set(channels(watching))).toEqual(new Set(['iopub']));
  });

  it('give the reply to whoever has connected again with the same session', async () => {
    const by = member(newOrganisation());
    const kernelId = await start(by);
    const session = newId();
    const before = await connectTo(running.jupyter, kernelId, by, session);
    const asked = before.ask('execute_request', { code: 'wait' });
    await waitFor(() => before.heard.some(({ content }) => content['execution_state'] === 'busy'));
    before.leave();
    await before.closed;
    const again = await connectTo(running.jupyter, kernelId, by, session);
    await running.kernels.interruptKernel({ kernelId }, by);
    await waitFor(() => again.heard.some(({ type, parent }) => type === 'execute_reply' && parent === asked));
    expect(again.heard[0]).toMatchObject({ type: 'status', content: { execution_state: 'busy' } });
  });

  it('tell what came meanwhile to whoever connects again with the same session, in its order and once', async () => {
    const by = member(newOrganisation());
    const kernelId = await start(by);
    const session = newId();
    const before = await connectTo(running.jupyter, kernelId, by, session);
    const asked = before.ask('execute_request', { code: 'wait' });
    await waitFor(() => before.heard.some(({ content }) => content['execution_state'] === 'busy'));
    before.leave();
    await before.closed;
    const other = await connectTo(running.jupyter, kernelId, by);
    await running.kernels.interruptKernel({ kernelId }, by);
    await waitFor(() =>
      other.heard.some(({ parent, content }) => parent === asked && content['execution_state'] === 'idle'),
    );
    other.ask('execute_request', { code: 'said meanwhile' });
    await waitFor(() => other.heard.some(({ type }) => type === 'execute_reply'));
    const again = await connectTo(running.jupyter, kernelId, by, session);
    const heard = () => again.heard.map(({ type, content }) => content['execution_state'] ?? content['text'] ?? type);
    await waitFor(() => heard().length >= 6);
    expect(heard()).toEqual(['idle', 'execute_reply', 'idle', 'busy', 'said meanwhile', 'idle']);
    again.leave();
    await again.closed;
    const third = await connectTo(running.jupyter, kernelId, by, session);
    third.ask('execute_request', { code: 'later' });
    await waitFor(() => third.heard.some(({ type }) => type === 'execute_reply'));
    expect(third.heard.map(({ content }) => content['text'])).not.toContain('said meanwhile');
  });

  it('are closed on a frame that is no message, and the kernel stays well', async () => {
    const by = member(newOrganisation());
    const kernelId = await start(by);
    for (const frame of [{ text: '{' }, { text: '[]' }, { binary: Buffer.alloc(7, 255) }]) {
      const client = await connectTo(running.jupyter, kernelId, by);
      client.raw(frame);
      expect(await client.closed).toMatchObject({ code: 'bad_frame' });
    }
    expect(await stateOf(by, kernelId)).toBe('idle');
  });

  it("are not there for another organisation's kernel", async () => {
    const kernelId = await start(member(newOrganisation()));
    const stranger = connectTo(running.jupyter, kernelId, member(newOrganisation()));
    expect(await refusalOf(stranger)).toMatchObject({ code: 'kernel_not_found' });
  });
});
