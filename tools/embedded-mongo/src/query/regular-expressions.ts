import type { BSONRegExp } from 'bson';
import { notImplemented, ServerError } from '../errors.ts';

/** As JavaScript understands it, which is what the driver's users write; what it has not is refused. */
export function regularExpression({ pattern, options }: BSONRegExp): RegExp {
  if (/[^imsux]/.test(options)) throw new ServerError(51108, `invalid flag in regex options: ${options}`);
  if (options.includes('x')) throw notImplemented('the option x of regular expressions');
  const flags = [...new Set(options.replace('u', ''))].join('');
  try {
    return new RegExp(pattern, `${flags}u`);
  } catch {
    // Without `u` more is taken, such as a needless backslash.
  }
  try {
    return new RegExp(pattern, flags);
  } catch {
    throw new ServerError(51091, `Regular expression is invalid: ${pattern}`);
  }
}
