import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readWheelName, type WheelName } from './wheel-name.ts';

/** A wheel that can be had. */
export interface OfferedWheel extends WheelName {
  /** As the index says, in hexadecimal; what is fetched has to be that. */
  readonly sha256: string | undefined;
  readonly requiresPython: string | undefined;
  readonly fetch: () => Promise<Buffer>;
}

/** Where wheels come from. What cannot be reached is an Error; what is not there is nothing. */
export interface WheelSource {
  readonly offers: (name: string) => Promise<readonly OfferedWheel[]>;
  /** Undefined: there is no such file. */
  readonly file: (fileName: string) => Promise<Buffer | undefined>;
}

/** A source that says nothing for so long is away: kernels wait for it to start. */
const SILENCE_MS = 5_000;
const MAX_WHEEL_BYTES = 256 * 2 ** 20;
const MAX_PAGE_BYTES = 64 * 2 ** 20;
const ACCEPTED = 'application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1';

/** A folder with wheels; or an address, of an index of Python packages (PEP 503, PEP 691) or of a folder with files. */
export const wheelSource = (where: string, signal: AbortSignal): WheelSource =>
  /^https?:\/\//.test(where) ? sourceAt(where.endsWith('/') ? where : `${where}/`, signal) : sourceIn(where);

function sourceIn(folder: string): WheelSource {
  const read = (file: string) => readFile(join(folder, file));
  return {
    async offers(name) {
      return (await readdir(folder)).flatMap((file) => {
        const wheel = readWheelName(file);
        if (wheel?.name !== name) return [];
        return [{ ...wheel, sha256: undefined, requiresPython: undefined, fetch: () => read(file) }];
      });
    },
    async file(fileName) {
      return (await readdir(folder)).includes(fileName) ? await read(fileName) : undefined;
    },
  };
}

/** What a name and a password in its address allow is asked for at that server alone, and told nobody: they are in no other address, and in no error. */
function sourceAt(address: string, signal: AbortSignal): WheelSource {
  // The error of the constructor would bear all of it.
  if (!URL.canParse(address)) throw new Error('a source of wheels is no address');
  const base = new URL(address);
  const credentials = [base.username, base.password].map(decodeURIComponent).join(':');
  base.username = base.password = '';
  const basic = `Basic ${Buffer.from(credentials).toString('base64')}`;
  const get: Get = (url, maxBytes) =>
    pageAt(url, maxBytes, {
      signal,
      authorization: url.origin === base.origin && credentials !== ':' ? basic : undefined,
    });
  return {
    async offers(name) {
      const page = await get(new URL(`${name}/`, base), MAX_PAGE_BYTES);
      return page ? offersOn(page, get) : [];
    },
    file: async (fileName) => (await get(new URL(fileName, base), MAX_WHEEL_BYTES))?.bytes,
  };
}

/** Undefined: there is none. */
type Get = (url: URL, maxBytes: number) => Promise<Page | undefined>;

interface Page {
  readonly url: string;
  readonly type: string;
  readonly bytes: Buffer;
}

async function pageAt(
  url: URL,
  maxBytes: number,
  { signal, authorization }: { readonly signal: AbortSignal; readonly authorization: string | undefined },
): Promise<Page | undefined> {
  const headers = { accept: `${ACCEPTED}, */*;q=0.01`, ...(authorization !== undefined && { authorization }) };
  const silent = new AbortController();
  const silence = setTimeout(
    () => silent.abort(new Error(`${url.href} has said nothing for ${SILENCE_MS / 1_000} s`)),
    SILENCE_MS,
  );
  try {
    const response = await fetch(url, { headers, signal: AbortSignal.any([signal, silent.signal]) });
    if (!response.ok || !response.body) {
      await response.body?.cancel();
      if ([403, 404, 410].includes(response.status)) return undefined;
      throw new Error(`${url.href} was answered with ${response.status}`);
    }
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
      silence.refresh();
      chunks.push(chunk);
      length += chunk.length;
      if (length > maxBytes) throw new Error(`${url.href} has more than ${maxBytes} bytes`);
    }
    return { url: response.url, type: response.headers.get('content-type') ?? '', bytes: Buffer.concat(chunks) };
  } finally {
    clearTimeout(silence);
  }
}

function offersOn(page: Page, get: Get): OfferedWheel[] {
  const listed = page.type.includes('json') ? listedInJson(page.bytes) : listedInHtml(page.bytes.toString('utf8'));
  return listed.flatMap(({ file, href, sha256, requiresPython, isYanked }) => {
    const wheel = readWheelName(file);
    if (!wheel || isYanked) return [];
    const url = new URL(href, page.url);
    const fetchWheel = async () => {
      const fetched = await get(url, MAX_WHEEL_BYTES);
      if (!fetched) throw new Error(`${url.href} is not there`);
      return fetched.bytes;
    };
    return [{ ...wheel, sha256, requiresPython, fetch: fetchWheel }];
  });
}

interface Listed {
  readonly file: string;
  readonly href: string;
  readonly sha256: string | undefined;
  readonly requiresPython: string | undefined;
  readonly isYanked: boolean;
}

function listedInJson(bytes: Buffer): Listed[] {
  interface File {
    readonly filename: string;
    readonly url: string;
    readonly hashes?: { readonly sha256?: string };
    readonly 'requires-python'?: string | null;
    readonly yanked?: boolean | string;
  }
  const { files } = JSON.parse(bytes.toString('utf8')) as { readonly files: readonly File[] };
  return files.map((file) => ({
    ...{ file: file.filename, href: file.url, sha256: file.hashes?.sha256 },
    requiresPython: file['requires-python'] ?? undefined,
    isYanked: file.yanked !== undefined && file.yanked !== false,
  }));
}

const anchor = /<a\s([^>]*)>([^<]*)<\/a>/gi;

function listedInHtml(html: string): Listed[] {
  return [...html.matchAll(anchor)].map(([, attributes = '', text = '']) => {
    const attribute = (name: string) => {
      const value = new RegExp(`(?:^|\\s)${name}\\s*=\\s*"([^"]*)"`, 'i').exec(attributes)?.[1];
      return value?.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
    };
    const [href = '', fragment = ''] = (attribute('href') ?? '').split('#');
    return {
      ...{ file: text.trim(), href, sha256: /^sha256=([0-9a-f]{64})/.exec(fragment)?.[1] },
      requiresPython: attribute('data-requires-python'),
      isYanked: /(?:^|\s)data-yanked\b/i.test(attributes),
    };
  });
}
