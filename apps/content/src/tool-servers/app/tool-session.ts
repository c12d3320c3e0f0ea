import { expiringCache, inParallel, type Clock, type Fields, type Logger } from '@platform-backend/core';
import { modelNameOf, type ServerTool, type ToolConnection, type ToolResult } from '../domain/server-tool.ts';
import type { ApprovalRule, ToolServer } from '../domain/tool-server.ts';
import type { ToolServers } from '../domain/tool-servers.ts';

export type OpenToolServer = (organisationId: string, server: ToolServer) => ToolConnection;

/** A tool that an assistant may use in one turn. */
export interface UsableTool {
  readonly modelName: string;
  readonly server: string;
  readonly tool: string;
  readonly description: string;
  readonly parameters: Fields;
  readonly approval: ApprovalRule;
  readonly call: (
    given: Fields,
    options: { readonly callId: string; readonly signal: AbortSignal },
  ) => Promise<ToolResult>;
}

export interface UsableTools {
  readonly tools: readonly UsableTool[];
  /** Names of servers that cannot be asked now, with what went wrong, for the log. */
  readonly unavailable: readonly { readonly server: string; readonly error: unknown }[];
}

/** The tool servers of one turn. Each is connected to when it is needed first. */
export interface ToolSession {
  /** What those servers offer that whoever asks may open, as far as it is allowed. Never rejects for a server's sake. */
  readonly usable: (serverIds: readonly string[], signal: AbortSignal) => Promise<UsableTools>;
  readonly close: () => Promise<void>;
}

interface Ports {
  readonly servers: Pick<ToolServers, 'find'>;
  readonly open: OpenToolServer;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
}

/** How long what a server has said of its tools is believed, in milliseconds. */
const BELIEVED_MS = 60_000;
const MAX_BELIEVED = 500;
/** As JSON. What is longer is asked for each time: an organisation could fill the memory of all others with it. */
const MAX_BELIEVED_CHARACTERS = 100_000;
/** Servers that say nothing for so long are left out of an answer, however many there are. */
const LIST_TIMEOUT_MS = 8_000;
/** All that an assistant may name. */
const SERVERS_AT_ONCE = 20;

/** Of this process: what servers say of their tools is remembered for a minute, by server and revision. */
export function toolSessions({ servers, open, clock, logger }: Ports): (organisationId: string) => ToolSession {
  const known = expiringCache<readonly ServerTool[]>({ maxEntries: MAX_BELIEVED, clock });

  return (organisationId) => {
    const connections = new Map<string, ToolConnection>();
    const connectionOf = (server: ToolServer): ToolConnection => {
      const connection = connections.get(server.id) ?? open(organisationId, server);
      connections.set(server.id, connection);
      return connection;
    };

    async function offeredBy(server: ToolServer, signal: AbortSignal): Promise<readonly ServerTool[]> {
      const key = [organisationId, server.id, server.updatedAt.getTime()].join('/');
      const before = known.get(key);
      if (before) return before;
      const listed = await connectionOf(server).list(signal);
      const offered = listed.filter(({ name }) => server.tools.some((allowed) => allowed.name === name));
      if (JSON.stringify(offered).length <= MAX_BELIEVED_CHARACTERS)
        known.set(key, offered, clock.now().getTime() + BELIEVED_MS);
      return offered;
    }

    const usableOf = (server: ToolServer, offered: readonly ServerTool[]): UsableTool[] => {
      const usable = new Map<string, UsableTool>();
      for (const { name, approval } of server.tools) {
        const tool = offered.find((one) => one.name === name);
        const modelName = modelNameOf(server.name, name);
        // What is too large for a model, and what it could not tell from another one, it does not get.
        if (!tool?.parameters || usable.has(modelName)) continue;
        const { description, parameters } = tool;
        const call: UsableTool['call'] = (given, options) => connectionOf(server).call(name, given, options);
        usable.set(modelName, { modelName, server: server.name, tool: name, description, parameters, approval, call });
      }
      return [...usable.values()];
    };

    return {
      async usable(serverIds, signal) {
        const found = await Promise.all(serverIds.map((id) => servers.find(organisationId, id)));
        const present = found.flatMap((server) => (server && server.tools.length > 0 ? [server] : []));
        const tools = new Map<string, readonly UsableTool[]>();
        const unavailable: { server: string; error: unknown }[] = [];
        const limited = AbortSignal.any([signal, AbortSignal.timeout(LIST_TIMEOUT_MS)]);
        await inParallel(present, { atOnce: SERVERS_AT_ONCE, stopping: signal }, async (server) => {
          try {
            tools.set(server.id, usableOf(server, await offeredBy(server, limited)));
          } catch (error) {
            signal.throwIfAborted();
            unavailable.push({ server: server.name, error });
          }
        });
        return { tools: present.flatMap(({ id }) => tools.get(id) ?? []), unavailable };
      },

      async close() {
        await Promise.all(
          [...connections.values()].map(async (connection) => {
            try {
              await connection.close();
            } catch (error) {
              logger.warn(
                { event: 'tool_server.close_failed', err: error },
                'the end of a connection to a tool server failed',
              );
            }
          }),
        );
      },
    };
  };
}
