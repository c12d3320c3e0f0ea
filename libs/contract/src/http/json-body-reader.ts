import type { Writer } from 'protobufjs';
import { refused, type FieldPlan, type InputPlan } from '../plans/input-plan.ts';
import { Findings } from '../validation/findings.ts';
import { isInputObject } from '../validation/input-value.ts';
import { JsonError } from '../validation/json-scanner.ts';
import { missing, Problem } from '../validation/problem.ts';
import { decodedBody, type BodyReader, type OpenBody } from './body-reader.ts';
import { isJsonContentType } from './content-type.ts';
import { parseJsonBody, unreadable, type JsonReadingOptions } from './parse-json-body.ts';
import { headerOf, type RequestFailure } from './request-parts.ts';
import { withSentInput } from './sent-input.ts';

const unreadableBody: RequestFailure = {
  ok: false,
  status: 400,
  detail: 'There was an error parsing the body',
};

/** No body, an empty one, and JSON null are all the same. */
const absent = undefined;

const bodyLoc = ['body'];

/** How a JSON body is read where that is not as usual. */
export interface JsonReading {
  readonly isUntyped?: boolean;
  /** An object stands for a list of it alone. */
  readonly isOneOrMany?: boolean;
  readonly maxNesting?: number | undefined;
  readonly exactNumbers?: boolean;
}

/**
 * A JSON body that stands for all the fields of `content`, or for a single field. One that is untyped is JSON whatever its
 * content type says, and none is an empty object.
 */
export function jsonBodyReader(
  content: InputPlan,
  write: (writer: Writer, value: unknown) => void,
  isRequired: boolean,
  { isUntyped = false, isOneOrMany = false, ...reading }: JsonReading = {},
): BodyReader {
  return {
    open: (request) => {
      const { body } = request;
      if (!body || body.length === 0) return decodedBody(isUntyped ? {} : absent);
      // A body that does not say it is JSON is a text, and no text is an object.
      if (!isUntyped && !isJsonContentType(headerOf(request, 'content-type')))
        return decodedBody(body.toString('utf8'));
      return openJson(body, reading);
    },
    read: (value, findings) => {
      if (value !== absent) {
        if (!isOneOrMany || !isInputObject(value)) return content.read(value, findings, bodyLoc);
        const before = findings?.items.length ?? 0;
        const read = content.read([value], findings, bodyLoc);
        findings?.leaveIndexOut(before);
        return read;
      }
      if (!isRequired) return absent;
      findings?.add(missing, bodyLoc, null);
      return refused;
    },
    write: (writer, value) => {
      if (value !== absent) write(writer, value);
    },
    ...(!content.holdsSecrets && {
      asSent: (value, violations) => {
        const isOne = isOneOrMany && isInputObject(value);
        return violations.map((violation) => {
          const { loc } = violation;
          const told =
            isOne && loc[0] === 'body' && loc[1] === 0 ? { ...violation, loc: loc.toSpliced(1, 1) } : violation;
          return loc[0] === 'body' ? withSentInput(told, value) : told;
        });
      },
    }),
  };
}

function openJson(bytes: Buffer, reading: JsonReadingOptions): OpenBody | RequestFailure {
  const json = parseJsonBody(bytes, reading);
  if (json === unreadable) return unreadableBody;
  const { quick } = json;
  const exact: OpenBody['exact'] = () => {
    const value = json.exact();
    if (value === unreadable) return unreadableBody;
    return value instanceof JsonError ? notJson(value) : { ok: true, value: value ?? absent };
  };
  if (quick !== undefined) return { ok: true, isQuick: true, quick: quick ?? absent, exact };
  const first = exact();
  return first.ok ? { ok: true, isQuick: false, quick: absent, exact: () => first } : first;
}

function notJson({ message, at }: JsonError): RequestFailure {
  const findings = new Findings();
  findings.add(new Problem('json_invalid', 'JSON decode error', { error: message }), ['body', at], {});
  return { ok: false, status: 422, detail: findings.items };
}

/** The names of the fields that an object gives a value or null. */
export function namesPresent(fields: readonly FieldPlan[], value: unknown): string[] {
  if (!isInputObject(value)) return [];
  return fields.filter(({ name }) => Object.hasOwn(value, name)).map(({ name }) => name);
}
