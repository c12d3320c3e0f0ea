import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { creditLedger, type CreditLedger } from '@platform-backend/contract-billing/client/testing';
import { openLibrary, type Library } from '@platform-backend/events/testing';
import { member, newOrganisation, refusalOf } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import { datasetClient, type DatasetClient } from '../../../test/dataset-client.ts';
import { kernelJobs } from '../../../test/kernel-jobs.ts';
import { keys, startTestPipelines, type TestPipelines } from '../../../test/test-pipelines.ts';

describe('runs that nobody waits for', () => {
  let events: Library;
  let billing: CreditLedger;
  let kernels: Awaited<ReturnType<typeof kernelJobs>>;
  let running: TestPipelines;
  let datasets: DatasetClient;
  const organisationId = newOrganisation();
  const owner = member(organisationId);
  beforeAll(async () => {
    [events, billing, kernels] = [await openLibrary(), await creditLedger(keys), await kernelJobs(keys)];
    running = await startTestPipelines({
      natsUrl: events.nats.url,
      environment: {
        BILLING_ADDRESS: billing.address,
        NOTEBOOKS_ADDRESS: kernels.address,
        PIPELINES_MICROS_PER_STEP_SECOND: '1000',
      },
    });
    datasets = datasetClient(running);
  });
  afterAll(async () => {
    await running.stop();
    await billing.close();
    await kernels.close();
    await events.close();
  });

  const copy = { query: 'SELECT * FROM fresh', inputDatasets: ['fresh'], outputDatasets: ['copy'] };
  const create = async (settings: object) =>
    (
      await running.pipelines.createPipeline(
        { name: 'copies', steps: [{ name: 'copy', config: copy }], ...settings },
        owner,
      )
    ).id;
  const firstRunOf = async (pipelineId: string) =>
    waitFor(
      async () => {
        const { runs } = await running.pipelines.listPipelineRuns({ pipelineId, status: ['Failed'] }, owner);
        return runs[0];
      },
      { what: 'a run that has failed' },
    );

  it('are among the runs with what led to them and why they were refused, and are retried once there are credits', async () => {
    const { id } = await datasets.upload('fresh', 'n\n1\n', owner);
    const notificationSettings = [{ slack: { channelIds: ['C1'] } }];
    const byEvent = await create({ runsOnNewData: true, notificationSettings });
    const bySchedule = await create({});
    billing.useUp(organisationId);
    await datasets.upload('fresh', 'n\n1\n2\n', owner, { id });
    await running.pipelines.updatePipeline(
      { pipelineId: bySchedule, cronSchedule: '* * * * *', updateMask: { paths: ['cron_schedule'] } },
      owner,
    );
    const due = new Date(Date.now() - 1000);
    await running.pool.tenant(organisationId, (trx) =>
      trx('schedules').where({ organisation_id: organisationId }).update({ next_at: due, look_at: due }),
    );
    const refused = { status: 'Failed', message: 'It was not started: Credit limit reached', startedAt: null };
    const failed: { pipelineId: string; runId: string }[] = [];
    for (const [pipelineId, trigger] of [
      [byEvent, 'EVENT'],
      [bySchedule, 'SCHEDULE'],
    ] as const) {
      const run = await firstRunOf(pipelineId);
      expect(run).toMatchObject({ ...refused, trigger, runSteps: [{ name: 'copy', status: 'Omitted' }] });
      expect(run.finishedAt).toEqual(run.createdAt);
      failed.push({ pipelineId, runId: run.id });
    }
    // Whoever is named hears of it as well; no way to send it is set up here.
    const [refusedRun = { pipelineId: '', runId: '' }] = failed;
    await waitFor(
      async () => {
        const [told] = (await running.runs.getRun(refusedRun, owner)).notifications;
        return told?.status === 'FAILED' && told.recipient === 'C1';
      },
      { what: 'the notification' },
    );
    const left = await running.pool.tenant(organisationId, (trx) =>
      trx('run_requests').where({ organisation_id: organisationId, pipeline_id: byEvent }).select('id'),
    );
    expect(left).toEqual([]);
    billing.fillUp(organisationId);
    for (const run of failed) expect(await running.runs.retryRun(run, owner)).toMatchObject({ trigger: 'RETRY' });
  });

  it('are refused for want of kernels before credits are asked for, and nothing is left of them', async () => {
    const other = newOrganisation();
    const by = member(other);
    await datasets.upload('fresh', 'n\n1\n', by);
    const config = {
      query: 'double',
      queryType: 'PYTHON',
      inputDatasets: ['fresh'],
      outputDatasets: ['doubled'],
    } as const;
    const wanted = { name: 'programs', steps: [{ name: 'double', config }] };
    const { id: pipelineId } = await running.pipelines.createPipeline(wanted, by);
    billing.useUp(other);
    expect(await refusalOf(running.runs.startRun({ pipelineId }, by))).toMatchObject({ kind: 'payment_required' });
    kernels.refuse(other);
    const refusal = { kind: 'not_provided', code: 'no_sandbox', message: 'Kernels are for another organisation here' };
    expect(await refusalOf(running.runs.startRun({ pipelineId }, by))).toMatchObject(refusal);
    expect((await running.pipelines.listPipelineRuns({ pipelineId }, by)).runs).toEqual([]);
  });

  it('pause the schedule that started them after five in a row, until somebody resumes it', async () => {
    await datasets.upload('stale', 'n\n1\n', owner);
    const config = { ...copy, query: 'SELECT * FROM stale', inputDatasets: ['stale'], outputDatasets: ['stale copy'] };
    // Not due by itself while this runs.
    const pipelineId = await create({ cronSchedule: '0 0 1 1 *', steps: [{ name: 'copy', config }] });
    const shown = () => running.pipelines.getPipeline({ pipelineId }, owner);
    expect(await shown()).toMatchObject({ scheduleEnabled: true, pausedReason: null, nextRunAt: expect.any(Date) });
    billing.useUp(organisationId);
    for (let count = 1; count <= 5; count += 1) {
      const due = new Date(Date.now() - count * 60_000);
      await running.pool.tenant(organisationId, (trx) =>
        trx('schedules')
          .where({ organisation_id: organisationId, owner_id: pipelineId })
          .update({ next_at: due, look_at: due }),
      );
      const failedRuns = async () =>
        (await running.pipelines.listPipelineRuns({ pipelineId, status: ['Failed'] }, owner)).runs.length >= count;
      await waitFor(failedRuns, { what: 'a run that has failed' });
    }
    const paused = { scheduleEnabled: false, nextRunAt: null, pausedReason: '5 runs of it failed one after the other' };
    expect(await shown()).toMatchObject(paused);
    const { pipelines: listed } = await running.pipelines.listPipelines({}, owner);
    expect(listed.find(({ id }) => id === pipelineId)).toMatchObject(paused);
    billing.fillUp(organisationId);
    const resumed = await running.pipelines.updatePipeline(
      { pipelineId, scheduleEnabled: true, updateMask: { paths: ['schedule_enabled'] } },
      owner,
    );
    expect(resumed).toMatchObject({ scheduleEnabled: true, pausedReason: null, nextRunAt: expect.any(Date) });
  });
});
