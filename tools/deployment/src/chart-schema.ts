import type { Settings } from '@platform-backend/core';
import { chartVariables, type ChartApps } from './chart-facts.ts';

/** Every setting of an app, for what the schema says about it. */
export type DescribedApps = Readonly<Record<string, Settings>>;

type Schema = Readonly<Record<string, unknown>>;

const text: Schema = { type: 'string' };
const flag: Schema = { type: 'boolean' };
const count: Schema = { type: 'integer', minimum: 0 };
const positive: Schema = { type: 'integer', minimum: 1 };
const anything: Schema = { type: 'object' };
const list = (items: Schema): Schema => ({ type: 'array', items });
const oneOf = (...words: string[]): Schema => ({ enum: words });

/** An object with these fields and no others, so that a field that is written wrongly is refused. */
const fields = (properties: Readonly<Record<string, Schema>>): Schema => ({
  type: 'object',
  additionalProperties: false,
  properties,
});

/** What the API server checks itself. */
const peers = list(anything);

const resources = fields({ requests: anything, limits: anything });

const image = fields({ repository: text, tag: text, digest: { type: 'string', pattern: '^(sha256:[0-9a-f]{64})?$' } });

/** What can be said for all apps and for each. */
const appFields: Readonly<Record<string, Schema>> = {
  image,
  replicas: count,
  command: list(text),
  secret: text,
  migration: fields({
    enabled: flag,
    secret: text,
    command: list(text),
    deadlineSeconds: positive,
    resources,
  }),
  autoscaling: fields({
    enabled: flag,
    minReplicas: positive,
    maxReplicas: positive,
    metric: oneOf('cpu', 'callsInFlight'),
    cpuPercent: positive,
    callsInFlight: positive,
    metricName: text,
  }),
  disruption: fields({ enabled: flag, maxUnavailable: { type: ['integer', 'string'] } }),
  resources,
  tls: fields({ secret: text }),
  sandbox: fields({
    runtimeClassName: text,
    seccompProfile: anything,
    appArmorProfile: anything,
    procMount: text,
    hostUsers: flag,
  }),
  probes: fields({
    periodSeconds: positive,
    timeoutSeconds: positive,
    failureThreshold: positive,
    startSeconds: positive,
  }),
  preStopSeconds: count,
  work: fields({ size: text, storageClassName: text }),
  temporary: fields({ size: text }),
  network: fields({ ingress: peers, egress: peers, internetPorts: list(positive) }),
  service: fields({ type: text, annotations: anything }),
  topologySpread: list(text),
  nodeSelector: anything,
  tolerations: list(anything),
  affinity: anything,
  priorityClassName: text,
  podAnnotations: anything,
  podLabels: anything,
  volumes: list(anything),
  volumeMounts: list(anything),
};

/** deploy/helm/platform/values.schema.json. */
export function chartSchema(apps: ChartApps, described: DescribedApps, jobVariables: readonly string[]): Schema {
  const settingsOf = (app: string): Schema =>
    fields(
      Object.fromEntries(
        chartVariables(described[app] ?? {})
          .filter(({ secret }) => secret !== 'always')
          .map(({ name }) => [name, { ...text, description: describe(described[app]?.[name]) }]),
      ),
    );
  const shared = [...new Set(Object.values(apps).flatMap(({ variables }) => variables))]
    .filter(({ secret }) => secret !== 'always')
    .map(({ name }) => name);
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    ...fields({
      global: anything,
      deploy: { ...list(oneOf('event-streams', ...Object.keys(apps))), uniqueItems: true, minItems: 1 },
      image: fields({
        registry: text,
        tag: text,
        pullPolicy: oneOf('Always', 'IfNotPresent', 'Never'),
        pullSecrets: list(text),
      }),
      settings: fields(Object.fromEntries([...new Set(shared)].toSorted().map((name) => [name, text]))),
      all: fields(appFields),
      apps: fields(
        Object.fromEntries(Object.keys(apps).map((app) => [app, fields({ ...appFields, settings: settingsOf(app) })])),
      ),
      eventStreams: fields({
        secret: text,
        command: list(text),
        settings: fields(Object.fromEntries(jobVariables.map((name) => [name, text]))),
      }),
      objects: fields({ existingClaim: text }),
      models: fields({ existingClaim: text }),
      argo: fields({
        enabled: flag,
        namespace: text,
        image: text,
        kubeconfigSecret: text,
        apiServer: peers,
        port: positive,
      }),
      networkPolicy: fields({
        enabled: flag,
        dns: peers,
        postgres: fields({ to: peers, port: positive }),
        mongo: fields({ to: peers, port: positive }),
        nats: fields({ to: peers, port: positive }),
        clients: peers,
        metrics: peers,
        notInternet: list(text),
      }),
      ingress: fields({ enabled: flag, className: text, host: text, tlsSecret: text, annotations: anything }),
    }),
  };
}

const describe = (setting: Settings[string] | undefined): string =>
  setting === undefined ? '' : `${setting.description ?? ''} (${setting.mustBe})`;
