import type {
  DatasetServiceClient,
  PipelineServiceClient,
  RunServiceClient,
} from '@platform-backend/contract-pipelines';
import type { CallOptions } from '@platform-backend/grpc';
import type { Area } from '@platform-backend/service';
import { setTimeout as delay } from 'node:timers/promises';
import type { AccessExports } from '../access/area.ts';
import type { AssistantsExports } from '../assistants/area.ts';
import type { ConventionsExports } from '../conventions/area.ts';
import type { ConversationsExports } from '../conversations/area.ts';
import type { CreditsExports } from '../credits/area.ts';
import type { DocumentsExports } from '../documents/area.ts';
import type { ModelRuntimeExports } from '../model-runtime/area.ts';
import type { PassagesExports } from '../passages/area.ts';
import type { ContentContext, service } from '../service.ts';
import type { ToolServersExports } from '../tool-servers/area.ts';
import { taskHandlers } from './api/task-handlers.ts';
import { submitHandler, turnHandlers } from './api/turn-handlers.ts';
import type { AttachedFiles } from './app/attachments.ts';
import { conversationTurns } from './app/conversation-turns.ts';
import { answerSlots, imageSlots, turnUseCases, type AnsweringPorts } from './app/turns.ts';
import { pipelinesDatasets } from './clients/pipelines-datasets.ts';
import { pipelinesPipelines } from './clients/pipelines-pipelines.ts';
import type { LanguageModel } from './domain/language-model.ts';
import { retrievalAssistant } from './models/retrieval-assistant.ts';
import { turnMeters } from './models/turn-meters.ts';
import { jsonSchemas } from './schemas/json-schemas.ts';

export type TurnsExports = Awaited<ReturnType<typeof turnsArea>>['exports'];

interface TurnsNeeds {
  readonly modelRuntime: Pick<ModelRuntimeExports, 'languageModels'>;
  readonly access: AccessExports;
  readonly credits: CreditsExports;
  readonly passages: PassagesExports;
  readonly conventions: ConventionsExports;
  readonly documents: DocumentsExports;
  readonly toolServers: Pick<ToolServersExports, 'session'>;
  readonly assistants: AssistantsExports;
  readonly conversations: ConversationsExports;
}

/** Turns: a person says something, an assistant answers, by what it finds, selects and has run. */
export const turnsArea = async (
  { settings, clock, logger, client, defer, metrics }: ContentContext,
  {
    access: { reader },
    modelRuntime: { languageModels },
    credits: { creditsFor, recordDebit },
    passages,
    conventions,
    documents,
    toolServers,
    assistants,
    conversations: kept,
  }: TurnsNeeds,
) => {
  const { conversations, messages } = kept;
  const turnLeaseMs = settings.CONTENT_TURN_LEASE_SECONDS * 1000;
  const credits = creditsFor('assistant_message');
  const forEverybody = <T>(work: () => T): T => reader.within(undefined, work);
  const ofConversations = conversationTurns({
    ...{ conversations, messages, clock, turnLeaseMs, credits, forEverybody, logger },
  });
  const schemas = jsonSchemas();
  const answers = { slots: settings.CONTENT_TURNS, share: settings.CONTENT_TURNS_PER_ORGANISATION };
  const answering: AnsweringPorts = {
    search: passages.search,
    documents,
    attachedFiles: attachedDocuments(documents),
    schemas,
    findConvention: conventions.find,
    findDocument: (organisationId, id) => passages.passageStore.find(organisationId, 'DOCUMENT', id),
    async findAssistant(organisationId, _memberId, name) {
      const found = await assistants.findAssistant(organisationId, name);
      // A model that is not offered any more is not used.
      return languageModels.names.includes(found.model) ? found : { ...found, model: '' };
    },
    datasets: pipelinesDatasets(client<DatasetServiceClient<CallOptions>>('platform.pipelines.v1.DatasetService')),
    pipelines: pipelinesPipelines(
      client<PipelineServiceClient<CallOptions>>('platform.pipelines.v1.PipelineService'),
      client<RunServiceClient<CallOptions>>('platform.pipelines.v1.RunService'),
    ),
    toolServers: toolServers.session,
    model: await languageModelOf(languageModels, settings, passages.countTokens),
    pause: (ms, signal) => delay(ms, undefined, { signal }),
    titleModel: settings.LLM_TITLE_MODEL,
    rewriteModel: settings.LLM_REWRITE_MODEL,
    turnLeaseMs,
    meters: turnMeters(metrics),
    approvalMs: settings.CONTENT_APPROVAL_MINUTES * 60_000,
    slots: answerSlots(answers),
    imageSlots: imageSlots(answers),
    drainMs: settings.CONTENT_TURN_DRAIN_SECONDS * 1000,
    clock,
    logger,
  };
  if (languageModels.models.length > 0) {
    const { tryModels } = await import('./models/try-models.ts');
    const stopping = new AbortController();
    // Nobody waits for it, but it ends with the service.
    const tried = tryModels(languageModels, { settings, logger, countTokens: passages.countTokens }, stopping.signal);
    defer(() => {
      stopping.abort();
      return tried;
    });
  }
  const turns = turnUseCases({
    ...{ conversationTurns: ofConversations, conversations, messages, credits, recordDebit },
    ...answering,
  });
  // What is deferred last is done first: answers that come to their end meanwhile are held against their schemas still.
  defer(schemas.close);
  defer(() => turns.close());
  return {
    handlers: {
      AssistantService: submitHandler(turns),
      TaskService: taskHandlers(turns, reader.within),
      TurnService: turnHandlers(turns),
    },
    jobs: [
      {
        name: 'the end of answers that were broken off',
        everyMs: 5_000,
        run: (stopping) => ofConversations.expireTurns(stopping),
        untilDueMs: ofConversations.untilExpiry,
      },
    ],
    exports: {
      answering,
      /** What may be asked for by itself. */
      languageModels: answering.model.quotesOnly ? [] : languageModels.names,
    },
  } satisfies Area<typeof service.declaration>;
};

/** A model by an API, or nobody who understands, but quotes. */
async function languageModelOf(
  models: ModelRuntimeExports['languageModels'],
  { LLM_MICROS_PER_1000_TOKENS: micros }: ContentContext['settings'],
  countTokens: (text: string) => number,
): Promise<LanguageModel> {
  const price = BigInt(micros) * 1_000n;
  if (models.models.length === 0) return retrievalAssistant('search_documents', { input: price, output: price });
  const { apiLanguageModel } = await import('./models/api-language-model.ts');
  return apiLanguageModel(models, { countTokens });
}

/** Documents as files of messages. */
const attachedDocuments = ({ find, documents }: Pick<DocumentsExports, 'find' | 'documents'>): AttachedFiles => ({
  find,
  readText: async (by, id) => (await documents.getDocument(by, id)).content,
  async readBytes(by, id, limit, signal) {
    const { bytes } = await documents.readDocument(by, id, signal);
    const pieces: Uint8Array[] = [];
    let size = 0;
    for await (const piece of bytes) {
      pieces.push(piece);
      size += piece.length;
      if (size > limit) break;
    }
    return Buffer.concat(pieces);
  },
});
