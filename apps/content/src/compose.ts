import type {
  DatasetServiceClient,
  PipelineServiceClient,
  RunServiceClient,
} from '@platform-backend/contract-pipelines';
import { newId } from '@platform-backend/core';
import type { CallOptions } from '@platform-backend/grpc';
import type { Compose } from '@platform-backend/service';
import { assistantHandlers } from './assistants/api/assistant-handlers.ts';
import { assistantUseCases } from './assistants/app/assistants.ts';
import { assistantsStore } from './assistants/store/assistants-store.ts';
import { conventionHandlers } from './conventions/api/convention-handlers.ts';
import { conventionUseCases } from './conventions/app/conventions.ts';
import { indexDueConventions } from './conventions/app/index-conventions.ts';
import { conventionsStore } from './conventions/store/conventions-store.ts';
import { billingCredits, type CreditsClient } from './credits/clients/billing-credits.ts';
import { removeOrganisations } from './organisation-removal/app/remove-organisations.ts';
import { onOrganisationDeleted } from './organisation-removal/reactions/on-organisation-deleted.ts';
import { organisationRemovalsStore } from './organisation-removal/store/organisation-removals-store.ts';
import { cutText } from './passages/extraction/cut-passages.ts';
import { pipelinesRuns } from './reports/clients/pipelines-runs.ts';
import { searchHandlers } from './search/api/search-handlers.ts';
import { searchForReaders } from './search/app/search-for-readers.ts';
import type { service } from './service.ts';
import { pipelinesDatasets } from './turns/clients/pipelines-datasets.ts';
import { pipelinesPipelines } from './turns/clients/pipelines-pipelines.ts';
import { composeConversations } from './wiring/compose-conversations.ts';
import { composeDocuments } from './wiring/compose-documents.ts';
import { composeReports } from './wiring/compose-reports.ts';
import { composeTranscriptions } from './wiring/compose-transcriptions.ts';
import { composeTurns } from './wiring/compose-turns.ts';
import { modelsOf } from './wiring/language-model-settings.ts';
import { openEmbeddings } from './wiring/open-engines.ts';
import { openSearch } from './wiring/open-search.ts';

/** Puts the service together from its parts. The only place that knows which implementation is used. */
export const compose: Compose<typeof service.declaration> = async (frame) => {
  const { settings, storage, clock, logger, client, defer } = frame;
  const { database } = storage;
  const embeddings = openEmbeddings(settings, logger);
  defer(embeddings.close);
  logger.info(embeddings.notice);
  const found = await openSearch(settings, { database, embeddings: embeddings.engine, clock, logger });
  defer(found.search.close);
  const documents = await composeDocuments(frame, found);
  const conventionPorts = {
    ...found,
    conventions: conventionsStore(database),
    cutPassages: cutText,
    clock,
    newId,
    logger,
  };
  const conversations = composeConversations({
    ...conventionPorts,
    database,
    turnLeaseMs: settings.CONTENT_TURN_LEASE_SECONDS * 1000,
  });
  const runService = client<RunServiceClient<CallOptions>>('platform.pipelines.v1.RunService');
  const pipelineService = client<PipelineServiceClient<CallOptions>>('platform.pipelines.v1.PipelineService');
  const readRun = pipelinesRuns(runService);
  const reports = composeReports({ ...conversations, readRun, database, clock, logger, defer });
  const credits = billingCredits(client<CreditsClient>('platform.billing.v1.CreditService'));
  const transcriptions = composeTranscriptions({ settings, database, credits, clock, logger, defer });
  const assistants = assistantsStore(database);
  const assistantsApp = assistantUseCases({ assistants, models: modelsOf(settings), clock, newId });
  const turns = composeTurns(settings, {
    ...found,
    ...conversations,
    documents: documents.documents,
    conversationTurns: conversations.turns,
    conventions: conventionPorts.conventions,
    findAssistant: (organisationId, _memberId, name) => assistantsApp.assistantNamed(organisationId, name),
    credits,
    datasets: pipelinesDatasets(client<DatasetServiceClient<CallOptions>>('platform.pipelines.v1.DatasetService')),
    pipelines: pipelinesPipelines(pipelineService, runService),
    clock,
    newId,
    logger,
    defer,
  });
  const removals = organisationRemovalsStore(database);
  const { conventions } = conventionPorts;
  const kinds = [
    (organisationId: string) => conventions.removeAll(organisationId),
    conversations.removeAll,
    ...documents.removers,
    assistants.removeAll,
    found.removeAll,
    reports.removeAll,
    transcriptions.removeAll,
  ];
  return {
    handlers: {
      AssistantService: { ...assistantHandlers(assistantsApp), ...turns.submit },
      ConventionService: conventionHandlers(conventionUseCases(conventionPorts)),
      ...conversations.handlers,
      ...documents.handlers,
      ...turns.handlers,
      ...reports.handlers,
      SearchService: searchHandlers(searchForReaders({ ...found, ...conversations })),
      ...transcriptions.handlers,
    },
    reactions: { 'content-on-organisation-deleted': onOrganisationDeleted(removals) },
    jobs: [
      ...found.repeated,
      ...conversations.repeated,
      ...reports.repeated,
      ...transcriptions.repeated,
      {
        name: 'the indexing of conventions',
        everyMs: 2_000,
        run: (stopping: AbortSignal) => indexDueConventions(conventionPorts, stopping),
      },
      {
        name: 'the removal of deleted organisations',
        everyMs: 5_000,
        run: () => removeOrganisations({ removals, kinds, clock, newId }, logger),
      },
    ],
  };
};
