import { isUtf8 } from 'node:buffer';
import { headerOptions } from './content-type.ts';
import { FormError, maxParts, maxTextBytes, tooMany, type Form, type FormFile } from './form.ts';

const cr = 0x0d;
const lf = 0x0a;
const hyphen = 0x2d;
const colon = 0x3a;
const space = 0x20;

const maxBoundary = 256;
/** A search for a short text cannot skip bytes: shorter boundaries are for bodies no larger than a text may be. */
const minBoundaryOfLarge = 4;
const maxHeaders = 8;
/** Bytes of one header line of a part. */
const maxHeaderLine = 4096 + 128;
/** Bytes of all headers of all parts. */
const maxHeaderBytes = 512 * 1024;
/** `; name=value` pairs behind the value of a header. */
const maxHeaderOptions = 64;
/** Lines within the contents of all parts that begin like a boundary and are none. */
const maxLookalikes = 1000;

/**
 * Reads the parts of a multipart/form-data body that have these names, and tells `others` those of the rest; the whole body is in memory, and the content of
 * files is not copied. However a body is made up, its limits keep the work in proportion to its size.
 * What it accepts is what python-multipart and Starlette accept: a part that is cut off does not
 * count, anything before the first boundary is refused, anything behind the last one is ignored.
 */
export function parseMultipart(
  body: Buffer,
  options: ReadonlyMap<string, string>,
  names: ReadonlySet<string>,
  others: Set<string>,
): Form {
  const boundary = options.get('boundary');
  if (boundary === undefined) throw new FormError('Missing boundary in multipart.');
  if (boundary.length > maxBoundary) throw invalid();
  if (boundary.length < minBoundaryOfLarge && body.length > maxTextBytes) throw invalid();
  const decode = decoderFor(options.get('charset') ?? 'utf-8');
  const found = new Map<string, { part: Part; bytes: Buffer }>();
  const counts = { files: 0, fields: 0 };
  const reader = new PartReader(body, Buffer.from(`\r\n--${boundary}`, 'latin1'));
  for (let more = reader.start(); more;) {
    const headers = reader.headers();
    if (!headers) break;
    const part = describePart(headers, decode);
    countPart(part, counts);
    const content = reader.content(part.isFile ? Infinity : maxTextBytes);
    if (!content) break;
    if (names.has(part.name)) found.set(part.name, { part, bytes: content.bytes });
    else others.add(part.name);
    more = content.more;
  }
  // Only the last of each name is ever decoded.
  return new Map([...found].map(([name, { part, bytes }]) => [name, valueOf(part, bytes, decode)]));
}

function valueOf({ isFile, filename, contentType }: Part, bytes: Buffer, decode: Decode): string | FormFile {
  return isFile ? { filename: decode(filename), contentType, content: bytes } : decode(bytes);
}

function invalid(): FormError {
  return new FormError('Invalid multipart data.');
}

interface Part {
  readonly name: string;
  readonly isFile: boolean;
  readonly filename: Buffer;
  readonly contentType: string;
}

function describePart(headers: ReadonlyMap<string, string>, decode: Decode): Part {
  const disposition = headers.get('content-disposition') ?? '';
  if (disposition.split(';', maxHeaderOptions + 2).length > maxHeaderOptions + 1) throw invalid();
  const { options } = headerOptions(disposition);
  const name = options.get('name');
  if (name === undefined) throw new FormError('The Content-Disposition header field "name" must be provided.');
  const filename = options.get('filename');
  return {
    name: decode(Buffer.from(name, 'latin1')),
    isFile: filename !== undefined,
    filename: Buffer.from(filename ?? '', 'latin1'),
    contentType: headers.get('content-type') ?? '',
  };
}

function countPart({ isFile }: Part, counts: { files: number; fields: number }): void {
  const kind = isFile ? 'files' : 'fields';
  if (++counts[kind] > maxParts) throw tooMany(kind);
}

type Decode = (bytes: Buffer) => string;

const latin1: Decode = (bytes) => bytes.toString('latin1');
/** The same as a fatal TextDecoder; that one would make an error object for every text that is not UTF-8. */
const utf8: Decode = (bytes) => (isUtf8(bytes) ? bytes.toString('utf8') : latin1(bytes));

/** Text in the form's charset, or in Latin-1 when it is not that. */
function decoderFor(charset: string): Decode {
  const decoder = textDecoder(charset);
  if (decoder?.encoding === 'utf-8') return utf8;
  return (bytes) => {
    try {
      return decoder?.decode(bytes) ?? latin1(bytes);
    } catch {
      return latin1(bytes);
    }
  };
}

function textDecoder(charset: string): InstanceType<typeof TextDecoder> | undefined {
  try {
    return new TextDecoder(charset, { fatal: true, ignoreBOM: true });
  } catch {
    return undefined;
  }
}

class PartReader {
  readonly #body: Buffer;
  readonly #delimiter: Buffer;
  #at = 0;
  #headerBytes = 0;
  #lookalikes = 0;

  /** The delimiter starts with a line break. */
  constructor(body: Buffer, delimiter: Buffer) {
    this.#body = body;
    this.#delimiter = delimiter;
  }

  /** Reads the first boundary; false when the form is empty or the body ends here. */
  start(): boolean {
    const first = this.#body[0];
    if (first === cr || first === lf) this.#at = this.#body.indexOf(hyphen);
    if (this.#at === -1) return false;
    for (const expected of this.#delimiter.subarray(2)) {
      if (this.#at >= this.#body.length) return false;
      if (this.#body[this.#at++] !== expected) throw invalid();
    }
    const next = this.#body[this.#at++];
    if (next === undefined) return false;
    if (next !== cr && next !== hyphen) throw invalid();
    const last = this.#body[this.#at++];
    if (last === undefined) return false;
    if (last !== (next === cr ? lf : hyphen)) throw invalid();
    return next === cr;
  }

  /** The headers of a part, names in lower case; undefined when the body ends among them. */
  headers(): ReadonlyMap<string, string> | undefined {
    const begin = this.#at;
    const headers = this.#headerLines();
    this.#headerBytes += this.#at - begin;
    if (this.#headerBytes > maxHeaderBytes) throw invalid();
    return headers;
  }

  #headerLines(): ReadonlyMap<string, string> | undefined {
    const headers = new Map<string, string>();
    for (let count = 1; ; count++) {
      if (this.#at >= this.#body.length) return undefined;
      if (this.#body[this.#at] === cr) return this.#lineFeedFollows() ? headers : undefined;
      if (count > maxHeaders) throw invalid();
      const name = this.#headerName();
      const value = name === undefined ? undefined : this.#headerValue(name.length + 1);
      if (name === undefined || value === undefined || !this.#lineFeedFollows()) return undefined;
      headers.set(name.toLowerCase(), value);
    }
  }

  #headerName(): string | undefined {
    const end = this.#body.indexOf(colon, this.#at);
    const to = end === -1 ? this.#body.length : end;
    if (to - this.#at + (end === -1 ? 0 : 1) > maxHeaderLine) throw invalid();
    const name = this.#body.toString('latin1', this.#at, to);
    if (!/^[\w!#$%&'*+.^`|~-]*$/.test(name) || (end !== -1 && name === '')) throw invalid();
    this.#at = to + 1;
    return end === -1 ? undefined : name;
  }

  #headerValue(usedBytes: number): string | undefined {
    const begin = this.#at;
    while (this.#body[this.#at] === space) this.#at++;
    const from = this.#at;
    const end = this.#body.indexOf(cr, from);
    const to = end === -1 ? this.#body.length : end;
    if (usedBytes + (to - begin) > maxHeaderLine) throw invalid();
    this.#at = to;
    return end === -1 ? undefined : this.#body.toString('latin1', from, to);
  }

  /** Passes a line break whose first half is here; false when the body ends in between. */
  #lineFeedFollows(): boolean {
    const next = this.#body[this.#at + 1];
    this.#at += 2;
    if (next === undefined) return false;
    if (next !== lf) throw invalid();
    return true;
  }

  /** The bytes up to the next boundary and whether a part follows it; undefined when there is none. */
  content(limit: number): { bytes: Buffer; more: boolean } | undefined {
    const from = this.#at;
    for (let search = from; ;) {
      const found = this.#body.indexOf(this.#delimiter, search);
      const end = found === -1 ? this.#body.length : found;
      if (end - from > limit) throw new FormError('Part exceeded maximum size of 1024KB.');
      if (found === -1) return undefined;
      const behind = found + this.#delimiter.length;
      const [first, second] = [this.#body[behind], this.#body[behind + 1]];
      const more = first === cr && second === lf;
      if (more || (first === hyphen && second === hyphen)) {
        this.#at = behind + 2;
        return { bytes: this.#body.subarray(from, found), more };
      }
      if (++this.#lookalikes > maxLookalikes) throw invalid();
      search = behind;
    }
  }
}
