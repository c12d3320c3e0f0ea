import { afterAll } from '@jest/globals';
import { creditLedger } from '@platform-backend/contract-billing/client/testing';
import type { GenerationServiceClient } from '@platform-backend/contract-content';
import { fixedClock, newId, systemClock, type Clock } from '@platform-backend/core';
import type { CallOptions } from '@platform-backend/grpc';
import { member, newOrganisation, service as asService } from '@platform-backend/service/testing';
import {
  killedCallsSuite,
  serviceSuites,
  spendingSuite,
  type KnownOperation,
  type ServiceUnderTest,
} from '@platform-backend/service/testing/suites';
import { Readable } from 'node:stream';
import { service } from '../src/service.ts';
import { approvalFields } from '../src/turns/domain/approval.ts';
import { says } from './chat-script.ts';
import { actingAs, conversationsOf } from './conversation-under-test.ts';
import { documentClient, ticketIn } from './document-client.ts';
import { openAiDouble } from './openai-double.ts';
import { silence } from './silence.ts';
import { keys, startTestContent, type TestContent } from './test-content.ts';

const mask = (...paths: string[]) => ({ updateMask: { paths } });

let content: TestContent;
/** What embeds texts in it. */
let encoderName = '';

const COLLECTION = 'contracts';

const recording = () => ({ audio: { filename: 'a.wav', contentType: 'audio/wav', content: silence() } });

/** Nobody fetches from it here. */
const imported = () => ({ items: [{ url: 'https://files.example.com/handbook.pdf' }] });

/** A server whose tools are described here, so that nobody has to ask it for them. */
const toolServer = (name: string) => ({
  ...{ name, kind: 'http' as const, url: 'https://tools.example.com/', headers: { Authorization: 'Bearer example' } },
  tools: [{ name: 'ping', approval: 'none' as const, description: 'Pings', method: 'GET' as const, path: '/ping' }],
});

/** Gives an organisation one of each thing, or of those whose ids are wanted. */
async function seed(_: unknown, name: string, wanted?: ReadonlySet<string>) {
  const organisationId = newOrganisation();
  const owner = member(organisationId, 'OWNER');
  const wants = (...ids: string[]) => wanted === undefined || ids.some((id) => wanted.has(id));
  const made = async (id: string, make: () => Promise<{ readonly id: string }>) => (wants(id) ? (await make()).id : '');
  const conventionId = await made('conventionId', () =>
    content.conventions.createConvention({ title: name, content: name }, owner),
  );
  const assistantId = await made('assistantId', () => content.assistants.createAssistant({ name }, owner));
  const toolServerId = await made('toolServerId', () =>
    content.toolServers.createToolServer(toolServer('seeded'), owner),
  );
  const reportId = await made('reportId', () => content.reports.createReport({ title: name, markdown: name }, owner));
  const asked = wants('conversationId', 'messageId', 'questionId')
    ? await conversationsOf(content).ask(actingAs(owner), name)
    : undefined;
  const toolCallId = newId();
  const wish = wants('wishId', 'toolCallId')
    ? await conversationsOf(content).ask(actingAs(owner), name, { annotations: { approval: approvalOf(toolCallId) } })
    : undefined;
  if (wants('completion'))
    await content.openAi.createChatCompletion(
      { model: assistantId, messages: [{ role: 'user', content: name }] },
      owner,
    );
  if (wants('generation'))
    await content
      .calledBy('pipelines')
      .to<GenerationServiceClient<CallOptions>>('GenerationService')
      .generateText({ id: newId(), workId: newId(), prompt: name }, asService('pipelines', organisationId));
  if (wanted === undefined) {
    const { data: models } = await content.openAi.listModels({}, owner);
    encoderName = models.find((model) => model.name === 'Embeddings')?.id ?? '';
  }
  const documents = documentClient(content);
  const processed = async (text: string, status: 'READY' | 'FAILED') => {
    const id = await documents.upload(owner, { name: `${name}.txt`, text });
    await documents.until(id, status, owner);
    return id;
  };
  const documentId = wants('documentId', 'downloadTicket') ? await processed(`${name} `.repeat(50), 'READY') : '';
  const emptyDocumentId = wants('emptyDocumentId') ? await processed('', 'FAILED') : '';
  const { signedUrl: upload } = wants('uploadTicket')
    ? await content.documents.uploadDocument({ id: newId(), name: `${name}.txt` }, owner)
    : { signedUrl: '' };
  if (wants('collection'))
    await content.collections.setCollectionAccess({ collection: COLLECTION, visibility: 'restricted' }, owner);
  const { signedUrl: download } = documentId
    ? await content.documents.downloadDocument({ documentId }, owner)
    : { signedUrl: '' };
  const transcriptionId = await made('transcriptionId', () =>
    content.transcriptions.transcribe(Readable.from([recording()]), owner),
  );
  const jobId = await made('jobId', async () =>
    content.transcriptions.createTranscriptionJob({ documentId: await uploaded(owner, name) }, owner),
  );
  if (wants('policy'))
    await content.retention.updateRetentionPolicy({ documents: { days: 3650, since: 'CHANGED' } }, owner);
  const importId = await made('importId', () => content.imports.createDocumentImport(imported(), owner));
  return {
    organisationId,
    caller: owner.caller,
    ids: {
      importId,
      transcriptionId,
      jobId,
      documentId,
      emptyDocumentId,
      uploadTicket: upload && ticketIn(upload),
      downloadTicket: download && ticketIn(download),
      ownerId: owner.caller.userId ?? '',
      conventionId,
      reportId,
      conversationId: asked?.conversationId ?? '',
      assistantId,
      toolServerId,
      messageId: asked?.answer.id ?? '',
      questionId: asked?.answer.parentId ?? '',
      wishId: wish?.answer.id ?? '',
      toolCallId,
    },
  };
}

/** Of a document that is not read here, as no recording is. */
async function uploaded(owner: ReturnType<typeof member>, name: string): Promise<string> {
  const documents = documentClient(content);
  const id = await documents.upload(owner, { name: `${name}.txt`, text: name });
  await documents.until(id, 'READY', owner);
  return id;
}

const approvalOf = (toolCallId: string) =>
  approvalFields({
    ...{ toolCallId, tool: 'run_pipeline', arguments: {}, summary: 'Run it', status: 'pending' },
    expiresAt: new Date(Date.now() + 3_600_000),
  });

type Ids = Awaited<ReturnType<typeof seed>>['ids'];

const said = ({ conversationId }: Ids) => ({ assistantName: 'general', newMessage: 'new', conversationId });

const chat = ({ assistantId }: Ids) => ({ model: assistantId, messages: [{ role: 'user' as const, content: 'new' }] });

/** Who may call what (D14), with a request that is carried out. */
const operations: Readonly<Record<string, KnownOperation<Ids>>> = {
  'AssistantService/ListAvailableAssistants': ['VIEWER', 'key'],
  'AssistantService/CreateAssistant': ['EDITOR', 'key', () => ({ name: 'new', documentIds: [], toolServerIds: [] })],
  'AssistantService/ListAssistants': ['VIEWER', 'key'],
  'AssistantService/GetAssistant': ['VIEWER', 'key', ({ assistantId }) => ({ assistantId })],
  'AssistantService/UpdateAssistant': [
    'EDITOR',
    'key',
    ({ assistantId }) => ({ assistantId, name: 'mine', documentIds: [], toolServerIds: [], ...mask('name') }),
  ],
  'AssistantService/DeleteAssistant': ['EDITOR', 'key', ({ assistantId }) => ({ assistantId })],
  'AssistantService/ListAssistantVersions': ['VIEWER', 'key', ({ assistantId }) => ({ assistantId })],
  'AssistantService/SetAssistantAccess': [
    'EDITOR',
    'key',
    ({ assistantId }) => ({ assistantId, visibility: 'restricted' }),
  ],
  'CollectionService/ListCollections': ['VIEWER', 'key'],
  'CollectionService/GetCollectionAccess': ['VIEWER', 'key', () => ({ collection: COLLECTION })],
  'CollectionService/SetCollectionAccess': ['ADMIN', 'key', () => ({ collection: 'new', visibility: 'restricted' })],
  'ConversationService/ListConversations': ['VIEWER', 'key', ({ ownerId }) => ({ memberId: ownerId })],
  'ConversationService/GetConversation': ['VIEWER', 'key', ({ conversationId }) => ({ conversationId })],
  'ConversationService/UpdateConversation': [
    'VIEWER',
    'key',
    ({ conversationId, questionId }) => ({
      conversationId,
      currentMessageId: questionId,
      ...mask('current_message_id'),
    }),
  ],
  'ConversationService/DeleteConversation': ['VIEWER', 'key', ({ conversationId }) => ({ conversationId })],
  'ConversationService/ShareConversation': ['VIEWER', 'key', ({ conversationId }) => ({ conversationId })],
  'ConversationService/UnshareConversation': [
    'VIEWER',
    'key',
    ({ conversationId }) => ({ conversationId }),
    { after: 'ConversationService/ShareConversation' },
  ],
  'ConventionService/CreateConvention': ['EDITOR', 'key', () => ({ title: 'new', content: 'new' })],
  'ConventionService/ListConventions': ['VIEWER', 'key'],
  'ConventionService/GetConvention': ['VIEWER', 'key', ({ conventionId }) => ({ conventionId })],
  'ConventionService/UpdateConvention': [
    'EDITOR',
    'key',
    ({ conventionId }) => ({ conventionId, title: 'mine', ...mask('title') }),
  ],
  'ConventionService/SetConventionAccess': [
    'EDITOR',
    'key',
    ({ conventionId }) => ({ conventionId, visibility: 'restricted' }),
  ],
  'ConventionService/DeleteConvention': ['EDITOR', 'key', ({ conventionId }) => ({ conventionId })],
  'ConventionService/ListConventionHistory': ['VIEWER', 'key', ({ conventionId }) => ({ conventionId })],
  'ConventionService/SearchConventions': ['VIEWER', 'key', () => ({ query: 'new' })],
  'MessageService/ListMessages': [
    'VIEWER',
    'key',
    ({ conversationId, ownerId }) => ({ conversationId, memberId: ownerId }),
  ],
  'MessageService/GetMessage': ['VIEWER', 'key', ({ messageId }) => ({ messageId })],
  'MessageService/RateMessage': ['VIEWER', 'key', ({ messageId }) => ({ messageId, rating: 'UP' })],
  'MessageService/DeleteFeedback': [
    'VIEWER',
    'key',
    ({ messageId }) => ({ messageId }),
    { after: 'MessageService/RateMessage' },
  ],
  'DocumentService/UploadDocument': ['EDITOR', 'key', () => ({ id: newId(), name: 'new.txt' })],
  'DocumentService/ListDocuments': ['VIEWER', 'key'],
  'DocumentService/GetDocument': ['VIEWER', 'key', ({ documentId }) => ({ documentId })],
  'DocumentService/WatchDocument': ['VIEWER', 'key', ({ documentId }) => ({ documentId, lastEventId: '0' })],
  'DocumentService/UpdateDocument': [
    'EDITOR',
    'key',
    ({ documentId }) => ({ documentId, name: 'mine', ...mask('name') }),
  ],
  'DocumentService/CompleteDocumentUpload': ['EDITOR', 'key', ({ documentId }) => ({ documentId })],
  'DocumentService/SetDocumentAccess': [
    'EDITOR',
    'key',
    ({ documentId }) => ({ documentId, visibility: 'restricted' }),
  ],
  'DocumentService/SetDocumentRetention': ['ADMIN', 'key', ({ documentId }) => ({ documentId, exempt: true })],
  'DocumentService/ArchiveDocument': ['EDITOR', 'key', ({ documentId }) => ({ documentId })],
  'DocumentService/RestoreDocument': [
    'EDITOR',
    'key',
    ({ documentId }) => ({ documentId }),
    { after: 'DocumentService/ArchiveDocument' },
  ],
  'DocumentService/RetryDocument': ['EDITOR', 'key', ({ emptyDocumentId }) => ({ documentId: emptyDocumentId })],
  'DocumentService/DeleteDocument': ['EDITOR', 'key', ({ documentId }) => ({ documentId })],
  'DocumentService/DownloadDocument': ['VIEWER', 'key', ({ documentId }) => ({ documentId })],
  'DocumentService/UploadDocumentVersion': ['EDITOR', 'key', ({ documentId }) => ({ documentId })],
  'DocumentService/ListDocumentVersions': ['VIEWER', 'key', ({ documentId }) => ({ documentId })],
  'DocumentService/GetDocumentVersion': ['VIEWER', 'key', ({ documentId }) => ({ documentId, version: 1 })],
  'DocumentService/DownloadDocumentVersion': ['VIEWER', 'key', ({ documentId }) => ({ documentId, version: 1 })],
  'DocumentService/RestoreDocumentVersion': ['EDITOR', 'key', ({ documentId }) => ({ documentId, version: 1 })],
  'DocumentService/DeleteDocumentVersion': [
    'EDITOR',
    'key',
    ({ documentId }) => ({ documentId, version: 2 }),
    { after: 'DocumentService/UploadDocumentVersion' },
  ],
  'DocumentService/ListDocumentChunks': ['VIEWER', 'key', ({ documentId }) => ({ documentId })],
  'DocumentImportService/ImportDocument': ['EDITOR', 'key', () => ({ url: 'https://files.example.com/new.pdf' })],
  'DocumentImportService/CreateDocumentImport': ['EDITOR', 'key', imported],
  'DocumentImportService/ListDocumentImports': ['VIEWER', 'key'],
  'DocumentImportService/GetDocumentImport': ['VIEWER', 'key', ({ importId }) => ({ importId })],
  'DocumentImportService/ListDocumentImportItems': ['VIEWER', 'key', ({ importId }) => ({ importId })],
  'DocumentImportService/CancelDocumentImport': ['EDITOR', 'key', ({ importId }) => ({ importId })],
  'DocumentImportService/RetryDocumentImport': ['EDITOR', 'key', ({ importId }) => ({ importId })],
  'RetentionService/GetRetentionPolicy': ['ADMIN', 'no key'],
  'RetentionService/UpdateRetentionPolicy': ['ADMIN', 'no key', () => ({ documents: { days: 365, since: 'CHANGED' } })],
  'RetentionService/PreviewRetentionPolicy': [
    'ADMIN',
    'no key',
    () => ({ documents: { days: 365, since: 'CHANGED' } }),
  ],
  'FileService/UploadFile': [
    'anybody',
    'no key',
    ({ uploadTicket }) => ({ ticket: uploadTicket, contentType: 'text/plain' }),
  ],
  'FileService/DownloadFile': ['anybody', 'no key', ({ downloadTicket }) => ({ ticket: downloadTicket })],
  'OpenAiService/ListModels': ['VIEWER', 'key'],
  'OpenAiService/GetModel': ['VIEWER', 'key', ({ assistantId }) => ({ model: assistantId })],
  'OpenAiService/CreateChatCompletion': ['VIEWER', 'key', chat],
  'OpenAiService/StreamChatCompletion': ['VIEWER', 'key', chat],
  'OpenAiService/CreateEmbeddings': ['VIEWER', 'key', () => ({ model: encoderName, input: 'new' })],
  'OpenAiService/CreateAudioTranscription': [
    'VIEWER',
    'key',
    () => ({ file: recording().audio, model: 'whisper-1', temperature: 0, stream: false }),
  ],
  'OpenAiFileService/CreateFile': [
    'EDITOR',
    'key',
    () => ({ file: { filename: 'new.txt', contentType: '', content: Buffer.from('new') }, purpose: 'assistants' }),
  ],
  'OpenAiFileService/ListFiles': ['VIEWER', 'key'],
  'OpenAiFileService/GetFile': ['VIEWER', 'key', ({ documentId }) => ({ fileId: documentId })],
  'OpenAiFileService/DeleteFile': ['EDITOR', 'key', ({ documentId }) => ({ fileId: documentId })],
  'OpenAiFileService/DownloadFileContent': ['VIEWER', 'key', ({ documentId }) => ({ fileId: documentId })],
  'ReportService/CreateReport': ['EDITOR', 'key', ({ messageId }) => ({ title: 'new', messageId })],
  'ReportService/ListReports': ['VIEWER', 'key', ({ ownerId }) => ({ authorId: ownerId })],
  'ReportService/GetReport': ['VIEWER', 'key', ({ reportId }) => ({ reportId })],
  'ReportService/UpdateReport': ['EDITOR', 'key', ({ reportId }) => ({ reportId, title: 'mine', ...mask('title') })],
  'ReportService/DeleteReport': ['EDITOR', 'key', ({ reportId }) => ({ reportId })],
  'ReportService/RestoreReport': [
    'EDITOR',
    'key',
    ({ reportId }) => ({ reportId }),
    { after: 'ReportService/DeleteReport' },
  ],
  'ReportService/GetReportHtml': ['VIEWER', 'key', ({ reportId }) => ({ reportId })],
  'ReportService/GetReportPdf': ['VIEWER', 'key', ({ reportId }) => ({ reportId })],
  'DocumentService/GetStorage': ['VIEWER', 'key'],
  'ToolServerService/CreateToolServer': ['ADMIN', 'key', () => toolServer('new')],
  'ToolServerService/ListToolServers': ['VIEWER', 'key'],
  'ToolServerService/GetToolServer': ['VIEWER', 'key', ({ toolServerId }) => ({ toolServerId })],
  'ToolServerService/UpdateToolServer': [
    'ADMIN',
    'key',
    ({ toolServerId }) => ({ toolServerId, description: 'mine', ...mask('description') }),
  ],
  'ToolServerService/SetToolServerAccess': [
    'ADMIN',
    'key',
    ({ toolServerId }) => ({ toolServerId, visibility: 'restricted' }),
  ],
  'ToolServerService/ListServerTools': ['ADMIN', 'key', ({ toolServerId }) => ({ toolServerId })],
  'ToolServerService/DeleteToolServer': ['ADMIN', 'key', ({ toolServerId }) => ({ toolServerId })],
  'SearchService/Search': ['VIEWER', 'key', () => ({ query: 'new' })],
  'AssistantService/SubmitToAssistant': ['VIEWER', 'key', said],
  'TaskService/RunTask': [
    ['pipelines'],
    'no key',
    ({ ownerId }) => ({
      turnId: newId(),
      userId: ownerId,
      permissionLevel: 'EDITOR',
      assistantName: 'general',
      instruction: 'new',
    }),
  ],
  'GenerationService/GenerateText': [['pipelines'], 'no key', () => ({ id: newId(), workId: newId(), prompt: 'new' })],
  'GenerationService/CheckGenerations': [['pipelines'], 'no key', () => ({ generations: [{ model: '' }] })],
  'TurnService/StreamToAssistant': ['VIEWER', 'key', said],
  'TurnService/RegenerateMessage': ['VIEWER', 'key', ({ messageId }) => ({ messageId })],
  'TurnService/EditMessage': ['VIEWER', 'key', ({ questionId }) => ({ messageId: questionId, newMessage: 'mine' })],
  'TurnService/StreamRegeneration': ['VIEWER', 'key', ({ messageId }) => ({ messageId })],
  'TurnService/StreamEdit': ['VIEWER', 'key', ({ questionId }) => ({ messageId: questionId, newMessage: 'mine' })],
  'TurnService/DecideApproval': [
    'EDITOR',
    'key',
    ({ wishId, toolCallId }) => ({ turnId: wishId, toolCallId, approve: true }),
  ],
  'TurnService/StreamApproval': [
    'EDITOR',
    'key',
    ({ wishId, toolCallId }) => ({ turnId: wishId, toolCallId, approve: true }),
  ],
  'TurnService/WatchTurn': ['VIEWER', 'key', ({ messageId }) => ({ turnId: messageId, lastEventId: '0' })],
  'TurnService/StopTurn': ['VIEWER', 'key', ({ messageId }) => ({ turnId: messageId })],
  'TranscriptionService/Transcribe': ['VIEWER', 'key', recording],
  'TranscriptionService/ListTranscriptions': ['VIEWER', 'key'],
  'TranscriptionService/GetTranscription': ['VIEWER', 'key', ({ transcriptionId }) => ({ transcriptionId })],
  'TranscriptionService/UpdateTranscription': [
    'VIEWER',
    'key',
    ({ transcriptionId }) => ({ transcriptionId, name: 'mine', ...mask('name') }),
  ],
  'TranscriptionService/DownloadTranscription': ['VIEWER', 'key', ({ transcriptionId }) => ({ transcriptionId })],
  'TranscriptionService/CreateTranscriptionJob': ['VIEWER', 'key', ({ documentId }) => ({ documentId })],
  'TranscriptionService/ListTranscriptionJobs': ['VIEWER', 'key'],
  'TranscriptionService/GetTranscriptionJob': ['VIEWER', 'key', ({ jobId }) => ({ jobId })],
  'TranscriptionService/CancelTranscriptionJob': ['VIEWER', 'key', ({ jobId }) => ({ jobId })],
  'TranscriptionService/DeleteTranscription': ['VIEWER', 'key', ({ transcriptionId }) => ({ transcriptionId })],
};

const free = { TRANSCRIPTION_MICROS_PER_SECOND: '0', LLM_MICROS_PER_1000_TOKENS: '0' };

/** What is done costs nothing unless the environment says so. */
const startWith =
  (clock: Clock, environment: Readonly<Record<string, string>> = free) =>
  async () => {
    const speech = await openAiDouble(() => ({ body: { text: 'new' } }));
    const model = await openAiDouble(() => says('new'));
    const running = (content = await startTestContent({
      idle: true,
      clock,
      environment: {
        TRANSCRIPTION_BASE_URL: speech.baseUrl,
        LLM_BASE_URL: model.baseUrl,
        // A job or an import stays what it was made, for whoever looks at it.
        TRANSCRIPTION_JOB_WORKERS: '0',
        CONTENT_IMPORT_WORKERS: '0',
        ...environment,
      },
    }));
    const stop = async () => {
      await running.stop();
      await Promise.all([speech.close(), model.close()]);
    };
    return { ...running, stop };
  };

const tested: Omit<ServiceUnderTest<Ids>, 'start'> = {
  service,
  seed,
  operations,
  // Encoders are nobody's.
  emptyTables: ['conventionsToIndex', 'documentFollowUps', 'organisationRemovals', 'searchEncoders'],
  different: {
    'RetentionService/PreviewRetentionPolicy': 'the moment as of which things are old enough is that of the database',
  },
  silent: {
    'GenerationService/GenerateText': 'only its debit is told, and here it costs nothing',
    'TurnService/StopTurn': 'the turn is over',
    'DocumentImportService/RetryDocumentImport': 'nothing has failed',
    'DocumentService/RestoreDocumentVersion': 'it is what the document has',
    'DocumentService/CompleteDocumentUpload': 'what was uploaded through the platform is known to be there',
  },
  idsOfTheirOwn: {
    'TaskService/RunTask': 'pipelines names turn and user on its own authority',
    'GenerationService/GenerateText': 'pipelines names what it asks for on its own authority',
    'DocumentService/ListDocuments':
      'client groups are those of identity: documents are narrowed to one within the organisation',
    'DocumentService/UploadDocument': 'clients choose the ids of documents, each organisation its own',
    'FileService/UploadFile': 'the ticket is the credential',
    'FileService/DownloadFile': 'the ticket is the credential',
    'CollectionService/GetCollectionAccess': 'collections have no ids, and each organisation its own',
    'CollectionService/SetCollectionAccess': 'collections have no ids, and each organisation its own',
    'SearchService/Search': 'a document that is not there is not searched',
  },
};

serviceSuites({ ...tested, start: startWith(fixedClock(new Date())) });

const billing = await creditLedger(keys);
afterAll(() => billing.close());
spendingSuite(
  {
    ...tested,
    start: startWith(fixedClock(new Date()), { BILLING_ADDRESS: billing.address }),
  },
  { useUp: billing.useUp, later: {} },
);

killedCallsSuite(
  { ...tested, start: startWith(systemClock) },
  {
    kills: 1,
    environment: { CONTENT_DOCUMENT_LEASE_SECONDS: '3', CONTENT_TURN_LEASE_SECONDS: '3' },
    uncounted: {
      'platform.v1.content.document.progressed': 'it is told every now and then',
      searchSources: 'the search follows in its own time',
      documentFollowUps: 'bytes that a kill has left to nobody go some minutes later',
      passages: 'an answer that the end of the process interrupts is an error, which nobody searches',
    },
    doesMore: {
      'DocumentService/UploadDocument': 'each has another URL',
      'DocumentService/UploadDocumentVersion': 'each has another URL',
    },
  },
);
