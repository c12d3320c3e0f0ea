import { byVariable, type Settings } from '@platform-backend/core';
import type { EventAccess } from '@platform-backend/events/set-up';
import type { ServiceDeclaration } from '@platform-backend/service';

/** What the chart in deploy/helm knows of an app: all of it follows from what the app declares. */
export interface ChartApp {
  /** That of its package.json, and the tag of its image unless told otherwise. */
  readonly version: string;
  /** Where it listens: for gRPC, the gateway for HTTP. */
  readonly port: number;
  /** The services that it calls, and those that it can do without. */
  readonly calls: readonly string[];
  /** Whether its replicas call each other. */
  readonly callsReplicas: boolean;
  /** Where it keeps its data. */
  readonly storage?: ServiceDeclaration['storage']['kind'];
  /** Whether it is a user of NATS. */
  readonly hasEvents: boolean;
  /** Whether it runs what customers write, or reads their files, in namespaces that bubblewrap makes. */
  readonly makesSandboxes: boolean;
  /** Seconds in which it ends after a signal. */
  readonly drainSeconds: number;
  readonly variables: readonly ChartVariable[];
  /** What it reads when it only migrates its database. */
  readonly migration?: readonly ChartVariable[];
}

interface ChartVariable {
  readonly name: string;
  /** `never`: it stands among the values. `always`: it comes from a Secret. `perhaps`: from either, as an address with or without a password. */
  readonly secret: 'always' | 'never' | 'perhaps';
  readonly required: boolean;
}

export type ChartApps = Readonly<Record<string, ChartApp>>;

/** What a service makes known, and what the repository says of it. */
export interface DeclaredService {
  readonly declaration: Pick<
    ServiceDeclaration,
    'name' | 'port' | 'calls' | 'callsIfThere' | 'storage' | 'drainLimitMs'
  >;
  readonly variables: Readonly<Record<'running' | 'migrating', Settings>>;
  readonly eventAccess: EventAccess;
  readonly makesSandboxes: boolean;
  readonly version: string;
}

export interface DeclaredGateway {
  readonly version: string;
  readonly variables: Settings;
  readonly eventAccess: EventAccess;
  /** The domains that it makes known over HTTP. */
  readonly domains: Iterable<string>;
}

/** How long a process takes to end unless it says otherwise, in milliseconds. */
const DRAIN_LIMIT_MS = 10_000;
const GATEWAY_PORT = 8080;

/** The apps by name, the gateway among them. */
export function chartApps(services: readonly DeclaredService[], gateway: DeclaredGateway): ChartApps {
  const all = services.map(({ declaration, variables, eventAccess, makesSandboxes, version }): [string, ChartApp] => {
    const { name, port, calls, callsIfThere = {}, storage, drainLimitMs = DRAIN_LIMIT_MS } = declaration;
    return [
      name,
      {
        version,
        port,
        calls: Object.keys({ ...calls, ...callsIfThere }).toSorted(),
        callsReplicas: Object.keys(variables.running).some((variable) => variable.endsWith('_NODE_ADDRESS')),
        storage: storage.kind,
        hasEvents: usesEvents(eventAccess),
        makesSandboxes,
        drainSeconds: Math.ceil(drainLimitMs / 1000),
        variables: chartVariables(variables.running),
        migration: chartVariables(variables.migrating),
      },
    ];
  });
  const { GATEWAY_DRAIN_LIMIT_MS: drain } = gateway.variables;
  all.push([
    'gateway',
    {
      version: gateway.version,
      port: GATEWAY_PORT,
      calls: [...gateway.domains].toSorted(),
      callsReplicas: false,
      hasEvents: usesEvents(gateway.eventAccess),
      makesSandboxes: false,
      drainSeconds: Math.ceil(Number(drain?.fallback?.value ?? DRAIN_LIMIT_MS) / 1000),
      variables: chartVariables(gateway.variables),
    },
  ]);
  return Object.fromEntries(all.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

const usesEvents = ({ publishes, follows, reactions, queues = [] }: EventAccess): boolean =>
  publishes || follows.length > 0 || Object.keys(reactions).length > 0 || queues.length > 0;

export const chartVariables = (settings: Settings): ChartVariable[] =>
  Object.entries(byVariable(settings))
    .map(([name, setting]) => ({ name, secret: secrecyOf(setting), required: setting.fallback === undefined }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));

/** Every address is treated as a secret by those who read it, for it may hold a password; those of HTTP seldom do. */
function secrecyOf({ secret = false, example }: Settings[string]): ChartVariable['secret'] {
  if (!secret) return 'never';
  return /^https?:/.test(example) ? 'perhaps' : 'always';
}

/** Which app may open a connection to which, the caller first. */
export const chartCalls = (apps: ChartApps): (readonly [string, string])[] =>
  Object.entries(apps).flatMap(([name, { calls, callsReplicas }]) => [
    ...calls.map((called) => [name, called] as const),
    ...(callsReplicas ? [[name, name] as const] : []),
  ]);
