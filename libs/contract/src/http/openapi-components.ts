import type { JsonObject } from '../json-values.ts';
import { IDEMPOTENCY_KEY } from '../operations.ts';
import { MAX_LENGTH } from './idempotency-key.ts';

/** The version of the HTTP interface: in the description, and on every answer as X-Api-Version. */
export const apiVersion = '0.13.96';

/** `components.parameters`, which operations refer to. */
export const commonParameters: JsonObject = {
  OrganisationId: {
    name: 'X-Organisation-Id',
    in: 'header',
    required: false,
    schema: { type: 'string' },
    description:
      'The organisation to act in, for a user of several whose token names none. With an API key it must be the ' +
      "key's own.",
  },
  QueryToken: {
    name: 'token',
    in: 'query',
    required: false,
    schema: { type: 'string' },
    description:
      'The credential, where a client can set no header, as a page can for no WebSocket. There it may also be offered as ' +
      'the subprotocol `v1.token.websocket.jupyter.org.<credential>`, beside `v1.token.websocket.jupyter.org`.',
  },
  QueryOrganisationId: {
    name: 'organisation_id',
    in: 'query',
    required: false,
    schema: { type: 'string' },
    description: 'In place of `X-Organisation-Id`, where a client can set no header.',
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    required: false,
    schema: { type: 'string', examples: ['handling=strict'] },
    description:
      'With `handling=strict` (RFC 7240) names of the query, of a JSON body and of a form that nobody knows are 422 ' +
      '`extra_forbidden`, with the name that was probably meant; otherwise they are ignored.',
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    required: false,
    schema: { type: 'string', examples: ['"wJ3mQ0Zq3v2X8cX1nqfT1Q"'] },
    description: 'The `ETag` of an earlier answer: while it is the same there is no body (304).',
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    required: false,
    schema: { type: 'string', examples: ['"wJ3mQ0Zq3v2X8cX1nqfT1Q"'] },
    description:
      'The `ETag` that the thing had when it was read by GET on the same path, or several of them: it is changed only if ' +
      'nobody has changed it since, and otherwise nothing is (412 `precondition_failed`). What changes by itself does not ' +
      'count: when a key was used last, how a run stands. `*`: whatever it is, if it is there.',
  },
  IfNoneMatchOfChange: {
    name: 'If-None-Match',
    in: 'header',
    required: false,
    schema: { type: 'string', examples: ['*'] },
    description:
      'It is changed only if it has none of these tags, and otherwise nothing is (412 `precondition_failed`). `*`: only if it ' +
      'is not there yet.',
  },
  IdempotencyKey: {
    name: IDEMPOTENCY_KEY,
    in: 'header',
    required: false,
    schema: { type: 'string', maxLength: MAX_LENGTH },
    description:
      'Requests of one caller to one operation with the same key within 24 hours are one and the same: it is ' +
      'carried out once, and each gets its answer. With another request the key is refused (422). While the first ' +
      'is being carried out the others are told to come back (409 `request_in_flight`). A request that is ' +
      'refused does not use its key up. Where an answer was lost after something had changed, an operation with ' +
      '`x-repetition: goes on` is carried out again; any other is not (409 `answer_lost`).',
  },
};

/** `components.headers`, which answers refer to. */
export const commonHeaders: JsonObject = {
  'X-Request-Id': { schema: { type: 'string' }, description: 'Names this request in the logs.' },
  'X-Api-Version': { schema: { type: 'string', const: apiVersion }, description: 'The version of this document.' },
  'X-Credit-Warning': {
    schema: { type: 'string' },
    description: 'Which limit that requests count against is near, or passed without stopping anything; absent: none.',
  },
  'X-Next-Cursor': { schema: { type: 'string' }, description: 'The cursor of the next page; absent on the last.' },
  'X-Total-Count': {
    schema: { type: 'integer' },
    description: 'Only with `include_total=true`; 10000 where there are so many or more.',
  },
  Link: { schema: { type: 'string' }, description: 'The next page, as `<...>; rel="next"`.' },
  Location: { schema: { type: 'string', format: 'uri-reference' }, description: 'Where what was made is found.' },
  ETag: {
    schema: { type: 'string' },
    description: 'Stands for what is answered; for `If-None-Match`, and for `If-Match` of a change on the same path.',
  },
  'Cache-Control': { schema: { type: 'string' }, description: "It is one caller's, who asks again before using it." },
  'WWW-Authenticate': { schema: { type: 'string', const: 'Bearer' }, description: 'How to authenticate.' },
  'Content-Range': {
    schema: { type: 'string' },
    description: 'Which bytes of how many; `bytes */N` names the N alone.',
  },
  'Retry-After': { schema: { type: 'integer' }, description: 'Seconds.' },
  RateLimit: { schema: { type: 'string' }, description: 'What is left of the limit, and when it is renewed.' },
  'RateLimit-Policy': { schema: { type: 'string' }, description: 'The limits that apply.' },
};

export const securitySchemes: JsonObject = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'An access token of the identity provider, or a client API key.',
  },
  apiKey: { type: 'apiKey', in: 'header', name: 'Api-key', description: 'A client API key.' },
};
