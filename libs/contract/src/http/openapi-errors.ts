import type { JsonObject } from '../json-values.ts';
import type { Operation } from '../operations.ts';
import type { ErrorAnswer, HttpDialect } from '../options.ts';

interface CommonAnswer {
  readonly name: string;
  readonly description: string;
  /** The public text, as sent. */
  readonly detail: string;
  /** What `X-Error-Code` may say whatever the operation is. */
  readonly codes: readonly string[];
  readonly headers?: readonly string[];
}

/** Every error answer by its status (decision D20). */
const commonAnswers: Record<number, CommonAnswer> = {
  202: {
    name: 'Accepted',
    description: 'It was begun and is not over: its id, how it stands, and where to ask.',
    detail: 'Accepted',
    codes: [],
    headers: ['Retry-After', 'Location'],
  },
  400: {
    name: 'BadRequest',
    description: 'The body cannot be read, or the request is no HTTP that can.',
    detail: 'There was an error parsing the body',
    codes: ['unreadable_body', 'malformed_request', 'duplicate_header'],
  },
  401: {
    name: 'Unauthenticated',
    description: 'No credential, or one that is not accepted.',
    detail: 'Not authenticated',
    codes: ['unauthenticated', 'invalid_token', 'invalid_api_key'],
    headers: ['WWW-Authenticate'],
  },
  402: {
    name: 'PaymentRequired',
    description: 'A limit of credits that it would count against is reached.',
    detail: 'Credit limit reached',
    codes: ['credit_limit_reached'],
  },
  403: {
    name: 'Forbidden',
    description: 'The caller may not do this, or not in this organisation.',
    detail: 'Not enough permissions',
    codes: [
      'forbidden',
      'level_required',
      'scope_required',
      'token_required',
      'credential_not_accepted',
      'not_a_member',
      'no_organisation',
      'organisation_required',
      'origin_not_allowed',
    ],
  },
  404: {
    name: 'NotFound',
    description: 'There is no such thing in the organisation.',
    detail: 'Not Found',
    codes: ['not_found'],
  },
  409: {
    name: 'Conflict',
    description: 'A request with the same `Idempotency-Key` is being carried out, or its answer was lost.',
    detail: 'Conflict',
    codes: ['request_in_flight', 'answer_lost'],
    headers: ['Retry-After'],
  },
  412: {
    name: 'PreconditionFailed',
    description: 'It is not as `If-Match` or `If-None-Match` has it. Nothing was changed.',
    detail: 'Precondition Failed',
    codes: ['precondition_failed'],
  },
  413: {
    name: 'TooLarge',
    description: 'The body is larger than allowed.',
    detail: 'Request body too large',
    codes: ['too_large'],
  },
  415: {
    name: 'UnsupportedMedia',
    description: 'The body is of a media type that is not read.',
    detail: 'Unsupported media type',
    codes: ['unsupported_media'],
  },
  416: {
    name: 'RangeNotSatisfiable',
    description: 'The file ends before the range begins.',
    detail: 'Range Not Satisfiable',
    codes: ['range_not_satisfiable'],
    headers: ['Content-Range'],
  },
  426: {
    name: 'UpgradeRequired',
    description: 'It is no request for a WebSocket.',
    detail: 'Upgrade Required',
    codes: ['upgrade_required'],
  },
  429: {
    name: 'RateLimited',
    description:
      'Too many requests of the credential or the address, or against a limit that they count for, or too many at the same time.',
    detail: 'Too many requests',
    codes: [
      'rate_limited',
      'request_limit_reached',
      'credential_limit_reached',
      'address_limit_reached',
      'held_bodies_limit_reached',
      'open_streams_limit_reached',
    ],
    headers: ['Retry-After', 'RateLimit', 'RateLimit-Policy'],
  },
  431: {
    name: 'HeadersTooLarge',
    description: 'The URL and the headers together are larger than 16 KiB.',
    detail: 'Request header fields too large',
    codes: ['headers_too_large'],
  },
  500: {
    name: 'InternalError',
    description: 'A fault of the platform.',
    detail: 'Internal Server Error',
    codes: ['internal'],
  },
  502: {
    name: 'UpstreamFailed',
    description: 'An outside provider failed.',
    detail: 'Bad Gateway',
    codes: ['upstream_failed'],
  },
  503: {
    name: 'Unavailable',
    description: 'A part of the platform is down, or has more to do than it can.',
    detail: 'Service Unavailable',
    codes: ['unavailable', 'overloaded', 'draining', 'busy', 'cancelled', 'not_provided', 'service_not_configured'],
    headers: ['Retry-After'],
  },
  504: {
    name: 'DeadlineExceeded',
    description: 'It took too long.',
    detail: 'Gateway Timeout',
    headers: ['Retry-After'],
    codes: ['deadline_exceeded', 'caller_gone'],
  },
};

/** The error answers an operation may give, by status: as all do, or as it says itself. */
export function errorResponses(operation: Operation, input: { takesBody: boolean }): JsonObject {
  const { access, changes, errors, http, repetition } = operation;
  const statuses = new Set([400, 401, 422, 429, 431, 500, 503, 504]);
  const form = formOf(http?.dialect);
  // What breaks rules is 400 to OpenAI's clients.
  if (form === 'OpenAi') statuses.delete(422);
  if (input.takesBody) statuses.add(413);
  // At any level: X-Organisation-Id may name an organisation that is not the caller's.
  if (access.credentials.length > 0) statuses.add(403);
  if (http?.pathFields.length) statuses.add(404);
  if (repetition) statuses.add(409);
  if (changes) statuses.add(412);
  if (access.spends) statuses.add(402);
  const common = new Set(statuses);
  const own = new Map(errors.map((answer) => [answer.status, answer]));
  for (const status of own.keys()) statuses.add(status);
  return Object.fromEntries(
    [...statuses]
      .sort((a, b) => a - b)
      .map((status) => {
        const answer = own.get(status);
        return [
          String(status),
          answer ? ownAnswer(answer, { form, isCommon: common.has(status) }) : commonReference(status, form),
        ];
      }),
  );
}

/** How errors look, and what the names of their answers begin with. */
type ErrorForm = '' | 'Message' | 'OpenAi';

const formOf = (dialect: HttpDialect | undefined): ErrorForm =>
  dialect?.openAi ? 'OpenAi' : dialect?.messageErrors ? 'Message' : '';

/** Of what is no broken rule, where that looks otherwise. */
const schemaOf = (form: ErrorForm): string => `${form}Error`;

const commonReference = (status: number, form: ErrorForm): JsonObject => ({
  $ref: `#/components/responses/${form}${commonAnswers[status]?.name ?? 'ValidationFailed'}`,
});

/** With what it says itself before what holds for all operations, whose codes are among its own. */
function ownAnswer(
  { status, codes, when, openCodes }: ErrorAnswer,
  { form, isCommon }: { form: ErrorForm; isCommon: boolean },
): JsonObject {
  const common = isCommon ? commonAnswers[status] : undefined;
  const headers = commonAnswers[status]?.headers ?? [];
  const also = common && common.codes.length > 0 && status !== 404 ? ` Or, as for all: ${common.description}` : '';
  const invalid = form === 'OpenAi' && status === 400 ? INVALID : [];
  const all = [...new Set([...codes, ...(common?.codes ?? []), ...invalid])];
  const schema = status === 422 && form === '' ? 'HTTPValidationError' : schemaOf(form);
  return {
    description: when + also,
    headers: { ...headerReferences([...onEveryError, ...headers]), 'X-Error-Code': codeHeader(all, openCodes) },
    content: {
      'application/json': { schema: { $ref: `#/components/schemas/${schema}` } },
      ...(form !== 'OpenAi' && { 'application/problem+json': { schema: problemWith(all, openCodes) } }),
    },
  };
}

const codeSchema = (codes: readonly string[], open: boolean): JsonObject =>
  open ? { type: 'string', examples: [...codes] } : { type: 'string', enum: [...codes] };

const codeHeader = (codes: readonly string[], open = false): JsonObject => ({
  schema: codeSchema(codes, open),
  description: 'Why, for programs; it stays when texts change.',
});

const problemWith = (codes: readonly string[], open = false): JsonObject => ({
  allOf: [problemSchema, { type: 'object', properties: { code: codeSchema(codes, open) } }],
});

const onEveryError = ['X-Request-Id', 'X-Api-Version'];

const INVALID = ['validation_failed'];

const problemSchema = { $ref: '#/components/schemas/Problem' };

/**
 * `components.responses`; those whose names begin with Message are of operations with `message_errors`, and with OpenAi of those with
 * `open_ai`.
 */
export function errorComponents(): JsonObject {
  const answers = Object.values(commonAnswers).flatMap(({ name, description, detail, codes, headers = [] }) => {
    const inForm = (schema: string, example: JsonObject): JsonObject => ({
      description,
      headers: { ...headerReferences([...onEveryError, ...headers]), 'X-Error-Code': codeHeader(codes) },
      content: {
        'application/json': { schema: { $ref: `#/components/schemas/${schema}` }, example },
        'application/problem+json': { schema: problemWith(codes) },
      },
    });
    return [
      [name, inForm('Error', { detail })],
      [`Message${name}`, inForm('MessageError', { message: detail, reason: null })],
      [`OpenAi${name}`, openAiAnswer({ name, description, codes, headers })],
    ] as const;
  });
  const invalid = (schema: string): JsonObject => ({
    description: 'What breaks the rules of parameters and fields, one by one.',
    headers: { ...headerReferences(onEveryError), 'X-Error-Code': codeHeader(INVALID) },
    content: {
      'application/json': { schema: { $ref: `#/components/schemas/${schema}` } },
      'application/problem+json': { schema: problemWith(INVALID) },
    },
  });
  return {
    ...Object.fromEntries(answers),
    ValidationFailed: invalid('HTTPValidationError'),
    MessageValidationFailed: invalid('MessageError'),
  };
}

/** Broken rules are among what cannot be read. */
function openAiAnswer({ name, description, codes, headers = [] }: Omit<CommonAnswer, 'detail'>): JsonObject {
  const isBadRequest = name === commonAnswers[400]?.name;
  const all = isBadRequest ? [...codes, ...INVALID] : codes;
  return {
    description: isBadRequest ? `${description} Or it breaks rules of parameters and fields.` : description,
    headers: { ...headerReferences([...onEveryError, ...headers]), 'X-Error-Code': codeHeader(all) },
    content: { 'application/json': { schema: { $ref: `#/components/schemas/${schemaOf('OpenAi')}` } } },
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
  OpenAiError: {
    title: 'OpenAiError',
    type: 'object',
    properties: {
      error: {
        type: 'object',
        description: 'What went wrong, as OpenAI says it.',
        properties: {
          message: { type: 'string', description: 'Why, for people.' },
          type: { type: 'string', description: 'What kind of error it is.' },
          param: { type: ['string', 'null'], description: 'The field that is wrong: `messages[0].content`.' },
          code: {
            type: 'string',
            description:
              'For programs: what OpenAI calls it where it has a name for it, and else as the X-Error-Code header.',
          },
        },
        required: ['message', 'type', 'param', 'code'],
      },
    },
    required: ['error'],
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
