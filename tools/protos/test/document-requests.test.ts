import { describe, expect, it } from '@jest/globals';
import { compileRoutes, openApi } from '@platform-backend/contract/http';
import type { JsonObject, JsonValue } from '@platform-backend/contract/messages';
import { loadPlatformContract } from '@platform-backend/contracts';
import { repetitions } from '@platform-backend/testing';
import fc, { type Arbitrary } from 'fast-check';
import { DocumentValues } from './document-requests.ts';

const contract = loadPlatformContract();
const document = openApi(contract);
const values = new DocumentValues(document);
const routes = compileRoutes(contract, { cursorKey: 'a key for tests' });

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: JsonObject;
}

interface Sent {
  readonly path: string;
  readonly rawQuery: string;
  readonly body: JsonValue | undefined;
}

/** An operation as the document has it. */
interface Described {
  readonly name: string;
  readonly verb: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  /** Of a JSON body. */
  readonly body: JsonObject | undefined;
}

const operations = Object.entries(document['paths'] as Record<string, Record<string, JsonObject>>).flatMap(
  ([path, item]) =>
    Object.entries(item).flatMap(([verb, operation]): Described[] => {
      const parameters = (operation['parameters'] as unknown as (Parameter & { $ref?: string })[]).filter(
        ({ $ref, in: where }) => $ref === undefined && where !== 'header',
      );
      const { content } = (operation['requestBody'] ?? { content: {} }) as { content: Record<string, JsonObject> };
      const types = Object.keys(content);
      // Files and bytes are any; CloudEvents have their own tests.
      if (types.length > 0 && types.join() !== 'application/json') return [];
      const body = content['application/json']?.['schema'] as JsonObject | undefined;
      return [{ name: `${verb.toUpperCase()} ${path}`, verb: verb.toUpperCase(), path, parameters, body }];
    }),
);

/** Any request that the document allows. */
function valid({ path, parameters, body }: Described): Arbitrary<Sent> {
  const within = (location: string) => parameters.filter((parameter) => parameter.in === location);
  const inPath = within('path').map(({ name, schema }) => [
    name,
    values.of(schema).filter((value) => value !== '' && !/^[./\s]|[/?#%]/u.test(written(value))),
  ]);
  const inQuery = within('query').map(({ name, schema }) => [name, values.of(schema)]);
  // A cursor is what a page gave: nobody can make one up.
  const required = within('query').filter((parameter) => parameter.required);
  return fc
    .record({
      path: fc.record(Object.fromEntries(inPath) as Record<string, Arbitrary<JsonValue>>),
      query: fc.record(
        Object.fromEntries(inQuery.filter(([name]) => name !== 'cursor')) as Record<string, Arbitrary<JsonValue>>,
        {
          requiredKeys: required.map(({ name }) => name),
        },
      ),
      body: body ? values.of(body) : fc.constant(undefined),
    })
    .map((sent) => ({
      path: path.replace(/\{(\w+)\}/g, (_match, name: string) => encodeURIComponent(written(sent.path[name] ?? ''))),
      rawQuery: String(
        new URLSearchParams(
          Object.entries(sent.query).flatMap(([name, value]) =>
            [value].flat().map((one): [string, string] => [name, written(one)]),
          ),
        ),
      ),
      body: sent.body,
    }));
}

const written = (value: JsonValue): string => (typeof value === 'string' ? value : JSON.stringify(value));

function answerTo(verb: string, { path, rawQuery, body }: Sent): { ok: boolean; detail?: unknown } {
  const match = routes.match(verb, path);
  if (match.kind !== 'route') return { ok: false, detail: match.kind };
  return match.route.parse({
    pathParameters: match.pathParameters,
    rawQuery,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(body === undefined ? '' : JSON.stringify(body)),
  });
}

/** Names of the body's fields that an object can stand in for by no rule. */
const plainFields = (body: JsonObject): string[] =>
  Object.entries((body['properties'] ?? {}) as Record<string, JsonObject>)
    .filter(([, schema]) => ['string', 'integer', 'number', 'boolean'].includes(schema['type'] as string))
    .map(([name]) => name);

describe('requests made from the document', () => {
  it.each(operations.map((operation) => [operation.name, operation] as const))(
    'that it allows are taken: %s',
    (_name, operation) => {
      fc.assert(
        fc.property(valid(operation), (sent) => {
          expect([sent, answerTo(operation.verb, sent)]).toEqual([sent, expect.objectContaining({ ok: true })]);
        }),
        { numRuns: repetitions({ usual: 2, long: 300 }) },
      );
    },
  );

  const withBody = operations.flatMap((operation) =>
    operation.body && plainFields(operation.body).length > 0
      ? [[operation.name, operation, operation.body] as const]
      : [],
  );

  it.each(withBody)('that it forbids are refused for that: %s', (_name, operation, body) => {
    fc.assert(
      fc.property(valid(operation), fc.constantFrom(...plainFields(body)), (sent, field) => {
        const broken = { ...sent, body: { ...(sent.body as JsonObject), [field]: {} } };
        const locations = ((answerTo(operation.verb, broken).detail ?? []) as { loc: unknown[] }[]).map(
          ({ loc }) => loc,
        );
        expect(locations).toContainEqual(['body', field]);
      }),
      { numRuns: repetitions({ usual: 1, long: 100 }) },
    );
    const required = (body['required'] ?? []) as string[];
    for (const field of required) {
      const [sent] = fc.sample(valid(operation), 1);
      if (!sent) throw new Error('there is no request');
      const { [field]: _left, ...rest } = sent.body as JsonObject;
      const answer = answerTo(operation.verb, { ...sent, body: rest });
      expect(answer.detail).toContainEqual(expect.objectContaining({ type: 'missing', loc: ['body', field] }));
    }
  });
});
