import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { generateServiceKeys } from '@platform-backend/auth';
import { setUpStreams } from '@platform-backend/events/set-up';
import {
  kubernetesLack,
  repetitions,
  throwawayKubernetes,
  throwawayNats,
  throwawayPostgres,
  waitFor,
} from '@platform-backend/testing';
import type { ThrowawayKubernetes, ThrowawayNats, ThrowawayPostgres } from '@platform-backend/testing';
import { describeWhere } from '@platform-backend/testing/where';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { chart, helm, helmLack, KUBERNETES, root, VALUES, valuesFile } from './helm.ts';

const run = promisify(execFile);

const NAMESPACE = 'platform';
/** Below the time in which a roll has to get on. */
const KEPT_SECONDS = 500;
const ASK_EVERY_MS = 100;

/** A control plane and two rolls take a minute or two. */
const shortLack =
  repetitions({ usual: 0, long: 1 }) === 0 ? 'npm run test:long starts Kubernetes for the chart' : undefined;

describeWhere(helmLack ?? kubernetesLack ?? shortLack, 'the chart on Kubernetes', () => {
  let kubernetes: ThrowawayKubernetes;
  let postgres: ThrowawayPostgres;
  let nats: ThrowawayNats;

  const kubectl = (...args: readonly string[]) =>
    run(kubernetes.kubectl, ['-n', NAMESPACE, ...args], { maxBuffer: 2 ** 24 });
  const release = (...args: readonly string[]) =>
    helm(...args, '--kubeconfig', kubernetes.kubeconfig, '--namespace', NAMESPACE);

  /** The pods of the service that run. */
  const pods = async (): Promise<string[]> => {
    const { stdout } = await kubectl('get', 'pods', '-l', 'app.kubernetes.io/name=identity', '-o', 'name');
    return stdout.split('\n').filter((line) => line !== '');
  };

  /** A replica answers where its probes ask. This node does not probe: the test asks in its place. */
  const isReady = async (pod: string): Promise<boolean> => {
    const { stdout } = await kubectl('logs', pod).catch(() => ({ stdout: '' }));
    const metrics = /"ready":true.*"metrics(?:Address)?":"([^"]+)"/.exec(stdout)?.[1];
    if (metrics === undefined) return false;
    const pages = ['healthz', 'readyz'].map((page) => fetch(`http://${metrics}/${page}`).then(({ ok }) => ok));
    return (await Promise.all(pages).catch(() => [false])).every(Boolean);
  };

  /** To this node every replica is ready at once: this keeps those of before until the test has seen that the next one is. */
  const keepReplicasBefore = (minReadySeconds: number) =>
    kubectl('patch', 'deployment', 'identity', '--type=merge', '-p', JSON.stringify({ spec: { minReadySeconds } }));

  /** How many have been run so far. */
  const migrations = async (): Promise<number> => {
    const { stdout } = await kubectl('get', 'events', '--field-selector', 'reason=SuccessfulCreate', '-o', 'name');
    return stdout.split('\n').filter((line) => line.includes('identity-migration')).length;
  };

  beforeAll(async () => {
    [kubernetes, postgres, nats] = await Promise.all([throwawayKubernetes(), throwawayPostgres(), throwawayNats()]);
    await setUpStreams({ servers: nats.url, limits: { replicas: 1 }, signal: AbortSignal.timeout(240_000) });
    await run(kubernetes.kubectl, ['create', 'namespace', NAMESPACE]);
    await kubectl('label', 'namespace', NAMESPACE, 'pod-security.kubernetes.io/warn=restricted');
  }, 180_000);

  afterAll(async () => {
    await kubernetes.stop();
    await Promise.all([postgres.drop(), nats.drop()]);
  });

  it.each(VALUES)(
    'is accepted by the API server with the values of %s, which warns only of apps that make sandboxes',
    async (name) => {
      const file = join(kubernetes.directory, `${name}.yaml`);
      writeFileSync(
        file,
        await helm('template', 'release', chart, '--kube-version', KUBERNETES, '-f', valuesFile(name)),
      );
      const { stdout, stderr } = await kubectl('apply', '--dry-run=server', '--validate=strict', '-f', file);
      expect(stdout).toContain('deployment.apps/identity created (server dry run)');
      const warned = [...stderr.matchAll(/container "([\w-]+)" must not set securityContext.procMount/g)].map(
        ([, container]) => container,
      );
      const lines = stderr.split('\n').filter((line) => line !== '');
      expect(warned.toSorted()).toEqual(name === 'identity' ? [] : ['content', 'notebooks', 'pipelines']);
      expect(lines.filter((line) => !line.includes('procMount'))).toEqual([]);
      // What they need and nothing else: no right, no privilege, no root.
      expect(stderr).not.toMatch(/capabilities|allowPrivilegeEscalation|runAsNonRoot|hostPath|privileged/);
    },
    60_000,
  );

  it('installs one service: its migration runs first, its replicas get ready, an upgrade rolls them, the way back as well, and it goes', async () => {
    const { publicKeys } = await generateServiceKeys(['gateway']);
    const secret = (name: string, values: Readonly<Record<string, string>>) =>
      kubectl(
        'create',
        'secret',
        'generic',
        name,
        ...Object.entries(values).map(([key, value]) => `--from-literal=${key}=${value}`),
      );
    await secret('platform-identity-migration', {
      IDENTITY_DATABASE_URL: postgres.appUrl,
      IDENTITY_MIGRATION_URL: postgres.ownerUrl,
    });
    await secret('platform-identity', {
      IDENTITY_DATABASE_URL: postgres.appUrl,
      NATS_URL: nats.url,
      SERVICE_PUBLIC_KEYS: JSON.stringify(publicKeys),
    });
    // No image here: the containers of this node are processes of this machine, which share its ports.
    const program = [process.execPath, join(root, 'apps/identity/src/main.ts')];
    const values = join(kubernetes.directory, 'values.json');
    const of = (level: string) => ({
      deploy: ['identity'],
      all: {
        replicas: 1,
        command: program,
        migration: { command: [...program, 'migrate'] },
        probes: { periodSeconds: 1 },
        preStopSeconds: 1,
      },
      apps: {
        identity: { settings: { IDENTITY_LISTEN: '127.0.0.1:0', METRICS_LISTEN: '127.0.0.1:0', LOG_LEVEL: level } },
      },
    });
    writeFileSync(values, JSON.stringify(of('info')));
    await release('install', 'identity', chart, '-f', values, '--timeout', '2m');
    // Helm has waited for the migration, and taken its job away when it had ended well.
    expect((await kubectl('get', 'jobs', '-o', 'name')).stdout).toBe('');
    await waitFor(async () => isReady((await pods())[0] ?? ''), { what: 'identity to be ready in its pod' });
    // Every replica that there is answers, or another one does.
    const isOver = new AbortController();
    const unanswered: string[] = [];
    const asking = (async () => {
      while (!isOver.signal.aborted) {
        const known = await pods();
        const answers = await Promise.all(known.map(isReady));
        // Those that have come or gone meanwhile were not asked.
        if (!answers.includes(true) && (await pods()).join() === known.join()) unanswered.push(known.join());
        await delay(ASK_EVERY_MS);
      }
    })();
    const newReplica = async (before: readonly string[]): Promise<string> => {
      const isNew = (pod: string) => !before.includes(pod);
      const made = await waitFor(async () => (await pods()).find(isNew), { what: 'a new replica' });
      await waitFor(() => isReady(made), { what: 'it to be ready' });
      return made;
    };
    const rollTo = async (level: string, roll: () => Promise<unknown>): Promise<void> => {
      const before = await pods();
      await keepReplicasBefore(KEPT_SECONDS);
      const [made] = await Promise.all([newReplica(before), roll()]);
      await keepReplicasBefore(0);
      await waitFor(async () => (await pods()).join() === made, { what: 'the replica before to be gone' });
      expect((await kubectl('get', made, '-o', 'jsonpath={.spec.containers[0].env}')).stdout).toContain(
        `{"name":"LOG_LEVEL","value":"${level}"}`,
      );
    };
    try {
      writeFileSync(values, JSON.stringify(of('debug')));
      await rollTo('debug', () => release('upgrade', 'identity', chart, '-f', values, '--wait', '--timeout', '2m'));
      await waitFor(async () => (await migrations()) === 2, { what: 'the second migration to be told of' });
      // The way back, as docs/deploying.md has it: the version before, and no migration.
      await rollTo('info', () => release('rollback', 'identity', '--wait', '--timeout', '2m'));
    } finally {
      isOver.abort();
      await asking;
    }
    expect(unanswered).toEqual([]);
    expect(await migrations()).toBe(2);
    const history = JSON.parse(await release('history', 'identity', '-o', 'json')) as { description: string }[];
    expect(history.map(({ description }) => description)).toEqual([
      'Install complete',
      'Upgrade complete',
      'Rollback to 1',
    ]);

    await release('uninstall', 'identity');
    await waitFor(async () => (await pods()).length === 0, { what: 'the last replica to be gone' });
    // Secrets are somebody else's.
    expect((await kubectl('get', 'secrets', '-o', 'name')).stdout).toContain('secret/platform-identity\n');
  }, 300_000);
});
