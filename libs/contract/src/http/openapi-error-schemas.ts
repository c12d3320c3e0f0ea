import type { JsonObject } from '../json-values.ts';

/** `components.schemas` of the errors; the 422 is FastAPI's, which clients of it already know. */
export const errorSchemas: JsonObject = {
  Error: {
    title: 'Error',
    type: 'object',
    properties: {
      detail: { type: 'string', description: 'Why, for people.' },
      code: {
        type: 'string',
        description:
          'Why, for programs: the same as the X-Error-Code header, which alone has `not_found` and the like.',
      },
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
      message: { type: 'string', description: 'Why, for people.' },
      reason: { type: 'null', description: 'Always null: nothing that Jupyter clients would show.' },
      code: { type: 'string', description: 'Why, for programs: the same as the X-Error-Code header.' },
    },
    required: ['message', 'reason', 'code'],
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
