import type { ActorContext } from '@platform-backend/core';
import type { Area } from '@platform-backend/service';
import type { AccessExports } from '../access/area.ts';
import type { DocumentsExports } from '../documents/area.ts';
import type { ModelRuntimeExports } from '../model-runtime/area.ts';
import type { ContentContext, service } from '../service.ts';
import type { ToolServersExports } from '../tool-servers/area.ts';
import { assistantHandlers } from './api/assistant-handlers.ts';
import { assistantUseCases } from './app/assistants.ts';
import { hiddenSources } from './app/hidden-sources.ts';
import { assistantsStore } from './store/assistants-store.ts';

export type AssistantsExports = ReturnType<typeof assistantsArea>['exports'];

/** Assistants: those that everybody has, and those that an organisation makes, every version of them. */
export const assistantsArea = (
  { storage, clock }: ContentContext,
  {
    access: { admitAccess, reader },
    documents,
    toolServers,
    modelRuntime: { languageModels },
  }: {
    readonly access: AccessExports;
    readonly documents: Pick<DocumentsExports, 'find' | 'idsAmong'>;
    readonly modelRuntime: Pick<ModelRuntimeExports, 'languageModels'>;
    readonly toolServers: Pick<ToolServersExports, 'find' | 'idsAmong'>;
  },
) => {
  const assistants = assistantsStore(storage.database);
  const app = assistantUseCases({
    assistants,
    admitAccess,
    hasDocument: async (organisationId, id) => (await documents.find(organisationId, id)) !== undefined,
    hasToolServer: async (organisationId, id) => (await toolServers.find(organisationId, id)) !== undefined,
    hiddenSources: hiddenSources({
      reader,
      documentsAmong: documents.idsAmong,
      toolServersAmong: toolServers.idsAmong,
    }),
    models: languageModels.names,
    clock,
  });
  return {
    handlers: {
      AssistantService: assistantHandlers(app, (model) => languageModels.find(model)?.seesImages === true),
    },
    exports: {
      listAvailable: (by: ActorContext) => app.listAvailable(by),
      findAssistant: (organisationId: string, name: string) => app.assistantNamed(organisationId, name),
      removeAll: (organisationId: string) => assistants.removeAll(organisationId),
    },
  } satisfies Area<typeof service.declaration>;
};
