import type protobuf from 'protobufjs';
import { camelCase, type DecodeMessage } from '../definitions.ts';
import { fieldLocation, headerName, isMask } from '../field-location.ts';
import type { FieldMask } from '../messages.ts';
import type { HttpBinding, Operation } from '../operations.ts';
import { fieldRules } from '../options/field-options.ts';
import { streamedBytes } from '../streamed-bytes.ts';
import { Findings, type Loc } from '../validation/findings.ts';
import { bytesTooLong, valueError, type ErrorItem } from '../validation/problem.ts';
import { defaultValues } from './default-value.ts';
import { absence, fieldCheck, type CheckContext, type Decoded, type FieldCheck } from './field-check.ts';
import { messageChecks } from './message-check.ts';
import { sizeCheck } from './size-check.ts';

/**
 * Looks at a decoded request, which arrived in this many bytes, and answers what is wrong with it, in the form of a 422 answer's items; nothing is wrong
 * when there are none. Brings the request into the form in which the gateway would have sent it: defaults, and texts in
 * their normal form.
 */
export type RequestCheck = (request: object, bytes: number) => readonly ErrorItem[];

/** The compiled checks of operations' requests. What the gateway has let through passes, unchanged. */
export interface RequestChecks {
  readonly ofCall: (operation: Operation) => RequestCheck;
  readonly ofStream: (operation: Operation) => StreamCheck;
}

export function requestChecks(decode: DecodeMessage): RequestChecks {
  const defaultOf = defaultValues(decode);
  const context = { defaultOf, messages: messageChecks(defaultOf) };
  return {
    ofCall: (operation) => requestCheck(operation, context),
    ofStream: (operation) => streamCheck(operation, context),
  };
}

function requestCheck(
  { requestType, http }: Operation,
  context: CheckContext,
  parts?: readonly protobuf.Field[],
): RequestCheck {
  const fields = parts ?? requestType.fieldsArray.filter((field) => !isMask(field));
  const checks = fields.flatMap((field) => {
    const check = fieldCheck(field, locOf(field, http), context);
    if (!check) return [];
    if (!parts) return [{ name: field.name, check }];
    const isAbsent = absence(field);
    const key = camelCase(field.name);
    const checkPresent: FieldCheck = (message, ...rest) => isAbsent(message[key]) || check(message, ...rest);
    return [{ name: field.name, check: checkPresent }];
  });
  const mask = requestType.fieldsArray.find(isMask);
  const maskKey = mask && camelCase(mask.name);
  const isSmallEnough = sizeCheck(requestType);
  const known = new Set(fields.map(({ name }) => name));

  const isRight = (request: Decoded, bytes: number, findings: Findings | undefined): boolean => {
    const named = maskKey === undefined ? [] : ((request[maskKey] as FieldMask | null)?.paths ?? []);
    const unknown = named.filter((name) => !known.has(name));
    for (const name of unknown) findings?.add(unknownField, ['body', mask?.name ?? ''], name);
    let isRefused = unknown.length > 0;
    for (const { name, check } of checks) {
      if (check(request, named.includes(name), findings, nowhere)) continue;
      if (!findings) return false;
      isRefused = true;
    }
    return !isRefused && isSmallEnough(bytes, findings);
  };

  return (request, bytes) => {
    if (isRight(request as Decoded, bytes, undefined)) return nothingWrong;
    const findings = new Findings();
    isRight(request as Decoded, bytes, findings);
    return findings.items;
  };
}

/**
 * Makes the check of one stream of requests: the first has to be whole; of those after it, which go on with what the
 * first began, what they have is checked.
 */
export type StreamCheck = () => RequestCheck;

function streamCheck(operation: Operation, context: CheckContext): StreamCheck {
  const { requestType, responseStream } = operation;
  const { path = [], maxLength = Infinity } = streamedBytes(requestType) ?? {};
  const keys = path.map(({ name }) => camelCase(name));
  const lengthOf = (request: object): number =>
    (keys.reduce<unknown>((value, key) => (value as Decoded | null)?.[key], request) as Buffer | null | undefined)
      ?.length ?? 0;
  const tooLong = bytesTooLong(maxLength);
  const first = requestCheck(operation, context);
  // The file of an upload has its name in the first message only, required or not.
  const isChunk = (field: protobuf.Field): boolean => !responseStream && field === path[0];
  const later = requestCheck(
    operation,
    context,
    requestType.fieldsArray.filter((field) => !isMask(field) && !isChunk(field)),
  );

  return () => {
    let check = first;
    let length = 0;
    return (request, bytes) => {
      const found = check(request, bytes);
      check = later;
      length = lengthOf(request) + (responseStream ? 0 : length);
      if (length <= maxLength || found.length > 0) return found;
      const findings = new Findings();
      findings.add(tooLong, ['body'], null);
      return findings.items;
    };
  };
}

const nothingWrong: readonly ErrorItem[] = [];
const nowhere: Loc = [];
const unknownField = valueError('names no field of this request');

/** Where the field stands in the HTTP request; without one, everything is in the body. */
function locOf(field: protobuf.Field, http: HttpBinding | undefined): Loc {
  const location = http ? fieldLocation(field, http) : 'body';
  if (location === 'header') return ['header', headerName(field)];
  if (location !== 'body') return [location, field.name];
  return http?.body === field.name ? ['body'] : ['body', fieldRules(field).file ?? field.name];
}
