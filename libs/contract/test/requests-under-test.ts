import { beforeAll } from '@jest/globals';
import type { Contract } from '../src/contract.ts';
import { compileRoutes, type ParsedRequest, type Routes } from '../src/http/index.ts';
import { loadShapes } from './sample-contract.ts';

export const cursorKey = 'a key for tests';
export const uuid = '3fa85f64-5717-4562-b3fc-2c963f66afa6';
let contract: Contract;
export let routes: Routes;

beforeAll(() => {
  contract = loadShapes();
  routes = compileRoutes(contract, { cursorKey });
});

export interface Sent {
  query?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

export function parse(method: string, rawPath: string, { query = '', headers = {}, body }: Sent = {}): ParsedRequest {
  const match = routes.match(method, rawPath, query);
  if (match.kind !== 'route') throw new Error(`${method} ${rawPath} leads to ${match.kind}`);
  return match.route.parse({
    pathParameters: match.pathParameters,
    rawQuery: query,
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? Buffer.from(body) : body,
  });
}

/** The request as its service sees it. */
export function understood(method: string, rawPath: string, sent?: Sent): Record<string, unknown> {
  const parsed = parse(method, rawPath, sent);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.detail));
  const match = routes.match(method, rawPath);
  if (match.kind !== 'route') throw new Error(match.kind);
  const { service, method: name } = match.route.operation;
  return contract.serviceDefinition(service)[name]?.requestDeserialize(parsed.message) as Record<string, unknown>;
}

export function written(body: object | string): Record<string, unknown> {
  return understood('POST', '/things/', { body: typeof body === 'string' ? body : JSON.stringify(body) });
}

export function detailOf(method: string, rawPath: string, sent?: Sent): unknown {
  const parsed = parse(method, rawPath, sent);
  return parsed.ok ? 'nothing is wrong' : JSON.parse(JSON.stringify(parsed.detail));
}
