import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { newOrganisation } from '@platform-backend/service/testing';
import { repetitions, waitFor } from '@platform-backend/testing';
import { step } from '../../steps/test/examples.ts';
import { isOver } from '../domain/run.ts';
import { runsUnderTest, type RunsUnderTest } from './runs-under-test.ts';

const AT_ONCE = 30;
const RUNS_EACH = repetitions({ usual: 4, long: 20 });
const SLOTS = 16;
/** Fewer than there are at the same time, so that some wait. */
const MAX_OF_ORGANISATION = 20;

describe('many runs of an organisation at the same time', () => {
  let under: RunsUnderTest;
  beforeAll(async () => (under = await runsUnderTest()));
  afterEach(() => under.stopWork());
  afterAll(() => under.stop());

  it('each go on once they are admitted, though nobody looks for forgotten ones', async () => {
    const organisationId = newOrganisation();
    const orchestration = under.orchestration({ maxOfOrganisation: MAX_OF_ORGANISATION, slots: SLOTS });
    orchestration.work();
    const startRun = await orchestration.runsOf(organisationId, [step('a', [], ['x']), step('b', ['x'], ['y'])]);
    const oneAfterTheOther = async (): Promise<void> => {
      for (let started = 0; started < RUNS_EACH; started += 1) {
        const { id } = await startRun();
        const run = await waitFor(
          async () => {
            const found = await orchestration.runs.find(organisationId, id);
            return found && isOver(found) ? found : undefined;
          },
          { what: 'the end of a run' },
        );
        expect(run.status).toBe('Succeeded');
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, oneAfterTheOther));
  });

  it('try a step again that has failed, after its pause, though nobody looks for forgotten ones', async () => {
    const organisationId = newOrganisation();
    const begunAt: number[] = [];
    const orchestration = under.orchestration({
      executeStep: () => {
        begunAt.push(Date.now());
        const { length } = begunAt;
        const facts = { failedRows: [], inputVersionIds: [], seconds: 0.5 };
        if (length < 3) return Promise.resolve({ outcome: 'FAILED', code: 'timed_out', message: 'late', ...facts });
        return Promise.resolve({ outcome: 'SUCCEEDED', made: [], ...facts });
      },
    });
    orchestration.work();
    const retryPolicy = {
      ...{ maximumAttempts: 3, initialIntervalSeconds: 1, backoffCoefficient: 1, maximumIntervalSeconds: 1 },
      nonRetryableErrorTypes: [],
    };
    const startRun = await orchestration.runsOf(organisationId, [step('a', [], ['x'], { retryPolicy })]);
    const { id } = await startRun();
    const run = await waitFor(
      async () => {
        const found = await orchestration.runs.find(organisationId, id);
        return found && isOver(found) ? found : undefined;
      },
      { what: 'the end of the run' },
    );
    expect(run).toMatchObject({
      status: 'Succeeded',
      steps: [{ attempt: 3, failures: 2, seconds: 1.5, errorCode: '' }],
    });
    const [first = 0, second = 0] = begunAt;
    expect(second - first).toBeGreaterThanOrEqual(1000);
  });

  it('end, whatever characters their steps say', async () => {
    const organisationId = newOrganisation();
    const orchestration = under.orchestration({
      executeStep: (_, { onLog }) => {
        onLog('logged \0 and \uD800');
        return Promise.resolve({
          ...{
            outcome: 'FAILED' as const,
            code: '',
            message: 'It says \0 and \uD800',
            inputVersionIds: [],
            seconds: 0,
          },
          failedRows: [{ 'a\0': '\0', b: String.raw`\u0000` }],
        });
      },
    });
    orchestration.work();
    const startRun = await orchestration.runsOf(organisationId, [step('a', [], ['x'])]);
    const { id } = await startRun();
    const run = await waitFor(
      async () => {
        const found = await orchestration.runs.find(organisationId, id);
        return found && isOver(found) ? found : undefined;
      },
      { what: 'the end of the run' },
    );
    expect(run).toMatchObject({ status: 'Failed', message: 'a: It says \uFFFD and \uFFFD' });
    expect(run.steps[0]).toMatchObject({ attempt: 1, failedRows: [{ 'a\uFFFD': '\uFFFD', b: String.raw`\u0000` }] });
    const [line] = await orchestration.runs.logAfter(organisationId, id, undefined, '0', 10);
    expect(line?.text).toBe('logged \uFFFD and \uFFFD');
  });
});
