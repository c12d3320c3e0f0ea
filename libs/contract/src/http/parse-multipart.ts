import { headerOptions } from './content-type.ts';
import { FormError, maxParts, maxTextBytes, type Form, type FormFile } from './form.ts';

const cr = 0x0d;
const lf = 0x0a;
const hyphen = 0x2d;
const colon = 0x3a;
const space = 0x20;

const maxBoundary = 256;
const maxHeaders = 8;
/** Bytes of one header line of a part. */
const maxHeaderLine = 4096 + 128;

/**
 * Reads a multipart/form-data body that is wholly in memory. Content of files is not copied.
 * What it accepts is what python-multipart and Starlette accept: a part that is cut off does not
 * count, anything before the first boundary is refused, anything behind the last one is ignored.
 */
export function parseMultipart(body: Buffer, options: ReadonlyMap<string, string>): Form {
  const boundary = options.get('boundary');
  if (boundary === undefined) throw new FormError('Missing boundary in multipart.');
  if (boundary.length > maxBoundary) throw invalid();
  const form = new Map<string, string | FormFile>();
  const counts = { files: 0, fields: 0 };
  const reader = new PartReader(body, Buffer.from(`\r\n--${boundary}`, 'latin1'));
  for (let more = reader.start(); more;) {
    const headers = reader.headers();
    if (!headers) break;
    const part = describePart(headers, options.get('charset') ?? 'utf-8');
    countPart(part, counts);
    const content = reader.content(part.isFile ? Infinity : maxTextBytes);
    if (!content) break;
    form.set(
      part.name,
      part.isFile
        ? { filename: part.filename, contentType: part.contentType, content: content.bytes }
        : part.decode(content.bytes),
    );
    more = content.more;
  }
  return form;
}

function invalid(): FormError {
  return new FormError('Invalid multipart data.');
}

interface Part {
  readonly name: string;
  readonly isFile: boolean;
  readonly filename: string;
  readonly contentType: string;
  decode(bytes: Buffer): string;
}

function describePart(headers: ReadonlyMap<string, string>, charset: string): Part {
  const { options } = headerOptions(headers.get('content-disposition'));
  const decode = decoderFor(charset);
  const name = options.get('name');
  if (name === undefined) throw new FormError('The Content-Disposition header field "name" must be provided.');
  const filename = options.get('filename');
  return {
    name: decode(Buffer.from(name, 'latin1')),
    isFile: filename !== undefined,
    filename: decode(Buffer.from(filename ?? '', 'latin1')),
    contentType: headers.get('content-type') ?? '',
    decode,
  };
}

function countPart({ isFile }: Part, counts: { files: number; fields: number }): void {
  const kind = isFile ? 'files' : 'fields';
  if (++counts[kind] > maxParts) throw new FormError(`Too many ${kind}. Maximum number of ${kind} is ${maxParts}.`);
}

/** Text in the form's charset, or in Latin-1 when it is not that. */
function decoderFor(charset: string): (bytes: Buffer) => string {
  return (bytes) => {
    try {
      return new TextDecoder(charset, { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch {
      return bytes.toString('latin1');
    }
  };
}

class PartReader {
  readonly #body: Buffer;
  readonly #delimiter: Buffer;
  #at = 0;

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
      search = behind;
    }
  }
}
