import type { ServiceDefinition } from '@grpc/grpc-js';
import type { AccessRule } from '@platform-backend/auth';
import type { Violation } from '@platform-backend/core';

/** One rpc, as far as serving and calling it go. */
export interface ServedOperation {
  /** `platform.identity.v1.ClientGroupService` */
  readonly service: string;
  /** `/platform.identity.v1.ClientGroupService/CreateClientGroup` */
  readonly grpcPath: string;
  /** `CreateClientGroup` */
  readonly method: string;
  readonly access: AccessRule;
  /** Doing it twice is like doing it once, so that it is repeated when nobody knows whether it was done. */
  readonly idempotent: boolean;
  /** Present when it is carried out once for each Idempotency-Key; what a repetition does that finds it cut short. */
  readonly repetition?: 'once' | 'continues';
  /** Where what it has begun is found, by the id of its keyed call in place of `{id}`. */
  readonly pendingLocation?: string;
  /** Of an operation that changes a thing: how that is read, and which field of the change is which of that request. */
  readonly changes?: { readonly grpcPath: string; readonly fields: Readonly<Record<string, string>> };
  /** Present when the operation has an HTTP binding, so that the gateway may call it. */
  readonly http?: unknown;
}

/** What servers and clients need of the contract; `loadContract()` of @platform-backend/contract gives it. */
export interface GrpcContract {
  readonly operations: readonly ServedOperation[];
  /** The definition of a service by its full name; throws when there is none. */
  serviceDefinition(service: string): ServiceDefinition;
  /**
   * What checks an operation's requests: answers what is wrong with one that arrived in so many bytes, and fills in what was left out. None, when
   * nothing is wrong.
   */
  requestCheck(grpcPath: string): (request: object, bytes: number) => readonly Violation[];
  /** The same for an operation with a stream of requests: makes the check of one such stream, message by message. */
  streamCheck(grpcPath: string): () => (request: object, bytes: number) => readonly Violation[];
  /**
   * How what an operation changes is read by the one at this gRPC path: a request to fill in, and what of the answer
   * `If-Match` is compared with.
   */
  conditionRead(grpcPath: string): {
    readonly newRequest: () => Record<string, unknown>;
    readonly stateOf: (answer: Buffer) => string;
  };
  /** The original FileDescriptorProto of every file, serialised; imported files come before their importers. */
  protoImage(): readonly Uint8Array[];
}
