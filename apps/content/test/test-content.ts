import { generateServiceKeys } from '@platform-backend/auth';
import type {
  AssistantServiceClient,
  CollectionServiceClient,
  ConversationServiceClient,
  ConventionServiceClient,
  DocumentImportServiceClient,
  DocumentServiceClient,
  FileServiceClient,
  MessageServiceClient,
  OpenAiFileServiceClient,
  OpenAiServiceClient,
  ReportServiceClient,
  RetentionServiceClient,
  SearchServiceClient,
  ToolServerServiceClient,
  TranscriptionServiceClient,
  TurnServiceClient,
} from '@platform-backend/contract-content';
import type { CallOptions } from '@platform-backend/grpc';
import { watchQueries } from '@platform-backend/mongo/testing';
import { startTestService, type Callers, type TestServiceOptions } from '@platform-backend/service/testing';
import { runDirectory } from '@platform-backend/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { composeWith } from '../src/areas.ts';
import { documentReaders } from '../src/documents/extraction/document-readers.ts';
import { service } from '../src/service.ts';
import { embeddingsDouble } from './embeddings-double.ts';
import { readersHere } from './readers-here.ts';
import { testSandbox } from './test-sandbox.ts';

interface TestContentOptions extends TestServiceOptions {
  /**
   * What embeds texts where no API is named: a double, which goes by words; or, for what is about meanings, the encoder that comes with the
   * package, which takes seconds of the processor to load.
   */
  readonly encoder?: 'double' | 'shipped';
  /** Where it reads documents: in this process; or, for what is about that, in such of their own, each of which takes its time to start. */
  readonly readers?: 'here' | 'processes';
}

/**
 * The whole service on a database of its own, with a client of each of its services. `stop` fails where a query of it reads a whole
 * collection or sorts in memory.
 */
export type TestContent = Awaited<ReturnType<typeof startTestContent>>;

/** Of whom it is called by and calls. */
export const keys = await generateServiceKeys(['gateway', 'content', 'pipelines', 'identity']);

export async function startTestContent({ encoder = 'double', readers = 'here', ...options }: TestContentOptions = {}) {
  const directory = mkdtempSync(join(runDirectory(), 'objects-'));
  const named = { ...options.replicaOf?.env, ...options.environment };
  const isEmbedding = encoder === 'double' && named['EMBEDDINGS_BASE_URL'] === undefined;
  const embeddings = isEmbedding ? await embeddingsDouble() : undefined;
  const environment = {
    ...objectsIn(directory),
    ...(embeddings && { EMBEDDINGS_BASE_URL: embeddings.baseUrl }),
    ...named,
  };
  const compose = composeWith({
    openSandbox: () => Promise.resolve(testSandbox),
    openReaders: readers === 'here' ? readersHere : documentReaders,
  });
  const running = await startTestService(service, compose, keys, { ...options, environment });
  const database = running.frame?.storage.database.unguarded;
  const queries = database && watchQueries(database);
  const stop = async () => {
    const unindexed = await queries?.unindexed();
    await running.stop();
    await embeddings?.close();
    if (unindexed?.length) throw new Error(`queries without an index for them:\n${unindexed.join('\n')}`);
    rmSync(directory, { recursive: true, force: true });
  };
  return { ...clientsOf(running.calledBy('gateway')), ...running, directory, stop };
}

export const objectsIn = (directory: string) => ({
  OBJECTS_DIRECTORY: directory,
  OBJECTS_KEY: 'a secret of the tests',
  SECRETS_KEY: 'another secret of the tests',
  PLATFORM_PUBLIC_URL: 'https://api.example.com',
});

export const clientsOf = ({ to }: Callers) => ({
  conventions: to<ConventionServiceClient<CallOptions>>('ConventionService'),
  assistants: to<AssistantServiceClient<CallOptions>>('AssistantService'),
  collections: to<CollectionServiceClient<CallOptions>>('CollectionService'),
  conversations: to<ConversationServiceClient<CallOptions>>('ConversationService'),
  messages: to<MessageServiceClient<CallOptions>>('MessageService'),
  documents: to<DocumentServiceClient<CallOptions>>('DocumentService'),
  imports: to<DocumentImportServiceClient<CallOptions>>('DocumentImportService'),
  files: to<FileServiceClient<CallOptions>>('FileService'),
  openAiFiles: to<OpenAiFileServiceClient<CallOptions>>('OpenAiFileService'),
  openAi: to<OpenAiServiceClient<CallOptions>>('OpenAiService'),
  reports: to<ReportServiceClient<CallOptions>>('ReportService'),
  retention: to<RetentionServiceClient<CallOptions>>('RetentionService'),
  search: to<SearchServiceClient<CallOptions>>('SearchService'),
  toolServers: to<ToolServerServiceClient<CallOptions>>('ToolServerService'),
  transcriptions: to<TranscriptionServiceClient<CallOptions>>('TranscriptionService'),
  turns: to<TurnServiceClient<CallOptions>>('TurnService'),
});
