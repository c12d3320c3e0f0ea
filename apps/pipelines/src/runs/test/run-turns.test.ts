import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { newId, serviceActorContext } from '@platform-backend/core';
import { openWorkQueue } from '@platform-backend/events';
import { quiet } from '@platform-backend/events/testing';
import { openDatabase } from '@platform-backend/postgres';
import { newOrganisation } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import { step } from '../../steps/test/examples.ts';
import type { OrchestrationOptions } from '../area.ts';
import { isOver } from '../domain/run.ts';
import { nothingDone } from './orchestration-under-test.ts';
import { runsUnderTest, type RunsUnderTest } from './runs-under-test.ts';

const LONG_STEP_MS = 60_000;
const GREEDY_RUNS = 20;

describe('runs of several organisations in a process that takes one step at a time', () => {
  let under: RunsUnderTest;
  beforeAll(async () => (under = await runsUnderTest()));
  /** Whatever a test ends with: nothing waits for its steps. */
  const waiting: PromiseWithResolvers<unknown>[] = [];
  const gate = (): PromiseWithResolvers<unknown> => {
    const opened = Promise.withResolvers<unknown>();
    waiting.push(opened);
    return opened;
  };
  afterEach(async () => {
    for (const one of waiting.splice(0)) one.resolve(undefined);
    await under.stopWork();
  });
  afterAll(() => under.stop());

  it('take turns after each long step, each in the order of its steps', async () => {
    let now = Date.now();
    const [greedy, modest] = [newOrganisation(), newOrganisation()];
    const carriedOut: string[] = [];
    const [firstIsThere, goOn] = [gate(), gate()];
    const queue = openWorkQueue({ bus: under.events.bus, logger: quiet, service: 'pipelines', name: 'steps' });
    const orchestration = under.orchestration({
      ...{ queue, slots: 1, clock: { now: () => new Date(now) } },
      async executeStep({ at: { organisationId, stepIndex } }) {
        carriedOut.push(`${organisationId === greedy ? 'long' : 'short'} ${stepIndex}`);
        firstIsThere.resolve(undefined);
        await goOn.promise;
        if (organisationId === greedy) now += LONG_STEP_MS;
        return { outcome: 'SUCCEEDED', made: [], inputVersionIds: [], seconds: 0 };
      },
    });
    orchestration.work();
    const steps = [step('a', [], ['x']), step('b', ['x'], ['y']), step('c', ['y'], ['z'])];
    const { id } = await (await orchestration.runsOf(greedy, steps))();
    await firstIsThere.promise;
    await (
      await orchestration.runsOf(modest, steps)
    )();
    await waitFor(async () => (await queue.waiting()) > 0, { what: 'the step that waits' });
    goOn.resolve(undefined);
    await waitFor(
      async () => {
        const run = await orchestration.runs.find(greedy, id);
        return run && isOver(run);
      },
      { what: 'the end of the long run' },
    );
    await waitFor(() => carriedOut.length === 2 * steps.length, { what: 'all steps' });
    // The place for those of whom nothing is carried out may have gone on with the short ones meanwhile.
    expect(carriedOut.slice(0, 2)).toEqual(['long 0', 'short 0']);
    for (const kind of ['long', 'short'])
      expect(carriedOut.filter((text) => text.startsWith(kind))).toEqual([`${kind} 0`, `${kind} 1`, `${kind} 2`]);
    expect(await queue.waiting()).toBe(0);
  });

  it('are skipped though their organisation has all places taken, with those after them, and say why in the log', async () => {
    const [organisationId, isTaken, goOn] = [newOrganisation(), gate(), gate()];
    const orchestration = oneAtATime(async () => {
      isTaken.resolve(undefined);
      await goOn.promise;
      return nothingDone;
    });
    orchestration.work();
    await (
      await orchestration.runsOf(organisationId, [step('long', [], ['x'])])
    )();
    await isTaken.promise;
    const when = (subject: 'PARAMETER' | 'STEP_STATUS', name: string, value: string) => ({
      when: [{ all: [{ subject, name, operator: 'EQUALS' as const, value }] }],
    });
    const skipped = [
      step('a', [], ['y'], when('PARAMETER', 'region', 'north')),
      step('b', [], ['z'], when('STEP_STATUS', 'a', 'Succeeded')),
    ];
    const { id, pipelineId } = await (await orchestration.runsOf(organisationId, skipped))();
    const run = await waitFor(
      async () => {
        const found = await orchestration.runs.find(organisationId, id);
        return found && isOver(found) ? found : undefined;
      },
      { what: 'the end of the run whose steps are skipped' },
    );
    expect(run).toMatchObject({
      status: 'Succeeded',
      steps: [{ status: 'Skipped' }, { status: 'Skipped', attempt: 1 }],
    });
    const page = { limit: 10, cursor: '', includeTotal: false };
    const log = await orchestration.app.listLog(organisationId, pipelineId, id, { step: '' }, page);
    expect(log.page.items.map(({ stepIndex, text }) => [stepIndex, text])).toEqual(
      run.steps.map(({ message }, stepIndex) => [stepIndex, message]),
    );
  });

  it('tell readers at another replica of what is committed, and nobody who reads of another organisation', async () => {
    const replica = openDatabase({
      ...{ url: under.service.database.appUrl, applicationName: 'another replica', logger: quiet },
    });
    const queue = openWorkQueue({ bus: under.events.bus, logger: quiet, service: 'pipelines', name: 'steps' });
    const [here, elsewhere] = [
      under.orchestration({ maxOfOrganisation: 1, queue }),
      under.orchestration({ database: replica }),
    ];
    const [organisationId, other] = [newOrganisation(), newOrganisation()];
    const start = await here.runsOf(organisationId, [step('a', [], ['x'])]);
    const runs = [await start(), await start(), await start()];
    const [first = '', , third = ''] = runs.map(({ id }) => id);
    const foreign = await (await here.runsOf(other, [step('a', [], ['x'])]))();
    const reader = new AbortController();
    const [ofRun, ofLog, ofWaiting, ofForeign] = [
      elsewhere.runs.noticeOf(organisationId, first),
      elsewhere.runs.noticeOfLog(organisationId, first),
      elsewhere.runs.noticeOf(organisationId, third),
      elsewhere.runs.noticeOf(other, foreign.id),
    ];
    // With the connection everybody looks once.
    await Promise.all([ofRun, ofLog, ofWaiting, ofForeign].map((notice) => notice.next(reader.signal)));
    let isDisturbed = false;
    const disturbing = ofForeign.next(reader.signal).then(() => (isDisturbed = !reader.signal.aborted));

    const line = { number: 0, at: new Date(), text: 'a line' };
    await here.runs.appendLog({ organisationId, runId: first, stepIndex: 0, attempt: 1 }, [line]);
    await ofLog.next(reader.signal);
    await here.app.cancel(serviceActorContext('pipelines', organisationId, newId()), runs[0]?.pipelineId ?? '', first);
    await ofRun.next(reader.signal);
    // The second one has come to its turn.
    await ofWaiting.next(reader.signal);
    reader.abort();
    await disturbing;
    expect(isDisturbed).toBe(false);
    await replica.close();

    // Steps that nobody has taken are no other test's.
    here.work();
    const left = [...runs.map(({ id }) => [organisationId, id] as const), [other, foreign.id] as const];
    const isDone = async () => {
      const found = await Promise.all(left.map((one) => here.runs.find(...one)));
      return found.every((run) => run !== undefined && isOver(run)) && (await queue.waiting()) === 0;
    };
    await waitFor(isDone, { what: 'the end of all runs' });
  });

  it('wait for as many steps as there are organisations, however many runs the others have brought before', async () => {
    const organisations = Array.from({ length: 4 }, newOrganisation);
    const [greedy = '', ...modest] = organisations;
    const carriedOut: string[] = [];
    const goOn = gate();
    const { queue, ...orchestration } = oneAtATime(async ({ at: { organisationId } }) => {
      carriedOut.push(organisationId);
      await goOn.promise;
      return nothingDone;
    });
    for (const organisationId of organisations) {
      const startRun = await orchestration.runsOf(organisationId, [step('a', [], ['x'])]);
      for (let count = 0; count < (organisationId === greedy ? GREEDY_RUNS : 2); count += 1) await startRun();
    }
    await waitFor(async () => (await queue.waiting()) === GREEDY_RUNS + 2 * modest.length, { what: 'all of them' });
    orchestration.work();
    goOn.resolve(undefined);
    const all = GREEDY_RUNS + 2 * modest.length;
    await waitFor(() => carriedOut.length === all, { what: 'the end of all runs' });
    const places = (organisationId: string) =>
      carriedOut.flatMap((other, place) => (other === organisationId ? [place] : []));
    for (const organisationId of modest) {
      const [first = all, second = all] = places(organisationId);
      // Of the place that is for those of whom nothing is carried out each may come to one more.
      expect(first).toBeLessThan(2 * organisations.length);
      expect(second).toBeLessThan(3 * organisations.length);
    }
  });

  it('are carried out while steps of another one take all places and never end', async () => {
    const [greedy, modest] = [newOrganisation(), newOrganisation()];
    const end = gate();
    const begun: string[] = [];
    const orchestration = oneAtATime(async ({ at: { organisationId } }) => {
      begun.push(organisationId);
      if (organisationId === greedy) await end.promise;
      return nothingDone;
    });
    orchestration.work();
    const startLong = await orchestration.runsOf(greedy, [step('a', [], ['x'])]);
    for (let count = 0; count < 5; count += 1) await startLong();
    await waitFor(() => begun.length > 0, { what: 'the step that takes the place' });
    const steps = [step('a', [], ['x']), step('b', ['x'], ['y']), step('c', ['y'], ['z'])];
    const { id } = await (await orchestration.runsOf(modest, steps))();
    await waitFor(async () => (await orchestration.runs.find(modest, id))?.status === 'Succeeded', {
      what: 'the run of the neighbour',
    });
    expect(begun.filter((other) => other === greedy)).toHaveLength(1);
    end.resolve(undefined);
    await waitFor(() => begun.filter((other) => other === greedy).length === 5, { what: 'the other long steps' });
  });

  it('are carried out while programs wait for kernels', async () => {
    const organisationId = newOrganisation();
    const end = gate();
    const begun: string[] = [];
    const orchestration = oneAtATime(async ({ at: { stepIndex }, run }) => {
      const name = run.steps[stepIndex]?.name ?? '';
      begun.push(name);
      if (name === 'program') await end.promise;
      return nothingDone;
    });
    orchestration.work();
    const program = step('program', [], ['x'], { queryType: 'PYTHON' });
    const startProgram = await orchestration.runsOf(organisationId, [program, step('after', ['x'], ['y'])]);
    for (let count = 0; count < 3; count += 1) await startProgram();
    await waitFor(() => begun.length === 1, { what: 'the program that waits' });
    const { id } = await (await orchestration.runsOf(organisationId, [step('query', [], ['z'])]))();
    await waitFor(async () => (await orchestration.runs.find(organisationId, id))?.status === 'Succeeded', {
      what: 'the run of a query',
    });
    expect(begun).toEqual(['program', 'query']);
    end.resolve(undefined);
    await waitFor(() => begun.filter((name) => name === 'after').length === 3, { what: 'what follows the programs' });
  });

  /** What is begun in this process is what the test says, one at a time. */
  function oneAtATime(executeStep: OrchestrationOptions['executeStep']) {
    const open = (name: string) => openWorkQueue({ bus: under.events.bus, logger: quiet, service: 'pipelines', name });
    const [queue, kernelQueue] = [open('steps'), open('kernel-steps')];
    return { queue, ...under.orchestration({ queue, kernelQueue, slots: 1, kernelSlots: 1, executeStep }) };
  }
});
