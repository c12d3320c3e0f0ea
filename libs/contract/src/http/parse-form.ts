import { headerOptions, multipartForm } from './content-type.ts';
import { FormError, maxParts, maxTextBytes, tooMany, type Form } from './form.ts';
import { parseMultipart } from './parse-multipart.ts';
import { plusDecoded } from './percent-decoding.ts';

const noForm: Form = new Map();

/**
 * Reads what a form says under the names asked for, by its content type; `others` is told the names that are not among them. Any
 * other content type is an empty form, whatever the body. Reading stops where the form breaks a limit, so nothing is done for what
 * lies behind.
 */
export function parseForm(
  body: Buffer,
  contentType: string | undefined,
  names: ReadonlySet<string>,
  others = new Set<string>(),
): Form {
  const { value, options } = headerOptions(contentType);
  if (value === multipartForm) return parseMultipart(body, options, names, others);
  return value === 'application/x-www-form-urlencoded' ? parseUrlEncoded(body, names, others) : noForm;
}

const ampersand = 0x26;
const equalsSign = 0x3d;

function parseUrlEncoded(body: Buffer, names: ReadonlySet<string>, others: Set<string>): Form {
  const found = new Map<string, string>();
  let count = 0;
  for (let from = 0; from < body.length;) {
    const next = body.indexOf(ampersand, from);
    const field = body.subarray(from, next === -1 ? body.length : next);
    from += field.length + 1;
    if (field.length === 0) continue;
    const equals = field.indexOf(equalsSign);
    if (field.length - (equals === -1 ? 0 : 1) > maxTextBytes) {
      throw new FormError('Field exceeded maximum size of 1024KB.');
    }
    if (++count > maxParts) throw tooMany('fields');
    const name = plusDecoded(field.toString('latin1', 0, equals === -1 ? field.length : equals));
    if (names.has(name)) found.set(name, equals === -1 ? '' : field.toString('latin1', equals + 1));
    else others.add(name);
  }
  // Only the last of each name is ever decoded.
  return new Map([...found].map(([name, value]) => [name, plusDecoded(value)]));
}
