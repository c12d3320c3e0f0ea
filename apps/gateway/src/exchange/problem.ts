import { bearsCode, type ErrorDialect } from '@platform-backend/contract/http';
import { DomainError, type Pending } from '@platform-backend/core';
import { httpStatusOf } from '@platform-backend/grpc';
import { STATUS_CODES } from 'node:http';
import { httpErrors } from '../errors.ts';
import { openAiError } from './open-ai-error.ts';

/** A refusal or failure as a client reads it: one status, one stable code, public words. */
export interface Problem {
  readonly status: number;
  /** Stable and machine-readable, in snake_case; sent as X-Error-Code. */
  readonly code: string;
  /** A sentence, or the broken rules of a 422. */
  readonly detail: string | readonly BrokenRule[];
  /** Headers of this problem alone, flat: name, value, name, value. */
  readonly headers: readonly string[];
  /** Of a 202: what was begun, and where to ask for it. */
  readonly pending?: Pending;
}

/** One item of a 422, in FastAPI's form. */
export interface BrokenRule {
  readonly type: string;
  readonly loc: readonly (string | number)[];
  readonly msg: string;
}

const NO_HEADERS: readonly string[] = [];
const CHALLENGE: readonly string[] = ['WWW-Authenticate', 'Bearer'];

/** Seconds a client should wait when nothing more exact is known. */
const RETRY_AFTER_SECONDS = 1;
export const RETRY_SOON = ['Retry-After', String(RETRY_AFTER_SECONDS)] as const;

export const problem = (
  status: number,
  code: string,
  detail: Problem['detail'],
  headers: readonly string[] = NO_HEADERS,
): Problem => ({ status, code, detail, headers });

export const NOT_FOUND = problem(404, 'not_found', 'Not Found');
/** With how it is done otherwise, where there is a way. */
export const bodyTooLarge = (otherwise?: string): Problem => {
  const text = 'Request body too large';
  return problem(413, 'too_large', otherwise === undefined ? text : `${text}: ${otherwise}`);
};
export const BODY_TOO_LARGE = bodyTooLarge();
export const MALFORMED_REQUEST = problem(...httpErrors.malformedRequest);
export const INTERNAL = problem(500, 'internal', 'Internal Server Error');
/** There is no room for another body or stream. */
export const OVERLOADED = problem(...httpErrors.overloaded, RETRY_SOON);

/** To ignore it would make a change that was not to be made. */
export const PRECONDITION_UNSUPPORTED = problem(...httpErrors.preconditionUnsupported);
export const UPGRADE_REQUIRED = problem(...httpErrors.upgradeRequired, ['Upgrade', 'websocket']);
export const DRAINING = problem(...httpErrors.draining, RETRY_SOON);

export const methodNotAllowed = (allow: string): Problem => problem(...httpErrors.methodNotAllowed, ['Allow', allow]);

/** What the contract's parser refuses: a 422 with its items, or a 400 or 415 with a sentence. */
export const refusedInput = (status: number, detail: Problem['detail']): Problem =>
  problem(
    status,
    status === 422 ? 'validation_failed' : status === 400 ? httpErrors.unreadableBody[1] : 'unsupported_media',
    detail,
  );

/**
 * The problem an error stands for. Anything that is no `DomainError` is a defect of ours and says
 * nothing about itself.
 */
export function problemOf(error: unknown): Problem {
  if (!(error instanceof DomainError)) return INTERNAL;
  const status = httpStatusOf(error.kind);
  const { pending } = error;
  return {
    ...problem(status, error.code, error.violations ?? error.message, headersOf(status, error)),
    ...(pending && { pending }),
  };
}

function headersOf(status: number, error: DomainError): readonly string[] {
  if (status === 401) return CHALLENGE;
  if (status === 429 || status === 503 || status === 504) {
    return ['Retry-After', String(error.retryAfterSeconds ?? RETRY_AFTER_SECONDS)];
  }
  const retryAfter = error.retryAfterSeconds === undefined ? [] : ['Retry-After', String(error.retryAfterSeconds)];
  // What is being carried out or paid, and is over soon (D23).
  if (status === 409) return retryAfter;
  if (status === 202) return [...retryAfter, ...(error.pending ? ['Location', error.pending.location] : [])];
  if (status === 416) return ['Content-Range', `bytes */${String(error.length ?? '*')}`];
  return NO_HEADERS;
}

export const JSON_TYPE = 'application/json';
export const PROBLEM_TYPE = 'application/problem+json';
export const EVENT_STREAM_TYPE = 'text/event-stream';

/** With the status that the clients of the dialect know it by. */
export const problemIn = (found: Problem, dialect: ErrorDialect | undefined): Problem =>
  dialect?.openAi && found.status === 422 ? { ...found, status: 400 } : found;

/** What ends a stream of events in which something has failed. */
export function problemEvent(found: Problem, requestId: string, { openAi }: ErrorDialect): string {
  return openAi
    ? `data: ${JSON.stringify(openAiError(found))}\n\n`
    : `event: error\ndata: ${renderProblem(found, PROBLEM_TYPE, requestId).body}\n\n`;
}

/** The problem as a body, in the form the client asked for (D20), or in that of the operation's dialect. */
export function renderProblem(
  found: Problem,
  accept: string | undefined,
  requestId: string,
  dialect?: ErrorDialect,
): { contentType: string; body: string } {
  const { status, code, detail, pending } = found;
  if (dialect?.openAi) return { contentType: JSON_TYPE, body: JSON.stringify(openAiError(found)) };
  // What was begun is no problem.
  if (status === 202 || !acceptsMediaType(PROBLEM_TYPE, accept)) {
    const body = dialect?.messageErrors
      ? { message: messageOf(detail), reason: null, code }
      : { detail, ...(typeof detail === 'string' && bearsCode(code) && { code }), ...pending };
    return { contentType: JSON_TYPE, body: JSON.stringify(body) };
  }
  const said = typeof detail === 'string' ? { detail } : { detail: 'The request breaks rules', errors: detail };
  return {
    contentType: PROBLEM_TYPE,
    body: JSON.stringify({
      type: `urn:platform:error:${code}`,
      title: STATUS_CODES[status] ?? 'Error',
      status,
      ...said,
      code,
      request_id: requestId,
    }),
  };
}

const messageOf = (detail: Problem['detail']): string =>
  typeof detail === 'string' ? detail : detail.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ');

/** A wildcard does not ask for it, and a weight of zero asks not to get it (RFC 9110, 12.4.2). */
export const acceptsMediaType = (wanted: string, accept: string | undefined): boolean =>
  accept !== undefined &&
  accept
    .toLowerCase()
    .split(',')
    .some((range) => {
      const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
      return type === wanted && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
    });
