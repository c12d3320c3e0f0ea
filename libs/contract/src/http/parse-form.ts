import { headerOptions } from './content-type.ts';
import { FormError, maxParts, maxTextBytes, type Form } from './form.ts';
import { parseMultipart } from './parse-multipart.ts';
import { plusDecoded } from './percent-decoding.ts';

const noForm: Form = new Map();

/** Reads a form by its content type. Any other content type is an empty form, whatever the body. */
export function parseForm(body: Buffer, contentType: string | undefined): Form {
  const { value, options } = headerOptions(contentType);
  if (value === 'multipart/form-data') return parseMultipart(body, options);
  return value === 'application/x-www-form-urlencoded' ? parseUrlEncoded(body) : noForm;
}

function parseUrlEncoded(body: Buffer): Form {
  const form = new Map<string, string>();
  const fields = body
    .toString('latin1')
    .split('&')
    .filter((field) => field !== '');
  for (const [index, field] of fields.entries()) {
    const equals = field.indexOf('=');
    const name = equals === -1 ? field : field.slice(0, equals);
    const value = equals === -1 ? '' : field.slice(equals + 1);
    if (name.length + value.length > maxTextBytes) throw new FormError('Field exceeded maximum size of 1024KB.');
    if (index >= maxParts) throw new FormError(`Too many fields. Maximum number of fields is ${maxParts}.`);
    form.set(plusDecoded(name), plusDecoded(value));
  }
  return form;
}
