import type { status } from '@grpc/grpc-js';

/** One finished call, for metrics. */
export interface ObservedCall {
  /** `/platform.identity.v1.ClientGroupService/CreateClientGroup` */
  method: string;
  code: status;
  durationMs: number;
}

/** Told about every finished call. Must not throw. */
export type CallObserver = (call: ObservedCall) => void;
