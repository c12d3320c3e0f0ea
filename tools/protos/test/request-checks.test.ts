import { describe, expect, it } from '@jest/globals';
import { fieldRules, type Contract, type Operation, type RequestCheck } from '@platform-backend/contract';
import { compileRoutes, type RequestParts, type Route, type Routes } from '@platform-backend/contract/http';
import { arbitraryRequest, takesJson } from '@platform-backend/contract/testing/arbitrary-requests';
import { brokenRequests } from '@platform-backend/contract/testing/broken-requests';
import { recordedGroups, requestOf } from '@platform-backend/contract/testing/recorded-answers';
import { loadShapes } from '@platform-backend/contract/testing/sample-contract';
import { sampleRequest, type Sample } from '@platform-backend/contract/testing/sample-requests';
import { loadPlatformContract } from '@platform-backend/contracts';
import { repetitions } from '@platform-backend/testing';
import fc from 'fast-check';
import type protobuf from 'protobufjs';

/** Cursors are any text between services. */
const hasValueRules = (field: protobuf.Field): boolean => {
  const { string, integer, list, map, json, jsonMaxBytes, requiredWhen } = fieldRules(field);
  if (string?.format === 'CURSOR') return false;
  return Boolean(string ?? integer ?? list ?? map ?? jsonMaxBytes ?? requiredWhen) || json.length > 0;
};

type Received = Record<string, unknown>;

const platform = loadPlatformContract();
/** What the platform's own operations do not show. */
const shapes = loadShapes();
const contracts = [
  ['the platform', platform, compileRoutes(platform, { cursorKey: 'a key for tests' })],
  ['the contract of shapes', shapes, compileRoutes(shapes, { cursorKey: 'a key for tests' })],
] as const;

function rpcOf(contract: Contract, { service, method }: Operation) {
  const rpc = contract.serviceDefinition(service)[method];
  if (!rpc) throw new Error(`no definition of ${service}/${method}`);
  return rpc;
}

/** What is wrong with a request that a service gets from another service. */
function checkedDirectly(contract: Contract, operation: Operation, request: Sample): ReturnType<RequestCheck> {
  const rpc = rpcOf(contract, operation);
  const bytes = rpc.requestSerialize(request);
  return contract.requestCheck(operation.grpcPath)(rpc.requestDeserialize(bytes) as Received, bytes.length);
}

interface Sent extends Omit<RequestParts, 'pathParameters'> {
  readonly method: string;
  readonly path: string;
}

/** Where a request over HTTP leads, and the message the gateway makes of it; undefined when it refuses it. */
function throughGateway(
  routes: Routes,
  { method, path, ...parts }: Sent,
): { route: Route; message: Buffer } | undefined {
  const match = routes.match(method, path);
  if (match.kind !== 'route') return undefined;
  const parsed = match.route.parse({ ...parts, pathParameters: match.pathParameters });
  return parsed.ok ? { route: match.route, message: parsed.message } : undefined;
}

/** The service finds nothing wrong, and nothing to change. */
function expectUntouched(contract: Contract, operation: Operation, message: Buffer): void {
  const received = (): Received => rpcOf(contract, operation).requestDeserialize(message) as Received;
  const checked = received();
  expect(contract.requestCheck(operation.grpcPath)(checked, message.length)).toEqual([]);
  expect(checked).toEqual(received());
}

describe.each(contracts)('a request of %s that the gateway lets through', (_name, contract, routes) => {
  const bound = contract.operations.flatMap((operation) =>
    operation.http && takesJson(operation) ? [[operation.id, operation, operation.http] as const] : [],
  );

  it.each(bound)('passes the check of %s as it is', (_id, operation, http) => {
    const requests = arbitraryRequest(operation, http);
    fc.assert(
      fc.property(requests, (request) => {
        const headers = { 'content-type': 'application/json' };
        const sent = throughGateway(routes, { method: http.verb, headers, ...request });
        fc.pre(sent !== undefined);
        expectUntouched(contract, operation, sent.message);
      }),
      { numRuns: repetitions({ usual: 3, long: 50 }) },
    );
  });
});

describe('recorded requests that the gateway lets through', () => {
  const [, contract, routes] = contracts[0];
  const recorded = [...recordedGroups().values()].flat().map((each) => requestOf(each, 'a-good-token'));

  it('pass the checks as they are', () => {
    const letThrough = recorded.flatMap(({ method, target, headers, body }) => {
      const [path = '', rawQuery = ''] = target.split('?', 2);
      return throughGateway(routes, { method, path, rawQuery, headers, body }) ?? [];
    });
    expect(letThrough.length).toBeGreaterThan(200);
    for (const { route, message } of letThrough) expectUntouched(contract, route.operation, message);
  });
});

describe.each(contracts)('a request of %s from another service', (_name, contract, _routes) => {
  const operations = contract.operations.map((operation) => [operation.id, operation] as const);

  it.each(operations)('that keeps every rule of %s passes', (_id, operation) => {
    expect(checkedDirectly(contract, operation, sampleRequest(operation, 'least'))).toEqual([]);
    expect(checkedDirectly(contract, operation, sampleRequest(operation, 'full'))).toEqual([]);
  });

  it('is known for every rule that breaks it', () => {
    for (const [id, operation] of operations) {
      const broken = brokenRequests(operation).map(({ what }) => what);
      for (const field of operation.requestType.fieldsArray.filter(hasValueRules)) {
        expect(broken).toContainEqual(expect.stringContaining(`${id}: ${field.name}, `));
      }
    }
  });

  it.each(operations)('that breaks one rule of %s is refused for that', (_id, operation) => {
    for (const { what, request, type, loc } of brokenRequests(operation)) {
      const found = checkedDirectly(contract, operation, request).map((item) => ({
        type: item.type,
        loc: item.loc.slice(1),
      }));
      expect([what, ...found]).toEqual([what, { type, loc }]);
    }
  });
});
