import type {
  AssistantServiceHandlers,
  AssistantVersionInput,
  CreateAssistantRequest,
  CustomAssistantInput,
} from '@platform-backend/contract-content';
import { requireVisible } from '@platform-backend/core';
import { fieldsGiven, listAnswer, type CallContext } from '@platform-backend/grpc';
import { accessMessage, accessOf } from '../../access/api/access-messages.ts';
import { labelsOf, metadataOf, requireMetadata } from '../../documents/domain/metadata.ts';
import type { AssistantUseCases } from '../app/assistants.ts';
import type { Assistant, AssistantSettings, AssistantVersion } from '../domain/assistant.ts';

/** What there is to assistants beside talking to them. */
export const assistantHandlers = (
  app: AssistantUseCases,
  seesImages: (model: string) => boolean,
): Omit<AssistantServiceHandlers<CallContext>, 'submitToAssistant'> => ({
  async listAvailableAssistants(_request, context) {
    const available = await app.listAvailable(context.actorContext());
    return {
      default: available.default.map(({ id, name, description, model }) => ({
        ...{ id, name, description, supportsImages: seesImages(model) },
      })),
      custom: available.custom.map(({ id, name, description, model, createdAt }) => ({
        ...{ id, name, description, createdAt, supportsImages: seesImages(model) },
      })),
    };
  },

  async createAssistant(request, context) {
    requireVisible('body', { name: request.name });
    const access = accessOf(request.access);
    return assistantOf(await app.createAssistant(context.actorContext(), settingsOf(request), access));
  },

  listAssistants: async (request, context) =>
    listAnswer('assistants', await app.listAssistants(context.actorContext(), request), assistantOf),

  getAssistant: async ({ assistantId }, context) =>
    assistantOf(await app.getAssistant(context.actorContext(), assistantId)),

  async updateAssistant({ assistantId, updateMask, toolEffects, ...request }, context) {
    const { documentLabels, ...settings } = settingsOf({ ...request, toolEffects: toolEffects ?? 'ask' });
    const given = fieldsGiven(updateMask, { ...settings, documentMetadata: documentLabels });
    const { documentMetadata: labels, ...others } = given;
    requireVisible('body', { name: others.name });
    const wanted = { ...others, ...(labels && { documentLabels: labels }) };
    return assistantOf(await app.updateAssistant(context.actorContext(), assistantId, wanted));
  },

  setAssistantAccess: async ({ assistantId, ...access }, context) =>
    accessMessage(await app.setAssistantAccess(context.actorContext(), assistantId, access)),

  async deleteAssistant({ assistantId }, context) {
    const { id } = await app.deleteAssistant(context.actorContext(), assistantId);
    return { id, deleted: true };
  },

  listAssistantVersions: async ({ assistantId, ...page }, context) =>
    listAnswer('versions', await app.listVersions(context.actorContext(), assistantId, page), versionOf),
});

const settingsOf = (request: Omit<CreateAssistantRequest, 'access'>): AssistantSettings => {
  const { name, description, instructions, model, tools, documentIds, collections, ...others } = request;
  const { temperature, toolEffects, toolServerIds, documentMetadata } = others;
  const text = { name, description, instructions, model };
  const documentLabels = labelsOf(requireMetadata(documentMetadata, 'document_metadata'));
  return { ...text, tools, documentIds, collections, documentLabels, temperature, toolEffects, toolServerIds };
};

/** Lists that may be written. */
const listsOf = ({ tools, documentIds, collections, documentLabels, toolServerIds }: AssistantSettings) => ({
  tools: [...tools],
  documentIds: [...documentIds],
  collections: [...collections],
  toolServerIds: [...toolServerIds],
  documentMetadata: { ...metadataOf(documentLabels) },
});

const assistantOf = ({ revision, ...assistant }: Assistant): CustomAssistantInput => ({
  ...assistant,
  ...listsOf(assistant),
  version: revision,
  access: accessMessage(assistant),
});

const versionOf = ({ revision, actor, ...version }: AssistantVersion): AssistantVersionInput => ({
  ...version,
  ...listsOf(version),
  version: revision,
  actorType: actor.type,
  actorId: actor.id,
  actorName: actor.name,
});
