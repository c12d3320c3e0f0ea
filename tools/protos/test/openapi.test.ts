import { describe, expect, it } from '@jest/globals';
import { compileRoutes, openApi } from '@platform-backend/contract/http';
import type { JsonObject, JsonValue } from '@platform-backend/contract/messages';
import { loadSample, loadStreams } from '@platform-backend/contract/testing/sample-contract';
import { loadPlatformContract } from '@platform-backend/contracts';
import { Validator } from '@seriousme/openapi-schema-validator';

const contract = loadPlatformContract();
const document = openApi(contract);
const sample = openApi(loadSample());
const streams = openApi(loadStreams());

const ID = '0f8fad5b-d9cb-469f-a165-70867728950e';
const routes = compileRoutes(contract, { cursorKey: 'a key for tests' });

/** The examples of JSON bodies. */
const bodies = () =>
  Object.entries(document['paths'] as JsonObject).flatMap(([path, item]) =>
    Object.entries(item as JsonObject).flatMap(([verb, operation]) => {
      const { example } = at(operation, 'requestBody', 'content', 'application/json');
      return example === undefined ? [] : [{ verb: verb.toUpperCase(), path, example }];
    }),
  );

/** The `content` of every request body and every answer, by what it is of. */
const bodiesAndAnswers = (description: JsonObject): Record<string, JsonObject> =>
  Object.fromEntries([
    ...Object.entries(description['paths'] as JsonObject).flatMap(([path, item]) =>
      Object.entries(item as JsonObject).flatMap(([verb, operation]) => [
        [`${verb} ${path}`, at(operation, 'requestBody', 'content')] as const,
        ...Object.entries(at(operation, 'responses')).map(
          ([status, answer]) => [`${verb} ${path} ${status}`, at(answer, 'content')] as const,
        ),
      ]),
    ),
    ...Object.entries(at(description, 'components', 'responses')).map(
      ([name, answer]) => [name, at(answer, 'content')] as const,
    ),
  ]);

function at(root: JsonValue, ...path: string[]): JsonObject {
  return path.reduce<JsonValue>((value, key) => (value as JsonObject)[key] ?? {}, root) as JsonObject;
}

describe('the OpenAPI description', () => {
  it.each([
    ['of the platform', document],
    ['of a contract with every shape', sample],
    ['of a contract with every way to stream', streams],
  ])('%s is valid OpenAPI 3.1', async (_name, description) => {
    const validator = new Validator();
    const result = await validator.validate(structuredClone(description));
    expect(result.errors).toBeUndefined();
    expect(result.valid).toBe(true);
    expect(validator.version).toBe('3.1');
  });

  it('has every operation that is bound to HTTP, once', () => {
    const described = Object.entries(document['paths'] as JsonObject).flatMap(([path, item]) =>
      Object.keys(item as JsonObject).map((verb) => `${verb.toUpperCase()} ${path}`),
    );
    const bound = contract.operations.flatMap(({ http }) =>
      [http?.path, http?.ownPath].flatMap((path) => (http && path !== undefined ? [`${http.verb} ${path}`] : [])),
    );
    // An answer and its stream may share a path, and paths that differ in names of parameters alone are one.
    const shapes = (routes: readonly string[]) =>
      [...new Set(routes.map((route) => route.replaceAll(/\{\w+\}/g, '{}')))].sort();
    expect(shapes(described)).toEqual(shapes(bound));
    expect(shapes(described).length).toBe(described.length);
  });

  it('refers only to what it contains', () => {
    const references = [...JSON.stringify([document, sample]).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(
      ([, target]) => target ?? '',
    );
    expect(references.length).toBeGreaterThan(100);
    const missing = references.filter(
      (target) =>
        ![document, sample].some((description) => Object.keys(at(description, ...target.split('/'))).length > 0),
    );
    expect(missing).toEqual([]);
  });

  it('marks what is only there for those who use it already', () => {
    const invoice = at(document, 'components', 'schemas', 'Invoice', 'properties');
    const marks = ['total', 'total_minor'].map((field) => at(invoice, field)['deprecated']);
    expect(marks).toEqual([true, undefined]);
  });

  it('carries the version of the interface', () => {
    expect(at(document, 'info')['version']).toBe('0.13.96');
  });

  it('shows the rules of a request body, with what is required and what stands for absent fields', () => {
    const description = expect.any(String);
    expect(at(document, 'paths', '/client-groups/', 'post', 'requestBody')).toEqual({
      required: true,
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: {
              name: { type: 'string', minLength: 1, maxLength: 120, description },
              description: { type: 'string', maxLength: 500, default: '', description },
            },
            required: ['name'],
          },
          example: { name: 'Sales', description: 'What the sales team works with.' },
        },
      },
    });
  });

  it('describes a field by its own comment, by the same field of the answer, or by the one that is described for all', () => {
    const of = (path: string, verb: string) => at(document, 'paths', path, verb);
    const body = at(
      of('/client-groups/', 'post'),
      'requestBody',
      'content',
      'application/json',
      'schema',
      'properties',
    );
    const answered = at(document, 'components', 'schemas', 'ClientGroup', 'properties');
    expect(at(body, 'name')['description']).toBe(at(answered, 'name')['description']);
    const parameters = of('/client-groups/', 'get')['parameters'] as JsonObject[];
    const described = Object.fromEntries(parameters.map(({ name, description }) => [name as string, description]));
    expect(described).toMatchObject({
      search: 'Part of the name, in any case.',
      cursor: expect.stringContaining('X-Next-Cursor'),
    });
    expect(at(document, 'components', 'schemas', 'BalanceAlert', 'properties', 'state')['description']).toContain(
      '- `ARMED`: The balance is above the threshold',
    );
  });

  it('leads from what was made to where it is found', () => {
    const made = Object.values(document['paths'] as JsonObject).flatMap((item) => {
      const [links] = Object.values(at(item as JsonObject, 'post', 'responses')).map((answer) => at(answer, 'links'));
      return Object.keys(links ?? {});
    });
    expect(made).toEqual(expect.arrayContaining(['getClientGroup', 'getMeter', 'getPipeline', 'getNotebookRun']));
    const [answer] = Object.values(at(document, 'paths', '/notebooks/{notebook_id}/runs/', 'post', 'responses'));
    expect(at(answer as JsonObject, 'links', 'getNotebookRun')['parameters']).toEqual({
      notebook_id: '$request.path.notebook_id',
      run_id: '$response.body#/id',
    });
  });

  it('says of a body that it is required where none is refused, and only there', () => {
    const wrong = contract.operations.flatMap(({ http, id, requestStream }) => {
      const body = http && at(document, 'paths', http.path, http.verb.toLowerCase(), 'requestBody');
      // Bytes are passed on as they are, none as well.
      if (!http || !body || requestStream || !('application/json' in at(body, 'content'))) return [];
      const match = routes.match(http.verb, http.path.replaceAll(/\{\w+\}/g, ID));
      if (match.kind !== 'route') throw new Error(`${http.path} is no route`);
      const parsed = match.route.parse({
        pathParameters: match.pathParameters,
        rawQuery: '',
        headers: {},
        body: Buffer.of(),
      });
      const isRefused =
        !parsed.ok && (typeof parsed.detail === 'string' || parsed.detail.some(({ loc }) => loc.join('.') === 'body'));
      return isRefused === body['required'] || !parsed.ok ? [] : [id];
    });
    expect(wrong).toEqual([]);
  });

  it('has no operation on a path that stands there in words but those of that path', () => {
    expect(routes.match('PATCH', '/assistants/available/')).toEqual({ kind: 'method_not_allowed', allow: 'GET' });
    expect(routes.match('GET', '/notebooks/import')).toEqual({ kind: 'method_not_allowed', allow: 'POST' });
    expect(routes.match('PATCH', `/assistants/${ID}/`)).toMatchObject({ kind: 'route' });
  });

  it('names the media types of files, and the values that a service takes of an enum', () => {
    const file = at(document, 'paths', '/invoices/export/', 'get', 'responses', '200', 'content');
    expect(Object.keys(file)).toEqual(['text/csv', 'application/jsonl']);
    const content = at(document, 'paths', '/client-groups/{group_id}/members/', 'post', 'requestBody', 'content');
    const { status } = at(content, 'application/json', 'schema', 'properties');
    expect(status).toMatchObject({ enum: ['invited', 'active', 'suspended'] });
  });

  it('has examples of bodies that the gateway takes', () => {
    const refused = bodies().flatMap(({ verb, path, example }) => {
      // What has no id has a name that whoever asks has given it.
      const asked = path.replaceAll('{name}', 'NAME').replaceAll(/\{\w+\}/g, ID);
      const match = routes.match(verb, asked);
      if (match.kind !== 'route') return [`${verb} ${path} is no route`];
      const parsed = match.route.parse({
        pathParameters: match.pathParameters,
        rawQuery: '',
        headers: { 'content-type': 'application/json' },
        body: Buffer.from(JSON.stringify(example)),
      });
      return parsed.ok ? [] : [`${verb} ${path}: ${JSON.stringify(parsed.detail)}`];
    });
    expect(refused).toEqual([]);
  });

  it('has an example of every body and of every answer', () => {
    const without = Object.entries(bodiesAndAnswers(document)).flatMap(([where, content]) =>
      Object.entries(content).flatMap(([mediaType, one]) =>
        [undefined, ''].includes((one as JsonObject)['example'] as undefined) ? [`${where} ${mediaType}`] : [],
      ),
    );
    expect(without).toEqual([]);
  });

  it('shows the codes that a body of an error may have, and none where the original has its own body', () => {
    const { responses } = at(document, 'paths', '/client-groups/{group_id}/archive/', 'post');
    const { schema, example } = at(responses ?? {}, '409', 'content', 'application/json');
    expect(schema).toEqual({
      allOf: [
        { $ref: '#/components/schemas/Error' },
        {
          type: 'object',
          properties: { code: { type: 'string', enum: ['default_client_group', 'request_in_flight', 'answer_lost'] } },
        },
      ],
    });
    expect(example).toEqual({ detail: 'The default group.', code: 'default_client_group' });
    const common = (name: string) => at(document, 'components', 'responses', name, 'content', 'application/json');
    expect(common('BadRequest')['example']).toEqual({ detail: 'There was an error parsing the body' });
    expect(common('Unauthenticated')).toMatchObject({
      schema: { allOf: [{}, { properties: { code: { enum: ['invalid_token', 'invalid_api_key'] } } }] },
      example: { detail: 'Not authenticated' },
    });
    expect(common('ValidationFailed')['schema']).toEqual({ $ref: '#/components/schemas/HTTPValidationError' });
  });

  it('offers the Api-key header beside the bearer where the contract does', () => {
    expect(at(document, 'paths', '/client-groups/', 'post')['security']).toEqual([
      { bearer: [] },
      { apiKey: [] },
      { bearer: [], apiKey: [] },
    ]);
    expect(at(document, 'paths', '/client-groups/', 'get')['security']).toEqual([{ bearer: [] }]);
    expect(at(sample, 'paths', '/samples/', 'get')['security']).toEqual([{}]);
  });

  it('tells a paged list by its headers, and shows a list at the root', () => {
    const success = at(document, 'paths', '/client-groups/', 'get', 'responses', '200');
    expect(at(success, 'content', 'application/json', 'schema')).toEqual({
      type: 'array',
      items: { $ref: '#/components/schemas/ClientGroupSummary' },
      description: 'Newest first.',
    });
    expect(Object.keys(at(success, 'headers'))).toEqual(
      expect.arrayContaining(['Link', 'X-Next-Cursor', 'X-Total-Count', 'X-Request-Id', 'X-Api-Version']),
    );
  });

  it('never shows a field mask: the gateway fills it', () => {
    const body = at(
      document,
      'paths',
      '/client-groups/{group_id}/',
      'patch',
      'requestBody',
      'content',
      'application/json',
      'schema',
    );
    expect(Object.keys(at(body, 'properties'))).toEqual(['name', 'description']);
  });

  it('shows the limits of texts, lists, maps, free JSON and whole requests', () => {
    const bodyOf = (path: string, verb: string) =>
      at(document, 'paths', path, verb, 'requestBody', 'content', 'application/json', 'schema');
    expect(at(bodyOf('/organisations/', 'post'), 'properties')).toMatchObject({
      name: { maxLength: 2000 },
      image_url: { maxLength: 2048 },
    });
    expect(bodyOf('/client-groups/{group_id}/access/', 'put')).toMatchObject({
      properties: { asset_access: { maxItems: 1000 } },
      'x-max-bytes': 262144,
    });
    expect(at(document, 'components', 'schemas', 'AccessEntryInput')).toMatchObject({
      maxProperties: 100,
      propertyNames: { maxLength: 255 },
      additionalProperties: { maxLength: 2000 },
    });
    expect(at(document, 'components', 'schemas', 'TaskContextInput', 'properties', 'entities')).toMatchObject({
      maxItems: 1000,
      items: { 'x-max-bytes': 65536 },
    });
  });

  it('shows an answer without a body', () => {
    expect(at(sample, 'paths', '/samples/{sample_id}/poke', 'post', 'responses', '204')).not.toHaveProperty('content');
  });

  it('says of an answer that something may be null only where it may', () => {
    const { schemas } = document['components'] as { schemas: JsonObject };
    expect(at(schemas, 'ApiKey', 'properties')).toMatchObject({
      id: { type: 'string', format: 'uuid' },
      created_at: { type: 'string', format: 'date-time' },
      expires_at: { type: ['string', 'null'], format: 'date-time' },
    });
    expect(at(schemas, 'Organisation', 'properties')).toMatchObject({
      id: { type: 'string' },
      seats_expired_at: { type: 'string', format: 'date-time' },
    });
    expect(at(schemas, 'OrganisationMember', 'properties', 'user')).toEqual({
      $ref: '#/components/schemas/MemberUser',
      description: 'The person.',
    });
    expect(at(schemas, 'Member', 'properties', 'user')).toMatchObject({
      anyOf: [{ $ref: '#/components/schemas/MemberUser' }, { type: 'null' }],
    });
    expect(at(schemas, 'ClientPolicy', 'properties', 'request_limit')).toMatchObject({ type: ['integer', 'null'] });
  });

  it('has 403 wherever there is a credential, for it may name an organisation that is not the caller’s', () => {
    expect(Object.keys(at(document, 'paths', '/organisations/', 'get', 'responses'))).toContain('403');
  });

  it('tells the members of a union apart by their tag, and shows an unwrapped message as its field', () => {
    const { Notification: union, Labels: unwrapped } = at(sample, 'components', 'schemas');
    expect(union).toMatchObject({
      oneOf: [
        { properties: { method: { const: 'EMAIL' } }, required: ['method', 'user_ids'] },
        { properties: { method: { const: 'SLACK' } }, required: ['method', 'channel_ids'] },
      ],
    });
    expect(unwrapped).toEqual({ type: 'object', additionalProperties: { type: 'string' } });
  });

  it('has the version of the interface on every answer, errors too', () => {
    const answers = Object.entries(at(document, 'components', 'responses')) as [string, JsonObject][];
    expect(answers.length).toBeGreaterThan(20);
    expect(answers.filter(([, { headers }]) => !Object.hasOwn(headers as JsonObject, 'X-Api-Version'))).toEqual([]);
  });

  it('gives every operation the errors it can end in', () => {
    const responses = at(document, 'paths', '/client-groups/{group_id}/archive/', 'post', 'responses');
    expect(Object.keys(responses)).toEqual([
      ...['200', '400', '401', '403', '404', '409', '422', '429', '431', '500', '503', '504'],
    ]);
    expect(at(responses, '409')).toMatchObject({
      description: expect.stringMatching(/^The default group\. Or, as for all: /),
      headers: {
        'X-Error-Code': { schema: { enum: ['default_client_group', 'request_in_flight', 'answer_lost'] } },
      },
    });
    expect(responses['404']).toMatchObject({ description: 'Unknown group.' });
  });
});

describe('the OpenAPI description of streams', () => {
  const answer = (path: string, verb: string, status = '200') => at(streams, 'paths', path, verb, 'responses', status);
  const content = (path: string, verb: string) => at(answer(path, verb), 'content');

  it('says where what was made is found, and shows errors in the form of the operation', () => {
    const responses = at(document, 'paths', '/notebooks/services/session/api/kernels', 'post', 'responses');
    expect(Object.keys(at(responses, '201', 'headers'))).toContain('Location');
    expect(at(responses, '402', 'content', 'application/json', 'schema')).toMatchObject({
      allOf: [{ $ref: '#/components/schemas/MessageError' }, { properties: { code: { enum: expect.any(Array) } } }],
    });
    expect(responses['422']).toEqual({ $ref: '#/components/responses/MessageValidationFailed' });
    const said = at(document, 'components', 'responses', 'MessageUnauthenticated', 'content', 'application/json');
    expect(said).toMatchObject({
      example: { message: 'Not authenticated', reason: null, code: 'unauthenticated' },
    });
  });

  it('tells what a client makes of an event stream', () => {
    expect(content('/samples/{sample_id}/events', 'get')).toEqual({
      'text/event-stream': {
        schema: expect.objectContaining({ $ref: '#/components/schemas/Sample' }),
        example: expect.any(Object),
        'x-event': {
          lines: {
            event: expect.objectContaining({ type: 'string', enum: ['made', 'painted_over'] }),
            id: expect.objectContaining({ type: 'string' }),
            retry: expect.objectContaining({ type: 'integer' }),
          },
          example: expect.stringMatching(/^event: made\nid: .*\nretry: \d+\ndata: \{.*\}\n\n$/),
        },
      },
    });
    expect(at(streams, 'paths', '/samples/{sample_id}/events', 'get')['parameters']).toContainEqual(
      expect.objectContaining({ name: 'Last-Event-ID', in: 'header' }),
    );
  });

  it('says that there may be nothing more for who comes back to a stream', () => {
    expect(answer('/samples/{sample_id}/events', 'get', '204')).toMatchObject({ headers: expect.any(Object) });
    expect(answer('/samples/{sample_id}/events', 'get', '204')).not.toHaveProperty('content');
    expect(answer('/samples/{sample_id}/ask', 'post', '204')).toEqual({});
  });

  it('has both forms of an operation that answers at once or with events', () => {
    expect(at(streams, 'paths', '/samples/{sample_id}/ask', 'post')['operationId']).toBe('ask');
    expect(Object.keys(content('/samples/{sample_id}/ask', 'post'))).toEqual(['application/json', 'text/event-stream']);
  });

  it('has an operation of its own for a stream with a path of its own', () => {
    const own = '/samples/{sample_id}/ask/stream';
    expect(at(streams, 'paths', own, 'post')).toMatchObject({
      operationId: 'streamAnswer',
      requestBody: { required: true },
    });
    expect(Object.keys(content(own, 'post'))).toEqual(['text/event-stream']);
  });

  it('has bytes both ways, with their limit', () => {
    const bytes = { type: 'string', format: 'binary' };
    expect(content('/samples/{sample_id}/content', 'get')).toEqual({ '*/*': { schema: bytes, example: '' } });
    const body = (path: string, verb: string) => at(streams, 'paths', path, verb, 'requestBody', 'content');
    expect(body('/samples/{sample_id}/content', 'put')).toEqual({
      '*/*': { schema: { ...bytes, 'x-max-bytes': 67108864 }, example: '' },
    });
    expect(body('/samples/{sample_id}/form', 'post')).toMatchObject({
      'multipart/form-data': { schema: { properties: { file: bytes } } },
    });
  });

  it('says that a WebSocket takes the connection over', () => {
    expect(answer('/samples/{sample_id}/channel', 'get', '101')).toMatchObject({ description: expect.any(String) });
  });
});
