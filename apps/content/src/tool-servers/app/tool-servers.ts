import { invalidField, newId, type ActorContext, type Clock, type Page } from '@platform-backend/core';
import type { AdmitAccess } from '../../access/app/admit-access.ts';
import type { AccessInput } from '../../access/domain/access.ts';
import { toolServerNotFound, tooManyToolServers } from '../domain/errors.ts';
import { modelNameOf, type ServerTool } from '../domain/server-tool.ts';
import {
  changeToolServer,
  changeToolServerAccess,
  createToolServer,
  deleteToolServer,
  MAX_TOOL_SERVERS,
  requireHeaders,
  type ApprovalRule,
  type KeptHeaders,
  type ToolServer,
  type ToolServerKind,
  type ToolServerSettings,
} from '../domain/tool-server.ts';
import type { ToolServerList, ToolServers } from '../domain/tool-servers.ts';
import type { OpenToolServer } from './tool-session.ts';

export interface ToolServerPorts {
  readonly servers: ToolServers;
  readonly admitAccess: AdmitAccess;
  /** Why the platform may not call it; undefined: it may, as far as that can be seen. */
  readonly urlRefusal: (url: string) => string | undefined;
  /** NOT_PROVIDED: there is no key. */
  readonly sealHeaders: (organisationId: string, id: string, headers: Headers) => string;
  readonly open: OpenToolServer;
  readonly clock: Clock;
}

type Headers = Readonly<Record<string, string>>;

export interface ToolServerInput extends ToolServerSettings {
  readonly headers: Headers;
}

/** A tool as its server has it now, and what assistants may do with it. */
export interface OfferedTool extends ServerTool {
  readonly modelName: string;
  readonly isAllowed: boolean;
  readonly approval: ApprovalRule;
}

export type ToolServerUseCases = ReturnType<typeof toolServerUseCases>;

/** Shorter than callers wait. */
const LIST_TIMEOUT_MS = 15_000;

export const toolServerUseCases = (ports: ToolServerPorts) => {
  const { servers, admitAccess, urlRefusal, sealHeaders, clock } = ports;

  function requireUrl(url: string | undefined): void {
    const refusal = url === undefined ? undefined : urlRefusal(url);
    if (refusal === undefined) return;
    throw invalidField(['body', 'url'], refusal, url);
  }

  function keptHeaders(organisationId: string, id: string, headers: Headers): KeptHeaders {
    requireHeaders(headers);
    const headerNames = Object.keys(headers).sort();
    return { headerNames, sealedHeaders: headerNames.length === 0 ? '' : sealHeaders(organisationId, id, headers) };
  }

  async function found({ organisationId }: ActorContext, id: string): Promise<ToolServer> {
    const server = await servers.find(organisationId, id);
    if (!server) throw toolServerNotFound();
    return server;
  }

  return {
    /** INVALID: an address that the platform does not call. CONFLICT: the name is taken, or there are too many. */
    async createToolServer(
      by: ActorContext,
      { headers, ...settings }: ToolServerInput & { readonly kind: ToolServerKind },
      given?: AccessInput,
    ): Promise<ToolServer> {
      requireUrl(settings.url);
      const access = given && (await admitAccess(by, given, { loc: ['body', 'access'] }));
      const id = newId();
      const made = { ...settings, ...keptHeaders(by.organisationId, id, headers), ...(access && { access }) };
      const limit = { max: MAX_TOOL_SERVERS, refusal: tooManyToolServers };
      return servers.create(by, id, limit, () => createToolServer(by, id, made, clock.now()));
    },

    listToolServers: ({ organisationId }: ActorContext, wanted: ToolServerList): Promise<Page<ToolServer>> =>
      servers.list(organisationId, wanted),

    getToolServer: found,

    /** Changes the fields given. */
    async updateToolServer(
      by: ActorContext,
      id: string,
      { headers, ...wanted }: Partial<ToolServerInput>,
    ): Promise<ToolServer> {
      requireUrl(wanted.url);
      const kept = headers && keptHeaders(by.organisationId, id, headers);
      return servers.update(by, id, (server) => changeToolServer(server, { ...wanted, ...kept }, clock.now()));
    },

    /** Says whose assistants may use it. INVALID: there are no such groups or members. */
    async setToolServerAccess(by: ActorContext, id: string, wanted: AccessInput): Promise<ToolServer> {
      const present = await found(by, id);
      const access = await admitAccess(by, wanted, { before: present.access });
      return servers.update(by, id, (server) => changeToolServerAccess(server, access, clock.now()));
    },

    deleteToolServer: (by: ActorContext, id: string): Promise<ToolServer> =>
      servers.update(by, id, (server) => deleteToolServer(server, clock.now())),

    /** What the server says now. UPSTREAM_FAILED: it says nothing that can be used. */
    async listServerTools(by: ActorContext, id: string, signal: AbortSignal): Promise<readonly OfferedTool[]> {
      const server = await found(by, id);
      const connection = ports.open(by.organisationId, server);
      try {
        const offered = await connection.list(AbortSignal.any([signal, AbortSignal.timeout(LIST_TIMEOUT_MS)]));
        return offered.map((tool) => {
          const allowed = server.tools.find(({ name }) => name === tool.name);
          const modelName = modelNameOf(server.name, tool.name);
          return { ...tool, modelName, isAllowed: allowed !== undefined, approval: allowed?.approval ?? 'required' };
        });
      } finally {
        await connection.close();
      }
    },
  };
};
