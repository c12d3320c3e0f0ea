import { camelCase, loadContract, type Operation } from '@platform-backend/contract';
import { newId } from '@platform-backend/core';
import { waitFor } from '@platform-backend/testing';
import {
  caller,
  callerOf,
  outcomeOf,
  type Ids,
  type KnownOperations,
  type Outcome,
  type RunningServiceUnderTest,
  type SeededOrganisation,
  type ServiceUnderTest,
} from './service-under-test.ts';
import { saying, storedRows, type StoredRow, type StoredRows } from './stored-rows.ts';

/** What became of an operation that changes something, called in an organisation of its own: first refused, then carried out, then repeated. */
export interface TriedWrite {
  /** With preconditions that do not hold; of operations that know any. */
  readonly refused: readonly Outcome[];
  /** Of the organisation, before and after those. */
  readonly aroundRefused: Around<string>;
  /** Of one call, or of two at once with the same key: the one that was carried out comes first. */
  readonly outcomes: readonly [Outcome, ...Outcome[]];
  /** Of all organisations that the service has not worked for before, before and after those. */
  readonly around: Around<StoredRow>;
  /** With the same key; without it of operations that may be repeated. */
  readonly repeated: Outcome | undefined;
  readonly afterRepeated: readonly StoredRow[];
  /** What was written for a repetition with the same key. */
  readonly leftByRepeated: readonly StoredRow[];
  /** With the same key and another request, if there is one that the contract allows. */
  readonly reused: Outcome | undefined;
  /** The fields of the contract that it was called with. */
  readonly fields: readonly string[];
}

interface Around<Row> {
  readonly before: readonly Row[];
  readonly after: readonly Row[];
}

/** Tries each operation once for all the suites that ask, as an organisation with something in it takes long to make. */
export interface TriedWrites<Things extends Ids = Ids> {
  of(name: string): Promise<TriedWrite>;
  /** An organisation whose rows no try is blamed for. */
  seedApart(name: string): Promise<SeededOrganisation<Things>>;
  /** A connection that ends with the tries. */
  stored(): Promise<StoredRows>;
  close(): Promise<void>;
}

/** Preconditions that do not hold of what is there. */
export const STALE = [{ ifMatch: 'stale' }, { ifNoneMatch: '*' }, { ifMatch: '*', ifNoneMatch: '*' }];

export function triedWrites<Things extends Ids>(
  { service, seed }: Pick<ServiceUnderTest<Things>, 'service' | 'seed'>,
  known: KnownOperations<Things>,
  running: () => RunningServiceUnderTest,
): TriedWrites<Things> {
  const tries = new Map<string, Promise<TriedWrite>>();
  const seededBefore: string[] = [];
  let opened: Promise<StoredRows> | undefined;
  const stored = (): Promise<StoredRows> => (opened ??= storedRows(service, running().database));

  async function seedApart(name: string, ids?: ReadonlySet<keyof Things>): Promise<SeededOrganisation<Things>> {
    const organisation = await seed(running(), name, ids);
    seededBefore.push(organisation.organisationId);
    return organisation;
  }

  /** The call of an operation, once those before it are made that make sense of it. */
  async function prepare(name: string, organisation: SeededOrganisation<Things>) {
    const found = known.find((one) => one.name === name);
    if (!found) throw new Error(`there is no operation ${name}`);
    const { operation, rule } = found;
    const call = caller(running());
    const after = rule[3]?.after;
    if (after !== undefined) await (await prepare(after, organisation)).execute();
    const request = { ...rule[2]?.(organisation.ids) };
    const execute = (options: Parameters<typeof call>[3] = {}, asked: object = request) =>
      call(operation, asked, callerOf(rule, organisation), options);
    return { operation, request, execute };
  }

  async function tryOut(name: string): Promise<TriedWrite> {
    const rows = await stored();
    const earlier = [...seededBefore];
    const ids = known.find((one) => one.name === name)?.ids();
    const organisation = await seedApart(`Tried${earlier.length}`, ids);
    const { operation, request, execute } = await prepare(name, organisation);
    /** Rows of all organisations, also of such as a call founds; for those of earlier tries the service goes on with what they began. */
    const rowsNow = () => rows.besides(earlier);

    const refused: Outcome[] = [];
    const before = await rowsNow();
    const ofOne = (all: readonly StoredRow[]) =>
      all.filter(({ organisationId }) => organisationId === organisation.organisationId).map(saying);
    if (operation.changes) for (const condition of STALE) refused.push(await outcomeOf(execute(condition)));
    const stillBefore = refused.length > 0 ? await rowsNow() : before;

    const isKeyed = operation.repetition !== undefined;
    const idempotencyKey = newId();
    const keyed = { ...(isKeyed && { idempotencyKey }) };
    const holding = { ...(operation.changes && { ifMatch: '*', ifNoneMatch: 'stale' }) };
    const twins = Array.from({ length: isKeyed ? 2 : 1 }, () => outcomeOf(execute({ ...keyed, ...holding })));
    const made = await Promise.all(twins);
    const [first, ...others] = made.toSorted((a, b) => Number(b.kind === 'answered') - Number(a.kind === 'answered'));
    if (!first) throw new Error('there is always one');
    const after = await rowsNow();

    const secondId = newId();
    const repeat = () => outcomeOf(execute({ ...keyed, requestId: secondId }));
    const wasKept = isKeyed && first.kind === 'answered';
    const repeated =
      wasKept || operation.idempotent
        ? await waitFor(async () => {
            const outcome = await repeat();
            return isKeyed && isInFlight(outcome) ? undefined : outcome;
          })
        : undefined;
    const afterRepeated = repeated ? await rowsNow() : after;
    const other = wasKept ? otherRequest(service, operation, request) : undefined;
    return {
      refused,
      aroundRefused: { before: ofOne(before), after: ofOne(stillBefore) },
      outcomes: [first, ...others],
      around: { before: stillBefore, after },
      repeated,
      afterRepeated,
      // Whatever was written for a request says which one it was.
      leftByRepeated: afterRepeated.filter(({ text }) => text.includes(secondId)),
      reused: other && (await outcomeOf(execute(keyed, other))),
      fields: operation.requestType.fieldsArray.map((field) => camelCase(field.name)).filter((name) => name in request),
    };
  }

  return {
    of(name) {
      const tried = tries.get(name) ?? tryOut(name);
      tries.set(name, tried);
      return tried;
    },
    seedApart: (name) => seedApart(name),
    stored,
    close: async () => (await opened)?.close(),
  };
}

export const isInFlight = ({ kind, text }: Outcome): boolean =>
  kind === 'conflict' && (JSON.parse(text) as { code: string }).code === 'request_in_flight';

/** The same request with another value in one of its fields, if it has any that may have another one. */
function otherRequest(
  service: ServiceUnderTest<Ids>['service'],
  { grpcPath, service: protoService, method }: Operation,
  request: object,
): object | undefined {
  const { requestCheck, serviceDefinition } = loadContract(service.declaration.contract);
  const rpc = serviceDefinition(protoService)[method];
  if (!rpc) throw new Error(`${grpcPath} is not in the contract`);
  const others = Object.entries(request).flatMap(([name, value]) =>
    otherValues(value).map((other) => ({ ...request, [name]: other })),
  );
  return others.find((other) => {
    const bytes = rpc.requestSerialize(other);
    return requestCheck(grpcPath)(rpc.requestDeserialize(bytes) as object, bytes.length).length === 0;
  });
}

/** Some values that differ; which of them a request may have its contract says. */
function otherValues(value: unknown): unknown[] {
  // An integer of 64 bits travels as a text that holds nothing else.
  if (typeof value === 'string' && /^\d+$/.test(value)) return [`${value}1`, '1'];
  if (typeof value === 'string') return [newId(), `${value}x`, `x${value}`, `${value}1`];
  if (typeof value === 'number') return [value + 1, value - 1];
  if (typeof value === 'boolean') return [!value];
  if (Array.isArray(value)) return [[...(value as unknown[]), ...(value as unknown[])]];
  if (value instanceof Date) return [new Date(value.getTime() + 60_000)];
  return [];
}
