import {
  changedFields,
  created,
  decided,
  deleted,
  fieldViolation,
  forbidden,
  invalid,
  invalidField,
  unchanged,
  type ActorContext,
  type Decision,
  type DomainError,
  type Fields,
  type Violation,
} from '@platform-backend/core';
import { accessShown, changeAccess, madeBy, type Access, type Restrictable } from '../../access/domain/access.ts';
import type { ContentEvent } from '../../events.ts';
import { toolServerNotFound } from './errors.ts';
import { modelNameOf } from './server-tool.ts';

export type ToolServerKind = 'mcp' | 'http';
export type ApprovalRule = 'required' | 'none';
export type ToolMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A tool that assistants may use; all but its name and approval is of servers of kind `http` alone. */
export interface AllowedTool {
  /** As its server names it. */
  readonly name: string;
  readonly approval: ApprovalRule;
  readonly description: string;
  readonly method: ToolMethod;
  /** Behind the URL of the server, with names of arguments in braces. */
  readonly path: string;
  /** A JSON Schema; null: no arguments. */
  readonly parameters: Fields | null;
}

export interface ToolServerSettings {
  readonly name: string;
  readonly description: string;
  readonly url: string;
  readonly tools: readonly AllowedTool[];
  readonly timeoutSeconds: number;
  readonly maxResultBytes: number;
}

/** Headers as they are kept: nobody reads their values but whoever calls the server. */
export interface KeptHeaders {
  readonly headerNames: readonly string[];
  /** Empty where there are none. */
  readonly sealedHeaders: string;
}

/** What headers are sealed for: copied to another server, or another organisation's, they open for nobody. */
export const headersContext = (organisationId: string, id: string): string => `tool-server/${organisationId}/${id}`;

/** A server whose tools assistants of the organisation may use. */
export interface ToolServer extends ToolServerSettings, KeptHeaders, Restrictable {
  readonly id: string;
  readonly kind: ToolServerKind;
  /** Who added it. */
  readonly memberId: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The most that an organisation has. */
export const MAX_TOOL_SERVERS = 50;

export function createToolServer(
  { actor }: ActorContext,
  id: string,
  {
    access,
    ...given
  }: ToolServerSettings & KeptHeaders & { readonly kind: ToolServerKind } & Pick<Restrictable, 'access'>,
  at: Date,
): Decision<ToolServer, ContentEvent> {
  if (actor.userId === null) throw forbidden();
  requireUsable(given);
  const server: ToolServer = {
    ...given,
    ...madeBy(actor),
    ...(access && { access }),
    id,
    memberId: actor.userId,
    createdAt: at,
    updatedAt: at,
  };
  return created('tool_server.created', server, at, { tool_server_id: id, name: server.name }, shown(server));
}

/** Changes the fields given. INVALID: headers would go to a host that they were not given for. */
export function changeToolServer(
  found: ToolServer | undefined,
  wanted: Partial<ToolServerSettings & KeptHeaders>,
  at: Date,
): Decision<ToolServer, ContentEvent> {
  if (!found) throw toolServerNotFound();
  const next: ToolServer = { ...found, ...wanted, updatedAt: at };
  requireUsable(next);
  if (wanted.sealedHeaders === undefined && found.sealedHeaders !== '' && originOf(next) !== originOf(found))
    throw headersNeeded();
  const changed = Object.keys(changedFields(compared(found), compared(next)).after);
  if (changed.length === 0) return unchanged(found);
  const { id, name } = next;
  const { before, after } = changedFields(shown(found), shown(next));
  // Of values that are kept sealed, that there are others.
  const headers = changed.includes('headers');
  return decided(next, {
    name: 'tool_server.updated',
    subject: id,
    at,
    data: { tool_server_id: id, name, changed_fields: changed },
    change: {
      before: { ...before, ...(headers && { headers: found.headerNames }) },
      after: { ...after, ...(headers && { headers: next.headerNames }) },
    },
  });
}

/** Restricts it, or opens it to everybody in the organisation. */
export function changeToolServerAccess(
  found: ToolServer | undefined,
  access: Access | undefined,
  at: Date,
): Decision<ToolServer, ContentEvent> {
  if (!found) throw toolServerNotFound();
  return changeAccess(found, access, at, { name: 'tool_server.access_changed', tool_server_id: found.id });
}

export function deleteToolServer(
  found: ToolServer | undefined,
  at: Date,
): Decision<undefined, ContentEvent, ToolServer> {
  if (!found) throw toolServerNotFound();
  const { id } = found;
  return deleted('tool_server.deleted', found, at, { tool_server_id: id }, shown(found));
}

const originOf = ({ url }: Pick<ToolServer, 'url'>): string => new URL(url).origin;

const headersNeeded = (): DomainError =>
  invalidField(
    ['body', 'headers'],
    'they have to be given again with a URL of another host, which would get them otherwise',
  );

/** Headers that the protocols or connections set themselves. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  ...['host', 'connection', 'content-length', 'content-type', 'transfer-encoding', 'upgrade', 'te', 'trailer'],
  ...['expect', 'keep-alive', 'accept', 'mcp-session-id', 'mcp-protocol-version', 'idempotency-key'],
]);

/** INVALID: what cannot be sent as a header. No value is repeated. */
export function requireHeaders(headers: Readonly<Record<string, string>>): void {
  const wrong = Object.entries(headers).flatMap(([name, value]): Violation[] => {
    const say = (problem: string): Violation[] => [fieldViolation(['body', 'headers', name], problem)];
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return say('this is no name of a header');
    if (OWN_HEADERS.has(name.toLowerCase())) return say('this header is set by the platform');
    // Printable ASCII, as servers take nothing else.
    return /^[\u0020-\u007e]+$/.test(value) ? [] : say('its value has to be visible characters of ASCII');
  });
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  const twice = Object.keys(headers).filter((name, index) => names.indexOf(name.toLowerCase()) !== index);
  const again = twice.map((name) => fieldViolation(['body', 'headers', name], 'this header is there twice'));
  if (wrong.length + again.length > 0) throw invalid([...wrong, ...again]);
}

/** What the contract cannot say of tools. */
function requireUsable({ kind, name, tools }: Pick<ToolServer, 'kind' | 'name' | 'tools'>): void {
  const violations: Violation[] = [];
  const names = new Set<string>();
  for (const [index, tool] of tools.entries()) {
    const say = (field: string, problem: string, input: unknown): unknown =>
      violations.push(fieldViolation(['body', 'tools', index, field], problem, input));
    const modelName = modelNameOf(name, tool.name);
    if (names.has(modelName)) say('name', 'models could not tell it from another one', tool.name);
    names.add(modelName);
    if (kind === 'mcp') {
      if (tool.path !== '') say('path', 'the server says itself how its tools are called', tool.path);
      if (tool.description !== '') say('description', 'the server says itself what its tools are for', undefined);
      if (tool.parameters) say('parameters', 'the server says itself what its tools take', undefined);
      continue;
    }
    if (tool.description.trim() === '') say('description', 'models have to read what it is for', tool.description);
    if (tool.parameters && tool.parameters['type'] !== 'object')
      say('parameters', 'it has to be the schema of an object', undefined);
    const known = Object.keys(tool.parameters?.['properties'] ?? {});
    for (const argument of argumentsIn(tool.path))
      if (!known.includes(argument)) say('path', `there is no argument ${argument} in its parameters`, tool.path);
  }
  if (violations.length > 0) throw invalid(violations);
}

/** Names in braces. */
export const argumentsIn = (path: string): readonly string[] =>
  [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name);

/** What of it can change, by its names in the contract. */
const compared = (server: ToolServer): Fields => ({
  name: server.name,
  description: server.description,
  url: server.url,
  tools: server.tools,
  timeout_seconds: server.timeoutSeconds,
  max_result_bytes: server.maxResultBytes,
  headers: server.sealedHeaders,
});

/** What the audit log shows of it: of headers their names. */
const shown = (server: ToolServer): Fields => ({
  name: server.name,
  kind: server.kind,
  description_length: server.description.length,
  url: server.url,
  header_names: server.headerNames,
  tools: server.tools.map(({ name, approval }) => ({ name, approval })),
  timeout_seconds: server.timeoutSeconds,
  max_result_bytes: server.maxResultBytes,
  ...accessShown(server),
});
