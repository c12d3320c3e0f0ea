/** What is measured of both servers, and what it may cost at most. */
import { join } from 'node:path';
import { startCallers } from '../caller-process.ts';
import { measure, type LoadSettings } from '../load.ts';
import { processCpu } from '../process-cpu.ts';
import type { Measurement, Side } from '../rounds.ts';
import type { GatewayCallerOptions, GatewayLoad } from './gateway-caller.ts';
import type { GatewayCluster } from './gateway-cluster.ts';
import type { Scenarios } from './scenarios.ts';
import { COUNTED, type StreamKind } from './stream-kinds.ts';

/** By their names in the line of JSON. */
export const SUBJECTS = ['get', 'small_get', 'post', 'event', 'round_trip', 'upload'] as const;
export type SubjectKey = (typeof SUBJECTS)[number];

export interface Subject {
  readonly key: SubjectKey;
  readonly name: string;
  /** Of the baseline's CPU at most. */
  readonly aim: number;
  /** CPU at most, in microseconds. */
  readonly aimMicros?: number;
  readonly measure: (side: Side, load: LoadSettings) => Promise<Measurement>;
}

/** A kernel's round trip, whatever it costs by hand. */
const ROUND_TRIP_AIM_MICROS = 300;
/** Files that are on their way at once: more would only wait for one another. */
const UPLOADS_AT_ONCE = 8;

export function subjectsOf(cluster: GatewayCluster, { get, organisation, post }: Scenarios): readonly Subject[] {
  const options: GatewayCallerOptions = {
    urls: { platform: cluster.platform.url, baseline: cluster.baseline.url },
    token: cluster.token,
  };
  const callers = startCallers<Side, GatewayLoad>(join(import.meta.dirname, 'gateway-caller.ts'), {
    variants: ['platform', 'baseline'],
    options,
    profiling: [],
  });
  cluster.atStop(() => callers.stop());

  const request = (scenario: typeof get): Subject['measure'] => {
    return (side, load) => measure(cluster[side], scenario, load);
  };
  const streamed =
    (kind: StreamKind): Subject['measure'] =>
    async (side, { seconds, connections }) => {
      const { pid } = cluster[side];
      const atOnce = kind === 'uploads' ? Math.min(connections, UPLOADS_AT_ONCE) : connections;
      const before = processCpu(pid);
      const { done, seconds: taken } = await callers.work(side, { kind, seconds, connections: atOnce });
      const count = done * COUNTED[kind];
      return { perSecond: count / taken, cpu: (processCpu(pid) - before) / count };
    };
  return [
    { key: 'get', name: get.name, aim: 0.62, measure: request(get) },
    { key: 'small_get', name: organisation.name, aim: 0.62, measure: request(organisation) },
    { key: 'post', name: post.name, aim: 0.75, measure: request(post) },
    { key: 'event', name: 'a server-sent event', aim: 1, measure: streamed('events') },
    {
      key: 'round_trip',
      name: 'a round trip over a WebSocket',
      aim: 1,
      aimMicros: ROUND_TRIP_AIM_MICROS,
      measure: streamed('round-trips'),
    },
    { key: 'upload', name: 'a MiB of an upload', aim: 1, measure: streamed('uploads') },
  ];
}
