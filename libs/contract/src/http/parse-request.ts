import protobuf from 'protobufjs';
import { sizeCheck } from '../checks/size-check.ts';
import { fieldsByLocation, headerName, isMask } from '../field-location.ts';
import type { HttpBinding, Operation } from '../operations.ts';
import { fieldRules } from '../options/field-options.ts';
import { fieldPlan } from '../plans/field-plan.ts';
import { refused, type FieldPlan } from '../plans/input-plan.ts';
import { objectPlan } from '../plans/object-plan.ts';
import type { PlanContext } from '../plans/scalar-plan.ts';
import { lengthDelimited, tag, writeFieldMask } from '../plans/wire.ts';
import { Findings } from '../validation/findings.ts';
import { shownText } from '../validation/shown-input.ts';
import type { BodyReader } from './body-reader.ts';
import { filePart, formBodyReader, textPart } from './form-body-reader.ts';
import { jsonBodyReader, namesPresent } from './json-body-reader.ts';
import { headerParameter, pathParameter, queryParameter, type ParameterReader } from './parameter-reader.ts';
import { parseQuery, type QueryValues } from './parse-query.ts';
import { rawBodyReader } from './raw-body-reader.ts';
import { headerOf, type ParsedRequest, type RequestParts } from './request-parts.ts';
import type { Violation } from './sent-input.ts';

/** Reads a request into the bytes of its message. */
export interface RequestParser {
  (request: RequestParts): ParsedRequest;
  /** What a service has found wrong with a request that was read, with the values as they were sent. */
  readonly asSent: (request: RequestParts, violations: readonly Violation[]) => readonly Violation[];
}

/**
 * Compiles the parser of an operation: path, query, headers and body become the request message
 * in one pass. When something is wrong everything is read once more to report all of it, in the
 * order path, query, header, body. A parser never throws, whatever it is given.
 */
export function requestParser(operation: Operation, context: PlanContext): RequestParser {
  const { parameters, queryNames, body } = requestPlan(operation, context);
  const isSmallEnough = sizeCheck(operation.requestType);
  const isAlwaysStrict = operation.http?.dialect.openAi === true;

  /** The message; undefined when something was refused. */
  const read = (request: RequestParts, query: QueryValues, value: unknown, findings?: Findings): Buffer | undefined => {
    const values = parameters.map((parameter) => parameter.read(request, query, findings));
    if (findings?.isStrict) findings.addUnknown(Object.fromEntries(query), queryNames, ['query']);
    const content = body?.read(value, findings);
    if (content === refused || values.includes(refused)) return undefined;
    const writer = protobuf.Writer.create();
    for (const [at, parameter] of parameters.entries()) {
      if (values[at] !== undefined) parameter.write(writer, values[at]);
    }
    body?.write(writer, content);
    return isSmallEnough(writer.len, findings) ? (writer.finish() as Buffer) : undefined;
  };

  const asSent: RequestParser['asSent'] = (request, violations) => {
    const query = parseQuery(request.rawQuery);
    const told = violations.map((violation) => withSentParameter(violation, query));
    const opened = body?.asSent && body.open(request);
    const exact = opened?.ok ? opened.exact() : undefined;
    return exact?.ok ? (body?.asSent?.(exact.value, told) ?? told) : told;
  };

  const parse = (request: RequestParts): ParsedRequest => {
    const opened = body?.open(request);
    if (opened?.ok === false) return opened;
    const query = parseQuery(request.rawQuery);
    const isStrict = isAlwaysStrict || wantsStrictness(request);
    if (opened?.isQuick !== false && !isStrict) {
      const message = read(request, query, opened?.quick);
      if (message) return { ok: true, message };
    }
    const exact = opened?.exact();
    if (exact?.ok === false) return exact;
    const findings = new Findings({ isStrict });
    const message = read(request, query, exact?.value, findings);
    return message && findings.items.length === 0
      ? { ok: true, message }
      : { ok: false, status: 422, detail: findings.items };
  };
  return Object.assign(parse, { asSent });
}

/** As a text, which all of a query is. */
function withSentParameter(violation: Violation, query: QueryValues): Violation {
  const { loc, input } = violation;
  const [where, name, index = 0] = loc;
  if (where !== 'query' || input === undefined || input === null) return violation;
  const sent = query.get(String(name))?.[Number(index)];
  return sent === undefined ? violation : { ...violation, input: shownText(sent) };
}

/** `Prefer: handling=strict` (RFC 7240), among whatever else is preferred. */
const strictHandling = /(?:^|[,;])\s*handling\s*=\s*(?:strict|"strict")\s*(?:$|[,;])/i;

function wantsStrictness(request: RequestParts): boolean {
  const preferred = headerOf(request, 'prefer');
  return preferred !== undefined && strictHandling.test(preferred);
}

interface RequestPlan {
  /** Path, query, header: the order in which errors are reported. */
  readonly parameters: readonly ParameterReader[];
  /** Of the query, those of the gateway itself as well. */
  readonly queryNames: readonly string[];
  readonly body: BodyReader | undefined;
}

function requestPlan({ id, http, requestType, ...streams }: Operation, context: PlanContext): RequestPlan {
  if (!http) throw new Error(`${id} is not bound to HTTP`);
  const fields = fieldsByLocation(requestType, http);
  const path = fields.path.map((field) => pathParameter(fieldPlan(field, context)));
  const query = fields.query.map((field) => queryParameter(fieldPlan(field, context)));
  const headers = fields.header.map((field) => headerParameter(fieldPlan(field, context), headerName(field)));
  // Frames of a WebSocket come after the request.
  const isWebSocket = streams.requestStream && streams.responseStream;
  const body =
    http.body === undefined || fields.body.length === 0 || isWebSocket
      ? undefined
      : bodyReader(requestType, http, fields.body, context);
  // How a client carries its credential that can set no header; see openapi.ts.
  const credential = http.dialect.tokenCredential ? ['token', 'organisation_id'] : [];
  const queryNames = [...fields.query.map(({ name }) => name), ...credential];
  return { parameters: [...path, ...query, ...headers], queryNames, body };
}

function bodyReader(
  type: protobuf.Type,
  { body: binding, dialect: { untypedJson, cloudEvents } }: HttpBinding,
  fields: readonly protobuf.Field[],
  context: PlanContext,
): BodyReader {
  if (fields.some((field) => fieldRules(field).file !== undefined)) return formReader(fields, context);
  const [single] = fields;
  if (binding !== '*' && single?.type === 'bytes') return rawBodyReader(single);
  const plans = fields.map((field) => fieldPlan(field, context));
  const reading = {
    isUntyped: untypedJson,
    isOneOrMany: cloudEvents,
    maxNesting: context.maxNesting,
    exactNumbers: fields.some((field) => fieldRules(field).exactNumbers),
  };
  const [only] = plans;
  if (binding !== '*' && only) return jsonBodyReader(only.value, only.write, only.rules.required, reading);
  const content = objectPlan(plans);
  return withUpdateMask(type, plans, jsonBodyReader(content, content.write, true, reading));
}

function formReader(fields: readonly protobuf.Field[], context: PlanContext): BodyReader {
  return formBodyReader(
    fields.map((field) => {
      const { file, required } = fieldRules(field);
      return file === undefined ? textPart(fieldPlan(field, context)) : filePart(field, file, required, context);
    }),
  );
}

/** A message with a field mask is told which keys the body had, null or not. */
function withUpdateMask(type: protobuf.Type, fields: readonly FieldPlan[], body: BodyReader): BodyReader {
  const mask = type.fieldsArray.find(isMask);
  if (!mask) return body;
  const key = tag(mask.id, lengthDelimited);
  return {
    open: body.open,
    read: (value, findings) => {
      const content = body.read(value, findings);
      return content === refused ? refused : [content, namesPresent(fields, value)];
    },
    write: (writer, read) => {
      const [content, paths] = read as [unknown, string[]];
      body.write(writer, content);
      writer.uint32(key).fork();
      writeFieldMask(writer, paths);
      writer.ldelim();
    },
  };
}
