import type {
  CallToolResult,
  Client,
  JsonSchemaValidator,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import type { OutboundFetch } from '@platform-backend/outbound';
import { toolServerFailed } from '../domain/errors.ts';
import {
  beginningOfResult,
  MAX_SERVER_TOOLS,
  serverTool,
  type ServerTool,
  type ToolConnection,
} from '../domain/server-tool.ts';
import type { ToolServer } from '../domain/tool-server.ts';
import { causeOf, reasonOf } from './reason-of.ts';

/** Of lists, whatever is on them. */
const MAX_PAGES = 100;
/** Of the handshake. */
const CONNECT_TIMEOUT_MS = 8_000;
const CLOSE_TIMEOUT_MS = 2_000;

/** What servers declare of their answers is for programs; models read the text, whatever it is. No schema of a stranger is compiled. */
const UNCHECKED = {
  getValidator:
    <T>(): JsonSchemaValidator<T> =>
    (input: unknown) => ({ valid: true as const, data: input as T, errorMessage: undefined }),
};

/** A server that speaks the Model Context Protocol over streamable HTTP: connected to with its first use. */
export function mcpTools(
  { name: serverName, url, timeoutSeconds, maxResultBytes }: ToolServer,
  headers: Readonly<Record<string, string>>,
  fetch: OutboundFetch,
): ToolConnection {
  let opening: StreamableHTTPClientTransport | undefined;
  let connected: Promise<{ readonly client: Client; readonly transport: StreamableHTTPClientTransport }> | undefined;

  async function connect() {
    const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
    const transport = new StreamableHTTPClientTransport(new URL(url), {
      fetch,
      requestInit: { headers: { ...headers } },
      // `fetch` follows them by its own rules.
      redirectPolicy: 'follow',
      reconnectionOptions: {
        ...{ maxRetries: 0, initialReconnectionDelay: 1_000, maxReconnectionDelay: 1_000 },
        reconnectionDelayGrowFactor: 1,
      },
    });
    opening = transport;
    const client = new Client(
      { name: 'platform', version: '1.0.0' },
      {
        capabilities: {},
        jsonSchemaValidator: UNCHECKED,
        versionNegotiation: { mode: 'auto' },
      },
    );
    await client.connect(transport, { timeout: CONNECT_TIMEOUT_MS });
    opening = undefined;
    return { client, transport };
  }

  const connection = () =>
    (connected ??= connect().catch((error: unknown) => {
      connected = undefined;
      throw error;
    }));

  /** Whatever goes wrong is the server's, unless nobody waits any more. */
  async function within<T>(signal: AbortSignal, work: (client: Client) => Promise<T>): Promise<T> {
    try {
      signal.throwIfAborted();
      const aborted = new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      });
      const { client } = await Promise.race([connection(), aborted]);
      return await Promise.race([work(client), aborted]);
    } catch (error) {
      if (signal.aborted && (signal.reason as Error).name !== 'TimeoutError') throw signal.reason;
      throw toolServerFailed({ name: serverName, reason: reasonOf(error), cause: causeOf(error) });
    }
  }

  return {
    list: (signal) =>
      within(signal, async (client) => {
        const tools: ServerTool[] = [];
        let params: { readonly cursor?: string } = {};
        // Page by page, of which no more is kept than a model gets: the library would keep whole ones, and fail where there are many.
        for (let pages = 0; pages < MAX_PAGES && tools.length < MAX_SERVER_TOOLS; pages += 1) {
          const page = await client.request({ method: 'tools/list', params }, { signal });
          tools.push(
            ...page.tools.map(({ name, description, inputSchema }) => serverTool(name, description ?? '', inputSchema)),
          );
          if (page.nextCursor === undefined) break;
          params = { cursor: page.nextCursor };
        }
        return tools.slice(0, MAX_SERVER_TOOLS);
      }),

    call(tool, given, { callId, signal }) {
      const timeout = timeoutSeconds * 1000;
      const limited = AbortSignal.any([signal, AbortSignal.timeout(timeout)]);
      return within(limited, async (client) => {
        const asked = { name: tool, arguments: { ...given }, _meta: { 'platform/idempotency-key': callId } };
        const { content, structuredContent, isError } = await client.callTool(asked, {
          ...{ signal: limited, timeout, maxTotalTimeout: timeout },
        });
        const text = textOf(content, structuredContent);
        return { text: beginningOfResult(text, maxResultBytes), isError: isError === true };
      });
    },

    async close() {
      // Nobody waits for a handshake any more.
      await opening?.close();
      const opened = await connected?.catch(() => undefined);
      if (!opened) return;
      // A server that does not hear of it ends its session itself.
      const ended = opened.transport.terminateSession().catch(() => undefined);
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, CLOSE_TIMEOUT_MS).unref())]);
      await opened.client.close();
    },
  };
}

/** What a model can read of an answer; of all else, that it was there. */
function textOf(content: CallToolResult['content'], structured: unknown): string {
  const parts = content.map((part) => {
    switch (part.type) {
      case 'text':
        return part.text;
      case 'resource':
        return 'text' in part.resource ? part.resource.text : `[The file ${part.resource.uri} is left out.]`;
      case 'resource_link':
        return `[${part.name}: ${part.uri}]`;
      case 'image':
      case 'audio':
        return `[An answer of type ${part.mimeType} is left out.]`;
    }
  });
  if (parts.length > 0) return parts.join('\n');
  return structured === undefined ? 'Done, without an answer.' : JSON.stringify(structured);
}
