import { type Fields } from '@platform-backend/core';
import { discardBody, type OutboundFetch } from '@platform-backend/outbound';
import { toolServerFailed } from '../domain/errors.ts';
import { beginningOfResult, serverTool, type ToolConnection, type ToolResult } from '../domain/server-tool.ts';
import { argumentsIn, type AllowedTool, type ToolServer } from '../domain/tool-server.ts';
import { causeOf, reasonOf } from './reason-of.ts';

/** Tools that are plain requests, as the organisation describes them. */
export function httpTools(
  server: ToolServer,
  headers: Readonly<Record<string, string>>,
  fetch: OutboundFetch,
): ToolConnection {
  const { name: serverName, timeoutSeconds, maxResultBytes } = server;

  async function ask(tool: AllowedTool, given: Fields, callId: string, signal: AbortSignal): Promise<ToolResult> {
    const elsewhere = argumentsIn(tool.path).find((argument) => leadsElsewhere(given[argument]));
    if (elsewhere !== undefined)
      return { text: `Nothing was asked: ${elsewhere} may neither be empty nor “.” or “..”.`, isError: true };
    const { url, body } = requestOf(server.url, tool, given);
    const answer = await fetch(url, {
      method: tool.method,
      headers: {
        ...headers,
        accept: 'application/json, text/*;q=0.9, */*;q=0.1',
        'idempotency-key': callId,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body }),
      signal,
    });
    const text = await textOf(answer, maxResultBytes);
    return answer.ok
      ? {
          text: text === '' ? `Done, with status ${String(answer.status)} and without an answer.` : text,
          isError: false,
        }
      : { text: `It answered with status ${String(answer.status)}: ${text}`, isError: true };
  }

  return {
    list: () =>
      Promise.resolve(
        server.tools.map(({ name, description, parameters }) => serverTool(name, description, parameters)),
      ),
    async call(name, given, { callId, signal }) {
      const tool = server.tools.find((one) => one.name === name);
      if (!tool) throw toolServerFailed({ name: serverName, reason: 'it has no such tool' });
      const limited = AbortSignal.any([signal, AbortSignal.timeout(timeoutSeconds * 1000)]);
      try {
        return await ask(tool, given, callId, limited);
      } catch (error) {
        signal.throwIfAborted();
        throw toolServerFailed({ name: serverName, reason: reasonOf(error), cause: causeOf(error) });
      }
    },
    close: () => Promise.resolve(),
  };
}

/** Arguments that the path names stand in it, encoded, and none of them leads elsewhere. */
function requestOf(base: string, { method, path, parameters }: AllowedTool, given: Fields) {
  const inPath = argumentsIn(path);
  const filled = path.replaceAll(/\{([^{}]*)\}/g, (_, argument: string) => encodeURIComponent(plain(given[argument])));
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/$/, '')}${filled}`;
  // Nothing is sent that the schema does not name.
  const known = Object.keys(parameters?.['properties'] ?? {});
  const others = Object.entries(given).filter(([argument]) => known.includes(argument) && !inPath.includes(argument));
  if (method === 'GET' || method === 'DELETE') {
    for (const [argument, value] of others)
      if (value !== null && value !== undefined) url.searchParams.set(argument, plain(value));
    return { url, body: undefined };
  }
  return { url, body: JSON.stringify(Object.fromEntries(others)) };
}

/** Of an empty or dotted segment URLs make another path, however it is encoded. */
const leadsElsewhere = (value: unknown): boolean => /^\.{0,2}$/.test(plain(value ?? ''));

const plain = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const TEXT = /^(?:text\/|application\/(?:[\w.+-]*\+)?(?:json|xml)\b|application\/(?:yaml|x-ndjson)\b)/i;

async function textOf(answer: Response, maxBytes: number): Promise<string> {
  const type = answer.headers.get('content-type') ?? '';
  if (type !== '' && !TEXT.test(type)) {
    await discardBody(answer);
    return `[An answer of type ${type.slice(0, 100)} is left out.]`;
  }
  // So many more that there are too many also without a character that is cut.
  const read = await beginningOfBody(answer, maxBytes + 4);
  return beginningOfResult(read, maxBytes);
}

/** No more of it than so many bytes is waited for. */
async function beginningOfBody({ body }: Response, maxBytes: number): Promise<string> {
  if (!body) return '';
  const decoder = new TextDecoder();
  let [text, bytes] = ['', 0];
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    const wanted = chunk.subarray(0, maxBytes - bytes);
    bytes += wanted.byteLength;
    text += decoder.decode(wanted, { stream: true });
    if (bytes >= maxBytes) return text;
  }
  return text + decoder.decode();
}
