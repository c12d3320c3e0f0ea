import { describe, expect, it } from '@jest/globals';
import {
  conflict,
  deadlineExceeded,
  DEFAULT_ERROR_TEXT,
  DomainError,
  fieldViolation,
  forbidden,
  invalid,
  invalidField,
  isUnavailable,
  malformed,
  notFound,
  paymentRequired,
  rateLimited,
  tooLarge,
  unauthenticated,
  unavailable,
  unsupportedMedia,
  upstreamFailed,
  type ErrorKind,
} from './domain-error.ts';

describe('a domain error', () => {
  it.each<[string, DomainError, Partial<DomainError>]>([
    [
      'notFound',
      notFound('Client group'),
      { kind: 'not_found', code: 'client_group_not_found', message: 'Client group not found' },
    ],
    ['notFound with an acronym', notFound('API key'), { code: 'api_key_not_found', message: 'API key not found' }],
    ['conflict', conflict('name_taken', 'Taken'), { kind: 'conflict', code: 'name_taken', message: 'Taken' }],
    ['forbidden', forbidden(), { kind: 'forbidden', code: 'forbidden', message: 'Not enough permissions' }],
    [
      'forbidden with a reason',
      forbidden('no_organisation', 'No organisation'),
      { code: 'no_organisation', message: 'No organisation' },
    ],
    ['unauthenticated', unauthenticated(), { kind: 'unauthenticated', message: 'Not authenticated' }],
    [
      'invalid',
      invalid([{ type: 'missing', loc: ['body'], msg: 'Field required' }]),
      {
        kind: 'invalid',
        code: 'validation_failed',
        violations: [{ type: 'missing', loc: ['body'], msg: 'Field required' }],
      },
    ],
    ['malformed', malformed('no_image', 'No image'), { kind: 'malformed', code: 'no_image', message: 'No image' }],
    ['paymentRequired', paymentRequired(), { kind: 'payment_required', message: 'Credit limit reached' }],
    ['tooLarge', tooLarge(), { kind: 'too_large', message: 'Request body too large' }],
    ['unsupportedMedia', unsupportedMedia('Not audio'), { kind: 'unsupported_media', message: 'Not audio' }],
    ['rateLimited', rateLimited(3), { kind: 'rate_limited', message: 'Too many requests', retryAfterSeconds: 3 }],
    ['upstreamFailed', upstreamFailed('why'), { kind: 'upstream_failed', message: 'Bad Gateway', cause: 'why' }],
    [
      'unavailable',
      unavailable('why'),
      { kind: 'unavailable', message: 'Service Unavailable', retryAfterSeconds: 1, cause: 'why' },
    ],
    ['deadlineExceeded', deadlineExceeded(), { kind: 'deadline_exceeded', message: 'Gateway Timeout' }],
  ])('made by %s says what its reader needs', (_, error, expected) => {
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject(expected);
  });

  it.each(Object.keys(DEFAULT_ERROR_TEXT) as ErrorKind[])(
    'of kind %s has a text and a code even when nothing else is said',
    (kind) => {
      const error = new DomainError({ kind });
      expect(error.message).not.toBe('');
      expect(error.code).toBe(kind);
    },
  );

  it('has no fields for what was not said', () => {
    const error = forbidden();
    expect(Object.keys(error).sort()).toEqual(['code', 'kind', 'name']);
    expect('cause' in error).toBe(false);
  });
});

describe('a service that is called', () => {
  it.each([unavailable('refused'), deadlineExceeded()])('is away when a call of it ends with: %s', (error) => {
    expect(isUnavailable(error)).toBe(true);
  });

  it.each([forbidden(), notFound('Shelf'), new DomainError({ kind: 'internal' }), new TypeError('defect')])(
    'is there when a call of it ends with: %s',
    (error) => {
      expect(isUnavailable(error)).toBe(false);
    },
  );
});

describe('a field that cannot be', () => {
  it('is told as the checks of the contract tell it, with what was given where that may be shown', () => {
    expect(invalidField(['body', 'url'], 'this is no URL', 'x', { error: 'no URL' })).toMatchObject({
      kind: 'invalid',
      violations: [
        {
          type: 'value_error',
          loc: ['body', 'url'],
          msg: 'Value error, this is no URL',
          input: 'x',
          ctx: { error: 'no URL' },
        },
      ],
    });
    expect(fieldViolation(['body', 'secret'], 'it is too short')).toEqual({
      type: 'value_error',
      loc: ['body', 'secret'],
      msg: 'Value error, it is too short',
    });
  });
});
