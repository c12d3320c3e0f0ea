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

/** Counts the calls that a server has handled. */
export function countCalls(metrics: Metrics): CallObserver {
  const count = metrics.counter('grpc_server_handled_total', 'Calls handled, by their status.', ['method', 'status']);
  return ({ method, code }) => count(method, status[code]);
}
