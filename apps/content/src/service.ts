import { billingContract } from '@platform-backend/contract-billing';
import { contentContract } from '@platform-backend/contract-content';
import { identityContract, identityEvents } from '@platform-backend/contract-identity';
import { pipelinesContract } from '@platform-backend/contract-pipelines';
import { readConfiguration } from '@platform-backend/core';
import { mongo } from '@platform-backend/mongo/storage';
import { defineService, type ServiceContext } from '@platform-backend/service';
import { assistantSettings } from './assistants/settings.ts';
import { assistantConstraintErrors } from './assistants/store/constraint-errors.ts';
import { documentSettings, ocrSettings } from './documents/settings.ts';
import { generationSettings } from './generations/settings.ts';
import { importSettings } from './imports/settings.ts';
import { modelRuntimeSettings } from './model-runtime/settings.ts';
import { embeddingsSettings, passagesSettings } from './passages/settings.ts';
import { sandboxSettings } from './sandbox/settings.ts';
import { toolServerSettings } from './tool-servers/settings.ts';
import { toolServerConstraintErrors } from './tool-servers/store/constraint-errors.ts';
import { transcriptionSettings } from './transcription/settings.ts';
import { turnSettings } from './turns/settings.ts';

export const service = defineService({
  name: 'content',
  contract: contentContract,
  port: 5003,
  // Answers that are being written are written to their end, or nearly: CONTENT_TURN_DRAIN_SECONDS after the calls. Within the
  // 30 s after which Kubernetes kills what it stops, unless told otherwise.
  drainLimitMs: 28_000,
  settings: {
    ...sandboxSettings,
    ...modelRuntimeSettings,
    ...passagesSettings,
    ...documentSettings,
    ...importSettings,
    ...toolServerSettings,
    ...assistantSettings,
    ...turnSettings,
    ...generationSettings,
    ...transcriptionSettings,
  },
  storage: mongo({
    collections: collectionsOfAll,
    constraintErrors: { ...assistantConstraintErrors, ...toolServerConstraintErrors },
  }),
  restoresOrganisations: { kept: [] },
  sealedSecrets: async () => ({
    'tool servers': (await import('./tool-servers/store/reseal-tool-servers.ts')).resealToolServers,
    'addresses of imports': (await import('./imports/store/reseal-addresses.ts')).resealAddresses,
  }),
  calls: { billing: billingContract },
  callsIfThere: { identity: identityContract, pipelines: pipelinesContract },
  events: {
    publishes: true,
    follows: [],
    reactions: { 'content-on-organisation-deleted': identityEvents('organisation.deleted') },
  },
  development: { notice: modelNotice },
});

/** What its areas are put together from. */
export type ContentContext = ServiceContext<typeof service.declaration>;

/** All that its areas keep. Whoever reads this declaration loads no database with it. */
export async function collectionsOfAll() {
  return {
    ...(await import('./access/store/access-collections.ts')).accessCollections,
    ...(await import('./passages/store/passage-collections.ts')).passageCollections,
    ...(await import('./conventions/store/convention-collections.ts')).conventionCollections,
    ...(await import('./documents/store/document-collections.ts')).documentCollections,
    ...(await import('./imports/store/import-collections.ts')).importCollections,
    ...(await import('./tool-servers/store/tool-server-collections.ts')).toolServerCollections,
    ...(await import('./assistants/store/assistant-collections.ts')).assistantCollections,
    ...(await import('./conversations/store/conversation-collections.ts')).conversationCollections,
    ...(await import('./reports/store/report-collections.ts')).reportCollections,
    ...(await import('./transcription/store/transcription-collections.ts')).transcriptionCollections,
    ...(await import('./retention/store/retention-collections.ts')).retentionCollections,
    ...(await import('./open-ai/store/chat-completion-collections.ts')).chatCompletionCollections,
    ...(await import('./generations/store/generation-collections.ts')).generationCollections,
    ...(await import('./organisation-removal/store/removal-collections.ts')).removalCollections,
  };
}

/** Which model there is of each kind and what would make it better, for the line at a start. Loads models only then. */
async function modelNotice(env: Readonly<Record<string, string | undefined>>): Promise<string> {
  const { installedModels } = await import('./model-runtime/models/local-models.ts');
  const { embeddingsNotice } = await import('./passages/models/open-embeddings.ts');
  const { installedOcr, ocrNotice } = await import('./documents/models/installed-ocr.ts');
  const { speechNotice } = await import('./transcription/models/open-recogniser.ts');
  const settings = readConfiguration(env, {
    ...{ ...modelRuntimeSettings, ...embeddingsSettings, ...transcriptionSettings, ...ocrSettings },
  });
  const models = installedModels(settings);
  const ocr = ocrNotice(await installedOcr(settings, env), settings);
  return `${embeddingsNotice(settings, models)}; ${speechNotice(settings, models)}; ${ocr}`;
}
