import { isDeepStrictEqual } from 'node:util';
import protobuf from 'protobufjs';
import { accessOf, type Access } from './options/access-options.ts';
import { rawOption } from './options/declared-option.ts';
import { fieldRules } from './options/field-options.ts';
import { displayNameOf } from './options/message-options.ts';
import {
  costOf,
  deadlineMsOf,
  errorAnswersOf,
  isRetrySafe,
  httpAnswerOf,
  pendingLocationOf,
  streamedWhenOf,
  httpDialectOf,
  type ErrorAnswer,
  type HttpAnswer,
  type HttpDialect,
} from './options/method-options.ts';

export type HttpVerb = 'GET' | 'PUT' | 'POST' | 'DELETE' | 'PATCH';

/** How an operation is reached over HTTP. */
export interface HttpBinding {
  readonly verb: HttpVerb;
  /** The exact path with its slashes: `/client-groups/{group_id}/`. */
  readonly path: string;
  /** Of a stream that shares `path` with what answers at once: where it is meant whatever the client accepts. */
  readonly ownPath?: string;
  /** Names of the request fields in the path, in order. */
  readonly pathFields: readonly string[];
  /** Those that take one segment or more, `{path=**}` in the contract; `path` above has them as `{path}`. */
  readonly deepFields: readonly string[];
  /** `*`: every field that is not in the path comes from the body; a field's name: that field alone; absent: there is no body. */
  readonly body?: string;
  /** The field of the answer that is the whole JSON body; absent: the answer itself. */
  readonly responseBody?: string;
  /** The status of a success. 204 answers without a body. */
  readonly status: number;
  /** The media type of an answer whose only field is the whole body, byte for byte; absent: JSON. */
  readonly contentType?: string;
  /** Of streamed bytes whose type the first message names: which there may be; absent: any. */
  readonly streamedTypes?: readonly string[];
  /** Of an answer that is JSON: the optional text that is the whole body where it is there. */
  readonly textField?: string;
  /** The header Location of a success, with fields of the answer in braces: `/things/{id}`. */
  readonly location?: string;
  readonly dialect: HttpDialect;
}

/** One rpc of the platform: its names, who may call it, how it is reached. */
export interface Operation {
  /** `platform.identity.v1.ClientGroupService/CreateClientGroup` */
  readonly id: string;
  /** `platform.identity.v1.ClientGroupService` */
  readonly service: string;
  /** `/platform.identity.v1.ClientGroupService/CreateClientGroup` */
  readonly grpcPath: string;
  /** The service that answers it: `identity`. */
  readonly domain: string;
  /** `CreateClientGroup` */
  readonly method: string;
  readonly access: Access;
  /** Doing it twice is like doing it once: whatever is bound to GET, and what says so with `idempotency_level`. */
  readonly idempotent: boolean;
  /** Present when it may be called with an `Idempotency-Key` that no field of its request takes (D23). */
  readonly repetition?: Repetition;
  /** Where what it has begun is found, by the id of its keyed call in place of `{id}`. */
  readonly pendingLocation?: string;
  /** How many requests it counts as where those of a credential are limited; at least 1. */
  readonly cost: number;
  /** How long callers wait for its answer at the least, in milliseconds, where it may take longer than others. */
  readonly deadlineMs?: number;
  /** Its answer is one thing, so that it has an entity tag. */
  readonly hasEntityTag?: true;
  /** Of an operation that changes a thing: how the thing is read, which says its entity tag (`If-Match`). */
  readonly changes?: ReadOfChange;
  /** Of a stream: the boolean field by which it is meant, and not what answers at once on its path; absent: what the client accepts says. */
  readonly streamedWhen?: string;
  /** The ways in which it fails beside those in which all do, by status. */
  readonly errors: readonly ErrorAnswer[];
  /** Absent for an operation between services. */
  readonly http?: HttpBinding;
  /** What people call its answer: "Client group". */
  readonly displayName?: string;
  readonly comment?: string;
  readonly requestType: protobuf.Type;
  readonly responseType: protobuf.Type;
  readonly requestStream: boolean;
  readonly responseStream: boolean;
}

/** The operation bound to GET on the same path. */
export interface ReadOfChange {
  /** `/platform.identity.v1.ClientGroupService/GetClientGroup` */
  readonly grpcPath: string;
  /** For each field of its request that names the thing, which field of the change does: `groupId`, as TypeScript has them. */
  readonly fields: Readonly<Record<string, string>>;
  /** The change answers as that does, with what it has made of the thing. */
  readonly isAnswered: boolean;
}

/**
 * What a keyed operation does when it is asked for again after it was cut short in the midst of its changes: `once` it is
 * not carried out again, since it might do all of it twice; or it `goes on`.
 */
export type Repetition = 'once' | 'continues';

/** Every rpc of the loaded files, one row per HTTP binding's first form; fails on an incomplete one. */
export function readOperations(root: protobuf.Root): Operation[] {
  const operations = services(root).flatMap((service) => service.methodsArray.map(readOperation));
  refuseDoubleBindings(operations);
  const reads = readsByShape(operations);
  return operations.map((operation) => {
    const changes = readOfChange(operation, reads);
    return changes ? { ...operation, changes } : operation;
  });
}

/** `/client-groups/{}/` */
const shapeOf = (path: string): string => path.replace(/\{[^}]*\}/g, '{}');

const readsByShape = (operations: readonly Operation[]): ReadonlyMap<string, Operation> =>
  new Map(operations.flatMap((one) => (one.hasEntityTag && one.http ? [[shapeOf(one.http.path), one] as const] : [])));

const CHANGING: ReadonlySet<HttpVerb> = new Set(['DELETE', 'PATCH', 'PUT']);

function readOfChange(
  { domain, http, requestStream, responseStream, responseType }: Operation,
  reads: ReadonlyMap<string, Operation>,
): ReadOfChange | undefined {
  if (!http || requestStream || responseStream || !CHANGING.has(http.verb)) return undefined;
  const read = reads.get(shapeOf(http.path));
  // Whoever changes it judges the condition, and so has to be able to read it.
  if (read?.domain !== domain) return undefined;
  const { camelCase } = protobuf.util;
  const isAnswered = http.status === 200 && read.responseType === responseType;
  const fields = read.http?.pathFields.map((name, at) => [camelCase(name), camelCase(http.pathFields[at] ?? '')]) ?? [];
  return { grpcPath: read.grpcPath, fields: Object.fromEntries(fields) as ReadOfChange['fields'], isAnswered };
}

/** One thing as JSON, and no page of a list. */
const isOneThing = (http: HttpBinding | undefined, method: protobuf.Method, { fields }: protobuf.Type): boolean =>
  http?.verb === 'GET' &&
  http.contentType === undefined &&
  method.requestStream !== true &&
  method.responseStream !== true &&
  !Object.hasOwn(fields, 'next_cursor');

/** Every service of the platform, by package and name. */
export function services(namespace: protobuf.NamespaceBase): protobuf.Service[] {
  return namespace.nestedArray.flatMap((nested) => {
    if (nested instanceof protobuf.Service) return nested.fullName.startsWith('.platform.') ? [nested] : [];
    return nested instanceof protobuf.Namespace && !(nested instanceof protobuf.Type) ? services(nested) : [];
  });
}

/** The values of protobuf's own option that promise it. */
const IDEMPOTENT: ReadonlySet<unknown> = new Set(['IDEMPOTENT', 'NO_SIDE_EFFECTS']);

function readOperation(method: protobuf.Method): Operation {
  const service = nameOf(method.parent);
  const { resolvedRequestType: requestType, resolvedResponseType: responseType } = method;
  if (!requestType || !responseType)
    throw new Error(`${service}/${method.name}: its request or answer type is unknown`);
  const id = `${service}/${method.name}`;
  const http = readBinding(method, id, requestType, responseType);
  const displayName = displayNameOf(responseType);
  const access = accessOf(method, http?.verb);
  const idempotent = http?.verb === 'GET' || IDEMPOTENT.has(method.options?.['idempotency_level']);
  const deadlineMs = deadlineMsOf(method);
  const pendingLocation = pendingLocationOf(method);
  const streamedWhen = streamedWhenOf(method);
  if (streamedWhen !== undefined && (requestType.fields[streamedWhen]?.type !== 'bool' || !method.responseStream))
    throw new Error(`${id}: streamed_when names a boolean field of a request that is answered with a stream`);
  const repetition = idempotent ? undefined : repetitionOf(method, { access, http, requestType });
  if (isRetrySafe(method) && repetition === undefined)
    throw new Error(`${id}: it takes no Idempotency-Key to go on with`);
  if (pendingLocation !== undefined && repetition !== 'once') throw new Error(`${id}: no answer to a key can be lost`);
  return {
    id,
    service,
    grpcPath: `/${id}`,
    domain: domainOf(service),
    method: method.name,
    access,
    idempotent,
    cost: costOf(method, access),
    errors: errorAnswersOf(method),
    ...(isOneThing(http, method, responseType) && { hasEntityTag: true }),
    ...(repetition && { repetition }),
    ...(pendingLocation !== undefined && { pendingLocation }),
    ...(deadlineMs !== undefined && { deadlineMs }),
    ...(streamedWhen !== undefined && { streamedWhen }),
    ...(http && { http }),
    ...(displayName !== undefined && { displayName }),
    ...(method.comment && { comment: method.comment }),
    requestType,
    responseType,
    requestStream: method.requestStream === true,
    responseStream: method.responseStream === true,
  };
}

/** Of a stream the second attempt could not be compared with the first; who has no credential has no keys either. */
function repetitionOf(
  method: protobuf.Method,
  { access, http, requestType }: Pick<Operation, 'access' | 'requestType'> & { readonly http: HttpBinding | undefined },
): Repetition | undefined {
  if (http?.verb !== 'POST' || method.requestStream === true || method.responseStream === true) return undefined;
  const hasOwnKey = requestType.fieldsArray.some((field) => fieldRules(field).header === IDEMPOTENCY_KEY);
  if (hasOwnKey || access.credentials.includes('ANONYMOUS')) return undefined;
  return isRetrySafe(method) ? 'continues' : 'once';
}

/** The header with which a client says that two requests are one and the same. */
export const IDEMPOTENCY_KEY = 'Idempotency-Key';

function nameOf(object: protobuf.ReflectionObject | null): string {
  return object?.fullName.slice(1) ?? '';
}

/** `platform.identity.v1.ClientGroupService` → `identity`. */
function domainOf(service: string): string {
  const [, domain, version] = service.split('.');
  if (domain === undefined || !/^v\d+$/.test(version ?? '')) {
    throw new Error(`${service}: a service's package must be platform.<domain>.v<number>`);
  }
  return domain;
}

const verbs = ['get', 'put', 'post', 'delete', 'patch'] as const;

function readBinding(
  method: protobuf.Method,
  id: string,
  requestType: protobuf.Type,
  responseType: protobuf.Type,
): HttpBinding | undefined {
  const rule = rawOption(method, 'google.api.http') as Record<string, unknown> | undefined;
  if (rule === undefined) return undefined;
  const given = verbs.filter((verb) => typeof rule[verb] === 'string');
  const [verb] = given;
  if (verb === undefined || given.length > 1) throw new Error(`${id}: its HTTP binding must have exactly one verb`);
  const template = String(rule[verb]);
  const deepFields = [...template.matchAll(DEEP)].map(([, name]) => name ?? '');
  const path = template.replace(DEEP, '{$1}');
  if (!path.startsWith('/')) throw new Error(`${id}: the path "${path}" must start with a slash`);
  const ownPath = ownPathOf(rule, method, id);
  const pathFields = namesInBraces(path);
  for (const name of pathFields) requireField(requestType, name, `${id}: the path parameter {${name}}`);
  const body = optionalText(rule['body']);
  if (body !== undefined && body !== '*') requireField(requestType, body, `${id}: the body "${body}"`);
  const responseBody = optionalText(rule['response_body']);
  if (responseBody !== undefined)
    requireField(responseType, responseBody, `${id}: the response_body "${responseBody}"`);
  return {
    verb: verb.toUpperCase() as HttpVerb,
    path,
    ...(ownPath !== undefined && { ownPath }),
    pathFields,
    deepFields,
    ...(body !== undefined && { body }),
    ...(responseBody !== undefined && { responseBody }),
    dialect: httpDialectOf(method),
    ...rawAnswer(httpAnswerOf(method), id, responseType),
  };
}

/** The one further binding that there may be: of a stream of answers, the same at another path. */
function ownPathOf(rule: Record<string, unknown>, method: protobuf.Method, id: string): string | undefined {
  const { additional_bindings: given, ...first } = rule;
  if (given === undefined) return undefined;
  const [further, ...more] = [given].flat() as Record<string, unknown>[];
  const verb = verbs.find((one) => typeof first[one] === 'string') ?? 'get';
  const own = further?.[verb];
  const isStream = method.responseStream === true && method.requestStream !== true;
  if (typeof own !== 'string' || more.length > 0 || !isStream || !isDeepStrictEqual(further, { ...first, [verb]: own }))
    throw new Error(`${id}: an additional binding is one, of a stream of answers, and differs in its path alone`);
  if (!isDeepStrictEqual(namesInBraces(own), namesInBraces(String(first[verb]))))
    throw new Error(`${id}: the path "${own}" has other parameters than that of its first binding`);
  return own;
}

function rawAnswer(answer: HttpAnswer, id: string, responseType: protobuf.Type): HttpAnswer {
  const { fieldsArray } = responseType;
  for (const name of namesInBraces(answer.location ?? ''))
    requireField(responseType, name, `${id}: {${name}} of its location`);
  const isBytes = fieldsArray.length === 1 && fieldsArray[0]?.type === 'bytes' && !fieldsArray[0].repeated;
  if (answer.contentType !== undefined && !isBytes) {
    throw new Error(`${id}: an answer of type ${answer.contentType} must have exactly one field, of type bytes`);
  }
  const { textField } = answer;
  if (textField !== undefined && !responseType.fields[textField]?.partOf) {
    throw new Error(`${id}: the text_field "${textField}" is no optional field of ${responseType.name}`);
  }
  return answer;
}

/** Of a path in the contract: a field that takes all segments there are, before words that may follow it. */
const DEEP = /\{(\w+)=\*\*\}/g;

const namesInBraces = (path: string): string[] =>
  [...path.matchAll(/\{([^}=]*)(?:=\*\*)?\}/g)].map(([, name]) => name ?? '');

function optionalText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function requireField(type: protobuf.Type, name: string, subject: string): void {
  if (!Object.hasOwn(type.fields, name)) throw new Error(`${subject} is no field of ${type.name}`);
}

/**
 * Two operations on one verb and path shape could not be told apart, except by what the client accepts: one answer, or
 * a stream of events.
 */
function refuseDoubleBindings(operations: readonly Operation[]): void {
  const taken = new Map<string, string>();
  const take = (id: string, shape: string, isStream: boolean): void => {
    const form = `${shape} ${isStream}`;
    const other = taken.get(form);
    if (other !== undefined) throw new Error(`${id} and ${other} are both bound to ${shape}`);
    taken.set(form, id);
  };
  for (const { http, id, responseStream } of operations) {
    if (!http) continue;
    take(id, `${http.verb} ${shapeOf(http.path)}`, responseStream);
    // Its own path is for nothing else.
    for (const isStream of http.ownPath === undefined ? [] : [true, false])
      take(id, `${http.verb} ${shapeOf(http.ownPath ?? '')}`, isStream);
  }
}
