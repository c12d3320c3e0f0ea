import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { V1Container } from '@kubernetes/client-node';
import { openLibrary, type Library } from '@platform-backend/events/testing';
import { member, newOrganisation, startService } from '@platform-backend/service/testing';
import { kubernetesLack, repetitions, waitFor } from '@platform-backend/testing';
import { describeWhere } from '@platform-backend/testing/where';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { datasetClient } from '../../../test/dataset-client.ts';
import { startTestPipelines, type TestPipelines } from '../../../test/test-pipelines.ts';
import { openKubernetes } from '../argo/kubernetes-cluster.ts';
import { startArgoController } from './argo-controller.ts';
import { NAMESPACE, repository, startKubernetes, type KubernetesUnderTest } from './kubernetes-under-test.ts';
import { openSignedAddresses } from './signed-addresses.ts';

const CSV = 'id,region,amount\n1,north,10\n2,south,20\n3,north,5\n4,west,\n';

const clean = {
  name: 'clean',
  config: {
    // As they are these would be replaced in a manifest.
    query: "SELECT id, region, amount, '$$(HOME) {{workflow.name}}' AS note FROM sales WHERE amount IS NOT NULL",
    inputDatasets: ['sales'],
    outputDatasets: ['clean sales'],
  },
};
const sound = {
  name: 'sound',
  config: {
    query: 'SELECT * FROM "clean sales" WHERE amount < 0',
    inputDatasets: ['clean sales'],
    jobType: 'CHECK' as const,
  },
};
const sums = {
  name: 'sums',
  config: {
    query: 'SELECT region, sum(amount)::INTEGER AS total FROM "clean sales" GROUP BY region ORDER BY region',
    inputDatasets: ['clean sales'],
    outputDatasets: ['Totals'],
  },
};
const endless = {
  name: 'endless',
  config: {
    query: 'SELECT sum(a.range * b.range) AS n FROM range(10000000) a, range(10000000) b',
    outputDatasets: ['never'],
    jobType: 'INGEST' as const,
  },
};

/** What no two runs share. */
const OWN = new Set(['id', 'runName', 'startedAt', 'finishedAt', 'createdAt', 'datasetId', 'datasetVersionId']);

/** Kubernetes is a minute of work in itself, and each of these cases ten seconds. */
const longForm =
  repetitions({ usual: 0, long: 1 }) === 1 ? undefined : 'npm run test:long has runs on Argo fail, wait and be retried';

describeWhere(kubernetesLack, 'runs on Argo', () => {
  let kubernetes: KubernetesUnderTest;
  let controller: ReturnType<typeof startArgoController>;
  let events: Library;
  let addresses: Awaited<ReturnType<typeof openSignedAddresses>>;
  let running: TestPipelines;
  const owner = member(newOrganisation());
  /** Whose runs the embedded engine has. */
  const other = member(newOrganisation());

  /** What is open, whatever happened to the rest. */
  const closing: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    kubernetes = await startKubernetes();
    closing.unshift(() => kubernetes.stop());
    events = await openLibrary();
    closing.unshift(() => events.close());
    addresses = await openSignedAddresses();
    closing.unshift(() => addresses.close());
    controller = startArgoController(kubernetes);
    closing.unshift(() => controller.stop());
    running = await startTestPipelines({
      natsUrl: events.nats.url,
      environment: {
        PIPELINES_ARGO_ORGANISATIONS: owner.caller.organisationId ?? '',
        PIPELINES_ARGO_NAMESPACE: NAMESPACE,
        PIPELINES_ARGO_KUBECONFIG: kubernetes.kubeconfig,
        PIPELINES_WORKFLOW_SERVICE_ACCOUNT: 'workflow',
        // A pod's container has nothing of the environment of tests.
        PIPELINES_WORKFLOW_COMMAND: `env NODE_COMPILE_CACHE=${process.env['NODE_COMPILE_CACHE'] ?? ''} ${process.execPath} ${join(repository, 'apps/pipelines/src/step-pod.ts')}`,
        PLATFORM_PUBLIC_URL: addresses.url,
      },
    });
    closing.unshift(() => running.stop());
    const datasets = datasetClient(running);
    addresses.leadTo(datasets);
    await Promise.all([datasets.upload('sales', CSV, owner), datasets.upload('sales', CSV, other)]);
  }, 300_000);
  afterAll(async () => {
    for (const close of closing) await close();
  }, 60_000);

  const isOver = (status: string | null) => ['Succeeded', 'Failed', 'Error', 'Cancelled'].includes(status ?? '');
  async function started(steps: readonly object[], as = owner, more: object = {}) {
    const wanted = { name: 'Sales', steps: [...steps], maxConcurrentRuns: 10, ...more } as Parameters<
      TestPipelines['pipelines']['createPipeline']
    >[0];
    const { id: pipelineId } = await running.pipelines.createPipeline(wanted, as);
    const { id: runId, name } = await running.runs.startRun({ pipelineId }, as);
    const ids = { pipelineId, runId };
    const look = () => running.runs.getRun(ids, as);
    const settled = async () => {
      await waitFor(async () => isOver((await look()).status), { what: 'the end of a run', interval: 200 });
      return look();
    };
    const runs = async () => (await look()).runSteps.some(({ status }) => status === 'Running');
    return {
      ids,
      name,
      look,
      settled,
      hasBegun: () => waitFor(runs, { what: 'a step', interval: 100 }),
    };
  }

  /** All that can be told of a run over the API, without ids, times and the name of its engine. */
  async function told(steps: readonly object[], as: typeof owner) {
    const { ids, settled } = await started(steps, as);
    const { status, message, runSteps, trigger } = await settled();
    const { steps: shown } = await running.runs.listRunSteps(ids, as);
    const { lines } = await running.runs.listRunLogs(ids, as);
    // Steps that wait for each other say nothing of those that do not.
    lines.sort((one, other) => one.step.localeCompare(other.step));
    const plain = (value: unknown): unknown =>
      JSON.parse(
        JSON.stringify(value, (key, part: unknown) => {
          if (key === 'inputVersionIds') return (part as unknown[]).length;
          return OWN.has(key) ? undefined : part;
        }),
      );
    return { status, message, trigger, steps: plain(shown), runSteps: plain(runSteps), lines: plain(lines) };
  }

  it('read as those of the embedded engine do, with what their steps made and logged', async () => {
    const steps = [sums, clean, sound];
    const [here, there] = await Promise.all([told(steps, owner), told(steps, other)]);
    expect(here).toEqual(there);
    expect(here).toMatchObject({ status: 'Succeeded', message: '' });
    const dataOf = async (as: typeof owner) => {
      const { rows } = await running.datasets.queryDatasets({ query: 'SELECT * FROM totals ORDER BY region' }, as);
      const { rows: notes } = await running.datasets.queryDatasets(
        { query: 'SELECT DISTINCT note FROM "clean sales"' },
        as,
      );
      const { datasets } = await running.datasets.listDatasets({}, as);
      const made = datasets.find(({ name }) => name === 'Totals');
      const dictionary = await running.datasets.getDataset({ datasetId: made?.id ?? '' }, as);
      return { rows, notes, columns: dictionary.currentVersion?.columns };
    };
    const data = await dataOf(owner);
    expect(data).toEqual(await dataOf(other));
    expect(data.rows).toEqual([
      ['north', 15],
      ['south', 20],
    ]);
    expect(data.notes).toEqual([['$$(HOME) {{workflow.name}}']]);
  }, 300_000);

  it('are cancelled while they run, and nothing of them goes on', async () => {
    const { ids, name, settled, hasBegun } = await started([endless]);
    await hasBegun();
    await running.runs.cancelRun(ids, owner);
    expect(await settled()).toMatchObject({ status: 'Cancelled', message: 'The run was cancelled' });
    await waitFor(
      async () => (await controller.find(name))?.metadata.labels['workflows.argoproj.io/completed'] === 'true',
      {
        what: 'the end of the workflow',
        interval: 200,
      },
    );
    expect(await controller.find(name)).toMatchObject({
      spec: { shutdown: 'Terminate' },
      status: { phase: 'Failed', message: "Stopped with strategy 'Terminate'" },
    });
  }, 200_000);

  it('stay cancelled where the workflow ends well all the same', async () => {
    const release = addresses.holdDownloads();
    const { ids, name, settled, hasBegun } = await started([clean]);
    await hasBegun();
    controller.pause();
    release();
    // What a pod brings after the end of its run is refused: it has brought all before.
    const podsOf = { namespace: NAMESPACE, labelSelector: `workflows.argoproj.io/workflow=${name}` };
    const hasEnded = async () =>
      (await kubernetes.core.listNamespacedPod(podsOf)).items.some(({ status }) => status?.phase === 'Succeeded');
    await waitFor(hasEnded, { what: 'the end of the pod', interval: 200 });
    await running.runs.cancelRun(ids, owner);
    controller.goOn({ hearsShutdown: false });
    await waitFor(async () => (await controller.find(name))?.status?.phase === 'Succeeded', {
      what: 'the end of the workflow',
      interval: 200,
    });
    controller.goOn();
    expect((await controller.find(name))?.spec.shutdown).toBe('Terminate');
    const over = await settled();
    expect(over.status).toBe('Cancelled');
    expect(over.runSteps.map(({ status }) => status)).not.toContain('Succeeded');
  }, 200_000);

  it('have one workflow, however often they are submitted', async () => {
    controller.pause();
    const { name, settled } = await started([clean]);
    const { metadata, kind, apiVersion, spec } = await waitFor(() => controller.find(name), {
      what: 'a workflow',
      interval: 100,
    });
    const cluster = openKubernetes({ namespace: NAMESPACE, kubeconfig: kubernetes.kubeconfig });
    await cluster.submit({ kind, apiVersion, spec, metadata: { name, labels: metadata.labels } });
    expect((await controller.find(name))?.metadata.uid).toBe(metadata.uid);
    // Nor is there anything in it that people wrote, or that would be replaced.
    expect(JSON.stringify(spec)).not.toMatch(/SELECT|\$\$|\{\{/);
    controller.goOn();
    expect((await settled()).status).toBe('Succeeded');
  }, 200_000);

  it('have pods that are known by their run and organisation, and that a namespace for restricted pods takes', async () => {
    const { ids, name, settled } = await started([clean]);
    await settled();
    const workflow = await controller.find(name);
    const labels = { 'platform/run-id': ids.runId, 'platform/organisation-id': owner.caller.organisationId };
    if (!workflow) throw new Error('its workflow is gone');
    expect(workflow.metadata.labels).toMatchObject(labels);
    const podsOf = { namespace: NAMESPACE, labelSelector: `workflows.argoproj.io/workflow=${name}` };
    const { items: pods } = await kubernetes.core.listNamespacedPod(podsOf);
    expect(pods.map(({ metadata }) => metadata?.labels)).toEqual([expect.objectContaining(labels)]);
    const { securityContext, serviceAccountName, automountServiceAccountToken, templates } = workflow.spec;
    const containers = templates.flatMap((one) =>
      'container' in one ? [{ name: 'main', ...one.container }] : [],
    ) as unknown as V1Container[];
    const pod = { serviceAccountName, automountServiceAccountToken, containers };
    expect(containers).toHaveLength(1);
    expect(await kubernetes.refusalOfRestricted({ ...pod, securityContext })).toBeUndefined();
    expect(await kubernetes.refusalOfRestricted(pod)).toContain('violates PodSecurity');
  }, 200_000);

  it('are shown as what Kubernetes would take, and it takes the rights that are described', async () => {
    const { look, settled } = await started([clean, sums], other);
    await settled();
    const object = { group: 'argoproj.io', version: 'v1alpha1', namespace: NAMESPACE, plural: 'workflows' };
    const body = (await look()).workflowManifest ?? {};
    await kubernetes.objects.createNamespacedCustomObject({
      ...object,
      body,
      dryRun: 'All',
      fieldValidation: 'Strict',
    });
    const file = join(repository, 'deploy/kubernetes/argo.yaml');
    const { stdout } = await promisify(execFile)(kubernetes.kubectl, [
      'apply',
      '--dry-run=server',
      '--validate=strict',
      '-f',
      file,
    ]);
    expect(stdout).toContain('role.rbac.authorization.k8s.io/');
  }, 200_000);

  describeWhere(longForm, 'that end otherwise than well, or meet trouble', () => {
    it('skip steps as those do, and read what was there before', async () => {
      const count = (operator: string, value: number) => [
        { all: [{ subject: 'ROW_COUNT', name: 'clean sales', operator, value }] },
      ];
      const skipped = { ...sums, config: { ...sums.config, when: count('GREATER_THAN', 100) } };
      const regions = {
        name: 'regions',
        config: { query: 'SELECT region FROM totals', inputDatasets: ['Totals'], outputDatasets: ['regions'] },
      };
      const instead = {
        name: 'instead',
        config: {
          ...{ query: 'SELECT 1 AS one', jobType: 'INGEST', outputDatasets: ['instead'] },
          when: [{ all: [{ subject: 'STEP_STATUS', name: 'sums', operator: 'EQUALS', value: 'Skipped' }] }],
        },
      };
      const query = "SELECT 'north' AS region, 15 AS total";
      const before = { name: 'before', config: { query, jobType: 'INGEST', outputDatasets: ['Totals'] } };
      await Promise.all([told([before], owner), told([before], other)]);
      const conditional = [clean, skipped, regions, instead];
      const [here, there] = await Promise.all([told(conditional, owner), told(conditional, other)]);
      expect(here).toEqual(there);
      expect(here).toMatchObject({
        status: 'Succeeded',
        steps: [
          { status: 'Succeeded' },
          { status: 'Skipped', message: 'Its condition does not hold: clean sales has 3 rows' },
          { status: 'Succeeded', outputs: [{ rows: '1' }] },
          { status: 'Succeeded' },
        ],
      });
    }, 300_000);

    it('fail as those do: by a query, and by a check with the rows that broke it', async () => {
      // Begun a second time by either of them.
      const retryPolicy = { maximumAttempts: 2, initialIntervalSeconds: 1, maximumIntervalSeconds: 1 };
      const query = 'SELECT region::INTEGER AS id, amount FROM sales';
      const wrong = { ...clean, config: { ...clean.config, query, retryPolicy } };
      const strict = {
        ...sound,
        config: { ...sound.config, query: 'SELECT region, amount FROM "clean sales" WHERE amount < 10' },
      };
      const fails = async (steps: readonly object[], attempts: number) => {
        const [here, there] = await Promise.all([told(steps, owner), told(steps, other)]);
        expect(here).toEqual(there);
        expect(here.status).toBe('Failed');
        expect(here.steps).toContainEqual(expect.objectContaining({ name: 'clean', attempts }));
      };
      await Promise.all([fails([wrong, sound], 2), fails([clean, strict, sums], 1)]);
    }, 300_000);

    it('go on from where they failed, with what had succeeded', async () => {
      const strict = {
        ...sound,
        config: { ...sound.config, query: 'SELECT region FROM "clean sales" WHERE amount < 10' },
      };
      const { ids, settled } = await started([clean, strict, sums]);
      expect((await settled()).status).toBe('Failed');
      const { id: runId } = await running.runs.retryRun(ids, owner);
      const look = () => running.runs.getRun({ ...ids, runId }, owner);
      await waitFor(async () => isOver((await look()).status), {
        what: 'the end of a run',
        interval: 200,
      });
      expect((await look()).message).toBe('sound: 1 row failed the check');
      const { steps } = await running.runs.listRunSteps({ ...ids, runId }, owner);
      expect(steps.map(({ status, kept }) => [status, kept])).toEqual([
        ['Succeeded', true],
        ['Failed', false],
        ['Omitted', false],
      ]);
    }, 300_000);

    it('go on when the server was away, and when what was seen last is too long ago', async () => {
      const release = addresses.holdDownloads();
      const { settled, hasBegun, ids, look } = await started([{ ...clean, name: 'long' }, sums]);
      await hasBegun();
      kubernetes.proxy.goAway();
      await running.runs.cancelRun(ids, owner);
      expect((await settled()).status).toBe('Cancelled');
      const { settled: later, look: laterLook } = await started([clean]);
      expect((await laterLook()).status).toBe('Pending');
      kubernetes.proxy.comeBack();
      release();
      expect((await later()).status).toBe('Succeeded');
      expect((await look()).status).toBe('Cancelled');
      const cluster = openKubernetes({ namespace: NAMESPACE, kubeconfig: kubernetes.kubeconfig });
      const ended = await cluster.watch('1', () => undefined, AbortSignal.timeout(240_000));
      expect(ended).toBeUndefined();
    }, 300_000);

    it('fail when they take longer than their pipeline lets them, and nothing of them goes on', async () => {
      const release = addresses.holdDownloads();
      const { name, settled } = await started([clean], owner, { runTimeLimitSeconds: 15 });
      expect(await settled()).toMatchObject({ status: 'Failed', message: 'The run took longer than 15 s' });
      await waitFor(
        async () => (await controller.find(name))?.metadata.labels['workflows.argoproj.io/completed'] === 'true',
        { what: 'the end of the workflow', interval: 200 },
      );
      release();
      expect(await controller.find(name)).toMatchObject({ spec: { shutdown: 'Terminate' } });
    }, 200_000);

    it('are followed by two replicas as by one, also when one of them is killed meanwhile', async () => {
      const replica = await startService('pipelines', running.env);
      closing.unshift(() => replica.kill());
      const all = await Promise.all(Array.from({ length: 2 }, () => started([clean, sums])));
      const haveBegun = async () =>
        (await Promise.all(all.map(({ look }) => look()))).every(({ startedAt }) => startedAt);
      await waitFor(haveBegun, { what: 'the beginning of both', interval: 100 });
      await replica.kill();
      for (const { settled } of all) expect(await settled()).toMatchObject({ status: 'Succeeded', message: '' });
      const runIds = all.map(({ ids }) => ids.runId);
      const organisationId = owner.caller.organisationId ?? '';
      const versions = await running.pool.tenant(organisationId, (trx) =>
        trx('dataset_versions')
          .where({ organisation_id: organisationId })
          .whereIn('run_id', runIds)
          .select<{ run_id: string; step: string }[]>('run_id', 'step'),
      );
      const made = runIds.flatMap((runId) => ['clean', 'sums'].map((step) => `${runId} ${step}`));
      expect(versions.map((version) => `${version.run_id} ${version.step}`).toSorted()).toEqual(made.toSorted());
    }, 300_000);

    it('survive a pod that is deleted, and end when their workflow is', async () => {
      const { name, settled, hasBegun } = await started([
        { ...endless, config: { ...endless.config, timeLimitSeconds: 5 } },
      ]);
      await hasBegun();
      const selector = { namespace: NAMESPACE, labelSelector: `workflows.argoproj.io/workflow=${name}` };
      const { items } = await kubernetes.core.listNamespacedPod(selector);
      for (const { metadata } of items)
        await kubernetes.core.deleteNamespacedPod({
          namespace: NAMESPACE,
          name: metadata?.name ?? '',
          gracePeriodSeconds: 0,
        });
      const over = await settled();
      expect(over).toMatchObject({ status: 'Failed', message: 'endless: It took longer than 5 s' });
      expect(over.workflowMetadata).toMatchObject({ engine: 'argo', attempts: 2 });

      const release = addresses.holdDownloads();
      const second = await started([clean]);
      await second.hasBegun();
      const object = { group: 'argoproj.io', version: 'v1alpha1', namespace: NAMESPACE, plural: 'workflows' };
      await kubernetes.objects.deleteNamespacedCustomObject({ ...object, name: second.name });
      expect(await second.settled()).toMatchObject({
        status: 'Error',
        message: 'clean: Its workflow is gone from Kubernetes',
      });
      release();
    }, 300_000);
  });
});
