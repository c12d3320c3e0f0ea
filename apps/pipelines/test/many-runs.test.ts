import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openLibrary, type Library } from '@platform/events/testing';
import { newOrganisation } from '@platform/service/testing';
import { waitFor } from '@platform/testing';
import { step } from '../src/domain/pipelines/examples.ts';
import { isOver } from '../src/domain/runs/run.ts';
import { orchestrationUnderTest } from './orchestration-under-test.ts';
import { startTestPipelines, type TestPipelines } from './test-pipelines.ts';

const AT_ONCE = 30;
const RUNS_EACH = 20;
const PLACES = 16;
/** Fewer than there are at the same time, so that some wait. */
const MOST_OF_ORGANISATION = 20;

describe('many runs of an organisation at the same time', () => {
  let events: Library;
  let service: TestPipelines;
  let working: { stop(): Promise<void> } | undefined;
  beforeAll(async () => {
    events = await openLibrary();
    service = await startTestPipelines({ idle: true });
  });
  afterAll(async () => {
    await working?.stop();
    await service.stop();
    await events.close();
  });

  it('each go on once they have a place, though nobody looks for forgotten ones', async () => {
    const organisationId = newOrganisation();
    const { pool: database } = service;
    const orchestration = orchestrationUnderTest({
      ...{ database, bus: events.bus, mostOfOrganisation: MOST_OF_ORGANISATION, places: PLACES },
    });
    working = orchestration.work();
    const startRun = await orchestration.runsOf(organisationId, [step('a', [], ['x']), step('b', ['x'], ['y'])]);
    const oneAfterTheOther = async (): Promise<void> => {
      for (let started = 0; started < RUNS_EACH; started += 1) {
        const { id } = await startRun();
        const run = await waitFor(
          async () => {
            const found = await orchestration.runs.find(organisationId, id);
            return found && isOver(found) ? found : undefined;
          },
          { what: 'the end of a run', timeout: 60_000 },
        );
        expect(run.status).toBe('Succeeded');
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, oneAfterTheOther));
  });
});
