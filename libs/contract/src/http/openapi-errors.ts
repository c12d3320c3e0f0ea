import type { JsonObject } from '../json-values.ts';
import type { Operation } from '../operations.ts';

interface ErrorAnswer {
  readonly name: string;
  readonly description: string;
  /** The public text, as sent. */
  readonly detail: string;
  readonly headers?: readonly string[];
}

/** Every error answer by its status (decision D20). */
const errorAnswers: Record<number, ErrorAnswer> = {
  202: {
    name: 'Accepted',
    description: 'It was begun and is not over: its id, how it stands, and where to ask.',
    detail: 'Accepted',
    headers: ['Retry-After', 'Location'],
  },
  400: {
    name: 'BadRequest',
    description: 'The body cannot be read, or is not what its signature says.',
    detail: 'There was an error parsing the body',
  },
  401: {
    name: 'Unauthenticated',
    description: 'No credential, or one that is not accepted.',
    detail: 'Not authenticated',
    headers: ['WWW-Authenticate'],
  },
  402: {
    name: 'PaymentRequired',
    description: 'Out of credit, or the payment was refused.',
    detail: 'Credit limit reached',
  },
  403: { name: 'Forbidden', description: 'The caller may not do this.', detail: 'Not enough permissions' },
  404: { name: 'NotFound', description: 'There is no such thing in the organisation.', detail: 'Not Found' },
  409: { name: 'Conflict', description: 'It does not fit the present state.', detail: 'Conflict' },
  413: { name: 'TooLarge', description: 'The body is larger than allowed.', detail: 'Request body too large' },
  415: {
    name: 'UnsupportedMedia',
    description: 'The file is of no kind that can be read.',
    detail: 'Unsupported media type',
  },
  416: {
    name: 'RangeNotSatisfiable',
    description: 'The file ends before the range begins.',
    detail: 'Range Not Satisfiable',
    headers: ['Content-Range'],
  },
  429: {
    name: 'RateLimited',
    description: 'Too many requests.',
    detail: 'Too many requests',
    headers: ['Retry-After', 'RateLimit', 'RateLimit-Policy'],
  },
  500: { name: 'InternalError', description: 'A fault of the platform.', detail: 'Internal Server Error' },
  502: { name: 'UpstreamFailed', description: 'An outside provider failed.', detail: 'Bad Gateway' },
  503: {
    name: 'Unavailable',
    description: 'A part of the platform is down.',
    detail: 'Service Unavailable',
    headers: ['Retry-After'],
  },
  504: {
    name: 'DeadlineExceeded',
    description: 'It took too long.',
    detail: 'Gateway Timeout',
    headers: ['Retry-After'],
  },
};

/** Words by which an rpc's comment says that it fails in more ways than its shape tells. */
const commentWords: Record<string, number> = {
  ACCEPTED: 202,
  MALFORMED: 400,
  PAYMENT_REQUIRED: 402,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  CONFLICT: 409,
  UNSUPPORTED_MEDIA: 415,
  RANGE_NOT_SATISFIABLE: 416,
  UPSTREAM_FAILED: 502,
};

/** References to the error answers an operation may give, by status. */
export function errorResponses(operation: Operation, input: { takesBody: boolean }): JsonObject {
  const { access, comment = '', http, repetition } = operation;
  const statuses = new Set([401, 422, 429, 500, 503, 504]);
  if (input.takesBody) for (const status of [400, 413]) statuses.add(status);
  // At any level: X-Organisation-Id may name an organisation that is not the caller's.
  if (access.credentials.length > 0) statuses.add(403);
  if (http?.pathFields.length) statuses.add(404);
  if (repetition) statuses.add(409);
  for (const [word, status] of Object.entries(commentWords)) if (comment.includes(`${word}:`)) statuses.add(status);
  const form = http?.dialect.messageErrors === true ? 'Message' : '';
  return Object.fromEntries(
    [...statuses]
      .sort((a, b) => a - b)
      .map((status) => [
        String(status),
        { $ref: `#/components/responses/${form}${errorAnswers[status]?.name ?? 'ValidationFailed'}` },
      ]),
  );
}

const onEveryError = ['X-Request-Id', 'X-Api-Version', 'X-Error-Code'];

const problemSchema = { $ref: '#/components/schemas/Problem' };

/** `components.responses`; those whose names begin with Message are of operations with `message_errors`. */
export function errorComponents(): JsonObject {
  const answers = Object.values(errorAnswers).flatMap(({ name, description, detail, headers = [] }) => {
    const inForm = (schema: string, example: JsonObject): JsonObject => ({
      description,
      headers: headerReferences([...onEveryError, ...headers]),
      content: {
        'application/json': { schema: { $ref: `#/components/schemas/${schema}` }, example },
        'application/problem+json': { schema: problemSchema },
      },
    });
    return [
      [name, inForm('Error', { detail })],
      [`Message${name}`, inForm('MessageError', { message: detail, reason: null })],
    ] as const;
  });
  const invalid = (schema: string): JsonObject => ({
    description: 'Validation Error',
    headers: headerReferences(onEveryError),
    content: {
      'application/json': { schema: { $ref: `#/components/schemas/${schema}` } },
      'application/problem+json': { schema: problemSchema },
    },
  });
  return {
    ...Object.fromEntries(answers),
    ValidationFailed: invalid('HTTPValidationError'),
    MessageValidationFailed: invalid('MessageError'),
  };
}

export function headerReferences(names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** `components.schemas` of the errors; the 422 is FastAPI's, which clients of it already know. */
export const errorSchemas: JsonObject = {
  Error: {
    title: 'Error',
    type: 'object',
    properties: {
      detail: { type: 'string', description: 'Why, for people. For programs there is the X-Error-Code header.' },
      id: { type: 'string', description: 'Of a 202: what was begun.' },
      state: { type: 'string', description: 'Of a 202: how it stands.' },
      location: { type: 'string', format: 'uri-reference', description: 'Of a 202: where to ask for it.' },
      related: {
        type: 'object',
        additionalProperties: { type: 'string' },
        description: 'Of a 202: ids of what it belongs to, by the names that they have in answers.',
      },
    },
    required: ['detail'],
  },
  MessageError: {
    title: 'MessageError',
    type: 'object',
    properties: {
      message: { type: 'string', description: 'Why, for people. For programs there is the X-Error-Code header.' },
      reason: { type: 'null', description: 'Always null: nothing that Jupyter clients would show.' },
    },
    required: ['message', 'reason'],
  },
  HTTPValidationError: {
    title: 'HTTPValidationError',
    type: 'object',
    properties: {
      detail: {
        type: 'array',
        items: { $ref: '#/components/schemas/ValidationError' },
        description: 'All that is wrong, in the order of the fields, once for each.',
      },
    },
    required: ['detail'],
  },
  ValidationError: {
    title: 'ValidationError',
    type: 'object',
    properties: {
      type: { type: 'string', description: 'What is wrong, for programs.' },
      loc: {
        type: 'array',
        items: { type: ['string', 'integer'] },
        description: 'Where: `path`, `query`, `header` or `body`, then names and list positions.',
      },
      msg: { type: 'string', description: 'What is wrong, for people.' },
      input: { description: 'The value as sent; `[redacted]` for a secret.' },
      ctx: { type: 'object', additionalProperties: true, description: 'The limits that `msg` speaks of.' },
    },
    required: ['loc', 'msg', 'type'],
  },
  Problem: {
    title: 'Problem',
    description: 'RFC 9457; answered when the request accepts application/problem+json.',
    type: 'object',
    properties: {
      type: { type: 'string', format: 'uri-reference', description: '`urn:platform:error:` and the code.' },
      title: { type: 'string', description: 'What the status is called.' },
      status: { type: 'integer', description: 'The status of the answer.' },
      detail: { type: 'string', description: 'Why, for people.' },
      code: { type: 'string', description: 'The same as the X-Error-Code header.' },
      request_id: { type: 'string', description: 'The same as the X-Request-Id header.' },
      errors: {
        type: 'array',
        items: { $ref: '#/components/schemas/ValidationError' },
        description: 'Of a 422: all that is wrong, in the order of the fields.',
      },
    },
    required: ['type', 'title', 'status'],
  },
};
