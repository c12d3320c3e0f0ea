import { beforeAll, describe, expect, it } from '@jest/globals';
import { repositoryPrograms } from '@platform-backend/documentation/programs';
import { describeWhere } from '@platform-backend/testing/where';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { chartCalls, type ChartApps } from '../src/chart-facts.ts';
import { chartFiles, repositoryApps } from '../src/chart-files.ts';
import {
  chart,
  helm,
  helmLack,
  KUBERNETES,
  objectsOf,
  root,
  VALUES,
  valuesFile,
  type KubernetesObject,
} from './helm.ts';

const apps: ChartApps = await repositoryApps();
const services = Object.keys(apps).filter((name) => name !== 'gateway');

describe('the chart', () => {
  it('has the facts that `npm run generate:chart` writes from what the apps declare', async () => {
    for (const [path, text] of Object.entries(await chartFiles())) {
      expect({ path, text: readFileSync(join(root, path), 'utf8') }).toEqual({ path, text });
    }
  });

  it('deploys every app', () => {
    const { deploy } = parse(readFileSync(join(chart, 'values.yaml'), 'utf8')) as { deploy: string[] };
    expect(deploy.toSorted()).toEqual(['event-streams', ...Object.keys(apps)].toSorted());
  });

  it('has room in its limits for what pipelines and notebooks start beside themselves', async () => {
    interface AppValues {
      readonly settings?: Readonly<Record<string, string>>;
      readonly resources: { readonly limits: { readonly memory: string } };
      readonly work?: { readonly size: string };
    }
    const values = parse(readFileSync(join(chart, 'values.yaml'), 'utf8')) as { apps: Record<string, AppValues> };
    const { processes } = await repositoryPrograms();
    const setting = (app: string, name: string): number => {
      const declared = processes.find((one) => one.name === app)?.variables[name]?.fallback?.value;
      return Number(values.apps[app]?.settings?.[name] ?? declared);
    };
    const mib = (quantity = ''): number => 1024 * Number(/^(\d+)Gi$/.exec(quantity)?.[1]);
    const limit = (app: string): number => mib(values.apps[app]?.resources.limits.memory);
    // As docs/configuration.md says, and what the service itself and a process that waits hold.
    const [ofProcess, ofService, ofIdle] = [200, 300, 160];
    const jobs =
      1 + setting('pipelines', 'PIPELINES_STEP_PROCESSES') + setting('pipelines', 'PIPELINES_QUERY_PROCESSES');
    const ofJob = setting('pipelines', 'PIPELINES_STEP_MEMORY_BYTES') / 2 ** 20 + ofProcess;
    expect(limit('pipelines')).toBeGreaterThanOrEqual(ofService + jobs * (ofJob + ofIdle));
    expect(mib(values.apps['pipelines']?.work?.size)).toBeGreaterThanOrEqual(20_000_000_000 / 2 ** 20);
    const kernels = setting('notebooks', 'NOTEBOOKS_KERNELS_PER_REPLICA');
    const ofKernels = kernels * setting('notebooks', 'NOTEBOOKS_KERNEL_MEMORY_MB');
    expect(limit('notebooks')).toBeGreaterThanOrEqual(ofService + ofKernels);
  });
});

describeWhere(helmLack, 'the chart in Helm', () => {
  let whole: KubernetesObject[];
  let everything: KubernetesObject[];

  beforeAll(async () => {
    [whole = [], everything = []] = await Promise.all(
      (['whole', 'everything'] as const).map((name) => objectsOf('-f', valuesFile(name))),
    );
  });

  const one = (objects: readonly KubernetesObject[], kind: string, name: string): KubernetesObject => {
    const found = objects.filter((object) => object.kind === kind && object.metadata.name === name);
    expect([kind, name, found.length]).toEqual([kind, name, 1]);
    return found[0] as KubernetesObject;
  };
  const podOf = (objects: readonly KubernetesObject[], kind: string, name: string) => {
    const { spec: pod } = one(objects, kind, name).spec.template;
    const [container] = pod.containers;
    if (!container) throw new Error(`${name} has no container`);
    return { pod, container };
  };

  it.each(VALUES)('passes helm lint with the values of %s', async (name) => {
    expect(await helm('lint', chart, '--strict', '--kube-version', KUBERNETES, '-f', valuesFile(name))).toContain(
      '0 chart(s) failed',
    );
  });

  it('renders a single service as it renders all of them, but for its version', async () => {
    const alone = await objectsOf('-f', valuesFile('identity'), '--set', 'image.tag=');
    expect(alone.map(({ kind, metadata }) => `${kind} ${metadata.name}`).toSorted()).toEqual([
      'Deployment identity',
      'Job identity-migration',
      'NetworkPolicy identity',
      'NetworkPolicy identity-migration',
      'PodDisruptionBudget identity',
      'Service identity',
      'ServiceAccount identity',
    ]);
    for (const { kind, metadata, spec } of alone) expect(one(whole, kind, metadata.name).spec).toEqual(spec);
  });

  it('runs each app in the image of its version, unless another tag or a digest is given', () => {
    for (const [name, { version }] of Object.entries(apps)) {
      expect(podOf(whole, 'Deployment', name).container.image).toBe(
        `registry.example.org/platform/platform-${name}:${version}`,
      );
    }
    expect(podOf(everything, 'Deployment', 'gateway').container.image).toMatch(/^platform-gateway@sha256:\w{64}$/);
    expect(podOf(everything, 'Deployment', 'billing').container.image).toBe('platform-billing:1.4.0');
  });

  it('lets through exactly the calls that the apps declare, on both sides', () => {
    for (const objects of [whole, everything]) {
      const named = (peers: readonly { podSelector?: { matchLabels: Readonly<Record<string, string>> } }[] = []) =>
        peers.flatMap(({ podSelector }) => podSelector?.matchLabels['app.kubernetes.io/name'] ?? []);
      const policies = Object.keys(apps).map((name) => ({ name, ...one(objects, 'NetworkPolicy', name).spec }));
      const inwards = policies.flatMap(({ name, ingress }) =>
        ingress.flatMap(({ from, ports }) =>
          named(from).map((caller) => [caller, name, ports.map(({ port }) => port).join()]),
        ),
      );
      const outwards = policies.flatMap(({ name, egress }) =>
        egress.flatMap(({ to, ports }) =>
          named(to).map((called) => [name, called, ports.map(({ port }) => port).join()]),
        ),
      );
      const declared = chartCalls(apps);
      expect(inwards.toSorted()).toEqual(declared.map(([from, to]) => [from, to, 'grpc']).toSorted());
      expect(outwards.toSorted()).toEqual(declared.map(([from, to]) => [from, to, String(apps[to]?.port)]).toSorted());
    }
  });

  it('lets an app to the database that it keeps its data in, to NATS where it has events, and to no other', () => {
    const ports = { postgres: 5432, mongo: 27017 } as const;
    for (const [name, { storage, hasEvents }] of Object.entries(apps)) {
      const { egress } = one(whole, 'NetworkPolicy', name).spec;
      const open = egress.flatMap((rule) => rule.ports.map(({ port }) => port));
      const stores = [5432, 27017, 4222].filter((port) => open.includes(port));
      expect([name, stores]).toEqual([name, [...(storage ? [ports[storage]] : []), ...(hasEvents ? [4222] : [])]]);
    }
  });

  it('lets pipelines to databases of customers also where its own is in a place of its own', async () => {
    const own = await objectsOf(
      '-f',
      valuesFile('whole'),
      '--set',
      'networkPolicy.postgres.to[0].ipBlock.cidr=10.1.2.3/32',
    );
    const { egress } = one(own, 'NetworkPolicy', 'pipelines').spec;
    const led = egress.filter(({ ports }) => ports.some(({ port }) => port === 5432)).map(({ to }) => to);
    expect(led).toEqual([
      [{ ipBlock: { cidr: '10.1.2.3/32' } }],
      [{ ipBlock: expect.objectContaining({ cidr: '0.0.0.0/0' }) }],
    ]);
  });

  it('gives every variable that is required, secrets from a Secret only, and the owner’s password to no running service', () => {
    for (const [name, { variables, migration }] of Object.entries(apps)) {
      const running = podOf(whole, 'Deployment', name).container.env;
      const migrating = migration ? podOf(whole, 'Job', `${name}-migration`).container.env : [];
      for (const [read, given] of [[variables, running] as const, [migration ?? [], migrating] as const]) {
        const names = given.map((variable) => variable.name);
        expect(new Set(names).size).toBe(names.length);
        expect(read.filter(({ required }) => required).filter((variable) => !names.includes(variable.name))).toEqual(
          [],
        );
        const known = ['POD_IP', 'TMPDIR', ...read.map((variable) => variable.name)];
        expect(names.filter((variable) => !known.includes(variable))).toEqual([]);
        const open = given.filter(({ value }) => value !== undefined).map((variable) => variable.name);
        expect(read.filter(({ secret, name: secretName }) => secret === 'always' && open.includes(secretName))).toEqual(
          [],
        );
      }
      expect(running.filter((variable) => variable.name.endsWith('_MIGRATION_URL'))).toEqual([]);
    }
    expect(podOf(everything, 'Deployment', 'billing').container.env).toContainEqual({
      name: 'BILLING_DATABASE_URL',
      valueFrom: { secretKeyRef: { name: 'billing-of-production', key: 'BILLING_DATABASE_URL', optional: false } },
    });
  });

  it('migrates before the roll, and makes the event streams', () => {
    const jobs = whole.filter(({ kind }) => kind === 'Job');
    expect(jobs.map(({ metadata }) => metadata.name).toSorted()).toEqual(
      ['event-streams', ...services.map((name) => `${name}-migration`)].toSorted(),
    );
    for (const { metadata } of jobs) expect(metadata.annotations?.['helm.sh/hook']).toBe('pre-install,pre-upgrade');
    for (const name of services) {
      expect(podOf(whole, 'Job', `${name}-migration`).container['command']).toEqual([
        'tini',
        '-s',
        '--',
        'node',
        `apps/${name}/src/main.ts`,
        'migrate',
      ]);
      expect(podOf(whole, 'Job', `${name}-migration`).container.image).toBe(
        podOf(whole, 'Deployment', name).container.image,
      );
    }
  });

  it('drops the capabilities of every container, and leaves only those unconfined that make sandboxes', () => {
    for (const [name, { makesSandboxes }] of Object.entries(apps)) {
      const { pod, container } = podOf(whole, 'Deployment', name);
      expect(one(whole, 'ServiceAccount', name).automountServiceAccountToken).toBe(false);
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: {
          runAsNonRoot: true,
          runAsUser: 1000,
          seccompProfile: { type: makesSandboxes ? 'Unconfined' : 'RuntimeDefault' },
        },
      });
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
        ...(makesSandboxes && { procMount: 'Unmasked' }),
      });
      // Whoever is root in the pod is nobody on the node.
      expect(pod['hostUsers']).toBe(makesSandboxes ? false : undefined);
      expect(podOf(everything, 'Deployment', name).pod['runtimeClassName']).toBe(makesSandboxes ? 'kata' : undefined);
    }
  });

  it('asks an app where it answers, and gives it the time that it declares to end', () => {
    for (const [name, { port, drainSeconds }] of Object.entries(apps)) {
      const { pod, container } = podOf(whole, 'Deployment', name);
      const page = name === 'gateway' ? 'http' : 'metrics';
      expect(container).toMatchObject({
        readinessProbe: { httpGet: { path: '/readyz', port: page } },
        livenessProbe: { httpGet: { path: '/healthz', port: page } },
        ports: [{ containerPort: port }, { containerPort: 9464 }],
      });
      expect(Number(pod['terminationGracePeriodSeconds'])).toBeGreaterThan(drainSeconds + 3);
      expect(one(whole, 'PodDisruptionBudget', name).spec['maxUnavailable']).toBe(1);
    }
  });

  it('scales by calls in flight or by CPU, and then leaves the number of replicas alone', () => {
    expect(whole.filter(({ kind }) => kind === 'HorizontalPodAutoscaler')).toEqual([]);
    expect(one(everything, 'HorizontalPodAutoscaler', 'identity').spec['metrics']).toEqual([
      {
        type: 'Pods',
        pods: { metric: { name: 'platform_calls_in_flight' }, target: { type: 'AverageValue', averageValue: '20' } },
      },
    ]);
    expect(one(everything, 'HorizontalPodAutoscaler', 'gateway').spec['metrics']).toMatchObject([
      { type: 'Resource', resource: { name: 'cpu' } },
    ]);
    expect(one(everything, 'Deployment', 'identity').spec['replicas']).toBeUndefined();
    expect(one(whole, 'Deployment', 'identity').spec['replicas']).toBe(2);
  });

  it('runs steps on Argo when told to, with the account of deploy/kubernetes/argo.yaml', () => {
    const settings = (objects: readonly KubernetesObject[]) =>
      Object.fromEntries(
        podOf(objects, 'Deployment', 'pipelines').container.env.map(({ name, value }) => [name, value]),
      );
    expect(settings(whole)).not.toHaveProperty('PIPELINES_ENGINE');
    expect(settings(everything)).toMatchObject({ PIPELINES_ENGINE: 'argo', PIPELINES_ARGO_NAMESPACE: 'argo' });
    expect(readFileSync(join(root, 'deploy/kubernetes/argo.yaml'), 'utf8')).toMatch(
      new RegExp(
        `kind: ServiceAccount\\nmetadata:\\n  name: ${settings(everything)['PIPELINES_WORKFLOW_SERVICE_ACCOUNT']}\\n`,
      ),
    );
  });

  it.each([
    ['a setting that no app reads', ['--set', 'apps.identity.settings.IDENTITY_COLOUR=blue'], 'IDENTITY_COLOUR'],
    ['a secret among the values', ['--set', 'apps.identity.settings.IDENTITY_DATABASE_URL=x'], 'IDENTITY_DATABASE_URL'],
    ['an app that there is not', ['--set', 'deploy={orders}'], '/deploy/0'],
    ['a field that is written wrongly', ['--set', 'apps.identity.replica=3'], 'replica'],
    ['files that have no place', ['--set', 'settings.S3_BUCKET='], 'content keeps files'],
    [
      'a setting that is missing',
      ['--set', 'apps.billing.settings.BILLING_PAYMENT_PROCESSOR='],
      'billing needs the setting',
    ],
  ])('refuses %s, and names it', async (_, args, named) => {
    await expect(objectsOf('-f', valuesFile('whole'), ...args)).rejects.toThrow(named);
  });
});
