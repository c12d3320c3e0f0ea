import { Metadata, status } from '@grpc/grpc-js';
import { describe, expect, it } from '@jest/globals';
import { DomainError, type ErrorKind } from '@platform-backend/core';
import { errorFromStatus, statusFromError } from './error-status.ts';
import { ERROR_TABLE, httpStatusOf } from './error-table.ts';

const pending = { id: '018f', state: 'PENDING', location: '/things/018f/' };
const kinds = Object.keys(ERROR_TABLE) as ErrorKind[];

describe('the table of errors', () => {
  it('answers each kind over HTTP as decision D20 says', () => {
    expect(Object.fromEntries(kinds.map((kind) => [kind, `${httpStatusOf(kind)} ${ERROR_TABLE[kind].text}`]))).toEqual({
      accepted: '202 Accepted',
      invalid: '422 Invalid request',
      malformed: '400 Bad Request',
      unauthenticated: '401 Not authenticated',
      payment_required: '402 Credit limit reached',
      forbidden: '403 Not enough permissions',
      not_found: '404 Not Found',
      conflict: '409 Conflict',
      too_large: '413 Request body too large',
      range_not_satisfiable: '416 Range Not Satisfiable',
      unsupported_media: '415 Unsupported Media Type',
      rate_limited: '429 Too many requests',
      internal: '500 Internal Server Error',
      upstream_failed: '502 Bad Gateway',
      unavailable: '503 Service Unavailable',
      not_provided: '503 Service Unavailable',
      deadline_exceeded: '504 Gateway Timeout',
    });
  });

  it.each(kinds)('brings %s over gRPC and back unchanged', (kind) => {
    const said = { kind, code: 'exact_code', message: 'Exact text', retryAfterSeconds: 5, length: 0, pending };
    const error = new DomainError(said);
    const back = errorFromStatus(statusFromError(error));
    expect(back).toMatchObject(said);
  });
});

describe('a status that no service of ours put together', () => {
  const bare = (code: status) =>
    errorFromStatus({ code, details: 'connect ECONNREFUSED 10.0.0.7:5001', metadata: new Metadata() });

  it('means the nearest kind of error', () => {
    const codes = Object.values(status).filter((code) => typeof code === 'number');
    expect(Object.fromEntries(codes.map((code) => [status[code], bare(code).kind]))).toEqual({
      OK: 'internal',
      CANCELLED: 'unavailable',
      UNKNOWN: 'internal',
      INVALID_ARGUMENT: 'invalid',
      DEADLINE_EXCEEDED: 'deadline_exceeded',
      NOT_FOUND: 'not_found',
      ALREADY_EXISTS: 'conflict',
      PERMISSION_DENIED: 'forbidden',
      RESOURCE_EXHAUSTED: 'internal',
      FAILED_PRECONDITION: 'conflict',
      ABORTED: 'conflict',
      OUT_OF_RANGE: 'invalid',
      UNIMPLEMENTED: 'unavailable',
      INTERNAL: 'internal',
      UNAVAILABLE: 'unavailable',
      DATA_LOSS: 'internal',
      UNAUTHENTICATED: 'internal',
    });
  });

  it('keeps its text to itself, for it may name addresses', () => {
    const error = bare(status.UNAVAILABLE);
    expect(error.message).toBe('Service Unavailable');
    expect(error.retryAfterSeconds).toBe(1);
    expect(error.cause).toMatchObject({ details: 'connect ECONNREFUSED 10.0.0.7:5001' });
  });

  it('is a defect when its number is none that gRPC knows', () => {
    const { code } = JSON.parse('{"code":99}') as { code: status };
    expect(bare(code).kind).toBe('internal');
  });
});

describe('trailers that make no sense', () => {
  const withTrailers = (trailers: Record<string, string | Buffer>) => {
    const metadata = new Metadata();
    for (const [name, value] of Object.entries(trailers)) metadata.set(name, value);
    return errorFromStatus({ code: status.NOT_FOUND, details: 'Thing not found', metadata });
  };

  it.each(['teapot', '', '__proto__', 'constructor'])('do no harm: kind "%s" is that of the bare status', (kind) => {
    expect(withTrailers({ 'error-kind': kind })).toMatchObject({ kind: 'not_found', message: 'Not Found' });
  });

  it('do no harm: violations that are no list, a retry that is no number', () => {
    for (const violations of ['{', '{}', '"x"', '']) {
      const error = withTrailers({
        'error-kind': 'invalid',
        'violations-bin': Buffer.from(violations),
        'retry-after': 'soon',
      });
      expect(error).not.toHaveProperty('violations');
      expect(error).not.toHaveProperty('retryAfterSeconds');
    }
  });
});

describe('a refusal that is too long for its trailers', () => {
  it('loses the end of its text, and what the caller had sent', () => {
    const error = new DomainError({
      kind: 'invalid',
      message: 'x'.repeat(5_000),
      violations: [{ type: 'string_type', loc: ['body'], msg: 'Wrong', input: 'y'.repeat(50_000) }],
    });
    const back = errorFromStatus(statusFromError(error));
    expect(back.message).toHaveLength(1_024);
    expect(back.violations).toEqual([{ type: 'string_type', loc: ['body'], msg: 'Wrong', input: '[omitted]' }]);
  });

  it('is measured in bytes: a violation whose input is too long in them still arrives, without it', () => {
    const violation = { type: 'string_type', loc: ['body'], msg: 'Wrong' };
    const error = new DomainError({ kind: 'invalid', violations: [{ ...violation, input: '語'.repeat(2_000) }] });
    expect(errorFromStatus(statusFromError(error)).violations).toEqual([{ ...violation, input: '[omitted]' }]);
  });

  it.each(['x', 'é', '語', '😀', '%'])(
    'has a text that fits as a header has it, of whole characters: %s',
    (character) => {
      const violations = [{ type: 'string_type', loc: ['body'], msg: 'Wrong', input: 1 }];
      const textOf = (more: object) =>
        statusFromError(new DomainError({ kind: 'invalid', message: character.repeat(5_000), ...more })).details;
      const [bytes, max] = [encodeURI(character).length, Math.floor(1_024 / character.length)];
      expect(textOf({})).toBe(character.repeat(Math.min(max, Math.floor((6 * 1_024) / bytes))));
      expect(textOf({ violations })).toBe(character.repeat(Math.min(max, Math.floor(1_024 / bytes))));
    },
  );
});
