import { SECRET, type RestrictedContents } from './restricted-contents.ts';

/** What somebody has said themselves, of what is restricted. */
export type Own = Awaited<ReturnType<RestrictedContents['said']>>;

export const nothingSaid: Own = { answerId: '', questionId: '', conversationId: '' };

/** An operation on something restricted, by its id: to whoever may not open it, it is not there. */
export interface Opening {
  readonly opens: (ids: RestrictedContents) => object;
}
/** An operation that answers what there is, or by what there is. */
export interface Showing {
  readonly shows: (ids: RestrictedContents, own: Own) => object;
  /** What those who may see more see. */
  readonly tells?: false;
}
/** An operation that has nothing to do with what can be restricted, and why. */
type Row = Opening | Showing | string;

const byDocument: Opening = { opens: ({ documentId }) => ({ documentId }) };
const byPending: Opening = { opens: ({ pendingId }) => ({ documentId: pendingId }) };
export const mask = (...paths: string[]) => ({ updateMask: { paths } });
const administrators = 'administrators decide, who may open everything; of their keys see below';
const ofItsOwn = 'it is about conversations, which have readers of their own';
const chat = { model: 'general', messages: [{ role: 'user', content: 'Where does the bird of cloud forests live?' }] };
export const asked = (newMessage: string) => ({ assistantName: 'general', newMessage, conversationId: '' });

/** Every operation of the service, in the order in which they are tried. */
export const operations: Readonly<Record<string, Row>> = {
  'DocumentService/GetDocument': byDocument,
  'DocumentService/WatchDocument': { opens: ({ documentId }) => ({ documentId, lastEventId: '' }) },
  'DocumentService/DownloadDocument': byDocument,
  'DocumentService/ListDocumentChunks': byDocument,
  'DocumentService/ListDocumentVersions': byDocument,
  'DocumentService/GetDocumentVersion': { opens: ({ documentId }) => ({ documentId, version: 1 }) },
  'DocumentService/DownloadDocumentVersion': { opens: ({ documentId }) => ({ documentId, version: 1 }) },
  'DocumentService/RestoreDocumentVersion': { opens: ({ documentId }) => ({ documentId, version: 1 }) },
  'DocumentService/DeleteDocumentVersion': { opens: ({ documentId }) => ({ documentId, version: 1 }) },
  'DocumentService/UploadDocumentVersion': byPending,
  'DocumentService/UpdateDocument': {
    opens: ({ documentId }) => ({ documentId, description: 'd', ...mask('description') }),
  },
  'DocumentService/RetryDocument': byDocument,
  'DocumentService/CompleteDocumentUpload': byPending,
  'DocumentService/ListDocuments': { shows: () => ({ includeTotal: true }) },
  'DocumentService/GetStorage': 'it counts bytes and documents of all, whoever may open them, and names none',
  'DocumentService/UploadDocument': 'its id is free, or taken: see below',
  'DocumentImportService/ImportDocument': 'its id is free, or taken, as that of an upload',
  'DocumentImportService/CreateDocumentImport': 'it is new',
  'DocumentImportService/ListDocumentImports': 'an import is its member’s',
  'DocumentImportService/GetDocumentImport': 'an import is its member’s',
  'DocumentImportService/ListDocumentImportItems': 'an import is its member’s',
  'DocumentImportService/CancelDocumentImport': 'an import is its member’s',
  'DocumentImportService/RetryDocumentImport': 'an import is its member’s',
  'FileService/UploadFile': 'the ticket is the credential, and given to whoever may',
  'FileService/DownloadFile': 'the ticket is the credential, and given to whoever may',
  'CollectionService/ListCollections': { shows: () => ({ includeTotal: true }) },
  'CollectionService/GetCollectionAccess': { opens: () => ({ collection: SECRET }) },
  'CollectionService/SetCollectionAccess': administrators,
  'DocumentService/SetDocumentRetention': administrators,
  'RetentionService/GetRetentionPolicy': administrators,
  'RetentionService/UpdateRetentionPolicy': administrators,
  'RetentionService/PreviewRetentionPolicy': administrators,
  'ConventionService/GetConvention': { opens: ({ conventionId }) => ({ conventionId }) },
  'ConventionService/UpdateConvention': {
    opens: ({ conventionId }) => ({ conventionId, content: `No ${SECRET}.`, ...mask('content') }),
  },
  'ConventionService/ListConventionHistory': { opens: ({ conventionId }) => ({ conventionId }) },
  'ConventionService/ListConventions': { shows: () => ({ includeTotal: true }) },
  'ConventionService/SearchConventions': { shows: () => ({ query: SECRET }) },
  'ConventionService/CreateConvention': 'it is new',
  'AssistantService/GetAssistant': { opens: ({ assistantId }) => ({ assistantId }) },
  'AssistantService/ListAssistantVersions': { opens: ({ assistantId }) => ({ assistantId }) },
  'AssistantService/ListAssistants': { shows: () => ({ includeTotal: true }) },
  'AssistantService/ListAvailableAssistants': { shows: () => ({}) },
  'AssistantService/SubmitToAssistant': { opens: () => ({ ...asked('hello'), assistantName: SECRET }) },
  'AssistantService/CreateAssistant': 'it is new; what it looks at is looked up as below',
  'ToolServerService/GetToolServer': { opens: ({ toolServerId }) => ({ toolServerId }) },
  'ToolServerService/ListToolServers': { shows: () => ({ includeTotal: true }) },
  'ToolServerService/ListServerTools': administrators,
  'ToolServerService/CreateToolServer': 'it is new',
  'ToolServerService/UpdateToolServer': administrators,
  'ToolServerService/SetToolServerAccess': administrators,
  'ToolServerService/DeleteToolServer': administrators,
  'SearchService/Search': { shows: () => ({ query: SECRET, kinds: ['DOCUMENT', 'CONVENTION'] }) },
  'TurnService/StreamToAssistant': { shows: () => asked('Where does the bird of cloud forests live?') },
  'TurnService/RegenerateMessage': { shows: (_, { answerId }) => ({ messageId: answerId }), tells: false },
  'TurnService/EditMessage': {
    shows: (_, { questionId }) => ({ messageId: questionId, newMessage: 'Who lives in cloud forests?' }),
  },
  'TurnService/StreamRegeneration': { shows: (_, { answerId }) => ({ messageId: answerId }), tells: false },
  'TurnService/StreamEdit': {
    shows: (_, { questionId }) => ({ messageId: questionId, newMessage: 'Who lives in cloud forests?' }),
  },
  'TurnService/WatchTurn': { shows: ({ answerId }) => ({ turnId: answerId, lastEventId: '' }) },
  'TurnService/StopTurn': 'it has ended, and is Ann’s',
  'TurnService/DecideApproval': 'what is approved is done as whoever approves it',
  'TurnService/StreamApproval': 'what is approved is done as whoever approves it',
  'TaskService/RunTask': 'pipelines names the member: see below',
  'GenerationService/GenerateText': 'it is about a prompt that comes with it',
  'GenerationService/CheckGenerations': 'it is about settings that come with it',
  'OpenAiService/ListModels': { shows: () => ({}) },
  'OpenAiService/GetModel': { opens: ({ assistantId }) => ({ model: assistantId }) },
  'OpenAiService/CreateChatCompletion': { shows: () => chat },
  'OpenAiService/StreamChatCompletion': { shows: () => chat },
  'OpenAiService/CreateEmbeddings': 'it is about texts that come with it',
  'OpenAiService/CreateAudioTranscription': 'it is about a recording that comes with it',
  'OpenAiFileService/CreateFile': 'it is new',
  'OpenAiFileService/ListFiles': { shows: () => ({}) },
  'OpenAiFileService/GetFile': { opens: ({ documentId }) => ({ fileId: documentId }) },
  'OpenAiFileService/DownloadFileContent': { opens: ({ documentId }) => ({ fileId: documentId }) },
  'MessageService/ListMessages': { shows: ({ conversationId }) => ({ conversationId }) },
  'MessageService/GetMessage': { shows: ({ answerId }) => ({ messageId: answerId }) },
  'MessageService/RateMessage': { shows: (_, { answerId }) => ({ messageId: answerId, rating: 'UP' }), tells: false },
  'MessageService/DeleteFeedback': 'it answers what rating it does',
  'ReportService/CreateReport': { shows: ({ answerId }) => ({ title: 'r', messageId: answerId }) },
  'ReportService/ListReports': { shows: () => ({}), tells: false },
  'ReportService/GetReport': 'a report is its author’s, and has what that one was shown',
  'ReportService/UpdateReport': 'a report is its author’s',
  'ReportService/DeleteReport': 'a report is its author’s',
  'ReportService/RestoreReport': 'a report is its author’s',
  'ReportService/GetReportHtml': 'a report is its author’s',
  'ReportService/GetReportPdf': 'a report is its author’s',
  'ConversationService/ListConversations': ofItsOwn,
  'ConversationService/GetConversation': ofItsOwn,
  'ConversationService/UpdateConversation': ofItsOwn,
  'ConversationService/DeleteConversation': ofItsOwn,
  'ConversationService/ShareConversation': ofItsOwn,
  'ConversationService/UnshareConversation': ofItsOwn,
  'TranscriptionService/Transcribe': 'what was said in a recording is its member’s',
  'TranscriptionService/ListTranscriptions': 'what was said in a recording is its member’s',
  'TranscriptionService/GetTranscription': 'what was said in a recording is its member’s',
  'TranscriptionService/UpdateTranscription': 'what was said in a recording is its member’s',
  'TranscriptionService/DownloadTranscription': 'what was said in a recording is its member’s',
  'TranscriptionService/CreateTranscriptionJob': { opens: ({ documentId }) => ({ documentId }) },
  'TranscriptionService/ListTranscriptionJobs': 'a job is its member’s',
  'TranscriptionService/GetTranscriptionJob': 'a job is its member’s',
  'TranscriptionService/CancelTranscriptionJob': 'a job is its member’s',
  'TranscriptionService/DeleteTranscription': 'what was said in a recording is its member’s',
  'DocumentService/ArchiveDocument': byPending,
  'DocumentService/RestoreDocument': byPending,
  // What is restricted stays as it is for those who come later.
  'DocumentService/SetDocumentAccess': { opens: ({ pendingId, access }) => ({ documentId: pendingId, ...access }) },
  'ConventionService/SetConventionAccess': { opens: ({ conventionId, access }) => ({ conventionId, ...access }) },
  'AssistantService/SetAssistantAccess': { opens: ({ assistantId, access }) => ({ assistantId, ...access }) },
  'AssistantService/UpdateAssistant': {
    opens: ({ assistantId }) => ({
      assistantId,
      description: 'd',
      documentIds: [],
      toolServerIds: [],
      ...mask('description'),
    }),
  },
  'AssistantService/DeleteAssistant': { opens: ({ assistantId }) => ({ assistantId }) },
  'ConventionService/DeleteConvention': { opens: ({ conventionId }) => ({ conventionId }) },
  'OpenAiFileService/DeleteFile': { opens: ({ filedId }) => ({ fileId: filedId }) },
  'DocumentService/DeleteDocument': byPending,
};
