import type protobuf from 'protobufjs';
import type { Contract } from '../contract.ts';
import { fieldsByLocation } from '../field-location.ts';
import type { JsonObject, JsonValue } from '../json-values.ts';
import type { Access } from '../options/access-options.ts';
import { fieldRules } from '../options/field-options.ts';
import { maxBytesOf } from '../options/message-options.ts';
import { fieldDocumentation } from './field-documentation.ts';
import { bytesContent, successes, type BoundOperation, type Described } from './openapi-answers.ts';
import { apiVersion, commonHeaders, commonParameters, securitySchemes } from './openapi-components.ts';
import { errorSchemas } from './openapi-error-schemas.ts';
import { ErrorAnswers } from './openapi-errors.ts';
import { Examples } from './openapi-examples.ts';
import { maxBytes, SchemaCollection } from './openapi-schemas.ts';

/** What descriptions are put together from. */
interface Parts extends Described {
  readonly errors: ErrorAnswers;
  /** Where what an operation answers is asked for again. */
  readonly links: (operation: BoundOperation) => JsonObject | undefined;
  /** Of services, by their ids. */
  readonly tags: ReadonlyMap<string, string>;
  readonly namesAt: (path: string) => PathNames;
}

/** A path as the document has it, which knows one of all that differ in names of parameters alone. */
interface PathNames {
  readonly path: string;
  readonly parameters: readonly string[];
}

/** The OpenAPI 3.1 description of everything the contract binds to HTTP. */
export function openApi(contract: Contract): JsonObject {
  const bound = contract.operations.filter((operation): operation is BoundOperation => operation.http !== undefined);
  const documentation = fieldDocumentation(contract);
  const schemas = new SchemaCollection(documentation);
  const operationIds = operationIdsOf(bound);
  const errors = new ErrorAnswers();
  const parts: Parts = {
    ...{ schemas, errors },
    examples: new Examples(documentation),
    links: linksOf(operationIds),
    tags: tagsOf(bound),
    namesAt: namesOfPaths(bound),
  };
  const paths: Record<string, JsonObject> = {};
  for (const operation of bound) {
    const operationId = operationIds.get(operation) ?? '';
    const { ownPath, path, verb } = operation.http;
    const description = { operationId, ...describe(operation, parts) };
    const put = (at: string): void => {
      const item = (paths[parts.namesAt(at).path] ??= {});
      const other = item[verb.toLowerCase()] as JsonObject | undefined;
      const [first, second] = operation.responseStream ? [other, description] : [description, other];
      item[verb.toLowerCase()] = first && second ? inBothForms(first, second) : description;
    };
    put(path);
    if (ownPath !== undefined) put(ownPath);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Platform Backend API',
      version: apiVersion,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      description:
        'Read and change platform data, and automate work. A client sees the data of its own organisation only.\n\n' +
        'What is described is what clients should send. Beside it what can only mean one thing is taken for it: a text of digits ' +
        'for a number, `0`, `1`, `"true"` and `"no"` for a boolean, seconds since 1970 for a time. Texts never contain U+0000.',
    },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }],
    tags: describedTags(contract, parts.tags),
    paths,
    components: {
      schemas: { ...schemas.schemas, ...errorSchemas },
      responses: errors.components,
      headers: commonHeaders,
      parameters: commonParameters,
      securitySchemes,
    },
  };
}

function describe(operation: BoundOperation, parts: Parts): JsonObject {
  const { http, access, changes, comment, cost, hasEntityTag, repetition, requestType } = operation;
  const input = fieldsByLocation(requestType, http);
  const isWebSocket = operation.requestStream && operation.responseStream;
  const takesBody = input.body.length > 0 && !isWebSocket;
  return {
    tags: [parts.tags.get(operation.service) ?? operation.service],
    summary: words(operation.method),
    ...(comment && { description: comment }),
    parameters: [
      ...http.pathFields.map((name, at) => {
        const field = requestType.fields[name];
        if (!field) throw new Error(`${operation.id}: its path has no field ${name}`);
        return parameter(field, 'path', parts.namesAt(http.path).parameters[at] ?? name, parts);
      }),
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
      ...successes(operation, parts, parts.links(operation)),
      ...parts.errors.of(operation, { takesBody }),
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

/** One operation that answers at once or, to clients that ask for them, with events; the answers' content tells which. */
function inBothForms(whole: JsonObject, streamed: JsonObject): JsonObject {
  const [answers, others] = [whole, streamed].map(({ responses }) => responses as Record<string, JsonObject>) as [
    Record<string, JsonObject>,
    Record<string, JsonObject>,
  ];
  const status = Object.keys(answers).find((code) => code.startsWith('2')) ?? '200';
  const [atOnce = {}, asEvents = {}] = [answers[status], others[status]];
  const content = { ...(atOnce['content'] as JsonObject), ...(asEvents['content'] as JsonObject) };
  const [said, told] = [atOnce, asEvents].map((answer) => answer['description'] as string);
  const description = `${said ?? ''}. Or, where events are asked for: ${told ?? ''}`;
  return { ...whole, responses: { ...others, ...answers, [status]: { ...atOnce, description, content } } };
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
    return { required: true, content: bytesContent(only, ['*/*'], examples) };
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
    content: { [multipart ? 'multipart/form-data' : 'application/json']: { schema, example } },
  };
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

function describedTags(contract: Contract, named: ReadonlyMap<string, string>): JsonValue[] {
  return [...named].map(([service, name]) => {
    const { comment } = contract.root.lookupService(service);
    return { name, ...(comment && { description: comment }) };
  });
}

/** `platform.identity.v1.ClientGroupService` is `Client Group`; of two services with one name the later carries its domain's too. */
function tagsOf(bound: readonly BoundOperation[]): ReadonlyMap<string, string> {
  const taken = new Set<string>();
  const named = new Map<string, string>();
  for (const { domain, service } of bound) {
    if (named.has(service)) continue;
    const name = words((service.split('.').at(-1) ?? service).replace(/Service$/, ''));
    named.set(service, firstFree(taken, [name, `${domain.charAt(0).toUpperCase()}${domain.slice(1)} ${name}`]));
  }
  return named;
}

/** Of paths that are one to OpenAPI, `/files/{path}` and `/files/{folder}`, the first gives its names to all. */
function namesOfPaths(bound: readonly BoundOperation[]): (path: string) => PathNames {
  const first = new Map<string, PathNames>();
  const shapeOf = (path: string): string => path.replaceAll(/\{\w+\}/g, '{}');
  const paths = bound.flatMap(({ http: { path, ownPath = path } }) => [path, ownPath]);
  for (const path of paths) {
    const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
    if (!first.has(shapeOf(path))) first.set(shapeOf(path), { path, parameters });
  }
  return (path) => first.get(shapeOf(path)) ?? { path, parameters: [] };
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
  if (free === undefined) throw new Error(`the names ${names.join(' and ')} are taken`);
  taken.add(free);
  return free;
}
