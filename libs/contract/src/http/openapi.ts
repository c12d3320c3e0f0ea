import type protobuf from 'protobufjs';
import type { Contract } from '../contract.ts';
import { fieldsByLocation } from '../field-location.ts';
import type { JsonObject, JsonValue } from '../json-values.ts';
import { IDEMPOTENCY_KEY, type HttpBinding, type Operation } from '../operations.ts';
import { fieldRules, maxBytesOf, type Access } from '../options.ts';
import { fieldDocumentation } from './field-documentation.ts';
import { MAX_LENGTH } from './idempotency-key.ts';
import { errorComponents, errorResponses, errorSchemas, headerReferences } from './openapi-errors.ts';
import { Examples } from './openapi-examples.ts';
import { maxBytes, SchemaCollection } from './openapi-schemas.ts';
import { eventLines } from './streams.ts';

/** The version of the HTTP interface: in the description, and on every answer as X-Api-Version. */
export const apiVersion = '0.13.96';

type BoundOperation = Operation & { http: HttpBinding };

/** What descriptions are put together from. */
interface Parts {
  readonly schemas: SchemaCollection;
  readonly examples: Examples;
  /** Where what an operation answers is asked for again. */
  readonly links: (operation: BoundOperation) => JsonObject | undefined;
}

/** The OpenAPI 3.1 description of everything the contract binds to HTTP. */
export function openApi(contract: Contract): JsonObject {
  const bound = contract.operations.filter((operation): operation is BoundOperation => operation.http !== undefined);
  const documentation = fieldDocumentation(contract);
  const schemas = new SchemaCollection(documentation);
  const operationIds = operationIdsOf(bound);
  const parts: Parts = { schemas, examples: new Examples(documentation), links: linksOf(operationIds) };
  const paths: Record<string, JsonObject> = {};
  for (const operation of bound) {
    const operationId = operationIds.get(operation) ?? '';
    const item = (paths[operation.http.path] ??= {});
    const verb = operation.http.verb.toLowerCase();
    const description = { operationId, ...describe(operation, parts) };
    item[verb] = item[verb] === undefined ? description : inBothForms(item[verb] as JsonObject, description);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Platform Backend API',
      version: apiVersion,
      description:
        'Read and change platform data, and automate work. A client sees the data of its own organisation only.\n\n' +
        'What is described is what clients should send. Beside it what can only mean one thing is taken for it: a text of digits ' +
        'for a number, `0`, `1`, `"true"` and `"no"` for a boolean, seconds since 1970 for a time. Texts never contain U+0000.',
    },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }],
    tags: tags(contract, bound),
    paths,
    components: {
      schemas: { ...schemas.schemas, ...errorSchemas },
      responses: errorComponents(),
      headers,
      parameters: {
        OrganisationId: {
          name: 'X-Organisation-Id',
          in: 'header',
          required: false,
          schema: { type: 'string' },
          description:
            'The organisation to act in, for a user of several whose token names none. With an API key it must be the ' +
            "key's own.",
        },
        QueryToken: {
          name: 'token',
          in: 'query',
          required: false,
          schema: { type: 'string' },
          description:
            'The credential, where a client can set no header, as a page can for no WebSocket. There it may also be offered as ' +
            'the subprotocol `v1.token.websocket.jupyter.org.<credential>`, beside `v1.token.websocket.jupyter.org`.',
        },
        QueryOrganisationId: {
          name: 'organisation_id',
          in: 'query',
          required: false,
          schema: { type: 'string' },
          description: 'In place of `X-Organisation-Id`, where a client can set no header.',
        },
        Prefer: {
          name: 'Prefer',
          in: 'header',
          required: false,
          schema: { type: 'string', examples: ['handling=strict'] },
          description:
            'With `handling=strict` (RFC 7240) names of the query, of a JSON body and of a form that nobody knows are 422 ' +
            '`extra_forbidden`, with the name that was probably meant; otherwise they are ignored.',
        },
        IfNoneMatch: {
          name: 'If-None-Match',
          in: 'header',
          required: false,
          schema: { type: 'string', examples: ['"wJ3mQ0Zq3v2X8cX1nqfT1Q"'] },
          description: 'The `ETag` of an earlier answer: while it is the same there is no body (304).',
        },
        IfMatch: {
          name: 'If-Match',
          in: 'header',
          required: false,
          schema: { type: 'string', examples: ['"wJ3mQ0Zq3v2X8cX1nqfT1Q"'] },
          description:
            'The `ETag` that the thing had when it was read by GET on the same path, or several of them: it is changed only if ' +
            'nobody has changed it since, and otherwise nothing is (412 `precondition_failed`). What changes by itself does not ' +
            'count: when a key was used last, how a run stands. `*`: whatever it is, if it is there.',
        },
        IfNoneMatchOfChange: {
          name: 'If-None-Match',
          in: 'header',
          required: false,
          schema: { type: 'string', examples: ['*'] },
          description:
            'It is changed only if it has none of these tags, and otherwise nothing is (412 `precondition_failed`). `*`: only if it ' +
            'is not there yet.',
        },
        IdempotencyKey: {
          name: IDEMPOTENCY_KEY,
          in: 'header',
          required: false,
          schema: { type: 'string', maxLength: MAX_LENGTH },
          description:
            'Requests of one caller to one operation with the same key within 24 hours are one and the same: it is ' +
            'carried out once, and each gets its answer. With another request the key is refused (422). While the first ' +
            'is being carried out the others are told to come back (409 `request_in_flight`). A request that is ' +
            'refused does not use its key up. Where an answer was lost after something had changed, an operation with ' +
            '`x-repetition: goes on` is carried out again; any other is not (409 `answer_lost`).',
        },
      },
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'An access token of the identity provider, or a client API key.',
        },
        apiKey: { type: 'apiKey', in: 'header', name: 'Api-key', description: 'A client API key.' },
      },
    },
  };
}

function describe(operation: BoundOperation, parts: Parts): JsonObject {
  const { http, access, changes, comment, cost, hasEntityTag, repetition, requestType } = operation;
  const input = fieldsByLocation(requestType, http);
  const isWebSocket = operation.requestStream && operation.responseStream;
  const takesBody = input.body.length > 0 && !isWebSocket;
  const links = parts.links(operation);
  return {
    tags: [tagOf(operation.service)],
    summary: words(operation.method),
    ...(comment && { description: comment }),
    parameters: [
      ...input.path.map((field) => parameter(field, 'path', field.name, parts)),
      ...input.query.map((field) => parameter(field, 'query', field.name, parts)),
      ...input.header.map((field) => parameter(field, 'header', fieldRules(field).header ?? field.name, parts)),
      ...(access.credentials.includes('TOKEN') ? [{ $ref: '#/components/parameters/OrganisationId' }] : []),
      ...(http.dialect.tokenCredential
        ? [{ $ref: '#/components/parameters/QueryToken' }, { $ref: '#/components/parameters/QueryOrganisationId' }]
        : []),
      ...(takesBody || input.query.length > 0 ? [{ $ref: '#/components/parameters/Prefer' }] : []),
      ...(repetition ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
      ...(hasEntityTag ? [{ $ref: '#/components/parameters/IfNoneMatch' }] : []),
      ...(changes
        ? [{ $ref: '#/components/parameters/IfMatch' }, { $ref: '#/components/parameters/IfNoneMatchOfChange' }]
        : []),
    ],
    ...(takesBody && { requestBody: requestBody(input.body, operation, parts) }),
    responses: {
      [isWebSocket ? '101' : String(http.status)]: {
        ...success(operation, parts),
        ...(links && { links }),
      },
      ...(givesParts(operation) && { 206: { ...success(operation, parts), description: 'The part asked for.' } }),
      ...(hasEntityTag && {
        304: { ...emptyAnswer, description: 'It is what `If-None-Match` has it to be; there is no body.' },
      }),
      ...(goesOn(operation) && { 204: { ...emptyAnswer, description: 'Everything has been told.' } }),
      ...errorResponses(operation, { takesBody }),
    },
    security: security(access),
    ...(access.level && { 'x-permission-level': access.level }),
    ...(access.area && { 'x-scope-area': access.area }),
    ...(repetition && { 'x-repetition': repetition }),
    ...(cost > 1 && { 'x-cost': cost }),
  };
}

/** Unique among all, and the same whatever else there is as long as its name is. */
function operationIdsOf(bound: readonly BoundOperation[]): ReadonlyMap<BoundOperation, string> {
  const taken = new Set<string>();
  return new Map(
    bound.map((operation) => [
      operation,
      firstFree(taken, [lowerFirst(operation.method), operation.domain + operation.method]),
    ]),
  );
}

/** From what was made to the operation that answers it: `POST /things/` leads to `GET /things/{thing_id}/` by the answer's `id`. */
function linksOf(operationIds: ReadonlyMap<BoundOperation, string>): Parts['links'] {
  return ({ http, responseType, responseStream }) => {
    if (http.verb !== 'POST' || responseStream || !Object.hasOwn(responseType.fields, 'id')) return undefined;
    const folder = http.path.replace(/\/$/, '');
    const found = [...operationIds].find(
      ([{ http: other, responseStream: isStream }]) =>
        other.verb === 'GET' &&
        !isStream &&
        other.pathFields.length === http.pathFields.length + 1 &&
        other.path.replace(/\/$/, '') === `${folder}/{${other.pathFields.at(-1) ?? ''}}`,
    );
    if (!found) return undefined;
    const [{ http: other }, operationId] = found;
    const id = other.pathFields.at(-1) ?? '';
    const parameters = Object.fromEntries(http.pathFields.map((name) => [name, `$request.path.${name}`]));
    return { [operationId]: { operationId, parameters: { ...parameters, [id]: '$response.body#/id' } } };
  };
}

/** Whether an answer may say that it is a part of the whole, which makes it a 206. */
const givesParts = ({ responseType }: Operation): boolean =>
  responseType.fieldsArray.some((field) => fieldRules(field).header === 'Content-Range');

/** Whether a client may come back to events that it knows, after the last of which there are none. */
const goesOn = ({ requestType, requestStream, responseStream }: Operation): boolean =>
  responseStream &&
  !requestStream &&
  requestType.fieldsArray.some((field) => fieldRules(field).header === 'Last-Event-ID');

/** One operation that answers at once or, to clients that accept them, with events; the answers' content tells which. */
function inBothForms(first: JsonObject, second: JsonObject): JsonObject {
  const [answers, others] = [first, second].map(({ responses }) => responses as Record<string, JsonObject>) as [
    Record<string, JsonObject>,
    Record<string, JsonObject>,
  ];
  const status = Object.keys(answers).find((code) => code.startsWith('2')) ?? '200';
  const content = { ...(answers[status]?.['content'] as JsonObject), ...(others[status]?.['content'] as JsonObject) };
  return { ...first, responses: { ...others, ...answers, [status]: { ...answers[status], content } } };
}

function parameter(field: protobuf.Field, location: string, name: string, { schemas, examples }: Parts): JsonObject {
  const { description, ...schema } = schemas.field(field, 'request');
  return {
    name,
    in: location,
    required: location === 'path' || fieldRules(field).required,
    schema,
    ...(description !== undefined && { description }),
    ...(location === 'path' && { example: examples.field(field, 'request') }),
  };
}

function requestBody(
  fields: protobuf.Field[],
  { http: { body, dialect }, requestType }: BoundOperation,
  { schemas, examples }: Parts,
): JsonObject {
  const [only] = fields;
  if (only?.name === body && only?.type === 'bytes') {
    return { required: true, content: { '*/*': { schema: binary(only) } } };
  }
  const content = body !== '*' && only ? schemas.field(only, 'request') : schemas.object(fields, 'request');
  const schema = { ...content, ...maxBytes(maxBytesOf(requestType)) };
  const example = body !== '*' && only ? examples.field(only, 'request') : examples.object(fields, 'request');
  if (dialect.cloudEvents) {
    const { items: one } = content;
    const oneOrMany = { anyOf: [one ?? {}, schema] };
    return {
      required: true,
      content: {
        'application/cloudevents-batch+json': { schema, example },
        ...(one && { 'application/cloudevents+json': { schema: one, example: (example as JsonValue[])[0] ?? null } }),
        'application/json': { schema: oneOrMany, example },
      },
    };
  }
  const multipart = fields.some((field) => fieldRules(field).file !== undefined);
  // Even where every field may be left out, an absent body is refused, unless none is an empty object.
  return {
    required: !dialect.untypedJson,
    content: multipart ? { 'multipart/form-data': { schema } } : { 'application/json': { schema, example } },
  };
}

const binary = (field: protobuf.Field): JsonObject => ({
  type: 'string',
  format: 'binary',
  ...maxBytes(fieldRules(field).bytes?.maxLength),
});

/** The text of server-sent events, as what a client makes of it. */
function events({ http, responseType }: BoundOperation, schemas: SchemaCollection): JsonObject {
  const body = http.responseBody === undefined ? undefined : responseType.fields[http.responseBody];
  const data = body ? schemas.field(body, 'answer') : schemas.message(responseType, 'answer');
  const lines = Object.entries(body ? eventLines : {}).flatMap(([name, line]) => {
    const field = responseType.fields[name];
    // A line that has nothing to say is not there, and never null.
    return field ? [[line, schemas.field(field, 'request')] as const] : [];
  });
  return {
    type: 'string',
    contentMediaType: 'text/event-stream',
    contentSchema: {
      type: 'array',
      description:
        (http.dialect.openAi
          ? 'The last event is the text `[DONE]`. Where something fails after the beginning it is an OpenAiError instead. Comments '
          : 'An `error` event ends the stream when something fails after its beginning; its data is a Problem. Comments ') +
        'keep the connection alive.',
      items: { type: 'object', properties: { ...Object.fromEntries(lines), data }, required: ['data'] },
    },
  };
}

const onEverySuccess = ['X-Request-Id', 'X-Api-Version', 'X-Credit-Warning'];

const emptyAnswer: JsonObject = { headers: headerReferences(onEverySuccess) };

function success(operation: BoundOperation, { schemas, examples }: Parts): JsonObject {
  const { http, responseType, requestStream, responseStream } = operation;
  if (http.status === 204) return { ...emptyAnswer, description: 'Done; there is no body.' };
  if (requestStream && responseStream) return { description: 'The connection is a WebSocket from here on.' };
  if (responseStream) {
    const chunk = http.responseBody === undefined ? undefined : responseType.fields[http.responseBody];
    const content: JsonObject =
      chunk?.type === 'bytes'
        ? Object.fromEntries(typesOf(http).map((type) => [type, { schema: binary(chunk) }]))
        : { 'text/event-stream': { schema: events(operation, schemas), example: eventText(operation, examples) } };
    return { description: 'Successful Response', headers: headerReferences(onEverySuccess), content };
  }
  if (http.contentType !== undefined) {
    return {
      description: 'Successful Response',
      headers: headerReferences(onEverySuccess),
      content: { [http.contentType]: { schema: { type: 'string', format: 'binary' } } },
    };
  }
  const body = http.responseBody === undefined ? undefined : responseType.fields[http.responseBody];
  const paged = Object.hasOwn(responseType.fields, 'next_cursor') ? ['Link', 'X-Next-Cursor', 'X-Total-Count'] : [];
  const made = http.location === undefined ? [] : ['Location'];
  const { changes, hasEntityTag } = operation;
  const tagged = hasEntityTag ? ['ETag', 'Cache-Control'] : changes?.isAnswered ? ['ETag'] : [];
  return {
    description: 'Successful Response',
    headers: headerReferences([...onEverySuccess, ...paged, ...made, ...tagged]),
    content: {
      'application/json': {
        schema: body ? schemas.field(body, 'answer') : schemas.message(responseType, 'answer'),
        example: body ? examples.field(body, 'answer') : examples.message(responseType, 'answer'),
      },
    },
  };
}

/** The media types of streamed bytes. */
const typesOf = ({ contentType, streamedTypes = [contentType ?? '*/*'] }: HttpBinding): readonly string[] =>
  streamedTypes;

/** One event as it is sent. */
function eventText({ http, responseType }: BoundOperation, examples: Examples): string {
  const body = http.responseBody === undefined ? undefined : responseType.fields[http.responseBody];
  const data = body ? examples.field(body, 'answer') : examples.message(responseType, 'answer');
  const lines = Object.entries(body ? eventLines : {}).flatMap(([name, line]) => {
    const field = responseType.fields[name];
    const value = field && examples.field(field, 'answer');
    if (value === undefined) return [];
    return [`${line}: ${typeof value === 'string' ? value : JSON.stringify(value)}\n`];
  });
  return `${lines.join('')}data: ${JSON.stringify(data)}\n\n`;
}

/** Alternatives, each a set of schemes that are needed together. */
function security({ credentials }: Access): JsonValue[] {
  const header = credentials.includes('API_KEY_HEADER');
  const bearer = credentials.includes('TOKEN') || credentials.includes('API_KEY');
  return [
    ...(credentials.includes('ANONYMOUS') ? [{}] : []),
    ...(bearer ? [{ bearer: [] }] : []),
    ...(header ? [{ apiKey: [] }] : []),
    ...(header && bearer ? [{ bearer: [], apiKey: [] }] : []),
  ];
}

function tags(contract: Contract, operations: readonly BoundOperation[]): JsonValue[] {
  return [...new Set(operations.map(({ service }) => service))].map((service) => {
    const { comment } = contract.root.lookupService(service);
    return { name: tagOf(service), ...(comment && { description: comment }) };
  });
}

/** `platform.identity.v1.ClientGroupService` → `Client Group`. */
function tagOf(service: string): string {
  return words((service.split('.').at(-1) ?? service).replace(/Service$/, ''));
}

/** `CreateClientGroup` → `Create Client Group`. */
function words(name: string): string {
  return name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, ' ');
}

function lowerFirst(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}

function firstFree(taken: Set<string>, names: readonly string[]): string {
  const free = names.find((name) => !taken.has(name));
  if (free === undefined) throw new Error(`the operation ids ${names.join(' and ')} are taken`);
  taken.add(free);
  return free;
}

const headers: JsonObject = {
  'X-Request-Id': { schema: { type: 'string' }, description: 'Names this request in the logs.' },
  'X-Api-Version': { schema: { type: 'string', const: apiVersion }, description: 'The version of this document.' },
  'X-Credit-Warning': {
    schema: { type: 'string' },
    description: 'Which limit that requests count against is near, or passed without stopping anything; absent: none.',
  },
  'X-Next-Cursor': { schema: { type: 'string' }, description: 'The cursor of the next page; absent on the last.' },
  'X-Total-Count': {
    schema: { type: 'integer' },
    description: 'Only with `include_total=true`; 10000 where there are so many or more.',
  },
  Link: { schema: { type: 'string' }, description: 'The next page, as `<...>; rel="next"`.' },
  Location: { schema: { type: 'string', format: 'uri-reference' }, description: 'Where what was made is found.' },
  ETag: {
    schema: { type: 'string' },
    description: 'Stands for what is answered; for `If-None-Match`, and for `If-Match` of a change on the same path.',
  },
  'Cache-Control': { schema: { type: 'string' }, description: "It is one caller's, who asks again before using it." },
  'WWW-Authenticate': { schema: { type: 'string', const: 'Bearer' }, description: 'How to authenticate.' },
  'Content-Range': {
    schema: { type: 'string' },
    description: 'Which bytes of how many; `bytes */N` names the N alone.',
  },
  'Retry-After': { schema: { type: 'integer' }, description: 'Seconds.' },
  RateLimit: { schema: { type: 'string' }, description: 'What is left of the limit, and when it is renewed.' },
  'RateLimit-Policy': { schema: { type: 'string' }, description: 'The limits that apply.' },
};
