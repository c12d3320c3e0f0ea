import { status } from '@grpc/grpc-js';
import type { Metrics } from '@platform-backend/core/metrics';

/** One finished call, for metrics. */
export interface ObservedCall {
  /** `/platform.identity.v1.ClientGroupService/CreateClientGroup` */
  method: string;
  code: status;
  durationMs: number;
}

/** Told about every finished call. Must not throw. */
export type CallObserver = (call: ObservedCall) => void;

/** Counts the calls that a server has handled, and how long each took. */
export function countCalls(metrics: Metrics): CallObserver {
  const count = metrics.counter('grpc_server_handled_total', 'Calls handled, by their status.', ['method', 'status']);
  const took = metrics.histogram({
    name: 'grpc_server_handling_seconds',
    help: 'Time from the arrival of a call to its answer, in seconds.',
    labels: ['method'],
    buckets: [0.005, 0.025, 0.1, 0.5, 2, 10],
  });
  return ({ method, code, durationMs }) => {
    count(method, status[code]);
    took(durationMs / 1_000, method);
  };
}
