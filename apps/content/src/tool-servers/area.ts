import { secretBox, SecretUnreadable } from '@platform-backend/core/secret-box';
import { addressPolicy, outboundFetch } from '@platform-backend/outbound';
import type { Area } from '@platform-backend/service';
import type { AccessExports } from '../access/area.ts';
import type { ContentContext, service } from '../service.ts';
import { toolServerHandlers } from './api/tool-server-handlers.ts';
import { toolServerUseCases } from './app/tool-servers.ts';
import { toolSessions, type OpenToolServer } from './app/tool-session.ts';
import { httpTools } from './clients/http-tools.ts';
import { mcpTools } from './clients/mcp-tools.ts';
import { toolServerFailed } from './domain/errors.ts';
import { headersContext } from './domain/tool-server.ts';
import { toolServersStore } from './store/tool-servers-store.ts';

export type ToolServersExports = ReturnType<typeof toolServersArea>['exports'];

/** Of one answer of a server, however much of it a model reads. */
const MAX_ANSWER_BYTES = 2 * 1024 * 1024;

/** Tool servers: what assistants may use elsewhere, by the Model Context Protocol or plain requests. */
export const toolServersArea = (
  { settings, storage, clock, logger }: ContentContext,
  { access: { admitAccess } }: { readonly access: AccessExports },
) => {
  const servers = toolServersStore(storage.database);
  const policy = addressPolicy(settings.OUTBOUND_ALLOWED_HOSTS);
  const fetch = outboundFetch({ policy, maxBytes: MAX_ANSWER_BYTES });
  const box = secretBox({ key: settings.SECRETS_KEY, otherKey: settings.SECRETS_KEY_OTHER });
  const open: OpenToolServer = (organisationId, server) => {
    const headers = openedHeaders(() =>
      server.sealedHeaders === '' ? '{}' : box.open(server.sealedHeaders, headersContext(organisationId, server.id)),
    );
    return (server.kind === 'mcp' ? mcpTools : httpTools)(server, headers(server.name), fetch);
  };
  const app = toolServerUseCases({
    servers,
    admitAccess,
    urlRefusal: policy.urlRefusal,
    sealHeaders: (organisationId, id, headers) => box.seal(JSON.stringify(headers), headersContext(organisationId, id)),
    open,
    clock,
  });
  return {
    handlers: { ToolServerService: toolServerHandlers(app) },
    exports: {
      find: (organisationId: string, id: string) => servers.find(organisationId, id),
      idsAmong: (organisationId: string, ids: readonly string[]) => servers.idsAmong(organisationId, ids),
      session: toolSessions({ servers, open, clock, logger }),
      removeAll: (organisationId: string) => servers.removeAll(organisationId),
    },
  } satisfies Area<typeof service.declaration>;
};

const openedHeaders =
  (opened: () => string) =>
  (name: string): Readonly<Record<string, string>> => {
    try {
      return JSON.parse(opened()) as Record<string, string>;
    } catch (error) {
      if (!(error instanceof SecretUnreadable)) throw error;
      const reason = 'its headers cannot be read any more, and have to be given again';
      throw toolServerFailed({ name, reason, cause: error });
    }
  };
