import { STATUS_CODES } from 'node:http';
import type { JsonObject } from '../json-values.ts';
import type { Operation } from '../operations.ts';
import type { ErrorAnswer, HttpDialect } from '../options/method-options.ts';

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
      'membership_suspended',
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

/**
 * The codes of what the original service answers by itself: its bodies are as they were recorded, `detail` alone, and so is that of
 * broken rules, each with a `type` of its own (docs/decisions/0132-the-code-in-the-body.md).
 */
const RECORDED: ReadonlySet<string> = new Set([
  'unreadable_body',
  'unauthenticated',
  'not_found',
  'method_not_allowed',
]);

/** Whether `code` stands beside a sentence of this code. */
export const bearsCode = (code: string): boolean => !RECORDED.has(code);

/** The error answers of operations, and under `components.responses` those that are said in common. */
export class ErrorAnswers {
  /** Those whose names begin with Message are of operations with `message_errors`, and with OpenAi of those with `open_ai`. */
  readonly components: JsonObject = {};

  /** By status: as all do, or as the operation says itself. */
  of(operation: Operation, input: { takesBody: boolean }): JsonObject {
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
          const isCommon = common.has(status);
          return [String(status), answer ? ownAnswer(answer, { form, isCommon }) : this.#common(status, form)];
        }),
    );
  }

  #common(status: number, form: ErrorForm): JsonObject {
    const known = commonAnswers[status] ?? VALIDATION_FAILED;
    const name = form + known.name;
    this.components[name] ??= commonAnswer(status, known, form);
    return { $ref: `#/components/responses/${name}` };
  }
}

/** How errors look, and what the names of their answers begin with. */
type ErrorForm = '' | 'Message' | 'OpenAi';

const formOf = (dialect: HttpDialect | undefined): ErrorForm =>
  dialect?.openAi ? 'OpenAi' : dialect?.messageErrors ? 'Message' : '';

/** Of what is no broken rule, where that looks otherwise. */
const schemaOf = (form: ErrorForm): string => `${form}Error`;

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
  // A sentence for an example; what is sent may be put otherwise.
  const [detail = when] = when.split(/(?<=\.) /);
  return {
    description: when + also,
    headers: { ...headerReferences([...onEveryError, ...headers]), 'X-Error-Code': codeHeader(all, openCodes) },
    content: errorContent({ status, detail, codes: all, form, openCodes }),
  };
}

interface Told {
  readonly status: number;
  readonly detail: string;
  readonly codes: readonly string[];
  readonly form: ErrorForm;
  readonly openCodes?: boolean;
}

/** The media types in which an error is told. */
function errorContent({ status, detail, codes, form, openCodes = false }: Told): JsonObject {
  const [code = 'internal'] = codes;
  if (form === 'OpenAi') {
    const type = status >= 500 ? 'server_error' : 'invalid_request_error';
    const example = { error: { message: detail, type, param: null, code } };
    return { 'application/json': { schema: reference(schemaOf(form)), example } };
  }
  const problem = { type: `urn:platform:error:${code}`, title: STATUS_CODES[status] ?? 'Error', status };
  const asProblem = (said: JsonObject): JsonObject => ({
    'application/problem+json': {
      schema: problemWith(codes, openCodes),
      example: { ...problem, ...said, code, request_id: REQUEST_ID },
    },
  });
  if (status === 422) {
    const said = { detail: 'The request breaks rules', errors: [BROKEN_RULE] };
    const message = { message: 'body.name: Field required', reason: null, code };
    return {
      'application/json':
        form === 'Message'
          ? { schema: reference(schemaOf(form)), example: message }
          : { schema: reference('HTTPValidationError'), example: { detail: [BROKEN_RULE] } },
      ...asProblem(said),
    };
  }
  const inBody = form === 'Message' ? codes : codes.filter(bearsCode);
  const told = form === 'Message' ? { message: detail, reason: null } : { detail };
  return {
    'application/json': {
      schema: inBody.length === 0 ? reference(schemaOf(form)) : withCode(schemaOf(form), inBody, openCodes),
      example: inBody.includes(code) ? { ...told, code } : told,
    },
    // What was begun is no problem.
    ...(status !== 202 && asProblem({ detail })),
  };
}

const REQUEST_ID = '0f8fad5b-d9cb-469f-a165-70867728950e';
const BROKEN_RULE: JsonObject = { type: 'missing', loc: ['body', 'name'], msg: 'Field required', input: {} };

const reference = (schema: string): JsonObject => ({ $ref: `#/components/schemas/${schema}` });

const codeSchema = (codes: readonly string[], open: boolean): JsonObject =>
  open ? { type: 'string', examples: [...codes] } : { type: 'string', enum: [...codes] };

const codeHeader = (codes: readonly string[], open = false): JsonObject => ({
  schema: codeSchema(codes, open),
  description: 'Why, for programs; it stays when texts change.',
});

const withCode = (schema: string, codes: readonly string[], open: boolean): JsonObject => ({
  allOf: [reference(schema), { type: 'object', properties: { code: codeSchema(codes, open) } }],
});

const problemWith = (codes: readonly string[], open: boolean): JsonObject => withCode('Problem', codes, open);

const onEveryError = ['X-Request-Id', 'X-Api-Version'];

const INVALID = ['validation_failed'];

const VALIDATION_FAILED: CommonAnswer = {
  name: 'ValidationFailed',
  description: 'What breaks the rules of parameters and fields, one by one.',
  detail: '',
  codes: INVALID,
};

function commonAnswer(
  status: number,
  { description, detail, codes, headers = [] }: CommonAnswer,
  form: ErrorForm,
): JsonObject {
  const isInvalidToo = form === 'OpenAi' && status === 400;
  const all = isInvalidToo ? [...codes, ...INVALID] : codes;
  return {
    description: isInvalidToo ? `${description} Or it breaks rules of parameters and fields.` : description,
    headers: { ...headerReferences([...onEveryError, ...headers]), 'X-Error-Code': codeHeader(all) },
    content: errorContent({ status, detail, codes: all, form }),
  };
}

export function headerReferences(names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
