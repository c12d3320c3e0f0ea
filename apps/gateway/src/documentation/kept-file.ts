import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { answer, answerEmpty } from '../exchange/answer.ts';
import { entityTag, isKnown } from '../exchange/entity-tag.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { Fail } from '../pipeline/policy.ts';

export interface FileSource {
  readonly contentType: string;
  /** Reads or makes the content: at first use, and again for a client that takes nothing compressed. */
  readonly read: () => Promise<Buffer>;
  /** Beside those that every file has; flat. */
  readonly headers?: readonly string[];
}

interface Kept {
  readonly tag: string;
  readonly compressed: Buffer;
}

const compress = promisify(gzip);

/** A file that costs nothing until somebody asks for it. From then on it is kept, compressed. */
export function keptFile({ contentType, read, headers = [] }: FileSource, fail: Fail): (exchange: Exchange) => void {
  let kept: Promise<Kept> | undefined;
  const keep = async (): Promise<Kept> => {
    const content = await read();
    return { tag: `W/${entityTag(content)}`, compressed: await compress(content) };
  };
  const answerFile = async (exchange: Exchange): Promise<void> => {
    const { tag, compressed } = await (kept ??= keep());
    const all = ['ETag', tag, 'Cache-Control', 'no-cache', 'Vary', 'Accept-Encoding', ...headers];
    if (isKnown(exchange, tag)) answerEmpty(exchange, 304, all);
    else if (takesGzip(exchange.request.headers['accept-encoding'])) {
      answer(exchange, 200, contentType, compressed, [...all, 'Content-Encoding', 'gzip']);
    } else answer(exchange, 200, contentType, await read(), all);
  };
  return (exchange) => {
    answerFile(exchange).catch((error: unknown) => {
      // What failed once may be there next time.
      kept = undefined;
      fail(exchange, error);
    });
  };
}

/** Whether an `Accept-Encoding` lets an answer be compressed by gzip: named, or `*`, and not with `q=0`. */
export function takesGzip(accepted = ''): boolean {
  const codings = new Map(
    accepted.split(',').map((one) => {
      const [coding = '', ...parameters] = one.toLowerCase().split(';');
      const isRefused = parameters.some((parameter) => /^\s*q\s*=\s*0(\.0*)?\s*$/.test(parameter));
      return [coding.trim(), !isRefused];
    }),
  );
  return codings.get('gzip') ?? codings.get('*') ?? false;
}
