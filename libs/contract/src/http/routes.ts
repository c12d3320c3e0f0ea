import type { Contract } from '../contract.ts';
import { entityTagReader } from '../entity-tag.ts';
import type { HttpBinding, HttpVerb, Operation } from '../operations.ts';
import { fieldRules } from '../options/field-options.ts';
import { maxBytesHintOf, maxBytesOf } from '../options/message-options.ts';
import type { HttpDialect } from '../options/method-options.ts';
import { isMultipartForm } from './content-type.ts';
import { cursorSeal, type CursorSeal, type SealKeys } from './cursor.ts';
import { idempotencyKeyReader, type IdempotencyKeyReader } from './idempotency-key.ts';
import { JsonWalks } from './json-walks.ts';
import { locationReader } from './location.ts';
import { requestParser, type RequestParser } from './parse-request.ts';
import { percentDecoded, percentEncoded } from './percent-decoding.ts';
import { rendererCompiler, type Renderer } from './render.ts';
import { streamOf, type Stream } from './streams.ts';

/** An operation as it is reached over HTTP. */
export interface Route {
  readonly operation: Operation;
  readonly http: HttpBinding;
  readonly parse: RequestParser;
  readonly render: Renderer;
  /** Present where a request may bear an `Idempotency-Key` that is no field of its message (D23). */
  readonly readIdempotencyKey?: IdempotencyKeyReader;
  /** Whether a body with this content type may have a file in it, and so be larger than JSON. */
  readonly takesFile: (contentType: string | undefined) => boolean;
  /** The most bytes of its request as a message, where the contract gives it a limit of its own. */
  readonly maxBytes?: number;
  /** How the same is done with a larger body than is taken, where there is a way. */
  readonly maxBytesHint?: string;
  /** The entity tag of a success: of what was asked for, or of what a change has made of it. */
  readonly entityTag?: (message: Buffer) => string;
  /** The header Location of a success. */
  readonly location?: (message: Buffer) => string;
  /** Present when there are more messages than one, this way or that. */
  readonly stream?: Stream;
  /** The same as events, for clients that ask for these. */
  readonly asEvents?: Route;
  /** Whether the message of a request asks for events, where that says it and not what the client accepts. */
  readonly asksForEvents?: (message: Buffer) => boolean;
}

/** Where a method and a path lead. */
export type Match =
  | { readonly kind: 'route'; readonly route: Route; readonly pathParameters: Readonly<Record<string, string>> }
  /** The path exists with, or without, a slash at its end: answer 307 with this path as Location. */
  | { readonly kind: 'redirect'; readonly location: string }
  | { readonly kind: 'not_found'; readonly dialect?: ErrorDialect }
  /** The path exists for these methods only: the value of an Allow header. */
  | { readonly kind: 'method_not_allowed'; readonly allow: string; readonly dialect?: ErrorDialect };

/** How clients expect errors, where that is not the platform's own way. */
export type ErrorDialect = Pick<HttpDialect, 'messageErrors' | 'openAi'>;

export interface Routes {
  /** Every operation that is bound to HTTP, in the order of the contract. */
  readonly all: readonly Route[];
  /**
   * Finds the operation for a path as it stood in the request line, without its query. Paths are
   * exact. `rawQuery` only ends up in the location of a redirect. Where an operation exists in two forms, with one
   * answer and with events, `asksForEvents` decides.
   */
  match(method: string, rawPath: string, rawQuery?: string, asksForEvents?: boolean): Match;
}

export interface RouteOptions {
  /** Seals page cursors and `Idempotency-Key`s; the same in every replica of the gateway. */
  readonly cursorKey: string | Buffer;
  /** The key before, or the one to come, while it is replaced: what it has sealed counts as well. */
  readonly otherCursorKey?: string | Buffer | undefined;
  /** How deep a JSON body may be nested, up to 64; that unless given (D24). */
  readonly maxNesting?: number;
}

/** Compiles the contract's HTTP bindings: one router, one parser and one renderer per operation. */
export function compileRoutes(contract: Contract, { cursorKey, otherCursorKey, maxNesting }: RouteOptions): Routes {
  const sealKeys: SealKeys = otherCursorKey === undefined ? [cursorKey] : [cursorKey, otherCursorKey];
  const seal = cursorSeal(sealKeys);
  const readIdempotencyKey = idempotencyKeyReader(sealKeys);
  const walks = new JsonWalks();
  const rendererOf = rendererCompiler(seal, walks);
  const listOf = listsOf(contract, seal);
  const root = new Junction();
  const all = contract.operations.flatMap((operation): Route[] => {
    const { http, id } = operation;
    if (!http) return [];
    const unseal = (cursor: string): string | undefined => seal.unseal(id, cursor);
    const parse = requestParser(operation, { unseal, list: nameOf(http), listOf, maxNesting });
    const hasFile = operation.requestType.fieldsArray.some((field) => fieldRules(field).file !== undefined);
    const takesFile = hasFile ? isMultipartForm : () => false;
    const stream = streamOf(operation, walks);
    const maxBytes = maxBytesOf(operation.requestType);
    const maxBytesHint = maxBytesHintOf(operation.requestType);
    const location = locationReader(operation);
    const { changes, hasEntityTag, responseType } = operation;
    const entityTag = hasEntityTag || changes?.isAnswered ? entityTagReader(responseType).tagOf : undefined;
    return [
      {
        ...{ operation, http, parse, render: rendererOf(operation), takesFile },
        ...(operation.repetition && { readIdempotencyKey }),
        ...(maxBytes !== undefined && { maxBytes }),
        ...(maxBytesHint !== undefined && { maxBytesHint }),
        ...(entityTag && { entityTag }),
        ...(location && { location }),
        ...(stream && { stream }),
      },
    ];
  });
  for (const route of all) {
    root.add(route);
    const { ownPath } = route.http;
    if (ownPath !== undefined) root.add({ ...route, http: { ...route.http, path: ownPath } });
  }
  return { all, match: (...request) => match(root, ...request) };
}

/** `GET /client-groups/` */
const nameOf = ({ verb, path }: HttpBinding): string => `${verb} ${path}`;

/** Which list a cursor is of, among all that have pages: what is told whoever confuses two of them. */
function listsOf({ operations }: Contract, { unseal }: CursorSeal): (cursor: string) => string | undefined {
  const lists = operations.flatMap(({ http, id, requestType }) =>
    http && requestType.fieldsArray.some((field) => fieldRules(field).string?.format === 'CURSOR')
      ? [{ id, name: nameOf(http) }]
      : [],
  );
  return (cursor) => lists.find(({ id }) => unseal(id, cursor) !== undefined)?.name;
}

/** A junction in the tree of path segments. */
class Junction {
  readonly literal = new Map<string, Junction>();
  parameter: Junction | undefined;
  /** Behind a parameter of one segment or more. */
  deep: Junction | undefined;
  readonly routes = new Map<string, Route>();
  /** Of all routes here and further on. */
  readonly dialects: HttpDialect[] = [];

  add(route: Route, segments: readonly string[] = route.http.path.split('/')): void {
    const [segment, ...rest] = segments;
    this.dialects.push(route.http.dialect);
    if (segment === undefined) this.#bind(route.http.verb, route);
    else if (route.http.deepFields.includes(segment.slice(1, -1))) (this.deep ??= new Junction()).add(route, rest);
    else this.#next(segment).add(route, rest);
  }

  #bind(verb: string, route: Route): void {
    const other = this.routes.get(verb);
    if (!other) this.routes.set(verb, route);
    else this.routes.set(verb, route.stream ? inTwoForms(other, route) : inTwoForms(route, other));
  }

  #next(segment: string): Junction {
    if (segment.startsWith('{')) return (this.parameter ??= new Junction());
    const known = this.literal.get(segment);
    if (known) return known;
    const made = new Junction();
    this.literal.set(segment, made);
    return made;
  }
}

function inTwoForms(atOnce: Route, asEvents: Route): Route {
  const { streamedWhen, requestType: type, id } = asEvents.operation;
  if (streamedWhen === undefined) return { ...atOnce, asEvents };
  if (atOnce.operation.requestType !== type)
    throw new Error(`${id}: it has another request than ${atOnce.operation.id}`);
  const asksForEvents = (message: Buffer): boolean =>
    (type.decode(message) as unknown as Readonly<Record<string, unknown>>)[streamedWhen] === true;
  return { ...atOnce, asEvents, asksForEvents };
}

function match(root: Junction, method: string, rawPath: string, rawQuery = '', asksForEvents = false): Match {
  // Segments are found in the decoded path, as in the original service: `%2F` ends a segment.
  const path = percentDecoded(rawPath);
  const segments = path.split('/');
  const reached = junctionReached(root, segments, method);
  if (reached) {
    const { junction, parameters } = reached;
    const found = junction.routes.get(method);
    const route = asksForEvents && !found?.asksForEvents ? (found?.asEvents ?? found) : found;
    if (route) return { kind: 'route', route, pathParameters: named(route, parameters) };
    return { kind: 'method_not_allowed', allow: allowed(junction), ...dialectIn(junction) };
  }
  if (path.length > 1 && junctionReached(root, otherSlashForm(path).split('/'), method)) {
    return { kind: 'redirect', location: locationOf(rawPath, path, rawQuery) };
  }
  return { kind: 'not_found', ...dialectIn(nearest(root, segments)) };
}

/** As far as the path leads in words that are known. */
const nearest = (root: Junction, segments: readonly string[]): Junction =>
  segments.reduce<{ readonly at: Junction; readonly isLost?: boolean }>(
    ({ at, isLost }, segment) => {
      const next = isLost ? undefined : at.literal.get(segment);
      return next ? { at: next } : { at, isLost: true };
    },
    { at: root },
  ).at;

/** What the clients of all routes from there on expect alike: so whoever misses one of them is told. */
function dialectIn({ dialects: [first, ...others] }: Junction): { readonly dialect?: ErrorDialect } {
  if (!first?.openAi && !first?.messageErrors) return {};
  const { openAi, messageErrors } = first;
  const isShared = others.every((other) => other.openAi === openAi && other.messageErrors === messageErrors);
  return isShared ? { dialect: { openAi, messageErrors } } : {};
}

interface ReachedJunction {
  readonly junction: Junction;
  /** The values of the parameters on the way, in order. */
  readonly parameters: readonly string[];
}

/**
 * The junction with routes that the segments lead to. Literal segments go before parameters, whatever the method is: as in the
 * description, a path that stands there in words is no value of a parameter. Parameters of several segments come last and take as many
 * as they can; what may follow them goes before, where it has the method: `a/checkpoints` is read as a whole where the words behind
 * `{path=**}` are not for that.
 */
function junctionReached(root: Junction, segments: readonly string[], method: string): ReachedJunction | undefined {
  const walk = (junction: Junction, at: number, parameters: readonly string[]): ReachedJunction | undefined => {
    const segment = segments[at];
    if (segment === undefined) return junction.routes.size > 0 ? { junction, parameters } : undefined;
    const literal = junction.literal.get(segment);
    const found = literal && walk(literal, at + 1, parameters);
    if (found || segment === '') return found;
    const single = junction.parameter && walk(junction.parameter, at + 1, [...parameters, segment]);
    return single ?? (junction.deep && walkDeep(junction.deep, at, parameters));
  };
  const walkDeep = (deep: Junction, at: number, parameters: readonly string[]): ReachedJunction | undefined => {
    if (segments.includes('', at)) return undefined;
    // Joined once, for what it leads to: a long path may have the words behind it thousands of times.
    const taking = (end: number, { junction, parameters: behind }: ReachedJunction): ReachedJunction => ({
      junction,
      parameters: [...parameters, segments.slice(at, end).join('/'), ...behind],
    });
    let other: (() => ReachedJunction) | undefined;
    if (deep.routes.size > 0) other = () => taking(segments.length, { junction: deep, parameters: [] });
    for (let end = segments.length - 1; end > at; end -= 1) {
      const literal = deep.literal.get(segments[end] ?? '');
      const found = literal && walk(literal, end + 1, []);
      if (found?.junction.routes.has(method)) return taking(end, found);
      if (found) other ??= () => taking(end, found);
    }
    return other?.();
  };
  return walk(root, 0, []);
}

function named({ http }: Route, values: readonly string[]): Record<string, string> {
  const parameters: Record<string, string> = {};
  for (const [at, name] of http.pathFields.entries()) parameters[name] = values[at] ?? '';
  return parameters;
}

const verbOrder: readonly HttpVerb[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

const allowed = ({ routes }: Junction): string => verbOrder.filter((verb) => routes.has(verb)).join(', ');

function otherSlashForm(path: string): string {
  if (!path.endsWith('/')) return `${path}/`;
  let end = path.length;
  while (path[end - 1] === '/') end--;
  return path.slice(0, end);
}

/** The other form of a path, still a path only: a client keeps to the host it has asked. */
function locationOf(rawPath: string, path: string, rawQuery: string): string {
  // Decoding and encoding once more makes escapes uniform, except where it would change the meaning.
  const shown = /[%#?]/.test(path) ? rawPath : path;
  const location = percentEncoded(otherSlashForm(shown));
  return rawQuery === '' ? location : `${location}?${percentEncoded(rawQuery)}`;
}
