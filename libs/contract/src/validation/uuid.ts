import { Problem } from './problem.ts';

export const notAUuid = new Problem('uuid_type', 'UUID input should be a string, bytes or UUID object');

const canonical = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/;
const hyphenated = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
const simple = /^[\da-f]{32}$/i;

/** A UUID in its canonical form, from any form that the Rust uuid crate reads. */
export function readUuid(value: unknown): string | Problem {
  return typeof value === 'string' ? uuidFromText(value) : notAUuid;
}

export function uuidFromText(text: string): string | Problem {
  if (text.length === 36 && canonical.test(text)) return text;
  const inner = innerText(text);
  if (simple.test(inner)) return withHyphens(inner.toLowerCase());
  if (hyphenated.test(inner)) return inner.toLowerCase();
  const error = reasonAgainst(inner);
  return new Problem('uuid_parsing', `Input should be a valid UUID, ${error}`, { error });
}

/** What stands in the braces or behind the prefix of a text that is just long enough to hold a hyphenated UUID. */
function innerText(text: string): string {
  if (isBraced(text) && Buffer.byteLength(text) === 38) return text.slice(1, -1);
  return text.startsWith('urn:uuid:') && Buffer.byteLength(text) === 45 ? text.slice(9) : text;
}

function isBraced(text: string): boolean {
  return text.length >= 2 && text.startsWith('{') && text.endsWith('}');
}

function withHyphens(digits: string): string {
  return [digits.slice(0, 8), digits.slice(8, 12), digits.slice(12, 16), digits.slice(16, 20), digits.slice(20)].join(
    '-',
  );
}

const groupLengths = [8, 4, 4, 4];

/** The crate's reason for refusing the text. Lengths and positions count UTF-8 bytes. */
function reasonAgainst(text: string): string {
  const bytes = Buffer.byteLength(text);
  const [body, offset] = bodyOf(text);
  const wrong = /[^\da-f-]/iu.exec(body);
  if (wrong) {
    const position = Buffer.byteLength(body.slice(0, wrong.index)) + offset + 1;
    return `invalid character: found \`${wrong[0]}\` at ${position}`;
  }
  const groups = body.split('-');
  if (groups.length === 1 && offset === 0) {
    return `invalid length: expected length 32 for simple format, found ${bytes}`;
  }
  if (groups.length !== 5) return `invalid group count: expected 5, found ${groups.length}`;
  for (const [index, expected] of groupLengths.entries()) {
    const found = groups[index]?.length ?? 0;
    if (found !== expected) return `invalid group length in group ${index}: expected ${expected}, found ${found}`;
  }
  return `invalid group length in group 4: expected 12, found ${bytes - 24}`;
}

function bodyOf(text: string): [body: string, offset: number] {
  if (isBraced(text)) return [text.slice(1, -1), 1];
  return text.startsWith('urn:uuid:') ? [text.slice(9), 9] : [text, 0];
}
