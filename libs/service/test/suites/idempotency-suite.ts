import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { camelCase, loadContract, type Operation } from '@platform-backend/contract';
import { newId } from '@platform-backend/core';
import { waitFor } from '@platform-backend/testing';
import {
  caller,
  callerOf,
  outcomeOf,
  type Call,
  type SeededOrganisation,
  type Ids,
  type KnownOperations,
  type Outcome,
  type RunningServiceUnderTest,
  type ServiceUnderTest,
} from './service-under-test.ts';
import { storedRows, type StoredRows } from './stored-rows.ts';

/** What an `Idempotency-Key` promises (D23), of every operation that takes one. */
export function keyedCallsSuite<Things extends Ids>(
  { service, seed }: Pick<ServiceUnderTest<Things>, 'service' | 'seed'>,
  known: KnownOperations<Things>,
  running: () => RunningServiceUnderTest,
): void {
  const { requestCheck, serviceDefinition } = loadContract(service.declaration.contract);

  describe('a call with an Idempotency-Key', () => {
    let call: Call;
    let stored: StoredRows;
    beforeAll(async () => {
      call = caller(running());
      stored = await storedRows(service, running().database);
    });
    afterAll(() => stored.close());

    async function prepare(
      name: string,
      organisation: SeededOrganisation<Things>,
    ): Promise<{
      readonly operation: Operation;
      readonly request: Readonly<Record<string, unknown>>;
      readonly execute: (idempotencyKey: string, requestId: string, request?: object) => Promise<unknown>;
    }> {
      const found = known.find((one) => one.name === name);
      if (!found) throw new Error(`there is no operation ${name}`);
      const { operation, rule } = found;
      const { after } = rule[3] ?? {};
      if (after !== undefined) await (await prepare(after, organisation)).execute(newId(), newId());
      const request = { ...rule[2]?.(organisation.ids) };
      const by = callerOf(rule, organisation);
      const execute = (idempotencyKey: string, requestId: string, asked: object = request) =>
        call(operation, asked, by, { idempotencyKey, requestId });
      return { operation, request, execute };
    }
    let organisation: SeededOrganisation<Things> | undefined;
    const earlier: string[] = [];
    async function seedFor(name: string): Promise<SeededOrganisation<Things>> {
      if (organisation) earlier.push(organisation.organisationId);
      const ids = known.find((one) => one.name === name)?.ids();
      return (organisation = await seed(running(), `Keyed${earlier.length}`, ids));
    }
    /** Whatever was written for a request says which one it was. */
    const leftBy = async (requestId: string) =>
      (await stored.besides(earlier)).filter(({ text }) => text.includes(requestId));

    /** The same request with another value in one of its fields, if it has any that may have another one. */
    function otherRequest({ grpcPath, service: protoService, method }: Operation, request: object): object | undefined {
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

    const keyed = known.filter(({ operation }) => operation.repetition !== undefined).map(({ name }) => name);
    for (const name of keyed)
      it(`is carried out once, and its repetition answered with the same: ${name}`, async () => {
        const { operation, request, execute } = await prepare(name, await seedFor(name));
        const [key, second] = [newId(), newId()];
        const twins = await Promise.all([newId(), newId()].map((id) => outcomeOf(execute(key, id))));
        const [first] = twins.filter(({ kind }) => kind === 'answered');
        if (!first) throw new Error(`${name} was refused (${twins[0]?.text}): give it a request that is carried out`);
        for (const twin of twins) if (!isInFlight(twin)) expect(twin).toEqual(first);

        const again = await waitFor(async () => {
          const outcome = await outcomeOf(execute(key, second));
          return isInFlight(outcome) ? undefined : outcome;
        });
        expect(again).toEqual(first);
        expect(await leftBy(second)).toEqual([]);

        const other = otherRequest(operation, request);
        if (other) expect(await outcomeOf(execute(key, newId(), other))).toMatchObject({ kind: 'invalid' });
        // Of a request without fields there is no other one.
        else expect(operation.requestType.fieldsArray.filter((field) => camelCase(field.name) in request)).toEqual([]);
      });
  });
}

const isInFlight = ({ kind, text }: Outcome): boolean =>
  kind === 'conflict' && (JSON.parse(text) as { code: string }).code === 'request_in_flight';

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
