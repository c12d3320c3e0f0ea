import type { Caller } from '@platform-backend/auth';
import { loadContract, type DomainContract, type Operation } from '@platform-backend/contract';
import { DomainError, type PermissionLevel } from '@platform-backend/core';
import type { Service } from '../../src/index.ts';
import type { Callers } from '../starters/callers.ts';
import type { TestDatabase } from '../starters/test-database.ts';

/** Ids of one of each thing that an organisation has, by names of their own. */
export type Ids = Readonly<Record<string, string>>;

/** An organisation with something in it. */
export interface SeededOrganisation<Things extends Ids> {
  readonly organisationId: string;
  /** Its OWNER. */
  readonly caller: Caller;
  /** People with a part of their own, such as one who was invited. */
  readonly others?: Readonly<Record<string, Caller>>;
  readonly ids: Things;
}

/**
 * What is known of an operation: who may call it, written by hand and apart from the contract, so that a slip is seen, and
 * a request that is carried out for an organisation with these things; `{}` unless given.
 */
export type KnownOperation<Things extends Ids> = readonly [
  /** The least level; services by their names for what services alone may call. */
  who: PermissionLevel | 'anybody signed in' | 'anybody' | readonly string[],
  keys: 'key' | 'no key',
  request?: ((ids: Things) => object) | undefined,
  more?: {
    /** The operation that makes sense of this one: what is restored was archived before. */
    readonly after?: string;
    /** What the organisation must have besides what the request names: who buys has a card. */
    readonly needs?: readonly (keyof Things)[];
    /** Which of the other people calls it, when it is not the OWNER. */
    readonly by?: string;
    /** Services that may call it on their own authority, besides people and keys. */
    readonly services?: readonly string[];
    /** A deployment may let anybody call it. */
    readonly openable?: true;
  },
];

export interface ServiceUnderTest<Things extends Ids> {
  readonly service: Service;
  /** Starts it on a database of its own, without NATS: its events stay in the outbox. */
  readonly start: () => Promise<RunningServiceUnderTest>;
  /**
   * Makes an organisation with one of each thing; what it is called shows whose a thing is. Where `ids` are given, things that
   * take long may be left out unless theirs is among them.
   */
  readonly seed: (
    running: RunningServiceUnderTest,
    name: string,
    ids?: ReadonlySet<keyof Things>,
  ) => Promise<SeededOrganisation<Things>>;
  /** By `Service/Method`. An operation that is missing here fails the suites. */
  readonly operations: Readonly<Record<string, KnownOperation<Things>>>;
  /** Tables that on purpose belong to no organisation; of PostgreSQL. */
  readonly sharedTables?: readonly string[];
  /** Of its database: functions that run as the owner of the tables, see SchemaExceptions. */
  readonly ownersFunctions?: readonly string[];
  /** Tables or collections that hold nothing although every operation has its request. */
  readonly emptyTables?: readonly string[];
  /** Operations whose ids name nothing of another organisation's, such as ids that the caller chooses, and why. */
  readonly idsOfTheirOwn?: Readonly<Record<string, string>>;
  /** Operations that look and say something else each time, such as how long it took, and why. */
  readonly different?: Readonly<Record<string, string>>;
  /** Operations that are carried out without an event, and why. */
  readonly silent?: Readonly<Record<string, string>>;
  /** Operations that change something and leave no entry in the audit log, and why. */
  readonly unaudited?: Readonly<Record<string, string>>;
  /** Operations that do one thing after the other, each in a transaction with its events, and why. */
  readonly inSteps?: Readonly<Record<string, string>>;
}

/** The operations of the contract with what is known of them. */
export type KnownOperations<Things extends Ids> = readonly {
  readonly name: string;
  readonly operation: Operation;
  /** It only looks. */
  readonly reads: boolean;
  readonly rule: KnownOperation<Things>;
  /** Whose ids are in its request, what it needs besides, and those of the operations before it. */
  readonly ids: () => ReadonlySet<keyof Things>;
}[];

export interface RunningServiceUnderTest {
  /** As this service, or another process of it at an address. */
  readonly calledBy: (service: string, address?: string) => Callers;
  readonly database: TestDatabase;
  /** What it was started with. */
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** The operations of the contract of which something is known. */
export function knownOperations<Things extends Ids>(tested: ServiceUnderTest<Things>): KnownOperations<Things> {
  return operationsOf(tested.service.declaration.contract).flatMap((operation) => {
    const rule = tested.operations[operation.name];
    if (!rule) return [];
    // Requests may be made of what is there only once the service runs.
    return [{ ...operation, rule, ids: () => idsIn(rule, tested.operations) }];
  });
}

/** The ids that the request of an operation is made of, and those of what it needs besides. */
function idsIn<Things extends Ids>(
  [, , request, more]: KnownOperation<Things>,
  operations: ServiceUnderTest<Things>['operations'],
): ReadonlySet<keyof Things> {
  const before = more?.after === undefined ? undefined : operations[more.after];
  const ids = new Set<keyof Things>([...(more?.needs ?? []), ...(before ? idsIn(before, operations) : [])]);
  const get = (_: object, name: string | symbol) => {
    ids.add(name as string);
    return String(name);
  };
  request?.(new Proxy({}, { get }) as Things);
  return ids;
}

/** The operations of a contract by `OrganisationService/CreateOrganisation`, and whether they only look. */
export function operationsOf(domain: DomainContract) {
  const { root, operations } = loadContract(domain);
  return operations.map((operation) => {
    const { id, service, method, http } = operation;
    const { options } = root.lookupService(service).methods[method] ?? {};
    const reads = http?.verb === 'GET' || options?.['idempotency_level'] === 'NO_SIDE_EFFECTS';
    return { name: id.slice(id.lastIndexOf('.') + 1), operation, reads };
  });
}

export type Call = (
  operation: Operation,
  request: object,
  caller: Caller,
  options?: {
    readonly idempotencyKey?: string;
    readonly ifMatch?: string;
    readonly ifNoneMatch?: string;
    readonly requestId?: string;
  },
) => Promise<unknown>;

/** Calls any operation, as the service that the caller came through. */
export function caller({ calledBy }: Pick<RunningServiceUnderTest, 'calledBy'>): Call {
  const clients = new Map<string, Record<string, (request: unknown, options: object) => unknown>>();
  const clientOf = (operation: Operation, as: string) => {
    const key = `${as} ${operation.service}`;
    const client = clients.get(key) ?? calledBy(as).to(operation.service.slice(operation.service.lastIndexOf('.') + 1));
    clients.set(key, client);
    return client as Record<string, (request: unknown, options: object) => unknown>;
  };
  return async (operation, request, by, options) => {
    const { method, requestStream } = operation;
    const rpc = clientOf(operation, by.service)[method.charAt(0).toLowerCase() + method.slice(1)];
    const answer = rpc?.(requestStream ? only(request) : request, { ...options, caller: by });
    if (!isIterable(answer)) return answer;
    const answers: unknown[] = [];
    for await (const one of answer) answers.push(one);
    return answers;
  };
}

async function* only<T>(request: T): AsyncGenerator<T> {
  yield await Promise.resolve(request);
}

const isIterable = (answer: unknown): answer is AsyncIterable<unknown> =>
  typeof answer === 'object' && answer !== null && Symbol.asyncIterator in answer;

/** `answered`, or the kind of the refusal. */
export interface Outcome {
  readonly kind: string;
  readonly text: string;
}

/** What a caller can see of the answer or the refusal. */
export async function outcomeOf(call: Promise<unknown>): Promise<Outcome> {
  try {
    return { kind: 'answered', text: JSON.stringify(await call) };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const { kind, code, message, violations } = error;
    return { kind, text: JSON.stringify({ code, message, violations }) };
  }
}

/** Who calls an operation for an organisation: its OWNER, or the first of the services that may. */
export function callerOf<Things extends Ids>(
  [who, , , more]: KnownOperation<Things>,
  { organisationId, caller: owner, others }: SeededOrganisation<Things>,
): Caller {
  if (who === 'anybody') return { kind: 'anonymous', service: 'gateway', scopes: [] };
  const [service] = typeof who === 'string' ? [] : who;
  if (service !== undefined) return { kind: 'service', service, organisationId, scopes: [] };
  return (more?.by === undefined ? undefined : others?.[more.by]) ?? owner;
}
