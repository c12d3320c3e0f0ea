import type protobuf from 'protobufjs';
import type { Contract } from '../contract.ts';
import type { JsonObject, JsonValue } from '../json-values.ts';
import type { HttpBinding, Operation } from '../operations.ts';
import { fieldRules, maxBytesOf, type Access } from '../options.ts';
import { fieldsByPlace } from './field-place.ts';
import { errorComponents, errorResponses, errorSchemas, headerReferences } from './openapi-errors.ts';
import { maxBytes, SchemaCollection } from './openapi-schemas.ts';

/** The version of the HTTP interface: in the description, and on every answer as X-Api-Version. */
export const apiVersion = '0.13.96';

type BoundOperation = Operation & { http: HttpBinding };

/** The OpenAPI 3.1 description of everything the contract binds to HTTP. */
export function openApi(contract: Contract): JsonObject {
  const schemas = new SchemaCollection();
  const bound = contract.operations.filter((operation): operation is BoundOperation => operation.http !== undefined);
  const operationIds = new Set<string>();
  const paths: Record<string, JsonObject> = {};
  for (const operation of bound) {
    const operationId = firstFree(operationIds, [lowerFirst(operation.method), operation.domain + operation.method]);
    const item = (paths[operation.http.path] ??= {});
    item[operation.http.verb.toLowerCase()] = { operationId, ...describe(operation, schemas) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Platform Backend API',
      version: apiVersion,
      description:
        'Read and change platform data, and automate work. A client sees the data of its own organisation only.',
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

function describe(operation: BoundOperation, schemas: SchemaCollection): JsonObject {
  const { http, access, comment, requestType } = operation;
  const input = fieldsByPlace(requestType, http);
  const takesBody = input.body.length > 0;
  return {
    tags: [tagOf(operation.service)],
    summary: words(operation.method),
    ...(comment && { description: comment }),
    parameters: [
      ...input.path.map((field) => parameter(field, 'path', field.name, schemas)),
      ...input.query.map((field) => parameter(field, 'query', field.name, schemas)),
      ...input.header.map((field) => parameter(field, 'header', fieldRules(field).header ?? field.name, schemas)),
      ...(access.credentials.includes('TOKEN') ? [{ $ref: '#/components/parameters/OrganisationId' }] : []),
    ],
    ...(takesBody && { requestBody: requestBody(input.body, operation, schemas) }),
    responses: { [String(http.status)]: success(operation, schemas), ...errorResponses(operation, { takesBody }) },
    security: security(access),
    ...(access.level && { 'x-permission-level': access.level }),
    ...(access.area && { 'x-scope-area': access.area }),
  };
}

function parameter(field: protobuf.Field, place: string, name: string, schemas: SchemaCollection): JsonObject {
  const { description, ...schema } = schemas.field(field, 'request');
  return {
    name,
    in: place,
    required: place === 'path' || fieldRules(field).required,
    schema,
    ...(description !== undefined && { description }),
  };
}

function requestBody(
  fields: protobuf.Field[],
  { http: { body }, requestType }: BoundOperation,
  schemas: SchemaCollection,
): JsonObject {
  const [only] = fields;
  const content = body !== '*' && only ? schemas.field(only, 'request') : schemas.object(fields, 'request');
  const schema = { ...content, ...maxBytes(maxBytesOf(requestType)) };
  const multipart = fields.some((field) => fieldRules(field).file !== undefined);
  // Even where every field may be left out, an absent body is refused.
  return { required: true, content: { [multipart ? 'multipart/form-data' : 'application/json']: { schema } } };
}

function success({ http, responseType }: BoundOperation, schemas: SchemaCollection): JsonObject {
  const common = ['X-Request-Id', 'X-Api-Version'];
  if (http.status === 204) return { description: 'Done; there is no body.', headers: headerReferences(common) };
  if (http.contentType !== undefined) {
    return {
      description: 'Successful Response',
      headers: headerReferences(common),
      content: { [http.contentType]: { schema: { type: 'string', format: 'binary' } } },
    };
  }
  const body = http.responseBody === undefined ? undefined : responseType.fields[http.responseBody];
  const paged = Object.hasOwn(responseType.fields, 'next_cursor') ? ['Link', 'X-Next-Cursor', 'X-Total-Count'] : [];
  return {
    description: 'Successful Response',
    headers: headerReferences([...common, ...paged]),
    content: {
      'application/json': { schema: body ? schemas.field(body, 'answer') : schemas.message(responseType, 'answer') },
    },
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
  'X-Api-Version': { schema: { type: 'string', const: apiVersion } },
  'X-Error-Code': { schema: { type: 'string' }, description: 'Why, for programs; it stays when texts change.' },
  'X-Next-Cursor': { schema: { type: 'string' }, description: 'The cursor of the next page; absent on the last.' },
  'X-Total-Count': { schema: { type: 'integer' }, description: 'Only with `include_total=true`.' },
  Link: { schema: { type: 'string' }, description: 'The next page, as `<...>; rel="next"`.' },
  'WWW-Authenticate': { schema: { type: 'string', const: 'Bearer' } },
  'Retry-After': { schema: { type: 'integer' }, description: 'Seconds.' },
  RateLimit: { schema: { type: 'string' }, description: 'What is left of the limit, and when it is renewed.' },
  'RateLimit-Policy': { schema: { type: 'string' }, description: 'The limits that apply.' },
};
