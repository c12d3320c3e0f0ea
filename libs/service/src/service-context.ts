import type { Clock, Configuration, DataOf, Fields, Logger, OnOf } from '@platform-backend/core';
import type { Metrics } from '@platform-backend/core/metrics';
import type { Effect, RepeatableEffect, SubscriptionOptions, WorkQueue } from '@platform-backend/events';
import type { Closable } from '@platform-backend/grpc';
import type { ServiceDeclaration } from './declaration.ts';
import type { PeriodicJob, RunningJob } from './periodic-job.ts';
import type { Storage } from './storage.ts';

/** What a service is put together from. */
export interface ServiceContext<Declaration extends ServiceDeclaration> {
  /** Its own ones. */
  readonly settings: Configuration<Declaration['settings']>;
  /** Where it was told to listen: `host:port`, before a port of 0 is chosen. */
  readonly listen: string;
  /** What its storage opened. */
  readonly storage: Opened<Declaration['storage']>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /**
   * A client of one proto service (`platform.identity.v1.MemberService`) of a service that it `calls`; `Client` is the
   * generated `<Service>Client` type. Closed when the service stops. Of a service that it `callsIfThere`, and of which
   * nobody has said where that is, every call is refused with an error that names the setting.
   */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- only the caller knows the generated type
  client<Client extends object>(this: void, protoService: `platform.${CalledBy<Declaration>}.v1.${string}`): Client;
  /** Of a service that it `callsIfThere`, for whom does something else without; undefined where nobody has said where that is. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- only the caller knows the generated type
  clientIfThere<Client extends object>(
    this: void,
    protoService: `platform.${keyof NonNullable<Declaration['callsIfThere']> & string}.v1.${string}`,
  ): Client | undefined;
  /**
   * A client of one of its own proto services (`KernelHostService`) in another replica, by that one's address. Whoever asked
   * for it closes it. Only for a service that calls others, as no other has a key.
   */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- only the caller knows the generated type
  peer<Client extends object>(this: void, protoService: string, address: string): Client & Closable;
  /** A queue that it declares: work for one of its replicas. */
  queue(this: void, name: QueueOf<Declaration>): WorkQueue;
  /** Whether events can arrive now. */
  readonly eventsFlow: () => boolean;
  /** Has events published soon that were written without the outbox's own notice, and work looked for that may follow from them. */
  readonly wakeRelay: () => void;
  /** Begins work beside the jobs, for whoever wakes it. It ends when the service stops, with what was deferred. */
  readonly repeat: (job: PeriodicJob) => RunningJob;
  /** Runs when the service stops, after calls, reactions and repeated work have ended and before its storage closes. */
  readonly defer: (close: () => Promise<void> | void) => void;
}

/** The services that it says that it calls. */
type CalledBy<Declaration extends ServiceDeclaration> = string &
  (
    | keyof Declaration['calls']
    | (Declaration extends { readonly callsIfThere: infer Optional } ? keyof Optional : never)
  );

/** What a service does, once it is put together. */
export interface Composition<Declaration extends ServiceDeclaration> {
  /** The handlers of each of its proto services, as its contract names them: `MemberService`. */
  readonly handlers: HandlersOf<Declaration>;
  /** What it does about the events of each of its reactions, once per event. */
  readonly reactions?: Reactions<Declaration['events']['reactions'], TransactionOf<Declaration['storage']>>;
  /** Who is told of the events that it follows. */
  readonly followers?: Followers<Declaration['events']['follows'][number]>;
  /** What is done again and again as long as it runs. */
  readonly jobs?: readonly PeriodicJob[];
}

/** Of each reaction the effect of the events that it is declared on, whose payloads it may read. */
type Reactions<On, Transaction> = {
  readonly [Name in keyof On]: Effect<Transaction, DataOf<On[Name]>> | RepeatableEffect<DataOf<On[Name]>>;
};

type Followers<On extends string> = { readonly [Pattern in On as OnOf<Pattern>]: Follower<DataOf<Pattern>> };

export type Follower<Data extends Fields = Fields> = Pick<
  SubscriptionOptions<Data>,
  'onEvent' | 'onConnected' | 'onDisconnected'
>;

/** Puts together what is the service's own. */
export type Compose<Declaration extends ServiceDeclaration> = (
  context: ServiceContext<Declaration>,
) => Composition<Declaration> | Promise<Composition<Declaration>>;

/** What the contract of a service has to be handled. */
export type HandlersOf<Declaration extends ServiceDeclaration> = NonNullable<Declaration['contract']['handlers']>;

type QueueOf<Declaration extends ServiceDeclaration> = NonNullable<Declaration['events']['queues']>[number];

type Opened<S> = S extends Storage<infer _Running, infer _Migrating, infer Given, infer _Transaction> ? Given : never;
export type TransactionOf<S> =
  S extends Storage<infer _Running, infer _Migrating, infer _Given, infer Transaction> ? Transaction : never;
