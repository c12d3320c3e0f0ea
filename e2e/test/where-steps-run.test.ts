import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startArgoController } from '@platform-backend/pipelines/testing/argo-controller';
import {
  NAMESPACE,
  repository,
  startKubernetes,
  type KubernetesUnderTest,
} from '@platform-backend/pipelines/testing/kubernetes';
import { kubernetesLack, repetitions, waitFor } from '@platform-backend/testing';
import { describeWhere } from '@platform-backend/testing/where';
import { join } from 'node:path';
import { uploadDataset } from '../src/datasets.ts';
import { expectOk, newOrganisation, newPerson, type Person } from '../src/people.ts';
import { startRun } from '../src/pipeline-run.ts';
import { startPlatform } from '../src/platform.ts';

type Output = { dataset_id: string };
type RunStep = { name: string; status: string; outputs: Output[] };

const clean = {
  name: 'clean',
  config: {
    query: 'SELECT * FROM orders WHERE amount IS NOT NULL',
    input_datasets: ['orders'],
    output_datasets: ['clean orders'],
  },
};
const sums = {
  name: 'sums',
  config: {
    query: 'SELECT region, sum(amount) AS revenue FROM "clean orders" GROUP BY region ORDER BY region',
    input_datasets: ['clean orders'],
    output_datasets: ['revenue'],
  },
};
const endless = {
  name: 'endless',
  config: {
    query: 'SELECT sum(a.range * b.range) AS n FROM range(10000000) a, range(10000000) b',
    output_datasets: ['never'],
    job_type: 'INGEST',
  },
};
/** A control plane, and pods for each step: what `argo-runs` of pipelines tries is tried through the gateway as well. */
const argoLack =
  repetitions({ usual: 0, long: 1 }) === 0
    ? 'npm run test:long runs steps on Argo through the gateway'
    : kubernetesLack;

const onArgo = ({ kubeconfig }: KubernetesUnderTest) => ({
  PIPELINES_ENGINE: 'argo',
  PIPELINES_ARGO_NAMESPACE: NAMESPACE,
  PIPELINES_ARGO_KUBECONFIG: kubeconfig,
  PIPELINES_WORKFLOW_SERVICE_ACCOUNT: 'workflow',
  PIPELINES_WORKFLOW_COMMAND: `${process.execPath} ${join(repository, 'apps/pipelines/src/step-pod.ts')}`,
});

/** With another engine than `npm start` has, so it has a platform of its own. */
describeWhere(argoLack, 'a run of a pipeline', () => {
  let owner: Person;
  let controller: ReturnType<typeof startArgoController>;
  /** What is open, whatever happened to the rest. */
  const closing: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    const kubernetes = await startKubernetes();
    closing.unshift(() => kubernetes.stop());
    controller = startArgoController(kubernetes);
    closing.unshift(() => controller.stop());
    const platform = await startPlatform({ environment: onArgo(kubernetes) });
    closing.unshift(async () => {
      await platform.stop();
      platform.forget();
    });
    owner = await newPerson(platform.facts, 'Olga');
    await newOrganisation(owner);
    await uploadDataset(owner, 'orders', 'id,region,amount\n1,north,120.5\n2,south,80\n3,north,42.25\n4,west,\n');
  }, 600_000);
  afterAll(async () => {
    for (const close of closing) await close();
  }, 120_000);

  it('on Argo is followed to figures, with its log and with where they come from', async () => {
    const { path, name, look, watch } = await startRun(owner, [clean, sums]);
    const events = await watch();
    expect(events.at(-1)?.event).toBe('finished');
    expect(await look()).toMatchObject({ status: 'Succeeded', message: '' });
    expect(events.at(-1)?.data).toMatchObject({ status: 'Succeeded' });
    expect((await controller.find(name))?.status?.phase).toBe('Succeeded');
    const steps = expectOk(await owner.call<RunStep[]>('GET', `${path}steps/`));
    expect(steps.map(({ name: step, status }) => [step, status])).toEqual([
      ['clean', 'Succeeded'],
      ['sums', 'Succeeded'],
    ]);
    const log = expectOk(await owner.call<{ text: string }[]>('GET', `${path}logs/?step=sums`));
    expect(log.map(({ text }) => text)).toContainEqual(expect.stringMatching(/^wrote 2 rows in \d+ bytes to revenue$/));
    const made = steps[1]?.outputs[0]?.dataset_id ?? '';
    const lineage = expectOk(await owner.call('GET', `/datasets/${made}/lineage/`));
    expect(JSON.stringify(lineage)).toContain('clean orders');
    const body = { query: 'SELECT * FROM revenue ORDER BY revenue DESC' };
    expect(expectOk(await owner.call('POST', '/datasets/query/', { body }))).toMatchObject({
      rows: [
        ['north', '162.75'],
        ['south', '80.00'],
      ],
    });
  });

  it('on Argo is cancelled while it runs, and so is its workflow', async () => {
    const { path, name, look, watch, waitForStep } = await startRun(owner, [endless]);
    await waitForStep(({ status }) => status === 'Running');
    expectOk(await owner.call('POST', `${path}cancel/`, { body: {} }));
    expect((await watch()).at(-1)).toMatchObject({ event: 'finished', data: { status: 'Cancelled' } });
    expect(await look()).toMatchObject({ status: 'Cancelled', message: 'The run was cancelled' });
    const phase = async () => (await controller.find(name))?.status?.phase;
    await waitFor(async () => (await phase()) === 'Failed', { what: 'the end of the workflow' });
    expect((await controller.find(name))?.spec.shutdown).toBe('Terminate');
  });
});
