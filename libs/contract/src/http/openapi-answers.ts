import type protobuf from 'protobufjs';
import { fieldsByLocation } from '../field-location.ts';
import type { JsonObject } from '../json-values.ts';
import type { HttpBinding, Operation } from '../operations.ts';
import { fieldRules } from '../options/field-options.ts';
import { headerReferences } from './openapi-errors.ts';
import type { Examples } from './openapi-examples.ts';
import { maxBytes, type SchemaCollection } from './openapi-schemas.ts';
import { eventLines } from './streams.ts';

export type BoundOperation = Operation & { http: HttpBinding };

/** What is known of messages. */
export interface Described {
  readonly schemas: SchemaCollection;
  readonly examples: Examples;
}

const onEverySuccess = ['X-Request-Id', 'X-Api-Version', 'X-Credit-Warning'];

const emptyAnswer: JsonObject = { headers: headerReferences(onEverySuccess) };

/** The answers of an operation that has done what it was asked to, by status; `links` lead on from them. */
export function successes(operation: BoundOperation, described: Described, links: JsonObject | undefined): JsonObject {
  const { hasEntityTag, http, requestStream, responseStream } = operation;
  const isWebSocket = requestStream && responseStream;
  const success = successOf(operation, described);
  return {
    [isWebSocket ? '101' : String(http.status)]: { ...success, ...(links && { links }) },
    ...(givesParts(operation) && { 206: { ...success, description: 'The part asked for.' } }),
    ...(hasEntityTag && {
      304: { ...emptyAnswer, description: 'It is what `If-None-Match` has it to be; there is no body.' },
    }),
    ...(goesOn(operation) && { 204: { ...emptyAnswer, description: 'Everything has been told.' } }),
  };
}

function successOf(operation: BoundOperation, { schemas, examples }: Described): JsonObject {
  const { changes, hasEntityTag, http, requestStream, responseStream, responseType } = operation;
  const body = http.responseBody === undefined ? undefined : responseType.fields[http.responseBody];
  const headers = headerReferences(onEverySuccess);
  if (http.status === 204) return { ...emptyAnswer, description: 'Done; there is no body.' };
  if (requestStream && responseStream) return { description: 'The connection is a WebSocket from here on.' };
  if (responseStream && body?.type === 'bytes')
    return { description: 'Successful Response', headers, content: bytesContent(body, typesOf(http), examples) };
  if (responseStream) return { headers, ...events(operation, { schemas, examples }) };
  const [whole] = responseType.fieldsArray;
  if (http.contentType !== undefined && whole)
    return { description: 'Successful Response', headers, content: bytesContent(whole, [http.contentType], examples) };
  const text = http.textField === undefined ? undefined : responseType.fields[http.textField];
  const paged = Object.hasOwn(responseType.fields, 'next_cursor') ? ['Link', 'X-Next-Cursor', 'X-Total-Count'] : [];
  const made = http.location === undefined ? [] : ['Location'];
  const tagged = hasEntityTag ? ['ETag', 'Cache-Control'] : changes?.isAnswered ? ['ETag'] : [];
  return {
    description: 'Successful Response',
    headers: headerReferences([...onEverySuccess, ...paged, ...made, ...tagged]),
    content: {
      'application/json': {
        schema: body ? schemas.field(body, 'answer') : schemas.message(responseType, 'answer'),
        example: body ? examples.field(body, 'answer') : examples.message(responseType, 'answer'),
      },
      ...(text && { 'text/plain': { schema: { type: 'string' }, example: examples.field(text, 'answer') } }),
    },
  };
}

/** The fields that are a whole body of bytes or a file in a form, with the media types that they may have. */
export function wholeBodies(operation: BoundOperation): (readonly [field: protobuf.Field, mediaType: string])[] {
  const { http, requestStream, requestType, responseStream, responseType } = operation;
  if (requestStream && responseStream) return [];
  const sent = fieldsByLocation(requestType, http).body.filter(
    (field) => fieldRules(field).file !== undefined || (field.name === http.body && field.type === 'bytes'),
  );
  const streamed = http.responseBody === undefined ? undefined : responseType.fields[http.responseBody];
  const answered = http.contentType === undefined ? streamed : responseType.fieldsArray[0];
  return [
    ...sent.map((field) => [field, '*/*'] as const),
    ...(answered?.type === 'bytes' ? typesOf(http).map((type) => [answered, type] as const) : []),
  ];
}

/** Bytes as they are, of one media type or another. */
export const bytesContent = (field: protobuf.Field, types: readonly string[], examples: Examples): JsonObject =>
  Object.fromEntries(types.map((type) => [type, { schema: binary(field), example: examples.bytes(field, type) }]));

const binary = (field: protobuf.Field): JsonObject => ({
  type: 'string',
  format: 'binary',
  ...maxBytes(fieldRules(field).bytes?.maxLength),
});

/** The media types of streamed bytes. */
const typesOf = ({ contentType, streamedTypes = [contentType ?? '*/*'] }: HttpBinding): readonly string[] =>
  streamedTypes;

/** Whether an answer may say that it is a part of the whole, which makes it a 206. */
const givesParts = ({ responseType }: Operation): boolean =>
  responseType.fieldsArray.some((field) => fieldRules(field).header === 'Content-Range');

/** Whether a client may come back to events that it knows, after the last of which there are none. */
const goesOn = ({ requestType, requestStream, responseStream }: Operation): boolean =>
  responseStream &&
  !requestStream &&
  requestType.fieldsArray.some((field) => fieldRules(field).header === 'Last-Event-ID');

/**
 * Server-sent events: OpenAPI 3.1 has no words for them, and generators of clients read the schema as that of the data of each event
 * (docs/decisions/0133-streams-with-paths-of-their-own.md). The other lines stand beside it.
 */
function events({ http, responseType }: BoundOperation, { schemas, examples }: Described): JsonObject {
  const body = http.responseBody === undefined ? undefined : responseType.fields[http.responseBody];
  const data = body ? examples.field(body, 'answer') : examples.message(responseType, 'answer');
  const lines = Object.entries(body ? eventLines : {}).flatMap(([name, line]) => {
    const field = responseType.fields[name];
    // A line that has nothing to say is not there, and never null.
    return field ? [{ line, field, schema: schemas.field(field, 'request') }] : [];
  });
  const said = lines.map(({ line, field }) => {
    const value = examples.field(field, 'answer');
    return `${line}: ${typeof value === 'string' ? value : JSON.stringify(value)}\n`;
  });
  const ends = http.dialect.openAi
    ? 'The last event is the text `[DONE]`. Where something fails after the beginning it is an OpenAiError instead.'
    : 'An `error` event ends the stream when something fails after its beginning; its data is a Problem.';
  return {
    description: `Server-sent events; the schema is that of the \`data\` of each. ${ends} Comments keep the connection alive.`,
    content: {
      'text/event-stream': {
        schema: body ? schemas.field(body, 'answer') : schemas.message(responseType, 'answer'),
        example: data,
        'x-event': {
          lines: Object.fromEntries(lines.map(({ line, schema }) => [line, schema])),
          example: `${said.join('')}data: ${JSON.stringify(data)}\n\n`,
        },
      },
    },
  };
}
