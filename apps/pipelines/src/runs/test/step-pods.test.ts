import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { systemClock } from '@platform-backend/core';
import { openObjects, type Objects } from '@platform-backend/objects';
import { noS3, throwawayS3, type ThrowawayS3 } from '@platform-backend/objects/testing';
import { runDirectory } from '@platform-backend/testing';
import { describeWhere } from '@platform-backend/testing/where';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { versionKey } from '../../datasets/domain/object-keys.ts';
import { datasetFiles } from '../../datasets/store/dataset-files.ts';
import type { PodJob } from '../../step-engine/domain/pod-job.ts';
import { step } from '../../steps/test/examples.ts';
import { podJobs, type PodJobs } from '../argo/pod-jobs.ts';
import { outputVersionId } from '../domain/pod-outputs.ts';
import { runOf, versionOf } from './examples.ts';

const program = fileURLToPath(new URL('../../step-pod.ts', import.meta.url));

const retryPolicy = {
  ...{ maximumAttempts: 2, initialIntervalSeconds: 1, backoffCoefficient: 1, maximumIntervalSeconds: 1 },
  nonRetryableErrorTypes: [],
};

const rowsOfX = { subject: 'ROW_COUNT', name: 'x' } as const;
const endOfF = { subject: 'STEP_STATUS', name: 'f', operator: 'EQUALS', value: 'Skipped' } as const;

const steps = [
  step('a', [], ['x'], { query: 'SELECT range AS n FROM range(3)' }),
  step('b', ['x'], ['y'], { query: 'SELECT sum(n)::INTEGER AS total FROM x' }),
  step('c', ['x'], [], { query: 'SELECT n FROM x WHERE n > 1', jobType: 'CHECK' }),
  step('d', ['nowhere'], ['z']),
  step('e', [], [], { query: 'SELECT 1 AS n', jobType: 'CHECK', retryPolicy }),
  step('f', ['x'], ['w'], { when: [{ all: [{ ...rowsOfX, operator: 'GREATER_THAN', value: 3 }] }] }),
  step('g', ['x'], ['v'], {
    query: 'SELECT 1 AS one',
    when: [{ all: [{ ...rowsOfX, operator: 'EQUALS', value: 3 }, endOfF] }],
  }),
  step('h', ['w'], ['u']),
];
const of = { organisationId: 'org_1', run: runOf(steps) };

describeWhere(noS3, 'the pods of a run, over S3', () => {
  const directory = mkdtempSync(join(runDirectory(), 'pods-'));
  let s3: ThrowawayS3;
  let objects: Objects;
  let jobs: PodJobs;
  let addresses: ReadonlyMap<number, string>;
  beforeAll(async () => {
    s3 = await throwawayS3();
    const settings = {
      ...{
        OBJECTS_DIRECTORY: undefined,
        OBJECTS_KEY: undefined,
        OBJECTS_KEY_OTHER: undefined,
        PLATFORM_PUBLIC_URL: undefined,
      },
      ...{ S3_BUCKET: s3.bucket, S3_REGION: 'us-east-1', S3_ENDPOINT: s3.endpoint, S3_PUBLIC_ENDPOINT: undefined },
      ...{ S3_ACCESS_KEY_ID: s3.accessKeyId, S3_SECRET_ACCESS_KEY: s3.secretAccessKey, S3_PATH_STYLE: true },
    };
    objects = await openObjects(settings, systemClock, 'pipelines');
    jobs = podJobs({
      files: await datasetFiles(objects, directory),
      removals: { noteForRun: () => Promise.resolve(true) },
      datasets: { findMany: () => Promise.resolve(new Map()) },
      clock: systemClock,
    });
    const written = await jobs.write(of, versionOf(steps));
    if (!written) throw new Error('nothing was written');
    addresses = written;
  });
  afterAll(async () => {
    objects.store.close();
    await s3.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  /** Its exit code, with no more of an environment than a pod has. */
  async function pod(stepIndex: number): Promise<number | null> {
    const env = { PATH: process.env['PATH'], PLATFORM_STEP_JOB: addresses.get(stepIndex) };
    const child = spawn(process.execPath, [program], { env, stdio: 'ignore' });
    const [code] = (await once(child, 'exit')) as [number | null];
    return code;
  }

  it('leave what they made where the next ones find it, and a report', async () => {
    expect(await pod(0)).toBe(0);
    expect(await pod(1)).toBe(0);
    const report = await jobs.readReport(of, 1);
    expect(report).toMatchObject({
      report: { outcome: 'SUCCEEDED', columns: [{ name: 'total', type: 'INTEGER' }] },
      written: { place: 0, rows: 1, statistics: [{ name: 'total', min: '3', max: '3' }] },
      inputVersionIds: [outputVersionId(of.run.id, 0, 0)],
    });
    const key = versionKey(of.organisationId, outputVersionId(of.run.id, 1, 0));
    expect((await objects.store.head(key))?.bytes).toBe(report?.written?.bytes);
    expect(await pod(2)).toBe(1);
    expect(await jobs.readReport(of, 2)).toMatchObject({
      report: { code: 'check_failed', rows: [[2]] },
      written: null,
    });
  }, 120_000);

  it('change nothing of what is there when one comes a second time', async () => {
    const before = await jobs.readReport(of, 1);
    expect(await pod(1)).toBe(0);
    expect(await jobs.readReport(of, 1)).toEqual(before);
    // What it wrote itself lies at the second location, and nobody asks for it.
    const second = versionKey(of.organisationId, outputVersionId(of.run.id, 1, 1));
    expect(await objects.store.head(second)).toBeDefined();
  }, 120_000);

  it('leave what nobody replaces by an address that is still good', async () => {
    const job = (await (await fetch(addresses.get(0) ?? '')).json()) as PodJob;
    for (const { url, headers } of [job.report, ...(job.output?.places.slice(0, 1) ?? [])]) {
      const { 'If-None-Match': _, ...others } = headers;
      const put = async (sent: Readonly<Record<string, string>>) =>
        (await fetch(url, { method: 'PUT', headers: sent, body: 'others' })).status;
      expect([await put(headers), await put(others)]).toEqual([412, 403]);
    }
    expect(await jobs.readReport(of, 0)).toMatchObject({ report: { outcome: 'SUCCEEDED' } });
  });

  it('tell that a step is to be tried again as often as it may fail, and then that it has failed', async () => {
    expect(await pod(4)).toBe(4);
    expect(await jobs.readFailure(of, 4, 0)).toMatchObject({ report: { code: 'check_failed', rows: [[1]] } });
    expect(await jobs.readReport(of, 4)).toBeUndefined();
    expect(await pod(4)).toBe(1);
    expect(await jobs.readReport(of, 4)).toMatchObject({ report: { code: 'check_failed' } });
  }, 120_000);

  it('skip a step whose condition does not hold, which those after it are told', async () => {
    expect(await pod(5)).toBe(0);
    const message = 'Its condition does not hold: x has 3 rows';
    expect(await jobs.readReport(of, 5)).toMatchObject({ report: { outcome: 'SKIPPED', message }, written: null });
    expect(await pod(6)).toBe(0);
    expect(await jobs.readReport(of, 6)).toMatchObject({ report: { outcome: 'SUCCEEDED' }, written: { rows: 1 } });
    expect(await pod(7)).toBe(1);
    expect(await jobs.readReport(of, 7)).toMatchObject({ report: { message: 'The dataset w is not there' } });
  }, 120_000);

  it('fail where an input is not there, and tell nobody anything without a job', async () => {
    expect(await pod(3)).toBe(1);
    expect(await jobs.readReport(of, 3)).toMatchObject({ report: { message: 'The dataset nowhere is not there' } });
    addresses = new Map([[0, `${s3.endpoint}/objects/nothing`]]);
    expect(await pod(0)).toBe(3);
  }, 120_000);
});
