import { describe, expect, it } from '@jest/globals';
import protobuf from 'protobufjs';
import { loadSample } from '../test/sample-contract.ts';
import { readOperations } from './operations.ts';

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
      http: {
        verb: 'GET',
        path: '/things/{id}/',
        pathFields: ['id'],
        deepFields: [],
        responseBody: 'parts',
        status: 200,
      },
    });
  });

  it('reads what an operation spends, whether it may be opened, and that any user may call it', () => {
    const [operation] = operationsOf(
      rpc(`option (platform.options.v1.access) = {
        credentials: [CREDENTIAL_KIND_TOKEN] any_user: true openable: true spends: CREDIT_CLASS_INFRASTRUCTURE
      };`),
    );
    expect(operation?.access).toEqual({
      credentials: ['TOKEN'],
      services: [],
      openable: true,
      spends: 'INFRASTRUCTURE',
    });
  });

  it('knows which operations write: what is not bound to GET, unless it says that it has no side effects', () => {
    const post = 'option (google.api.http) = {post: "/things/" body: "*"};';
    const operations = operationsOf(
      rpc(`${access} option (google.api.http) = {get: "/things/"};`, 'ListThings') +
        rpc(`${access} ${post}`, 'CreateThing') +
        rpc(`${access} option (google.api.http) = {delete: "/things/{id}/"};`, 'DeleteThing') +
        rpc(
          `${access} option idempotency_level = NO_SIDE_EFFECTS; option (google.api.http) = {post: "/search/" body: "*"};`,
          'FindThing',
        ) +
        rpc(access, 'ResolveThing'),
    );
    expect(operations.filter(({ access: { writes } }) => writes).map(({ method }) => method)).toEqual([
      'CreateThing',
      'DeleteThing',
    ]);
  });

  it('knows which operations are idempotent: reads, and those that say so', () => {
    const post = 'option (google.api.http) = {post: "/things/" body: "*"};';
    const operations = operationsOf(
      rpc(`${access} option (google.api.http) = {get: "/things/"};`, 'ListThings') +
        rpc(`${access} ${post}`, 'CreateThing') +
        rpc(access, 'FindThing') +
        rpc(`${access} option idempotency_level = NO_SIDE_EFFECTS;`, 'ResolveThing') +
        rpc(`${access} option idempotency_level = IDEMPOTENT;`, 'RecordThing'),
    );
    expect(operations.filter(({ idempotent }) => idempotent).map(({ method }) => method)).toEqual([
      'ListThings',
      'ResolveThing',
      'RecordThing',
    ]);
  });

  it('knows which operations take an Idempotency-Key: single POSTs, unless they need or have none', () => {
    const post = (path: string) => `option (google.api.http) = {post: "/${path}/" body: "*"};`;
    const operations = operationsOf(
      rpc(`${access} option (google.api.http) = {get: "/things/"};`, 'ListThings') +
        rpc(`${access} ${post('things')}`, 'CreateThing') +
        rpc(`${access} ${post('open')} option (platform.options.v1.retry_safe) = true;`, 'OpenThing') +
        rpc(`${access} ${post('find')} option idempotency_level = NO_SIDE_EFFECTS;`, 'FindThing') +
        rpc(access, 'RecordThing') +
        rpc(
          `option (platform.options.v1.access) = {credentials: [CREDENTIAL_KIND_ANONYMOUS]}; ${post('hooks')}`,
          'Hook',
        ) +
        `rpc Upload(stream Thing) returns (Thing) { ${access} ${post('upload')} }`,
    );
    expect(operations.flatMap(({ method, repetition }) => (repetition ? [[method, repetition]] : []))).toEqual([
      ['CreateThing', 'once'],
      ['OpenThing', 'continues'],
    ]);
  });

  it('knows how long callers wait for what takes its time', () => {
    const operations = operationsOf(
      rpc(access, 'GetThing') + rpc(`${access} option (platform.options.v1.deadline_seconds) = 20;`, 'PaintThing'),
    );
    expect(operations.map(({ deadlineMs }) => deadlineMs)).toEqual([undefined, 20_000]);
  });

  it.each([
    [
      'goes on without a key to go on with',
      `${access} option (platform.options.v1.retry_safe) = true;`,
      'platform.things.v1.ThingService/GetThing: it takes no Idempotency-Key to go on with',
    ],
    ['has no access rule', '', 'platform.things.v1.ThingService.GetThing has no (platform.options.v1.access) option'],
    [
      'says nothing of the least level',
      'option (platform.options.v1.access) = {credentials: [CREDENTIAL_KIND_TOKEN] area: "things"};',
      'its access must name the least level, or any_user',
    ],
    [
      'has an HTTP binding without a verb',
      `${access} option (google.api.http) = {body: "*"};`,
      'must have exactly one verb',
    ],
    ['has two verbs', `${access} option (google.api.http) = {get: "/a" post: "/a"};`, 'must have exactly one verb'],
    [
      'names a location by what the answer does not have',
      `${access} option (google.api.http) = {post: "/a"}; option (platform.options.v1.http_answer) = {location: "/a/{other}"};`,
      'other',
    ],
    [
      'has more than one binding',
      `${access} option (google.api.http) = {get: "/a" additional_bindings {get: "/b"}};`,
      'an additional binding is one, of a stream of answers, and differs in its path alone',
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
      'has a text_field that is always there',
      `${access} option (google.api.http) = {get: "/"}; option (platform.options.v1.http_answer) = {text_field: "id"};`,
      'the text_field "id" is no optional field of Thing',
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

  it('takes a path of its own for a stream that shares one with what answers at once, and for nothing else', () => {
    const post = (path: string) => `post: "${path}" body: "*"`;
    const asked = (further: string) => `rpc Tell(Thing) returns (stream Thing) { ${access}
      option (google.api.http) = {${post('/things/{id}/ask/')} additional_bindings {${further}}}; }`;
    const atOnce = rpc(`${access} option (google.api.http) = {${post('/things/{id}/ask/')}};`, 'Ask');
    const [, told] = operationsOf(atOnce + asked(post('/things/{id}/ask/stream/')));
    expect(told?.http).toMatchObject({ path: '/things/{id}/ask/', ownPath: '/things/{id}/ask/stream/' });
    expect(() => operationsOf(asked(post('/things/{parts}/stream/')))).toThrow('has other parameters than');
    expect(() => operationsOf(asked('post: "/things/{id}/stream/"'))).toThrow('differs in its path alone');
    expect(() => operationsOf(atOnce + asked(post('/things/{id}/ask/')))).toThrow('both bound to POST /things/{}/ask/');
  });

  it('refuses a package that does not name its domain and version', () => {
    expect(() => operationsOf(rpc(access), 'platform.things')).toThrow('must be platform.<domain>.v<number>');
  });
});

describe('the access that a service gives its operations', () => {
  const bound = 'option (google.api.http) = {get: "/things/{id}/"};';
  const common = `option (platform.options.v1.default_access) = {
    credentials: [CREDENTIAL_KIND_TOKEN, CREDENTIAL_KIND_API_KEY] level: PERMISSION_LEVEL_ADMIN area: "things"
  };`;
  const accessOf = (options: string) => operationsOf(common + rpc(options))[0]?.access;

  it('holds for an operation that says nothing itself', () => {
    expect(accessOf(bound)).toEqual({
      credentials: ['TOKEN', 'API_KEY'],
      level: 'ADMIN',
      area: 'things',
      services: [],
    });
  });

  it.each([
    ['level: PERMISSION_LEVEL_VIEWER', { level: 'VIEWER' }],
    ['credentials: [CREDENTIAL_KIND_TOKEN]', { credentials: ['TOKEN'] }],
    ['services: ["billing"]', { services: ['billing'] }],
    ['spends: CREDIT_CLASS_AI', { spends: 'AI' }],
    ['openable: true', { openable: true }],
    ['any_user: true', { level: undefined, area: undefined }],
  ])('holds beside what the operation says itself: %s', (own, difference) => {
    const access = accessOf(`${bound} option (platform.options.v1.access) = {${own}};`);
    expect(access).toEqual({ ...accessOf(bound), ...difference });
  });

  it('holds for no operation between services', () => {
    expect(accessOf('option (platform.options.v1.access) = {services: ["billing"]};')).toEqual({
      credentials: [],
      services: ['billing'],
    });
    expect(() => accessOf('')).toThrow('every rpc must say who may call it');
  });
});

describe('the operations of a contract', () => {
  it('each say their route and who may call them', () => {
    const rows = loadSample().operations.map(({ id, http, access }) => ({
      operation: id,
      ...(http && { route: `${http.verb} ${http.path}` }),
      ...access,
    }));
    expect(rows).toEqual([
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
        writes: true,
      },
      {
        operation: 'platform.sample.v1.SampleService/WriteSample',
        route: 'POST /samples/',
        credentials: ['TOKEN'],
        level: 'OWNER',
        area: 'samples',
        services: [],
        writes: true,
      },
      { operation: 'platform.sample.v1.SampleService/CountSamples', credentials: [], services: ['gateway'] },
    ]);
  });
});
