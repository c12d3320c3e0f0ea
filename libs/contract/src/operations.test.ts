import { describe, expect, it } from '@jest/globals';
import protobuf from 'protobufjs';
import { loadContract } from './contract.ts';
import { readOperations } from './operations.ts';
import { permissionTable } from './permission-table.ts';
import { loadSample } from './sample/sample-contract.ts';

const access =
  'option (platform.options.v1.access) = {credentials: [CREDENTIAL_KIND_TOKEN] level: PERMISSION_LEVEL_EDITOR area: "things"};';

function operationsOf(rpcs: string, packageName = 'platform.things.v1') {
  const text = `syntax = "proto3"; package ${packageName};
    message Thing { string id = 1; repeated string parts = 2; }
    service ThingService { ${rpcs} }`;
  const { root } = protobuf.parse(text, new protobuf.Root(), { keepCase: true });
  root.resolveAll();
  return readOperations(root);
}

const rpc = (options: string, name = 'GetThing') => `rpc ${name}(Thing) returns (Thing) { ${options} }`;

describe('reading operations', () => {
  it('reads names, access and HTTP binding of an rpc', () => {
    const [operation] = operationsOf(
      rpc(`${access} option (google.api.http) = {get: "/things/{id}/" response_body: "parts"};`),
    );
    expect(operation).toMatchObject({
      id: 'platform.things.v1.ThingService/GetThing',
      service: 'platform.things.v1.ThingService',
      grpcPath: '/platform.things.v1.ThingService/GetThing',
      domain: 'things',
      method: 'GetThing',
      access: { credentials: ['TOKEN'], level: 'EDITOR', area: 'things', services: [] },
      http: { verb: 'GET', path: '/things/{id}/', pathFields: ['id'], responseBody: 'parts', status: 200 },
    });
  });

  it('reads what an operation spends, and whether it may be opened', () => {
    const [operation] = operationsOf(
      rpc(`option (platform.options.v1.access) = {
        credentials: [CREDENTIAL_KIND_TOKEN] openable: true spends: CREDIT_CLASS_INFRASTRUCTURE
      };`),
    );
    expect(operation?.access).toEqual({
      credentials: ['TOKEN'],
      services: [],
      openable: true,
      spends: 'INFRASTRUCTURE',
    });
  });

  it.each([
    ['has no access rule', '', 'platform.things.v1.ThingService.GetThing has no (platform.options.v1.access) option'],
    [
      'has an HTTP binding without a verb',
      `${access} option (google.api.http) = {body: "*"};`,
      'must have exactly one verb',
    ],
    ['has two verbs', `${access} option (google.api.http) = {get: "/a" post: "/a"};`, 'must have exactly one verb'],
    [
      'has more than one binding',
      `${access} option (google.api.http) = {get: "/a" additional_bindings {get: "/b"}};`,
      'additional HTTP bindings are not supported',
    ],
    ['has a relative path', `${access} option (google.api.http) = {get: "things/"};`, 'must start with a slash'],
    [
      'has a path parameter that is no field',
      `${access} option (google.api.http) = {get: "/things/{thing_id}/"};`,
      'the path parameter {thing_id} is no field of Thing',
    ],
    [
      'has a body that is no field',
      `${access} option (google.api.http) = {post: "/" body: "it"};`,
      'the body "it" is no field',
    ],
    [
      'has a response_body that is no field',
      `${access} option (google.api.http) = {get: "/" response_body: "things"};`,
      'the response_body "things" is no field of Thing',
    ],
    [
      'misspells an option',
      'option (platform.options.v1.access) = {credential: CREDENTIAL_KIND_TOKEN};',
      'has an unknown option: credential',
    ],
  ])('refuses an rpc that %s', (_fault, options, message) => {
    expect(() => operationsOf(rpc(options))).toThrow(message);
  });

  it('refuses two operations on the same verb and path', () => {
    const binding = (path: string) => `${access} option (google.api.http) = {get: "${path}"};`;
    expect(() => operationsOf(rpc(binding('/{id}/')) + rpc(binding('/{parts}/'), 'GetOther'))).toThrow(
      'both bound to GET /{}/',
    );
  });

  it('refuses a package that does not name its domain and version', () => {
    expect(() => operationsOf(rpc(access), 'platform.things')).toThrow('must be platform.<domain>.v<number>');
  });
});

describe("the platform's operations", () => {
  const contract = loadContract();
  const routes = contract.operations.flatMap(({ http }) => (http ? [`${http.verb} ${http.path}`] : []));

  // Part 4 of the specification. These paths never change.
  it.each([
    'POST /client-groups/',
    'POST /api-keys/',
    'POST /task-templates/',
    'DELETE /task-templates/{template_id}/',
    'POST /agents/submit-to-assistant/',
    'GET /assistants/available/',
    'POST /documents/upload/',
    'GET /documents/{document_id}/',
    'POST /organisations/',
    'GET /organisations/current/',
    'POST /organisations/subscription/',
    'GET /pipelines/{pipeline_id}/',
    'GET /pipelines/{pipeline_id}/versions/',
    'GET /pipelines/{pipeline_id}/runs/',
    'GET /messages/',
    'GET /conventions/{convention_id}',
    'GET /credits/price-preview/',
    'GET /data-dictionary/{dataset_id}/',
    'POST /inference/transcribe',
    'DELETE /reports/{report_id}/',
    'POST /notebooks/services/session/api/kernels/{kernel_id}/interrupt',
    'GET /notebooks/services/running',
    'DELETE /notebooks/{notebook_id}',
    'POST /payment-methods/create-setup-intent/',
  ])('%s is there', (route) => {
    expect(routes).toContain(route);
  });

  it('are found by their id, and a wrong id is named', () => {
    const [first] = contract.operations;
    expect(contract.operation(first?.id ?? '')).toBe(first);
    expect(() => contract.operation('platform.nothing')).toThrow('the contract has no operation platform.nothing');
  });

  it('can each be called by somebody', () => {
    for (const { id, access: rule, http } of contract.operations) {
      const callers = http ? rule.credentials : rule.services;
      expect({ id, callers: callers.length > 0 }).toEqual({ id, callers: true });
    }
  });

  it('name an area wherever an API key may call, so that scopes can open it', () => {
    const withoutArea = contract.operations.filter(
      ({ access: rule }) => rule.credentials.some((kind) => kind.startsWith('API_KEY')) && rule.area === undefined,
    );
    expect(withoutArea.map(({ id }) => id)).toEqual([]);
  });
});

describe('the permission table', () => {
  it('has one row for each operation, with its route and who may call it', () => {
    expect(permissionTable(loadSample())).toEqual([
      {
        operation: 'platform.sample.v1.SampleService/GetEverything',
        route: 'GET /samples/{sample_id}/',
        credentials: ['TOKEN'],
        level: 'VIEWER',
        area: 'samples',
        services: [],
      },
      {
        operation: 'platform.sample.v1.SampleService/ListEverything',
        route: 'GET /samples/',
        credentials: ['ANONYMOUS'],
        services: [],
      },
      {
        operation: 'platform.sample.v1.SampleService/PokeSample',
        route: 'POST /samples/{sample_id}/poke',
        credentials: ['API_KEY'],
        level: 'EDITOR',
        area: 'samples',
        services: [],
      },
      {
        operation: 'platform.sample.v1.SampleService/WriteSample',
        route: 'POST /samples/',
        credentials: ['TOKEN'],
        level: 'OWNER',
        area: 'samples',
        services: [],
      },
      { operation: 'platform.sample.v1.SampleService/CountSamples', credentials: [], services: ['gateway'] },
    ]);
  });
});
