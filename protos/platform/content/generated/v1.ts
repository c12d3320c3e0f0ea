// Generated from protos/platform/content/v1 by `npm run generate`. Do not edit.
import type { ClientCall, ClientStream, FieldMask, Handler, Int64Input, JsonObject, JsonObjectInput, JsonValue, JsonValueInput, StreamHandler } from '@platform-backend/contract/messages';
import type { PermissionLevel, SortOrder } from '@platform-backend/contract/options';

/** What handles each of its services. */
export interface ContentHandlers<Context> {
  AssistantService: AssistantServiceHandlers<Context>;
  MessageService: MessageServiceHandlers<Context>;
  CollectionService: CollectionServiceHandlers<Context>;
  ConventionService: ConventionServiceHandlers<Context>;
  SearchService: SearchServiceHandlers<Context>;
  ConversationService: ConversationServiceHandlers<Context>;
  DocumentImportService: DocumentImportServiceHandlers<Context>;
  DocumentService: DocumentServiceHandlers<Context>;
  FileService: FileServiceHandlers<Context>;
  GenerationService: GenerationServiceHandlers<Context>;
  OpenAiService: OpenAiServiceHandlers<Context>;
  OpenAiFileService: OpenAiFileServiceHandlers<Context>;
  TranscriptionService: TranscriptionServiceHandlers<Context>;
  ToolServerService: ToolServerServiceHandlers<Context>;
  ReportService: ReportServiceHandlers<Context>;
  RetentionService: RetentionServiceHandlers<Context>;
  TaskService: TaskServiceHandlers<Context>;
  TurnService: TurnServiceHandlers<Context>;
}

/** AssistantService lets people and programs talk to assistants. */
export interface AssistantServiceHandlers<Context> {
  /** The assistants everybody has, and those that were made in the organisation. */
  listAvailableAssistants: Handler<ListAvailableAssistantsRequest, AvailableAssistantsInput, Context>;
  /** Makes an assistant that the whole organisation may ask. */
  createAssistant: Handler<CreateAssistantRequest, CustomAssistantInput, Context>;
  /** Those that were made in the organisation, newest first unless asked otherwise. */
  listAssistants: Handler<ListAssistantsRequest, ListAssistantsResponseInput, Context>;
  /** One assistant that was made in the organisation. */
  getAssistant: Handler<GetAssistantRequest, CustomAssistantInput, Context>;
  /** Changes the fields given, which makes a version. */
  updateAssistant: Handler<UpdateAssistantRequest, CustomAssistantInput, Context>;
  /** What it has said stays. */
  deleteAssistant: Handler<DeleteAssistantRequest, DeletedInput, Context>;
  /** What it has been, newest first unless asked otherwise; the last hundred versions are kept. */
  listAssistantVersions: Handler<ListAssistantVersionsRequest, ListAssistantVersionsResponseInput, Context>;
  /**
   * Adds a message to a conversation and answers with the assistant's, which is of type `ERROR` where it could not be
   * written. Clients that accept `text/event-stream` are told while it is written (StreamToAssistant). It is written
   * to its end when the caller goes away.
   */
  submitToAssistant: Handler<SubmitToAssistantRequest, AssistantReplyInput, Context>;
  /**
   * Says who may open the assistant, in place of what was said before; whoever may not finds it no more from then on. Its
   * maker and administrators always may. Repeating it is safe.
   */
  setAssistantAccess: Handler<SetAssistantAccessRequest, AccessInput, Context>;
}

/** AssistantService lets people and programs talk to assistants. */
export interface AssistantServiceClient<Options = unknown> {
  /** The assistants everybody has, and those that were made in the organisation. */
  listAvailableAssistants: ClientCall<ListAvailableAssistantsRequestInput, AvailableAssistants, Options>;
  /** Makes an assistant that the whole organisation may ask. */
  createAssistant: ClientCall<CreateAssistantRequestInput, CustomAssistant, Options>;
  /** Those that were made in the organisation, newest first unless asked otherwise. */
  listAssistants: ClientCall<ListAssistantsRequestInput, ListAssistantsResponse, Options>;
  /** One assistant that was made in the organisation. */
  getAssistant: ClientCall<GetAssistantRequestInput, CustomAssistant, Options>;
  /** Changes the fields given, which makes a version. */
  updateAssistant: ClientCall<UpdateAssistantRequestInput, CustomAssistant, Options>;
  /** What it has said stays. */
  deleteAssistant: ClientCall<DeleteAssistantRequestInput, Deleted, Options>;
  /** What it has been, newest first unless asked otherwise; the last hundred versions are kept. */
  listAssistantVersions: ClientCall<ListAssistantVersionsRequestInput, ListAssistantVersionsResponse, Options>;
  /**
   * Adds a message to a conversation and answers with the assistant's, which is of type `ERROR` where it could not be
   * written. Clients that accept `text/event-stream` are told while it is written (StreamToAssistant). It is written
   * to its end when the caller goes away.
   */
  submitToAssistant: ClientCall<SubmitToAssistantRequestInput, AssistantReply, Options>;
  /**
   * Says who may open the assistant, in place of what was said before; whoever may not finds it no more from then on. Its
   * maker and administrators always may. Repeating it is safe.
   */
  setAssistantAccess: ClientCall<SetAssistantAccessRequestInput, Access, Options>;
}

/** MessageService answers what was said in conversations. */
export interface MessageServiceHandlers<Context> {
  /**
   * Newest first unless asked otherwise. Below level ADMIN only the caller's own, and with a `conversation_id` those
   * of a conversation that is shared. All branches of a conversation are listed: `parent_message_id` says what follows
   * what, and the conversation's `current_message_id` where the branch ends that is shown.
   */
  listMessages: Handler<ListMessagesRequest, ListMessagesResponseInput, Context>;
  /** One message of a conversation that the caller may read; also while an assistant is still writing it. */
  getMessage: Handler<GetMessageRequest, MessageInput, Context>;
  /** What whoever asked thinks of an assistant's message, in place of what they thought before. */
  rateMessage: Handler<RateMessageRequest, MessageInput, Context>;
  /** Takes the feedback back. */
  deleteFeedback: Handler<DeleteFeedbackRequest, DeletedInput, Context>;
}

/** MessageService answers what was said in conversations. */
export interface MessageServiceClient<Options = unknown> {
  /**
   * Newest first unless asked otherwise. Below level ADMIN only the caller's own, and with a `conversation_id` those
   * of a conversation that is shared. All branches of a conversation are listed: `parent_message_id` says what follows
   * what, and the conversation's `current_message_id` where the branch ends that is shown.
   */
  listMessages: ClientCall<ListMessagesRequestInput, ListMessagesResponse, Options>;
  /** One message of a conversation that the caller may read; also while an assistant is still writing it. */
  getMessage: ClientCall<GetMessageRequestInput, Message, Options>;
  /** What whoever asked thinks of an assistant's message, in place of what they thought before. */
  rateMessage: ClientCall<RateMessageRequestInput, Message, Options>;
  /** Takes the feedback back. */
  deleteFeedback: ClientCall<DeleteFeedbackRequestInput, Deleted, Options>;
}

/**
 * CollectionService says who may open what documents are filed under. A collection comes to be with its first document; only its
 * access is kept by itself, and holds for all its documents that are not restricted themselves.
 */
export interface CollectionServiceHandlers<Context> {
  /** The collections that are restricted, as far as the caller may open them, oldest restriction first. */
  listCollections: Handler<ListCollectionsRequest, ListCollectionsResponseInput, Context>;
  /** Who may open a collection. Its name may have any characters, and is asked for as a parameter. */
  getCollectionAccess: Handler<GetCollectionAccessRequest, AccessInput, Context>;
  /**
   * Says who may open a collection, also before it has documents, in place of what was said before; whoever may not finds it no more from then on. Whoever
   * has restricted it first and administrators always may, and whoever has made a document in it, that document. Repeating it is safe.
   */
  setCollectionAccess: Handler<SetCollectionAccessRequest, AccessInput, Context>;
}

/**
 * CollectionService says who may open what documents are filed under. A collection comes to be with its first document; only its
 * access is kept by itself, and holds for all its documents that are not restricted themselves.
 */
export interface CollectionServiceClient<Options = unknown> {
  /** The collections that are restricted, as far as the caller may open them, oldest restriction first. */
  listCollections: ClientCall<ListCollectionsRequestInput, ListCollectionsResponse, Options>;
  /** Who may open a collection. Its name may have any characters, and is asked for as a parameter. */
  getCollectionAccess: ClientCall<GetCollectionAccessRequestInput, Access, Options>;
  /**
   * Says who may open a collection, also before it has documents, in place of what was said before; whoever may not finds it no more from then on. Whoever
   * has restricted it first and administrators always may, and whoever has made a document in it, that document. Repeating it is safe.
   */
  setCollectionAccess: ClientCall<SetCollectionAccessRequestInput, Access, Options>;
}

/** ConventionService owns what an organisation wants its assistants to know and keep to. */
export interface ConventionServiceHandlers<Context> {
  /** Writes a rule down. Search finds it from then on, and assistants keep to it. */
  createConvention: Handler<CreateConventionRequest, ConventionInput, Context>;
  /** Newest first unless asked otherwise. Without their embeddings. */
  listConventions: Handler<ListConventionsRequest, ListConventionsResponseInput, Context>;
  /** One convention, with its embedding once that is there. */
  getConvention: Handler<GetConventionRequest, ConventionInput, Context>;
  /** Changes the fields given. */
  updateConvention: Handler<UpdateConventionRequest, ConventionInput, Context>;
  /** Its history goes with it. */
  deleteConvention: Handler<DeleteConventionRequest, DeletedInput, Context>;
  /** What it was after each change, and who made it. Newest first unless asked otherwise. */
  listConventionHistory: Handler<ListConventionHistoryRequest, ListConventionHistoryResponseInput, Context>;
  /** The conventions that are closest to a text, best first. It costs nothing. */
  searchConventions: Handler<SearchConventionsRequest, SearchConventionsResponseInput, Context>;
  /**
   * Says who may open the convention, in place of what was said before; whoever may not finds it no more from then on. Its
   * maker and administrators always may. Repeating it is safe.
   */
  setConventionAccess: Handler<SetConventionAccessRequest, AccessInput, Context>;
}

/** ConventionService owns what an organisation wants its assistants to know and keep to. */
export interface ConventionServiceClient<Options = unknown> {
  /** Writes a rule down. Search finds it from then on, and assistants keep to it. */
  createConvention: ClientCall<CreateConventionRequestInput, Convention, Options>;
  /** Newest first unless asked otherwise. Without their embeddings. */
  listConventions: ClientCall<ListConventionsRequestInput, ListConventionsResponse, Options>;
  /** One convention, with its embedding once that is there. */
  getConvention: ClientCall<GetConventionRequestInput, Convention, Options>;
  /** Changes the fields given. */
  updateConvention: ClientCall<UpdateConventionRequestInput, Convention, Options>;
  /** Its history goes with it. */
  deleteConvention: ClientCall<DeleteConventionRequestInput, Deleted, Options>;
  /** What it was after each change, and who made it. Newest first unless asked otherwise. */
  listConventionHistory: ClientCall<ListConventionHistoryRequestInput, ListConventionHistoryResponse, Options>;
  /** The conventions that are closest to a text, best first. It costs nothing. */
  searchConventions: ClientCall<SearchConventionsRequestInput, SearchConventionsResponse, Options>;
  /**
   * Says who may open the convention, in place of what was said before; whoever may not finds it no more from then on. Its
   * maker and administrators always may. Repeating it is safe.
   */
  setConventionAccess: ClientCall<SetConventionAccessRequestInput, Access, Options>;
}

/** SearchService finds passages of all that an organisation keeps here. */
export interface SearchServiceHandlers<Context> {
  /**
   * Passages that answer a question, best first. Of messages those of conversations that the caller may read. It costs
   * nothing.
   */
  search: Handler<SearchRequest, SearchResponseInput, Context>;
}

/** SearchService finds passages of all that an organisation keeps here. */
export interface SearchServiceClient<Options = unknown> {
  /**
   * Passages that answer a question, best first. Of messages those of conversations that the caller may read. It costs
   * nothing.
   */
  search: ClientCall<SearchRequestInput, SearchResponse, Options>;
}

/**
 * ConversationService owns what people and assistants say to each other. A conversation begins with the first message
 * to an assistant. It is its owner's alone, or is read by the whole organisation when it is shared; nobody but its
 * owner writes in it or changes it. Level ADMIN reads all of them.
 */
export interface ConversationServiceHandlers<Context> {
  /**
   * Those begun last first unless asked otherwise, by `sort` those in which something was said last. Below level ADMIN
   * the caller's own, and with `shared` or a `member_id` also those of others that are shared.
   */
  listConversations: Handler<ListConversationsRequest, ListConversationsResponseInput, Context>;
  /** One conversation that the caller may read, without its messages. */
  getConversation: Handler<GetConversationRequest, ConversationInput, Context>;
  /** Changes the fields given. */
  updateConversation: Handler<UpdateConversationRequest, ConversationInput, Context>;
  /** Removes it with all its messages. */
  deleteConversation: Handler<DeleteConversationRequest, DeletedInput, Context>;
  /** From now on the whole organisation reads it, what is added later as well. Repeating it is safe. */
  shareConversation: Handler<ShareConversationRequest, ConversationInput, Context>;
  /** From now on its owner alone reads and finds it, and level ADMIN. Repeating it is safe. */
  unshareConversation: Handler<UnshareConversationRequest, ConversationInput, Context>;
}

/**
 * ConversationService owns what people and assistants say to each other. A conversation begins with the first message
 * to an assistant. It is its owner's alone, or is read by the whole organisation when it is shared; nobody but its
 * owner writes in it or changes it. Level ADMIN reads all of them.
 */
export interface ConversationServiceClient<Options = unknown> {
  /**
   * Those begun last first unless asked otherwise, by `sort` those in which something was said last. Below level ADMIN
   * the caller's own, and with `shared` or a `member_id` also those of others that are shared.
   */
  listConversations: ClientCall<ListConversationsRequestInput, ListConversationsResponse, Options>;
  /** One conversation that the caller may read, without its messages. */
  getConversation: ClientCall<GetConversationRequestInput, Conversation, Options>;
  /** Changes the fields given. */
  updateConversation: ClientCall<UpdateConversationRequestInput, Conversation, Options>;
  /** Removes it with all its messages. */
  deleteConversation: ClientCall<DeleteConversationRequestInput, Deleted, Options>;
  /** From now on the whole organisation reads it, what is added later as well. Repeating it is safe. */
  shareConversation: ClientCall<ShareConversationRequestInput, Conversation, Options>;
  /** From now on its owner alone reads and finds it, and level ADMIN. Repeating it is safe. */
  unshareConversation: ClientCall<UnshareConversationRequestInput, Conversation, Options>;
}

/**
 * DocumentImportService fetches documents from addresses. Only public addresses are asked, by https, and those that the operator allows by
 * name; whatever they redirect to is held to the same. What an address answers is counted while it comes, and is read as any upload is, by
 * what its bytes are. What could not be fetched for a reason that may pass is tried five times, with growing pauses.
 */
export interface DocumentImportServiceHandlers<Context> {
  /**
   * Makes a document of what is at an address, by an import of that alone (`import_id`). It is PENDING_UPLOAD with its progress until all
   * of it has come, and FAILED with the reason where nothing came. Deleting it, archiving it or asking for its upload ends the import.
   */
  importDocument: Handler<ImportDocumentRequest, DocumentInput, Context>;
  /**
   * Makes documents of what is at up to 1,000 addresses. Each has a result of its own, and becomes a document when its turn comes;
   * organisations take turns.
   */
  createDocumentImport: Handler<CreateDocumentImportRequest, DocumentImportInput, Context>;
  /** Newest first unless asked otherwise. An import is kept for 30 days, its documents for good. */
  listDocumentImports: Handler<ListDocumentImportsRequest, ListDocumentImportsResponseInput, Context>;
  /** How far it is. */
  getDocumentImport: Handler<GetDocumentImportRequest, DocumentImportInput, Context>;
  /**
   * Ends what is still to be fetched; documents that have come stay, and those that were coming are FAILED with `import_cancelled`. What is being fetched
   * ends within seconds. Of one that is over nothing changes.
   */
  cancelDocumentImport: Handler<CancelDocumentImportRequest, DocumentImportInput, Context>;
  /**
   * Has all addresses that failed fetched once more, each into the same document; where none has, nothing changes. What was made for one
   * and deleted since stays deleted: that one is CANCELLED.
   */
  retryDocumentImport: Handler<RetryDocumentImportRequest, DocumentImportInput, Context>;
  /** What has become of each address, in the order in which they were given. */
  listDocumentImportItems: Handler<ListDocumentImportItemsRequest, ListDocumentImportItemsResponseInput, Context>;
}

/**
 * DocumentImportService fetches documents from addresses. Only public addresses are asked, by https, and those that the operator allows by
 * name; whatever they redirect to is held to the same. What an address answers is counted while it comes, and is read as any upload is, by
 * what its bytes are. What could not be fetched for a reason that may pass is tried five times, with growing pauses.
 */
export interface DocumentImportServiceClient<Options = unknown> {
  /**
   * Makes a document of what is at an address, by an import of that alone (`import_id`). It is PENDING_UPLOAD with its progress until all
   * of it has come, and FAILED with the reason where nothing came. Deleting it, archiving it or asking for its upload ends the import.
   */
  importDocument: ClientCall<ImportDocumentRequestInput, Document, Options>;
  /**
   * Makes documents of what is at up to 1,000 addresses. Each has a result of its own, and becomes a document when its turn comes;
   * organisations take turns.
   */
  createDocumentImport: ClientCall<CreateDocumentImportRequestInput, DocumentImport, Options>;
  /** Newest first unless asked otherwise. An import is kept for 30 days, its documents for good. */
  listDocumentImports: ClientCall<ListDocumentImportsRequestInput, ListDocumentImportsResponse, Options>;
  /** How far it is. */
  getDocumentImport: ClientCall<GetDocumentImportRequestInput, DocumentImport, Options>;
  /**
   * Ends what is still to be fetched; documents that have come stay, and those that were coming are FAILED with `import_cancelled`. What is being fetched
   * ends within seconds. Of one that is over nothing changes.
   */
  cancelDocumentImport: ClientCall<CancelDocumentImportRequestInput, DocumentImport, Options>;
  /**
   * Has all addresses that failed fetched once more, each into the same document; where none has, nothing changes. What was made for one
   * and deleted since stays deleted: that one is CANCELLED.
   */
  retryDocumentImport: ClientCall<RetryDocumentImportRequestInput, DocumentImport, Options>;
  /** What has become of each address, in the order in which they were given. */
  listDocumentImportItems: ClientCall<ListDocumentImportItemsRequestInput, ListDocumentImportItemsResponse, Options>;
}

/** DocumentService owns an organisation's documents, from upload to extracted text. */
export interface DocumentServiceHandlers<Context> {
  /**
   * Makes a place for a document and a URL that takes its bytes. Repeating it with the same id and name gives a fresh
   * URL; of a document that has failed or expired it begins anew. A document has at most `max_bytes`, and of what is
   * read 5,000,000 characters (about 2,000 printed pages), 5,000 pages, slides or sheets, and 2,000,000 cells; beyond
   * it FAILED with `too_large`.
   */
  uploadDocument: Handler<UploadDocumentRequest, DocumentUploadInput, Context>;
  /**
   * How much room the organisation's documents take, and how much there is. All of them count, also those that the caller may not open:
   * they take of the same room, and nothing but these totals is told of them. Archived ones take theirs until they are deleted.
   */
  getStorage: Handler<GetStorageRequest, StorageInput, Context>;
  /** Newest first, without their texts; archived ones only when asked for by their status. */
  listDocuments: Handler<ListDocumentsRequest, ListDocumentsResponseInput, Context>;
  /** One document with its text, once it is READY. */
  getDocument: Handler<GetDocumentRequest, DocumentInput, Context>;
  /**
   * Tells how far a document is whenever that changes, at once where it stands now. An event `finished` is the last:
   * READY, FAILED, EXPIRED or ARCHIVED, and no version is coming. With the header `Last-Event-ID` nothing is told that this event has told
   * already; after the last one there is nothing more, unless it was retried. NOT_FOUND, in an event `error` as well:
   * it was deleted.
   */
  watchDocument: StreamHandler<WatchDocumentRequest, DocumentEventInput, Context>;
  /** Changes the fields given; absent fields stay. */
  updateDocument: Handler<UpdateDocumentRequest, DocumentInput, Context>;
  /**
   * Says that the bytes are there, of the document or of a version that is awaited, so that nobody has to look for them. They are found without it, too, only later.
   * Repeating it is safe.
   */
  completeDocumentUpload: Handler<CompleteDocumentUploadRequest, DocumentInput, Context>;
  /** Takes a document out of lists and searches. Repeating it is safe. */
  archiveDocument: Handler<ArchiveDocumentRequest, DocumentInput, Context>;
  /**
   * Takes a document out of the archive, where it goes on as it was; one with a text is processed again. Repeating it
   * is safe.
   */
  restoreDocument: Handler<RestoreDocumentRequest, DocumentInput, Context>;
  /** Processes a document that has failed, or a version of it that has, once more. Repeating it is safe. */
  retryDocument: Handler<RetryDocumentRequest, DocumentInput, Context>;
  /** Removes the document with its bytes, text, passages and versions. */
  deleteDocument: Handler<DeleteDocumentRequest, DeletedInput, Context>;
  /** A URL that gives the uploaded bytes to whoever has it. */
  downloadDocument: Handler<DownloadDocumentRequest, DocumentDownloadInput, Context>;
  /**
   * Makes a place for a new version of a document and a URL that takes its bytes. The document stays as it is, READY and found, until these are
   * read; from one moment on it is what they say, under the same id, and what it was is an earlier version. Where they cannot be read it
   * stays what it is, and `incoming_version` says why. Repeating it before bytes have come gives a fresh URL of the same version; a version that has failed is
   * given up for the new one.
   */
  uploadDocumentVersion: Handler<UploadDocumentVersionRequest, DocumentUploadInput, Context>;
  /** The versions of a document that are kept, newest first, without their texts; one that is coming is the first. */
  listDocumentVersions: Handler<ListDocumentVersionsRequest, ListDocumentVersionsResponseInput, Context>;
  /** One version of a document with its text. */
  getDocumentVersion: Handler<GetDocumentVersionRequest, DocumentVersionInput, Context>;
  /** A URL that gives the bytes of a version to whoever has it. */
  downloadDocumentVersion: Handler<DownloadDocumentVersionRequest, DocumentDownloadInput, Context>;
  /**
   * Makes the bytes of an earlier version the document's again, as a new version that is read like any other. Of the version that it has already
   * nothing happens; one that has failed is read once more.
   */
  restoreDocumentVersion: Handler<RestoreDocumentVersionRequest, DocumentInput, Context>;
  /** Removes an earlier version with its bytes, or gives up one that is coming. */
  deleteDocumentVersion: Handler<DeleteDocumentVersionRequest, DocumentInput, Context>;
  /** The passages that the document is searched by, in their order. */
  listDocumentChunks: Handler<ListDocumentChunksRequest, ListDocumentChunksResponseInput, Context>;
  /**
   * Says who may open the document, in place of what was said before; whoever may not finds it no more from then on. Its
   * maker and administrators always may. Repeating it is safe.
   */
  setDocumentAccess: Handler<SetDocumentAccessRequest, AccessInput, Context>;
  /**
   * Keeps the document whatever the retention policy says, or lets that hold for it again, archived or not. Whoever may delete documents still may.
   * Repeating it is safe.
   */
  setDocumentRetention: Handler<SetDocumentRetentionRequest, DocumentInput, Context>;
}

/** DocumentService owns an organisation's documents, from upload to extracted text. */
export interface DocumentServiceClient<Options = unknown> {
  /**
   * Makes a place for a document and a URL that takes its bytes. Repeating it with the same id and name gives a fresh
   * URL; of a document that has failed or expired it begins anew. A document has at most `max_bytes`, and of what is
   * read 5,000,000 characters (about 2,000 printed pages), 5,000 pages, slides or sheets, and 2,000,000 cells; beyond
   * it FAILED with `too_large`.
   */
  uploadDocument: ClientCall<UploadDocumentRequestInput, DocumentUpload, Options>;
  /**
   * How much room the organisation's documents take, and how much there is. All of them count, also those that the caller may not open:
   * they take of the same room, and nothing but these totals is told of them. Archived ones take theirs until they are deleted.
   */
  getStorage: ClientCall<GetStorageRequestInput, Storage, Options>;
  /** Newest first, without their texts; archived ones only when asked for by their status. */
  listDocuments: ClientCall<ListDocumentsRequestInput, ListDocumentsResponse, Options>;
  /** One document with its text, once it is READY. */
  getDocument: ClientCall<GetDocumentRequestInput, Document, Options>;
  /**
   * Tells how far a document is whenever that changes, at once where it stands now. An event `finished` is the last:
   * READY, FAILED, EXPIRED or ARCHIVED, and no version is coming. With the header `Last-Event-ID` nothing is told that this event has told
   * already; after the last one there is nothing more, unless it was retried. NOT_FOUND, in an event `error` as well:
   * it was deleted.
   */
  watchDocument: ClientStream<WatchDocumentRequestInput, DocumentEvent, Options>;
  /** Changes the fields given; absent fields stay. */
  updateDocument: ClientCall<UpdateDocumentRequestInput, Document, Options>;
  /**
   * Says that the bytes are there, of the document or of a version that is awaited, so that nobody has to look for them. They are found without it, too, only later.
   * Repeating it is safe.
   */
  completeDocumentUpload: ClientCall<CompleteDocumentUploadRequestInput, Document, Options>;
  /** Takes a document out of lists and searches. Repeating it is safe. */
  archiveDocument: ClientCall<ArchiveDocumentRequestInput, Document, Options>;
  /**
   * Takes a document out of the archive, where it goes on as it was; one with a text is processed again. Repeating it
   * is safe.
   */
  restoreDocument: ClientCall<RestoreDocumentRequestInput, Document, Options>;
  /** Processes a document that has failed, or a version of it that has, once more. Repeating it is safe. */
  retryDocument: ClientCall<RetryDocumentRequestInput, Document, Options>;
  /** Removes the document with its bytes, text, passages and versions. */
  deleteDocument: ClientCall<DeleteDocumentRequestInput, Deleted, Options>;
  /** A URL that gives the uploaded bytes to whoever has it. */
  downloadDocument: ClientCall<DownloadDocumentRequestInput, DocumentDownload, Options>;
  /**
   * Makes a place for a new version of a document and a URL that takes its bytes. The document stays as it is, READY and found, until these are
   * read; from one moment on it is what they say, under the same id, and what it was is an earlier version. Where they cannot be read it
   * stays what it is, and `incoming_version` says why. Repeating it before bytes have come gives a fresh URL of the same version; a version that has failed is
   * given up for the new one.
   */
  uploadDocumentVersion: ClientCall<UploadDocumentVersionRequestInput, DocumentUpload, Options>;
  /** The versions of a document that are kept, newest first, without their texts; one that is coming is the first. */
  listDocumentVersions: ClientCall<ListDocumentVersionsRequestInput, ListDocumentVersionsResponse, Options>;
  /** One version of a document with its text. */
  getDocumentVersion: ClientCall<GetDocumentVersionRequestInput, DocumentVersion, Options>;
  /** A URL that gives the bytes of a version to whoever has it. */
  downloadDocumentVersion: ClientCall<DownloadDocumentVersionRequestInput, DocumentDownload, Options>;
  /**
   * Makes the bytes of an earlier version the document's again, as a new version that is read like any other. Of the version that it has already
   * nothing happens; one that has failed is read once more.
   */
  restoreDocumentVersion: ClientCall<RestoreDocumentVersionRequestInput, Document, Options>;
  /** Removes an earlier version with its bytes, or gives up one that is coming. */
  deleteDocumentVersion: ClientCall<DeleteDocumentVersionRequestInput, Document, Options>;
  /** The passages that the document is searched by, in their order. */
  listDocumentChunks: ClientCall<ListDocumentChunksRequestInput, ListDocumentChunksResponse, Options>;
  /**
   * Says who may open the document, in place of what was said before; whoever may not finds it no more from then on. Its
   * maker and administrators always may. Repeating it is safe.
   */
  setDocumentAccess: ClientCall<SetDocumentAccessRequestInput, Access, Options>;
  /**
   * Keeps the document whatever the retention policy says, or lets that hold for it again, archived or not. Whoever may delete documents still may.
   * Repeating it is safe.
   */
  setDocumentRetention: ClientCall<SetDocumentRetentionRequestInput, Document, Options>;
}

/**
 * FileService takes and gives the bytes of files, where they are kept by the platform itself. The ticket in the URL,
 * which other operations make, is the credential: signed, for one object, and short-lived.
 */
export interface FileServiceHandlers<Context> {
  /** Takes the bytes. Repeating it with the same bytes is safe. */
  uploadFile: Handler<AsyncIterable<UploadFileRequest>, UploadedFileInput, Context>;
  /**
   * Gives the bytes, as a file to be saved, or the one range of them that the header `Range` asks for: from a byte on,
   * up to a byte, or so many at the end. Several ranges, other units and those of another file than `If-Range` names
   * are answered with all of it.
   */
  downloadFile: StreamHandler<DownloadFileRequest, FilePieceInput, Context>;
}

/**
 * FileService takes and gives the bytes of files, where they are kept by the platform itself. The ticket in the URL,
 * which other operations make, is the credential: signed, for one object, and short-lived.
 */
export interface FileServiceClient<Options = unknown> {
  /** Takes the bytes. Repeating it with the same bytes is safe. */
  uploadFile: ClientCall<AsyncIterable<UploadFileRequestInput>, UploadedFile, Options>;
  /**
   * Gives the bytes, as a file to be saved, or the one range of them that the header `Range` asks for: from a byte on,
   * up to a byte, or so many at the end. Several ranges, other units and those of another file than `If-Range` names
   * are answered with all of it.
   */
  downloadFile: ClientStream<DownloadFileRequestInput, FilePiece, Options>;
}

/** GenerationService asks language models for other services, one text at a time: no tool, no document, no conversation. */
export interface GenerationServiceHandlers<Context> {
  /**
   * The answer of a language model to a prompt. Asked again with the same id it is the answer of before, for a week, and the model is
   * not asked. An answer is paid once, when it is kept; what comes to none costs nothing.
   * NOT_PROVIDED: no language model is set up. INVALID: this one is not offered, or the schema is none. PAYMENT_REQUIRED: no credits left.
   * UNAVAILABLE: the model cannot be reached, or too many ask. UPSTREAM_FAILED: it gives no answer to this.
   */
  generateText: Handler<GenerateTextRequest, GeneratedTextInput, Context>;
  /** What is wrong with how models are to be asked, before any of them is. NOT_PROVIDED: no language model is set up. */
  checkGenerations: Handler<CheckGenerationsRequest, CheckGenerationsResponseInput, Context>;
}

/** GenerationService asks language models for other services, one text at a time: no tool, no document, no conversation. */
export interface GenerationServiceClient<Options = unknown> {
  /**
   * The answer of a language model to a prompt. Asked again with the same id it is the answer of before, for a week, and the model is
   * not asked. An answer is paid once, when it is kept; what comes to none costs nothing.
   * NOT_PROVIDED: no language model is set up. INVALID: this one is not offered, or the schema is none. PAYMENT_REQUIRED: no credits left.
   * UNAVAILABLE: the model cannot be reached, or too many ask. UPSTREAM_FAILED: it gives no answer to this.
   */
  generateText: ClientCall<GenerateTextRequestInput, GeneratedText, Options>;
  /** What is wrong with how models are to be asked, before any of them is. NOT_PROVIDED: no language model is set up. */
  checkGenerations: ClientCall<CheckGenerationsRequestInput, CheckGenerationsResponse, Options>;
}

/**
 * OpenAiService is for clients of OpenAI's interface: their base URL is the platform's with `/v1`, their key an API key. A model is an
 * assistant, by its id or its name, or by the name of the language model that is set up here, which stands for the general
 * assistant. Nothing of what is asked and answered is kept as a conversation. Parameters that nothing here follows are refused, and
 * never ignored.
 */
export interface OpenAiServiceHandlers<Context> {
  /** The assistants that can be asked, and what embeds texts and recognises speech here. */
  listModels: Handler<ListModelsRequest, ListModelsResponseInput, Context>;
  /** One of them, an assistant by whatever CreateChatCompletion takes. */
  getModel: Handler<GetModelRequest, ModelInput, Context>;
  /**
   * Has an assistant answer to what was said, all of which comes with the request. It searches what the assistant may search, as in a
   * conversation, and costs the same; whatever was written when the client goes is paid.
   */
  createChatCompletion: Handler<CreateChatCompletionRequest, ChatCompletionInput, Context>;
  /** The same, told while it is written, where the request has `stream`. */
  streamChatCompletion: StreamHandler<CreateChatCompletionRequest, ChatCompletionChunkInput, Context>;
  /**
   * The meanings of texts as vectors, by the encoder by which the platform searches. What is longer than that reads is cut. It costs
   * nothing, and is there for organisations with credits.
   */
  createEmbeddings: Handler<CreateEmbeddingsRequest, CreateEmbeddingsResponseInput, Context>;
  /**
   * What is said in a recording: mp3, wav, m4a, webm, ogg or flac, up to 25 MiB. The transcription is kept, as one of
   * `POST /inference/transcribe`, and costs the same. What is longer is a job: `POST /transcription-jobs/`.
   */
  createAudioTranscription: Handler<CreateAudioTranscriptionRequest, AudioTranscriptionInput, Context>;
}

/**
 * OpenAiService is for clients of OpenAI's interface: their base URL is the platform's with `/v1`, their key an API key. A model is an
 * assistant, by its id or its name, or by the name of the language model that is set up here, which stands for the general
 * assistant. Nothing of what is asked and answered is kept as a conversation. Parameters that nothing here follows are refused, and
 * never ignored.
 */
export interface OpenAiServiceClient<Options = unknown> {
  /** The assistants that can be asked, and what embeds texts and recognises speech here. */
  listModels: ClientCall<ListModelsRequestInput, ListModelsResponse, Options>;
  /** One of them, an assistant by whatever CreateChatCompletion takes. */
  getModel: ClientCall<GetModelRequestInput, Model, Options>;
  /**
   * Has an assistant answer to what was said, all of which comes with the request. It searches what the assistant may search, as in a
   * conversation, and costs the same; whatever was written when the client goes is paid.
   */
  createChatCompletion: ClientCall<CreateChatCompletionRequestInput, ChatCompletion, Options>;
  /** The same, told while it is written, where the request has `stream`. */
  streamChatCompletion: ClientStream<CreateChatCompletionRequestInput, ChatCompletionChunk, Options>;
  /**
   * The meanings of texts as vectors, by the encoder by which the platform searches. What is longer than that reads is cut. It costs
   * nothing, and is there for organisations with credits.
   */
  createEmbeddings: ClientCall<CreateEmbeddingsRequestInput, CreateEmbeddingsResponse, Options>;
  /**
   * What is said in a recording: mp3, wav, m4a, webm, ogg or flac, up to 25 MiB. The transcription is kept, as one of
   * `POST /inference/transcribe`, and costs the same. What is longer is a job: `POST /transcription-jobs/`.
   */
  createAudioTranscription: ClientCall<CreateAudioTranscriptionRequestInput, AudioTranscription, Options>;
}

/**
 * OpenAiFileService shows documents as files to clients of OpenAI's interface: what is uploaded is read and searched as any
 * document, and what is uploaded otherwise is a file here.
 */
export interface OpenAiFileServiceHandlers<Context> {
  /** Up to 25 MiB; larger ones go by `POST /documents/upload/`. */
  createFile: Handler<CreateFileRequest, OpenAiFileInput, Context>;
  /** Newest first unless asked otherwise, without the archive. */
  listFiles: Handler<ListFilesRequest, ListFilesResponseInput, Context>;
  /** One file, and how far the reading of it is. */
  getFile: Handler<GetFileRequest, OpenAiFileInput, Context>;
  /** Removes it for good. */
  deleteFile: Handler<DeleteFileRequest, DeletedFileInput, Context>;
  /** Its bytes. */
  downloadFileContent: StreamHandler<DownloadFileContentRequest, FileContentInput, Context>;
}

/**
 * OpenAiFileService shows documents as files to clients of OpenAI's interface: what is uploaded is read and searched as any
 * document, and what is uploaded otherwise is a file here.
 */
export interface OpenAiFileServiceClient<Options = unknown> {
  /** Up to 25 MiB; larger ones go by `POST /documents/upload/`. */
  createFile: ClientCall<CreateFileRequestInput, OpenAiFile, Options>;
  /** Newest first unless asked otherwise, without the archive. */
  listFiles: ClientCall<ListFilesRequestInput, ListFilesResponse, Options>;
  /** One file, and how far the reading of it is. */
  getFile: ClientCall<GetFileRequestInput, OpenAiFile, Options>;
  /** Removes it for good. */
  deleteFile: ClientCall<DeleteFileRequestInput, DeletedFile, Options>;
  /** Its bytes. */
  downloadFileContent: ClientStream<DownloadFileContentRequestInput, FileContent, Options>;
}

/**
 * TranscriptionService turns speech into text, and keeps the text; recordings are not kept. Below level ADMIN a caller
 * sees their own transcriptions alone.
 */
export interface TranscriptionServiceHandlers<Context> {
  /**
   * Recognises what is said in a recording: mp3, wav, m4a, webm, ogg or flac, up to 25 MiB. The file is the last part
   * of the form.
   */
  transcribe: Handler<AsyncIterable<TranscribeRequest>, TranscriptionInput, Context>;
  /** Newest first unless asked otherwise, without their segments. */
  listTranscriptions: Handler<ListTranscriptionsRequest, ListTranscriptionsResponseInput, Context>;
  /** One transcription with its segments. */
  getTranscription: Handler<GetTranscriptionRequest, TranscriptionInput, Context>;
  /**
   * What was said, as a text or as subtitles: of the engines that tell no times all of it at once. The lines of subtitles are as they
   * were recognised, also where somebody has changed the text.
   */
  downloadTranscription: StreamHandler<DownloadTranscriptionRequest, TranscriptionContentInput, Context>;
  /**
   * Changes the fields given: what it is called, and what was heard wrongly. The segments stay as they were
   * recognised.
   */
  updateTranscription: Handler<UpdateTranscriptionRequest, TranscriptionInput, Context>;
  /**
   * Has a long recording transcribed: that of a document, which may have any of the formats and be in any state in which its bytes
   * are here, FAILED as well, as a recording has no text that is read. Hours of it take minutes to hours; organisations take turns.
   * What its bytes are now is transcribed, whatever becomes of the document's versions. It costs as much as other transcriptions, once
   * it is over: nothing where it failed, and what was transcribed where it was cancelled.
   */
  createTranscriptionJob: Handler<CreateTranscriptionJobRequest, TranscriptionJobInput, Context>;
  /** Newest first unless asked otherwise. */
  listTranscriptionJobs: Handler<ListTranscriptionJobsRequest, ListTranscriptionJobsResponseInput, Context>;
  /** How far it is. A job is kept for 30 days after its end, what was transcribed for good. */
  getTranscriptionJob: Handler<GetTranscriptionJobRequest, TranscriptionJobInput, Context>;
  /** Ends a job at once; what was transcribed until then is kept as a transcription and paid. One that is over stays as it is. */
  cancelTranscriptionJob: Handler<CancelTranscriptionJobRequest, TranscriptionJobInput, Context>;
  /** Removes a transcription for good. */
  deleteTranscription: Handler<DeleteTranscriptionRequest, DeletedInput, Context>;
}

/**
 * TranscriptionService turns speech into text, and keeps the text; recordings are not kept. Below level ADMIN a caller
 * sees their own transcriptions alone.
 */
export interface TranscriptionServiceClient<Options = unknown> {
  /**
   * Recognises what is said in a recording: mp3, wav, m4a, webm, ogg or flac, up to 25 MiB. The file is the last part
   * of the form.
   */
  transcribe: ClientCall<AsyncIterable<TranscribeRequestInput>, Transcription, Options>;
  /** Newest first unless asked otherwise, without their segments. */
  listTranscriptions: ClientCall<ListTranscriptionsRequestInput, ListTranscriptionsResponse, Options>;
  /** One transcription with its segments. */
  getTranscription: ClientCall<GetTranscriptionRequestInput, Transcription, Options>;
  /**
   * What was said, as a text or as subtitles: of the engines that tell no times all of it at once. The lines of subtitles are as they
   * were recognised, also where somebody has changed the text.
   */
  downloadTranscription: ClientStream<DownloadTranscriptionRequestInput, TranscriptionContent, Options>;
  /**
   * Changes the fields given: what it is called, and what was heard wrongly. The segments stay as they were
   * recognised.
   */
  updateTranscription: ClientCall<UpdateTranscriptionRequestInput, Transcription, Options>;
  /**
   * Has a long recording transcribed: that of a document, which may have any of the formats and be in any state in which its bytes
   * are here, FAILED as well, as a recording has no text that is read. Hours of it take minutes to hours; organisations take turns.
   * What its bytes are now is transcribed, whatever becomes of the document's versions. It costs as much as other transcriptions, once
   * it is over: nothing where it failed, and what was transcribed where it was cancelled.
   */
  createTranscriptionJob: ClientCall<CreateTranscriptionJobRequestInput, TranscriptionJob, Options>;
  /** Newest first unless asked otherwise. */
  listTranscriptionJobs: ClientCall<ListTranscriptionJobsRequestInput, ListTranscriptionJobsResponse, Options>;
  /** How far it is. A job is kept for 30 days after its end, what was transcribed for good. */
  getTranscriptionJob: ClientCall<GetTranscriptionJobRequestInput, TranscriptionJob, Options>;
  /** Ends a job at once; what was transcribed until then is kept as a transcription and paid. One that is over stays as it is. */
  cancelTranscriptionJob: ClientCall<CancelTranscriptionJobRequestInput, TranscriptionJob, Options>;
  /** Removes a transcription for good. */
  deleteTranscription: ClientCall<DeleteTranscriptionRequestInput, Deleted, Options>;
}

/**
 * ToolServerService keeps the servers whose tools an organisation lets its assistants use: by the Model Context Protocol, or by plain
 * HTTP requests that the organisation describes itself. What goes to them leaves the platform, so administrators decide.
 */
export interface ToolServerServiceHandlers<Context> {
  /** Adds a server. No tool of it is used before `tools` allows it and an assistant names the server. */
  createToolServer: Handler<CreateToolServerRequest, ToolServerInput, Context>;
  /** Those of the organisation that one may use, newest first unless asked otherwise. */
  listToolServers: Handler<ListToolServersRequest, ListToolServersResponseInput, Context>;
  /** One server. Values of its headers are shown to nobody. */
  getToolServer: Handler<GetToolServerRequest, ToolServerInput, Context>;
  /** Changes the fields given. `headers` are replaced as a whole, and have to come with a `url` that is of another host. */
  updateToolServer: Handler<UpdateToolServerRequest, ToolServerInput, Context>;
  /** Removes it with its secrets. Assistants that name it have its tools no more. */
  deleteToolServer: Handler<DeleteToolServerRequest, DeletedInput, Context>;
  /**
   * Says whose assistants may use it, in place of what was said before: whoever may not open it gets no answers from its tools. Its
   * maker and administrators always may. Repeating it is safe.
   */
  setToolServerAccess: Handler<SetToolServerAccessRequest, AccessInput, Context>;
  /**
   * Asks the server now which tools it has, and says of each what assistants may do with it; so it also shows whether address and
   * headers are right. At most 100 are shown.
   */
  listServerTools: Handler<ListServerToolsRequest, ListServerToolsResponseInput, Context>;
}

/**
 * ToolServerService keeps the servers whose tools an organisation lets its assistants use: by the Model Context Protocol, or by plain
 * HTTP requests that the organisation describes itself. What goes to them leaves the platform, so administrators decide.
 */
export interface ToolServerServiceClient<Options = unknown> {
  /** Adds a server. No tool of it is used before `tools` allows it and an assistant names the server. */
  createToolServer: ClientCall<CreateToolServerRequestInput, ToolServer, Options>;
  /** Those of the organisation that one may use, newest first unless asked otherwise. */
  listToolServers: ClientCall<ListToolServersRequestInput, ListToolServersResponse, Options>;
  /** One server. Values of its headers are shown to nobody. */
  getToolServer: ClientCall<GetToolServerRequestInput, ToolServer, Options>;
  /** Changes the fields given. `headers` are replaced as a whole, and have to come with a `url` that is of another host. */
  updateToolServer: ClientCall<UpdateToolServerRequestInput, ToolServer, Options>;
  /** Removes it with its secrets. Assistants that name it have its tools no more. */
  deleteToolServer: ClientCall<DeleteToolServerRequestInput, Deleted, Options>;
  /**
   * Says whose assistants may use it, in place of what was said before: whoever may not open it gets no answers from its tools. Its
   * maker and administrators always may. Repeating it is safe.
   */
  setToolServerAccess: ClientCall<SetToolServerAccessRequestInput, Access, Options>;
  /**
   * Asks the server now which tools it has, and says of each what assistants may do with it; so it also shows whether address and
   * headers are right. At most 100 are shown.
   */
  listServerTools: ClientCall<ListServerToolsRequestInput, ListServerToolsResponse, Options>;
}

/**
 * ReportService owns reports that assistants and people have written. Below level ADMIN there are only the caller's own:
 * others' are NOT_FOUND.
 */
export interface ReportServiceHandlers<Context> {
  /**
   * Of Markdown, 256 KiB in all; of what a message says that the caller may read, with the sources that it cites
   * behind it; or of how a run went.
   */
  createReport: Handler<CreateReportRequest, ReportInput, Context>;
  /** Newest first unless asked otherwise. Deleted ones only when asked for, and then those alone. */
  listReports: Handler<ListReportsRequest, ListReportsResponseInput, Context>;
  /** One report with what it says. */
  getReport: Handler<GetReportRequest, ReportInput, Context>;
  /** Changes the fields given; the same values again change nothing. */
  updateReport: Handler<UpdateReportRequest, ReportInput, Context>;
  /** It can be restored for 30 days, and is gone after them. */
  deleteReport: Handler<DeleteReportRequest, DeletedInput, Context>;
  /** Takes a deletion back. Repeating it is safe. */
  restoreReport: Handler<RestoreReportRequest, ReportInput, Context>;
  /**
   * The report as a page that asks for nothing else: of its Markdown only what is text, and pictures that it holds
   * itself.
   */
  getReportHtml: Handler<GetReportHtmlRequest, ReportHtmlInput, Context>;
  /** The same as a document for paper. */
  getReportPdf: Handler<GetReportPdfRequest, ReportPdfInput, Context>;
}

/**
 * ReportService owns reports that assistants and people have written. Below level ADMIN there are only the caller's own:
 * others' are NOT_FOUND.
 */
export interface ReportServiceClient<Options = unknown> {
  /**
   * Of Markdown, 256 KiB in all; of what a message says that the caller may read, with the sources that it cites
   * behind it; or of how a run went.
   */
  createReport: ClientCall<CreateReportRequestInput, Report, Options>;
  /** Newest first unless asked otherwise. Deleted ones only when asked for, and then those alone. */
  listReports: ClientCall<ListReportsRequestInput, ListReportsResponse, Options>;
  /** One report with what it says. */
  getReport: ClientCall<GetReportRequestInput, Report, Options>;
  /** Changes the fields given; the same values again change nothing. */
  updateReport: ClientCall<UpdateReportRequestInput, Report, Options>;
  /** It can be restored for 30 days, and is gone after them. */
  deleteReport: ClientCall<DeleteReportRequestInput, Deleted, Options>;
  /** Takes a deletion back. Repeating it is safe. */
  restoreReport: ClientCall<RestoreReportRequestInput, Report, Options>;
  /**
   * The report as a page that asks for nothing else: of its Markdown only what is text, and pictures that it holds
   * itself.
   */
  getReportHtml: ClientCall<GetReportHtmlRequestInput, ReportHtml, Options>;
  /** The same as a document for paper. */
  getReportPdf: ClientCall<GetReportPdfRequestInput, ReportPdf, Options>;
}

/**
 * RetentionService says after how long what an organisation keeps is deleted by itself: documents, also by the collection that they are
 * filed under, conversations with their messages, and transcriptions. Without a policy nothing is. What a pass deletes is gone as if somebody had deleted
 * it, with the same events. A pass is begun each day, and within seconds when the policy is another one.
 */
export interface RetentionServiceHandlers<Context> {
  /** The policy in force, and what was deleted last. */
  getRetentionPolicy: Handler<GetRetentionPolicyRequest, RetentionPolicyInput, Context>;
  /**
   * Puts another policy in place of the one before. From the answer on nothing is deleted by the one before; what the new one does not keep begins to go within seconds,
   * so look at its preview first. Repeating it is safe.
   */
  updateRetentionPolicy: Handler<UpdateRetentionPolicyRequest, RetentionPolicyInput, Context>;
  /** What a policy would delete if it were put in place now. Nothing changes. */
  previewRetentionPolicy: Handler<PreviewRetentionPolicyRequest, RetentionPreviewInput, Context>;
}

/**
 * RetentionService says after how long what an organisation keeps is deleted by itself: documents, also by the collection that they are
 * filed under, conversations with their messages, and transcriptions. Without a policy nothing is. What a pass deletes is gone as if somebody had deleted
 * it, with the same events. A pass is begun each day, and within seconds when the policy is another one.
 */
export interface RetentionServiceClient<Options = unknown> {
  /** The policy in force, and what was deleted last. */
  getRetentionPolicy: ClientCall<GetRetentionPolicyRequestInput, RetentionPolicy, Options>;
  /**
   * Puts another policy in place of the one before. From the answer on nothing is deleted by the one before; what the new one does not keep begins to go within seconds,
   * so look at its preview first. Repeating it is safe.
   */
  updateRetentionPolicy: ClientCall<UpdateRetentionPolicyRequestInput, RetentionPolicy, Options>;
  /** What a policy would delete if it were put in place now. Nothing changes. */
  previewRetentionPolicy: ClientCall<PreviewRetentionPolicyRequestInput, RetentionPreview, Options>;
}

/** TaskService has assistants work on what nobody waits for. */
export interface TaskServiceHandlers<Context> {
  /**
   * Has an assistant work on an instruction in a new conversation of a member, with the member's rights, and answers how far
   * it is. Asked again with the same turn it only answers, so that whoever wants the result asks until it is finished.
   * NOT_FOUND: unknown assistant. PAYMENT_REQUIRED: no credits left. INVALID: the turn has another instruction.
   */
  runTask: Handler<RunTaskRequest, TaskTurnInput, Context>;
}

/** TaskService has assistants work on what nobody waits for. */
export interface TaskServiceClient<Options = unknown> {
  /**
   * Has an assistant work on an instruction in a new conversation of a member, with the member's rights, and answers how far
   * it is. Asked again with the same turn it only answers, so that whoever wants the result asks until it is finished.
   * NOT_FOUND: unknown assistant. PAYMENT_REQUIRED: no credits left. INVALID: the turn has another instruction.
   */
  runTask: ClientCall<RunTaskRequestInput, TaskTurn, Options>;
}

/**
 * TurnService lets people watch what an assistant writes, and stop it. A turn has the id of the message that is being
 * written. It goes on when nobody watches.
 */
export interface TurnServiceHandlers<Context> {
  /**
   * As SubmitToAssistant, told while it is written. It begins with an event `started`; `text` has what is added to the
   * answer, `tool` what the assistant looks up, and `finished` the whole message and what it has cost. Where the
   * answer ends because whoever has asked is to approve what the assistant wants to do, `approval` says what, before
   * `finished`.
   */
  streamToAssistant: StreamHandler<SubmitToAssistantRequest, TurnEventInput, Context>;
  /** Answers once more to the same, as another branch. */
  regenerateMessage: Handler<RegenerateMessageRequest, AssistantReplyInput, Context>;
  /** Says something else in place of a message, which begins another branch, and answers to that. Its files stay with it. */
  editMessage: Handler<EditMessageRequest, AssistantReplyInput, Context>;
  /** As RegenerateMessage, told as StreamToAssistant tells. */
  streamRegeneration: StreamHandler<RegenerateMessageRequest, TurnEventInput, Context>;
  /** As EditMessage, told as StreamToAssistant tells. */
  streamEdit: StreamHandler<EditMessageRequest, TurnEventInput, Context>;
  /**
   * Goes on where a lost connection left off: with the header `Last-Event-ID` after that event, else from the
   * beginning. After the event `finished` there is nothing more.
   */
  watchTurn: StreamHandler<WatchTurnRequest, TurnEventInput, Context>;
  /**
   * Says whether the assistant may do what it wants to: the answer with `annotations.approval`, whose id the turn has,
   * ended with it. Approved, it is done once, and what comes of it is answered in the next message. Refused, nothing
   * is done, and the reply is the message that asked. Only whoever has asked decides, once and until `expires_at`,
   * also after a restart of the platform; saying the same again is answered the same.
   */
  decideApproval: Handler<DecideApprovalRequest, AssistantReplyInput, Context>;
  /** As DecideApproval, told as StreamToAssistant tells. */
  streamApproval: StreamHandler<DecideApprovalRequest, TurnEventInput, Context>;
  /**
   * Ends it within a second or two; what was written until then stays. Repeating it is safe, also when the turn is
   * over.
   */
  stopTurn: Handler<StopTurnRequest, MessageInput, Context>;
}

/**
 * TurnService lets people watch what an assistant writes, and stop it. A turn has the id of the message that is being
 * written. It goes on when nobody watches.
 */
export interface TurnServiceClient<Options = unknown> {
  /**
   * As SubmitToAssistant, told while it is written. It begins with an event `started`; `text` has what is added to the
   * answer, `tool` what the assistant looks up, and `finished` the whole message and what it has cost. Where the
   * answer ends because whoever has asked is to approve what the assistant wants to do, `approval` says what, before
   * `finished`.
   */
  streamToAssistant: ClientStream<SubmitToAssistantRequestInput, TurnEvent, Options>;
  /** Answers once more to the same, as another branch. */
  regenerateMessage: ClientCall<RegenerateMessageRequestInput, AssistantReply, Options>;
  /** Says something else in place of a message, which begins another branch, and answers to that. Its files stay with it. */
  editMessage: ClientCall<EditMessageRequestInput, AssistantReply, Options>;
  /** As RegenerateMessage, told as StreamToAssistant tells. */
  streamRegeneration: ClientStream<RegenerateMessageRequestInput, TurnEvent, Options>;
  /** As EditMessage, told as StreamToAssistant tells. */
  streamEdit: ClientStream<EditMessageRequestInput, TurnEvent, Options>;
  /**
   * Goes on where a lost connection left off: with the header `Last-Event-ID` after that event, else from the
   * beginning. After the event `finished` there is nothing more.
   */
  watchTurn: ClientStream<WatchTurnRequestInput, TurnEvent, Options>;
  /**
   * Says whether the assistant may do what it wants to: the answer with `annotations.approval`, whose id the turn has,
   * ended with it. Approved, it is done once, and what comes of it is answered in the next message. Refused, nothing
   * is done, and the reply is the message that asked. Only whoever has asked decides, once and until `expires_at`,
   * also after a restart of the platform; saying the same again is answered the same.
   */
  decideApproval: ClientCall<DecideApprovalRequestInput, AssistantReply, Options>;
  /** As DecideApproval, told as StreamToAssistant tells. */
  streamApproval: ClientStream<DecideApprovalRequestInput, TurnEvent, Options>;
  /**
   * Ends it within a second or two; what was written until then stays. Repeating it is safe, also when the turn is
   * over.
   */
  stopTurn: ClientCall<StopTurnRequestInput, Message, Options>;
}

/** Who may open a thing. */
export type Visibility =
  /** Everybody in the organisation; a document, as far as its collection is not restricted. */
  | 'organisation'
  /** Whoever is named, whoever made it, and administrators. */
  | 'restricted';

/** Who may open a document, a collection, a convention, an assistant or a tool server. To everybody else it is not there. */
export interface Access {
  visibility: Visibility | null;
  /** Client groups, by their ids: their members and API keys. The default group has everybody who is in no other. */
  groups: string[];
  /** Members, by the ids of their users. */
  members: string[];
  /** The user who made it, and for whom an API key has made it; may always open it. Null where nobody has noted that. */
  createdBy: string | null;
}

/** `Access`, to be written. */
export interface AccessInput {
  visibility: Visibility | null;
  groups: readonly string[];
  members: readonly string[];
  createdBy?: string | null | undefined;
}

/** Who may open a thing from its beginning. */
export interface InitialAccess {
  visibility: Visibility;
  /** Client groups, by their ids; only where it is restricted. */
  groups: string[];
  /** Members, by the ids of their users; only where it is restricted. */
  members: string[];
}

/** `InitialAccess`, to be written. */
export interface InitialAccessInput {
  visibility: Visibility;
  groups?: readonly string[] | null | undefined;
  members?: readonly string[] | null | undefined;
}

export interface Assistant {
  id: string;
  /** What `assistant_name` and `assignee` refer to. */
  name: string;
  /** What it is for. */
  description: string;
  /** Null for a default assistant. */
  createdAt: Date | null;
  /** Whether its language model sees images among the `attachments` of a message. */
  supportsImages: boolean;
}

/** `Assistant`, to be written. */
export interface AssistantInput {
  id: string;
  name: string;
  description: string;
  createdAt?: Date | null | undefined;
  supportsImages: boolean;
}

export type AssistantTool =
  | 'search_documents'
  | 'read_conventions'
  /** Shows the organisation's datasets and selects rows of them. */
  | 'query_datasets'
  /** Shows the organisation's pipelines and starts runs of them, for callers who may start runs themselves, and as `tool_effects` says. */
  | 'run_pipelines';

/**
 * Whether an assistant carries out tools that have effects, which starting a run of a pipeline is, and tools of `tool_server_ids` that need
 * an approval; all others only read.
 */
export type ToolEffects =
  /** Each call waits until whoever has asked approves it (DecideApproval). In tasks, where nobody is there, none is carried out. */
  | 'ask'
  /** None is carried out. */
  | 'never'
  /** All are carried out at once, but for those of tool servers, which go by their `approval`. Whatever text the assistant reads, a document that somebody else has written say, may bring them about. */
  | 'always';

/** An assistant that was made in an organisation. */
export interface CustomAssistant {
  id: string;
  /** What `assistant_name` and `assignee` refer to. */
  name: string;
  /** What it is for; may be empty. */
  description: string;
  instructions: string;
  /** Empty: the one of the deployment. */
  model: string;
  tools: AssistantTool[];
  /** What it looks at; with neither documents nor collections, all documents that have `document_metadata`. */
  documentIds: string[];
  collections: string[];
  /** 0 to 2; null: as the model is set. */
  temperature: number | null;
  /** 1 for the first. */
  version: number;
  /** The user who made it. */
  memberId: string;
  createdAt: Date | null;
  updatedAt: Date | null;
  toolEffects: ToolEffects | null;
  access: Access | null;
  toolServerIds: string[];
  /** Of these documents, or of all, it looks only at those that have all of these names with these values, as a search with `metadata` does. */
  documentMetadata: Record<string, string>;
}

/** `CustomAssistant`, to be written. */
export interface CustomAssistantInput {
  id: string;
  name: string;
  description: string;
  instructions: string;
  model: string;
  tools: readonly AssistantTool[];
  documentIds: readonly string[];
  collections: readonly string[];
  temperature?: number | null | undefined;
  version: number;
  memberId: string;
  createdAt?: Date | null | undefined;
  updatedAt?: Date | null | undefined;
  toolEffects: ToolEffects | null;
  access?: AccessInput | null | undefined;
  toolServerIds: readonly string[];
  documentMetadata: Readonly<Record<string, string | undefined>>;
}

/** An assistant as one change left it. */
export interface AssistantVersion {
  /** Of the assistant. */
  id: string;
  /** 1 for the first; one more with each change. */
  version: number;
  /** Who changed it: `user`, `api_key` or `service`. */
  actorType: string;
  actorId: string;
  actorName: string;
  /** As the change left it, like the fields below. */
  name: string;
  /** What it is for; may be empty. */
  description: string;
  instructions: string;
  /** Empty: the one of the deployment. */
  model: string;
  tools: AssistantTool[];
  /** Documents that it looks at. */
  documentIds: string[];
  collections: string[];
  /** 0 to 2; null: as the model is set. */
  temperature: number | null;
  /** When the change was made. */
  createdAt: Date | null;
  toolEffects: ToolEffects | null;
  toolServerIds: string[];
  /** What documents have to have for it to look at them. */
  documentMetadata: Record<string, string>;
}

/** `AssistantVersion`, to be written. */
export interface AssistantVersionInput {
  id: string;
  version: number;
  actorType: string;
  actorId: string;
  actorName: string;
  name: string;
  description: string;
  instructions: string;
  model: string;
  tools: readonly AssistantTool[];
  documentIds: readonly string[];
  collections: readonly string[];
  temperature?: number | null | undefined;
  createdAt?: Date | null | undefined;
  toolEffects: ToolEffects | null;
  toolServerIds: readonly string[];
  documentMetadata: Readonly<Record<string, string | undefined>>;
}

export interface AvailableAssistants {
  /** Of the platform, for every organisation. */
  default: Assistant[];
  /** Of the organisation. */
  custom: Assistant[];
}

/** `AvailableAssistants`, to be written. */
export interface AvailableAssistantsInput {
  default: readonly AssistantInput[];
  custom: readonly AssistantInput[];
}

/** What an assistant should look at: documents, datasets, anything a client names. */
export interface ConversationContext {
  /** Any JSON values: what the client names. */
  entities: JsonValue[];
}

/** `ConversationContext`, to be written. */
export interface ConversationContextInput {
  entities?: readonly JsonValueInput[] | null | undefined;
}

export interface AssistantReply {
  /** The one that was named, or the new one. */
  conversationId: string;
  /** The assistant's answer. */
  message: Message | null;
  /** What the answer has cost. */
  usage: AssistantUsage | null;
}

/** `AssistantReply`, to be written. */
export interface AssistantReplyInput {
  conversationId: string;
  message?: MessageInput | null | undefined;
  usage?: AssistantUsageInput | null | undefined;
}

/** What the turn has cost. */
export interface AssistantUsage {
  /** What the model has read. */
  inputTokens: number;
  /** What it has written. */
  outputTokens: number;
  /** 1 credit = 1,000,000 micros. */
  creditsMicros: string;
}

/** `AssistantUsage`, to be written. */
export interface AssistantUsageInput {
  inputTokens: number;
  outputTokens: number;
  creditsMicros: Int64Input;
}

export type ListAvailableAssistantsRequest = Record<string, never>;

/** `ListAvailableAssistantsRequest`, to be written. */
export type ListAvailableAssistantsRequestInput = Record<string, never>;

export interface CreateAssistantRequest {
  /** What `assistant_name` refers to; unique among the assistants of the organisation and those of the platform. */
  name: string;
  /** What it is for; may be empty. */
  description: string;
  instructions: string;
  /** One that the deployment offers; empty: its usual one. */
  model: string;
  tools: AssistantTool[];
  /** Of documents that are there. */
  documentIds: string[];
  collections: string[];
  /** 0 to 2. */
  temperature: number | null;
  toolEffects: ToolEffects;
  /** Who may open and ask it; everybody in the organisation unless given. */
  access: InitialAccess | null;
  /** Of servers that are there. */
  toolServerIds: string[];
  /**
   * Names and values of `metadata` that a document has to have, all of them, for it to look at it; with `document_ids` or `collections`, of
   * these alone.
   */
  documentMetadata: Record<string, string>;
}

/** `CreateAssistantRequest`, to be written. */
export interface CreateAssistantRequestInput {
  name: string;
  description?: string | null | undefined;
  instructions?: string | null | undefined;
  model?: string | null | undefined;
  tools?: readonly AssistantTool[] | null | undefined;
  documentIds?: readonly string[] | null | undefined;
  collections?: readonly string[] | null | undefined;
  temperature?: number | null | undefined;
  toolEffects?: ToolEffects | null | undefined;
  access?: InitialAccessInput | null | undefined;
  toolServerIds?: readonly string[] | null | undefined;
  documentMetadata?: Readonly<Record<string, string | undefined>> | null | undefined;
}

export interface ListAssistantsRequest {
  limit: number;
  cursor: string;
  order: SortOrder;
  includeTotal: boolean;
  /** Only what is restricted by itself, or only what is not. */
  visibility: Visibility | null;
}

/** `ListAssistantsRequest`, to be written. */
export interface ListAssistantsRequestInput {
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
  order?: SortOrder | null | undefined;
  includeTotal?: boolean | null | undefined;
  visibility?: Visibility | null | undefined;
}

export interface ListAssistantsResponse {
  /** By `order`, newest first unless given. */
  assistants: CustomAssistant[];
  /** Empty on the last page. */
  nextCursor: string;
  /** Only when asked for. */
  totalCount: number | null;
}

/** `ListAssistantsResponse`, to be written. */
export interface ListAssistantsResponseInput {
  assistants: readonly CustomAssistantInput[];
  nextCursor: string;
  totalCount?: number | null | undefined;
}

export interface GetAssistantRequest {
  assistantId: string;
}

/** `GetAssistantRequest`, to be written. */
export interface GetAssistantRequestInput {
  assistantId: string;
}

export interface UpdateAssistantRequest {
  assistantId: string;
  name: string;
  description: string;
  instructions: string;
  model: string;
  tools: AssistantTool[];
  /** All that it looks at from now on. */
  documentIds: string[];
  collections: string[];
  /** 0 to 2. */
  temperature: number | null;
  updateMask: FieldMask | null;
  toolEffects: ToolEffects | null;
  /** All whose tools it may use from now on. */
  toolServerIds: string[];
  /** All of what documents have to have from now on; `{}`: nothing. */
  documentMetadata: Record<string, string>;
}

/** `UpdateAssistantRequest`, to be written. */
export interface UpdateAssistantRequestInput {
  assistantId: string;
  name?: string | null | undefined;
  description?: string | null | undefined;
  instructions?: string | null | undefined;
  model?: string | null | undefined;
  tools?: readonly AssistantTool[] | null | undefined;
  documentIds?: readonly string[] | null | undefined;
  collections?: readonly string[] | null | undefined;
  temperature?: number | null | undefined;
  updateMask?: FieldMask | null | undefined;
  toolEffects?: ToolEffects | null | undefined;
  toolServerIds?: readonly string[] | null | undefined;
  documentMetadata?: Readonly<Record<string, string | undefined>> | null | undefined;
}

export interface DeleteAssistantRequest {
  assistantId: string;
}

/** `DeleteAssistantRequest`, to be written. */
export interface DeleteAssistantRequestInput {
  assistantId: string;
}

export interface ListAssistantVersionsRequest {
  assistantId: string;
  limit: number;
  cursor: string;
  order: SortOrder;
  includeTotal: boolean;
}

/** `ListAssistantVersionsRequest`, to be written. */
export interface ListAssistantVersionsRequestInput {
  assistantId: string;
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
  order?: SortOrder | null | undefined;
  includeTotal?: boolean | null | undefined;
}

export interface ListAssistantVersionsResponse {
  /** By `order`, newest first unless given. */
  versions: AssistantVersion[];
  /** Empty on the last page. */
  nextCursor: string;
  /** Only when asked for. */
  totalCount: number | null;
}

/** `ListAssistantVersionsResponse`, to be written. */
export interface ListAssistantVersionsResponseInput {
  versions: readonly AssistantVersionInput[];
  nextCursor: string;
  totalCount?: number | null | undefined;
}

export interface SubmitToAssistantRequest {
  /** `name` of an assistant that is available. */
  assistantName: string;
  /** What is asked. */
  newMessage: string;
  /** Empty: a new conversation. */
  conversationId: string;
  /** What the assistant should look at beside what it finds. */
  conversationCtx: ConversationContext;
  /** Requests of one caller with the same key are one and the same, and get the same answer. */
  idempotencyKey: string;
  /**
   * Files that belong to the message: documents of the organisation, by their ids, of which the caller may open each. They are uploaded by
   * `POST /documents/upload/`. Of texts the assistant reads the beginning, 40,000 characters of all together, and searches the rest; images
   * (PNG, JPEG, GIF, WebP, up to 5 MiB) are shown to a language model that sees.
   */
  attachments: string[];
  /**
   * The form of the answer, in OpenAI's words: `{"type": "json_object"}`, or `{"type": "json_schema", "json_schema": {"name": ..., "schema":
   * ...}}`. The answer is held against it, and `annotations.structured_output` says whether it keeps to it. Absent, or of type `text`: text.
   */
  responseFormat: JsonObject | null;
}

/** `SubmitToAssistantRequest`, to be written. */
export interface SubmitToAssistantRequestInput {
  assistantName: string;
  newMessage: string;
  conversationId?: string | null | undefined;
  conversationCtx?: ConversationContextInput | null | undefined;
  idempotencyKey?: string | null | undefined;
  attachments?: readonly string[] | null | undefined;
  responseFormat?: JsonObjectInput | null | undefined;
}

export interface SetAssistantAccessRequest {
  assistantId: string;
  visibility: Visibility;
  /** Client groups, by their ids; only where it is restricted. */
  groups: string[];
  /** Members, by the ids of their users; only where it is restricted. */
  members: string[];
}

/** `SetAssistantAccessRequest`, to be written. */
export interface SetAssistantAccessRequestInput {
  assistantId: string;
  visibility: Visibility;
  groups?: readonly string[] | null | undefined;
  members?: readonly string[] | null | undefined;
}

/** The answer to a delete. */
export interface Deleted {
  /** Of what is gone. */
  id: string;
  deleted: boolean;
}

/** `Deleted`, to be written. */
export interface DeletedInput {
  id: string;
  deleted: boolean;
}

export type SenderType =
  | 'USER'
  | 'ASSISTANT'
  | 'SYSTEM'
  | 'TOOL';

export type MessageType =
  | 'TEXT'
  | 'TOOL_CALL'
  | 'TOOL_RESULT'
  | 'FILE'
  | 'ERROR';

export type AttachmentKind =
  /** Shown to language models that see. */
  | 'IMAGE'
  /** Read as text. */
  | 'TEXT';

/** A file that belongs to what somebody has said: a document of the organisation. */
export interface Attachment {
  documentId: string;
  /** As the document was called then. */
  name: string;
  /** As the document has it. */
  mediaType: string;
  /** How an assistant reads it. */
  kind: AttachmentKind | null;
}

/** `Attachment`, to be written. */
export interface AttachmentInput {
  documentId: string;
  name: string;
  mediaType: string;
  kind: AttachmentKind | null;
}

export type FeedbackRating =
  | 'UP'
  | 'DOWN';

export interface Feedback {
  /** How good the answer was. */
  rating: FeedbackRating | null;
  /** Empty when nothing was said. */
  comment: string;
  /** When it was given. */
  createdAt: Date | null;
}

/** `Feedback`, to be written. */
export interface FeedbackInput {
  rating: FeedbackRating | null;
  comment: string;
  createdAt?: Date | null | undefined;
}

export interface Message {
  id: string;
  /** The user whose conversation it is, an assistant's messages as well. */
  memberId: string;
  /** A user's or an assistant's id, as `sender_type` says. */
  senderId: string;
  /** Who says it. */
  senderType: SenderType | null;
  /** What it says, in Markdown of an assistant; empty while an answer has not begun. */
  message: string;
  /** What it is; an answer that failed is ERROR and says why. */
  messageType: MessageType | null;
  /** The conversation that it belongs to. */
  conversationId: string;
  createdAt: Date | null;
  /** False while an assistant is still writing. */
  isFinished: boolean;
  /**
   * Of a question: `response_format`, where it asked for JSON. Of an answer: `citations`, `context`, `model`, `usage`; and where it is not what it could be `stopped`, `cut`, `incomplete` with the
   * `code` and the `message` why it ends before its end, `search_incomplete`, `failed_tools`, `cut_attachments` with the ids of documents that
   * were not read whole, `missing_attachments` of those that could not be read any more, `unread_attachments` of those that the store did not give in time; `structured_output` with its `status`, `valid`, `invalid`
   * with `errors`, or `unchecked`, where `response_format` asked for JSON; `approval` with the fields of ToolApproval and its `status`, `pending`, `approved` or `refused`. Of type `ERROR`: `error` with the code.
   */
  annotations: JsonObject | null;
  /**
   * The message that it follows; empty for the first one. Messages with the same parent are branches: an edited
   * question, an answer that was made again.
   */
  parentMessageId: string;
  /** Null while an assistant is still writing. */
  finishedAt: Date | null;
  /** Null when there is none. */
  feedback: Feedback | null;
  /** The files that belong to it, as far as the reader may open them. One whose document is deleted is not there any more. */
  attachments: Attachment[];
}

/** `Message`, to be written. */
export interface MessageInput {
  id: string;
  memberId: string;
  senderId: string;
  senderType: SenderType | null;
  message: string;
  messageType: MessageType | null;
  conversationId: string;
  createdAt?: Date | null | undefined;
  isFinished: boolean;
  annotations?: JsonObjectInput | null | undefined;
  parentMessageId: string;
  finishedAt?: Date | null | undefined;
  feedback?: FeedbackInput | null | undefined;
  attachments: readonly AttachmentInput[];
}

export interface ListMessagesRequest {
  /** Of an unknown conversation there are none. */
  conversationId: string | null;
  /** Only of conversations that this user has begun. */
  memberId: string;
  /** Only what these have said. */
  senderType: SenderType | null;
  /** True: without answers that are still being written; false: only those; absent: all. */
  isFinished: boolean | null;
  createdAfter: Date | null;
  createdBefore: Date | null;
  limit: number;
  cursor: string;
  order: SortOrder;
  includeTotal: boolean;
}

/** `ListMessagesRequest`, to be written. */
export interface ListMessagesRequestInput {
  conversationId?: string | null | undefined;
  memberId?: string | null | undefined;
  senderType?: SenderType | null | undefined;
  isFinished?: boolean | null | undefined;
  createdAfter?: Date | null | undefined;
  createdBefore?: Date | null | undefined;
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
  order?: SortOrder | null | undefined;
  includeTotal?: boolean | null | undefined;
}

export interface ListMessagesResponse {
  /** By `order`, newest first unless given. */
  messages: Message[];
  /** Empty on the last page. */
  nextCursor: string;
  /** Only when asked for. */
  totalCount: number | null;
}

/** `ListMessagesResponse`, to be written. */
export interface ListMessagesResponseInput {
  messages: readonly MessageInput[];
  nextCursor: string;
  totalCount?: number | null | undefined;
}

export interface GetMessageRequest {
  messageId: string;
}

/** `GetMessageRequest`, to be written. */
export interface GetMessageRequestInput {
  messageId: string;
}

export interface RateMessageRequest {
  messageId: string;
  /** How good the answer was. */
  rating: FeedbackRating;
  /** Why, in words; may be empty. */
  comment: string;
}

/** `RateMessageRequest`, to be written. */
export interface RateMessageRequestInput {
  messageId: string;
  rating: FeedbackRating;
  comment?: string | null | undefined;
}

export interface DeleteFeedbackRequest {
  messageId: string;
}

/** `DeleteFeedbackRequest`, to be written. */
export interface DeleteFeedbackRequestInput {
  messageId: string;
}

export interface Collection {
  /** What documents are filed under. */
  collection: string;
  access: Access | null;
  /** When it was restricted. */
  createdAt: Date | null;
}

/** `Collection`, to be written. */
export interface CollectionInput {
  collection: string;
  access?: AccessInput | null | undefined;
  createdAt?: Date | null | undefined;
}

export interface ListCollectionsRequest {
  limit: number;
  cursor: string;
  includeTotal: boolean;
}

/** `ListCollectionsRequest`, to be written. */
export interface ListCollectionsRequestInput {
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
  includeTotal?: boolean | null | undefined;
}

export interface ListCollectionsResponse {
  /** The collections of this page. */
  collections: Collection[];
  /** Empty on the last page. */
  nextCursor: string;
  /** Only when asked for. */
  totalCount: number | null;
}

/** `ListCollectionsResponse`, to be written. */
export interface ListCollectionsResponseInput {
  collections: readonly CollectionInput[];
  nextCursor: string;
  totalCount?: number | null | undefined;
}

export interface GetCollectionAccessRequest {
  collection: string;
}

/** `GetCollectionAccessRequest`, to be written. */
export interface GetCollectionAccessRequestInput {
  collection: string;
}

export interface SetCollectionAccessRequest {
  collection: string;
  visibility: Visibility;
  /** Client groups, by their ids; only where it is restricted. */
  groups: string[];
  /** Members, by the ids of their users; only where it is restricted. */
  members: string[];
}

/** `SetCollectionAccessRequest`, to be written. */
export interface SetCollectionAccessRequestInput {
  collection: string;
  visibility: Visibility;
  groups?: readonly string[] | null | undefined;
  members?: readonly string[] | null | undefined;
}

export interface Convention {
  /** By which people know it. */
  title: string;
  /** The rule, in words. */
  content: string;
  organisationId: string;
  id: string;
  createdAt: Date | null;
  updatedAt: Date | null;
  /**
   * Stands for title and content in similarity search. Empty in lists, and for the moment until it was made after a change
   * while the encoder is away.
   */
  embedding: number[];
  access: Access | null;
}

/** `Convention`, to be written. */
export interface ConventionInput {
  title: string;
  content: string;
  organisationId: string;
  id: string;
  createdAt?: Date | null | undefined;
  updatedAt?: Date | null | undefined;
  embedding: readonly number[];
  access?: AccessInput | null | undefined;
}

export interface GetConventionRequest {
  conventionId: string;
}

/** `GetConventionRequest`, to be written. */
export interface GetConventionRequestInput {
  conventionId: string;
}

export interface CreateConventionRequest {
  /** By which people know it. */
  title: string;
  /** The rule, in words: assistants keep to it, and search finds it. */
  content: string;
  /** Who may open it; everybody in the organisation unless given. */
  access: InitialAccess | null;
}

/** `CreateConventionRequest`, to be written. */
export interface CreateConventionRequestInput {
  title: string;
  content: string;
  access?: InitialAccessInput | null | undefined;
}

export interface ListConventionsRequest {
  limit: number;
  cursor: string;
  order: SortOrder;
  includeTotal: boolean;
  /** Exactly this title. */
  title: string | null;
  createdAfter: Date | null;
  createdBefore: Date | null;
  /** Only what is restricted by itself, or only what is not. */
  visibility: Visibility | null;
}

/** `ListConventionsRequest`, to be written. */
export interface ListConventionsRequestInput {
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
  order?: SortOrder | null | undefined;
  includeTotal?: boolean | null | undefined;
  title?: string | null | undefined;
  createdAfter?: Date | null | undefined;
  createdBefore?: Date | null | undefined;
  visibility?: Visibility | null | undefined;
}

export interface ListConventionsResponse {
  /** By `order`, newest first unless given. */
  conventions: Convention[];
  /** Empty on the last page. */
  nextCursor: string;
  /** Only when asked for. */
  totalCount: number | null;
}

/** `ListConventionsResponse`, to be written. */
export interface ListConventionsResponseInput {
  conventions: readonly ConventionInput[];
  nextCursor: string;
  totalCount?: number | null | undefined;
}

export interface UpdateConventionRequest {
  conventionId: string;
  title: string;
  content: string;
  updateMask: FieldMask | null;
}

/** `UpdateConventionRequest`, to be written. */
export interface UpdateConventionRequestInput {
  conventionId: string;
  title?: string | null | undefined;
  content?: string | null | undefined;
  updateMask?: FieldMask | null | undefined;
}

export interface DeleteConventionRequest {
  conventionId: string;
}

/** `DeleteConventionRequest`, to be written. */
export interface DeleteConventionRequestInput {
  conventionId: string;
}

export interface ListConventionHistoryRequest {
  conventionId: string;
  limit: number;
  cursor: string;
  order: SortOrder;
  includeTotal: boolean;
}

/** `ListConventionHistoryRequest`, to be written. */
export interface ListConventionHistoryRequestInput {
  conventionId: string;
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
  order?: SortOrder | null | undefined;
  includeTotal?: boolean | null | undefined;
}

export interface ListConventionHistoryResponse {
  /** By `order`, newest first unless given. */
  versions: ConventionVersion[];
  /** Empty on the last page. */
  nextCursor: string;
  /** Only when asked for. */
  totalCount: number | null;
}

/** `ListConventionHistoryResponse`, to be written. */
export interface ListConventionHistoryResponseInput {
  versions: readonly ConventionVersionInput[];
  nextCursor: string;
  totalCount?: number | null | undefined;
}

/** A convention as one change left it. */
export interface ConventionVersion {
  /** Of this version. */
  id: string;
  /** When the change was made. */
  createdAt: Date | null;
  /** Who changed it: `user`, `api_key` or `service`. */
  actorType: string;
  actorId: string;
  actorName: string;
  /** Fields that differ from the version before. */
  changedFields: string[];
  /** As the change left it. */
  title: string;
  /** As the change left it. */
  content: string;
}

/** `ConventionVersion`, to be written. */
export interface ConventionVersionInput {
  id: string;
  createdAt?: Date | null | undefined;
  actorType: string;
  actorId: string;
  actorName: string;
  changedFields: readonly string[];
  title: string;
  content: string;
}

export interface SearchConventionsRequest {
  /** What is looked for, in words or as a question. */
  query: string;
  /** The most conventions to answer. */
  limit: number;
  /** By words, by meaning, or both. */
  mode: SearchMode;
}

/** `SearchConventionsRequest`, to be written. */
export interface SearchConventionsRequestInput {
  query: string;
  limit?: number | null | undefined;
  mode?: SearchMode | null | undefined;
}

export interface SearchConventionsResponse {
  /** Best first, each convention once. */
  hits: ConventionHit[];
  /** False where the organisation has more conventions than are searched: the newest are. */
  isComplete: boolean;
}

/** `SearchConventionsResponse`, to be written. */
export interface SearchConventionsResponseInput {
  hits: readonly ConventionHitInput[];
  isComplete: boolean;
}

export interface ConventionHit {
  /** Without its embedding. */
  convention: Convention | null;
  /** The part of it that fits best. */
  quote: SearchQuote | null;
  /** 0 to 1, comparable within one answer alone. */
  score: number;
}

/** `ConventionHit`, to be written. */
export interface ConventionHitInput {
  convention?: ConventionInput | null | undefined;
  quote?: SearchQuoteInput | null | undefined;
  score: number;
}

export interface SetConventionAccessRequest {
  conventionId: string;
  visibility: Visibility;
  /** Client groups, by their ids; only where it is restricted. */
  groups: string[];
  /** Members, by the ids of their users; only where it is restricted. */
  members: string[];
}

/** `SetConventionAccessRequest`, to be written. */
export interface SetConventionAccessRequestInput {
  conventionId: string;
  visibility: Visibility;
  groups?: readonly string[] | null | undefined;
  members?: readonly string[] | null | undefined;
}

export type SearchMode =
  /** By words and by meaning. */
  | 'hybrid'
  | 'keyword'
  | 'semantic';

export type SearchKind =
  | 'DOCUMENT'
  | 'CONVENTION'
  | 'MESSAGE';

/** Where something stands in a text, in UTF-16 units; `end` is the first that is no part of it. */
export interface TextSpan {
  /** The first position that is a part of it. */
  start: number;
  /** The first position that is none any more. */
  end: number;
}

/** `TextSpan`, to be written. */
export interface TextSpanInput {
  start: number;
  end: number;
}

/** A part of a text, word for word. */
export interface SearchQuote {
  /** Of the title or the content. */
  text: string;
  /** Where it stands in the text of its document, convention or message, in UTF-16 units. */
  start: number;
  /** The first position that is no part of it. */
  end: number;
  /** The words that were asked for, counted from the beginning of the quote. */
  highlights: TextSpan[];
}

/** `SearchQuote`, to be written. */
export interface SearchQuoteInput {
  text: string;
  start: number;
  end: number;
  highlights: readonly TextSpanInput[];
}

export interface SearchHit {
  /** Where the passage was found. */
  kind: SearchKind | null;
  /** Of the document, the convention or the message. */
  id: string;
  /** Of the document its name, of the message the title of its conversation. */
  title: string;
  /** When what it was found in came to be. */
  createdAt: Date | null;
  /** Null where it has none. */
  collection: string | null;
  /** Of a document; null for what is none. */
  mediaType: string | null;
  /** The passage; `start` and `end` as of a quote. */
  text: string;
  /** The first position of the passage in its text, in UTF-16 code units. */
  start: number;
  /** The first position that is no part of the passage. */
  end: number;
  /** From 1 on; null where it has no pages. */
  page: number | null;
  /** The part of the passage that fits best. */
  quote: SearchQuote | null;
  /** 0 to 1, comparable within one answer alone. */
  score: number;
  /** Whether it is about what was asked, as far as that can be told: it has half of the telling words, or means much the same. */
  isRelevant: boolean;
  /** The passage with those around it; null unless `context_passages` asked for them. */
  context: SearchContext | null;
}

/** `SearchHit`, to be written. */
export interface SearchHitInput {
  kind: SearchKind | null;
  id: string;
  title: string;
  createdAt?: Date | null | undefined;
  collection?: string | null | undefined;
  mediaType?: string | null | undefined;
  text: string;
  start: number;
  end: number;
  page?: number | null | undefined;
  quote?: SearchQuoteInput | null | undefined;
  score: number;
  isRelevant: boolean;
  context?: SearchContextInput | null | undefined;
}

/** Passages that follow each other, as one text. */
export interface SearchContext {
  /** What one passage repeats of the one before stands in it once. */
  text: string;
  /** The first position of it in the text of its document, convention or message, in UTF-16 units. */
  start: number;
  /** The first position that is no part of it. */
  end: number;
}

/** `SearchContext`, to be written. */
export interface SearchContextInput {
  text: string;
  start: number;
  end: number;
}

export interface SearchRequest {
  /** What is looked for, in words or as a question. */
  query: string;
  /** None: everything. */
  kinds: SearchKind[];
  /** Only documents that are filed under it. */
  collection: string | null;
  /** Only in these documents. */
  documentIds: string[];
  /** Only documents of these: `application/pdf`. */
  mediaTypes: string[];
  createdAfter: Date | null;
  createdBefore: Date | null;
  /** By words, by meaning, or both. */
  mode: SearchMode;
  /** The most passages to answer. */
  limit: number;
  /** Passages of one document, convention or message, at most, so that a long one leaves room for others. None: as many as there are. */
  maxPerSource: number | null;
  /** Only what is about the question, instead of the best that there is. */
  relevantOnly: boolean;
  /** How many passages before and after each hit its `context` has. */
  contextPassages: number;
  /** Only documents that have all of these names with these values. */
  metadata: Record<string, string>;
}

/** `SearchRequest`, to be written. */
export interface SearchRequestInput {
  query: string;
  kinds?: readonly SearchKind[] | null | undefined;
  collection?: string | null | undefined;
  documentIds?: readonly string[] | null | undefined;
  mediaTypes?: readonly string[] | null | undefined;
  createdAfter?: Date | null | undefined;
  createdBefore?: Date | null | undefined;
  mode?: SearchMode | null | undefined;
  limit?: number | null | undefined;
  maxPerSource?: number | null | undefined;
  relevantOnly?: boolean | null | undefined;
  contextPassages?: number | null | undefined;
  metadata?: Readonly<Record<string, string | undefined>> | null | undefined;
}

export interface SearchResponse {
  /** What fits best first. */
  hits: SearchHit[];
  /** How it was searched: `keyword` instead of `hybrid` while there is no encoder. */
  mode: SearchMode | null;
  /**
   * False where the organisation has more of the kinds that were asked for than is searched: the newest is. Documents,
   * conventions and messages have room of their own, of which none takes that of another.
   */
  isComplete: boolean;
}

/** `SearchResponse`, to be written. */
export interface SearchResponseInput {
  hits: readonly SearchHitInput[];
  mode: SearchMode | null;
  isComplete: boolean;
}

export interface Conversation {
  id: string;
  /** Begins as the beginning of the first message. Where the platform has a model for it, that names it with the first answer, unless somebody has. */
  title: string;
  /** The user who has begun it. */
  memberId: string;
  /** Of the assistant that was asked last. */
  assistantId: string;
  /** Whether the whole organisation reads it; otherwise who has begun it alone. */
  shared: boolean;
  /** Whether it is put away: lists leave it out unless asked for, and nothing else changes. */
  archived: boolean;
  /** The last message of the branch that is shown; its parents are the others. */
  currentMessageId: string;
  /** Of all branches. */
  messageCount: number;
  /** Whether an assistant is writing. */
  turnInProgress: boolean;
  createdAt: Date | null;
  updatedAt: Date | null;
  /** When something was last said. */
  lastMessageAt: Date | null;
}

/** `Conversation`, to be written. */
export interface ConversationInput {
  id: string;
  title: string;
  memberId: string;
  assistantId: string;
  shared: boolean;
  archived: boolean;
  currentMessageId: string;
  messageCount: number;
  turnInProgress: boolean;
  createdAt?: Date | null | undefined;
  updatedAt?: Date | null | undefined;
  lastMessageAt?: Date | null | undefined;
}

export interface ListConversationsRequest {
  /** Only those that this user has begun. */
  memberId: string;
  /** True: only those that the whole organisation reads; false: only the others; absent: all. */
  shared: boolean | null;
  /** Those in the archive instead of the others. */
  archived: boolean | null;
  /** Part of the title, in capitals or not. */
  title: string;
  limit: number;
  cursor: string;
  order: SortOrder;
  includeTotal: boolean;
  /** A cursor goes on in the sort that it comes from. By activity, what is said meanwhile moves a conversation to the newest. */
  sort: ConversationSort;
}

/** `ListConversationsRequest`, to be written. */
export interface ListConversationsRequestInput {
  memberId?: string | null | undefined;
  shared?: boolean | null | undefined;
  archived?: boolean | null | undefined;
  title?: string | null | undefined;
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
  order?: SortOrder | null | undefined;
  includeTotal?: boolean | null | undefined;
  sort?: ConversationSort | null | undefined;
}

export type ConversationSort =
  /** When it was begun. */
  | 'created'
  /** When something was last said in it. */
  | 'activity';

export interface ListConversationsResponse {
  /** By `sort` and `order`. */
  conversations: Conversation[];
  /** Empty on the last page. */
  nextCursor: string;
  /** Only when asked for. */
  totalCount: number | null;
}

/** `ListConversationsResponse`, to be written. */
export interface ListConversationsResponseInput {
  conversations: readonly ConversationInput[];
  nextCursor: string;
  totalCount?: number | null | undefined;
}

export interface GetConversationRequest {
  conversationId: string;
}

/** `GetConversationRequest`, to be written. */
export interface GetConversationRequestInput {
  conversationId: string;
}

export interface UpdateConversationRequest {
  conversationId: string;
  /** What it is called. */
  title: string;
  archived: boolean;
  /**
   * Any message of the conversation: the branch that ends with it is shown, and the next message follows it.
   * NOT_FOUND: it has no such message.
   */
  currentMessageId: string;
  updateMask: FieldMask | null;
}

/** `UpdateConversationRequest`, to be written. */
export interface UpdateConversationRequestInput {
  conversationId: string;
  title?: string | null | undefined;
  archived?: boolean | null | undefined;
  currentMessageId?: string | null | undefined;
  updateMask?: FieldMask | null | undefined;
}

export interface DeleteConversationRequest {
  conversationId: string;
}

/** `DeleteConversationRequest`, to be written. */
export interface DeleteConversationRequestInput {
  conversationId: string;
}

export interface ShareConversationRequest {
  conversationId: string;
}

/** `ShareConversationRequest`, to be written. */
export interface ShareConversationRequestInput {
  conversationId: string;
}

export interface UnshareConversationRequest {
  conversationId: string;
}

/** `UnshareConversationRequest`, to be written. */
export interface UnshareConversationRequestInput {
  conversationId: string;
}

export interface ImportDocumentRequest {
  /** What is fetched, by https. What is behind its `?` is kept sealed until it has been fetched or nobody wants it any more, and never shown. */
  url: string;
  /** Of the document; one is made unless given. */
  id: string;
  /** What it is called; unless given, as the answer or the address says. */
  name: string;
  collection: string;
  /** As of an upload. */
  metadata: Record<string, string>;
  /** Who may open the document; everybody in the organisation unless given. */
  access: InitialAccess | null;
}

/** `ImportDocumentRequest`, to be written. */
export interface ImportDocumentRequestInput {
  url: string;
  id?: string | null | undefined;
  name?: string | null | undefined;
  collection?: string | null | undefined;
  metadata?: Readonly<Record<string, string | undefined>> | null | undefined;
  access?: InitialAccessInput | null | undefined;
}

export interface DocumentImportAddress {
  /** What is fetched, by https. */
  url: string;
  /** Of the document; one is made unless given. */
  id: string;
  /** What it is called; unless given, as the answer or the address says. */
  name: string;
}

/** `DocumentImportAddress`, to be written. */
export interface DocumentImportAddressInput {
  url: string;
  id?: string | null | undefined;
  name?: string | null | undefined;
}

export interface CreateDocumentImportRequest {
  /** In the order in which their results are shown. */
  items: DocumentImportAddress[];
  /** Of all of them. */
  collection: string;
  /** Of all of them, as of an upload. */
  metadata: Record<string, string>;
  /** Who may open the documents; everybody in the organisation unless given. */
  access: InitialAccess | null;
}

/** `CreateDocumentImportRequest`, to be written. */
export interface CreateDocumentImportRequestInput {
  items: readonly DocumentImportAddressInput[];
  collection?: string | null | undefined;
  metadata?: Readonly<Record<string, string | undefined>> | null | undefined;
  access?: InitialAccessInput | null | undefined;
}

export type DocumentImportItemStatus =
  /** It waits for its turn, or for the next attempt. */
  | 'QUEUED'
  | 'FETCHING'
  /** The document has its bytes, and is read as any other. */
  | 'IMPORTED'
  | 'FAILED'
  /** The import was cancelled, or the document deleted, archived or uploaded anew meanwhile. */
  | 'CANCELLED';

export interface DocumentImport {
  id: string;
  createdAt: Date | null;
  /** The user who asked for it, or for whom a key did. */
  createdBy: string;
  /** How many addresses there are. */
  total: number;
  /** How many of them wait. */
  queued: number;
  /** How many of them are being fetched. */
  fetching: number;
  /** How many of them have come. */
  imported: number;
  /** How many of them could not be fetched. */
  failed: number;
  /** How many of them nobody wants any more. */
  cancelled: number;
}

/** `DocumentImport`, to be written. */
export interface DocumentImportInput {
  id: string;
  createdAt?: Date | null | undefined;
  createdBy: string;
  total: number;
  queued: number;
  fetching: number;
  imported: number;
  failed: number;
  cancelled: number;
}

export interface DocumentImportItem {
  /** Its place among the addresses, from 0. */
  number: number;
  /** Without what is behind its `?`. */
  url: string;
  /** What it becomes or has become; the document is there once its turn has come. */
  documentId: string;
  status: DocumentImportItemStatus | null;
  /** How many have come. */
  sizeBytes: string;
  /** Why it failed; null unless FAILED. */
  failure: DocumentFailure | null;
}

/** `DocumentImportItem`, to be written. */
export interface DocumentImportItemInput {
  number: number;
  url: string;
  documentId: string;
  status: DocumentImportItemStatus | null;
  sizeBytes: Int64Input;
  failure?: DocumentFailureInput | null | undefined;
}

export interface ListDocumentImportsRequest {
  limit: number;
  cursor: string;
  order: SortOrder;
  includeTotal: boolean;
}

/** `ListDocumentImportsRequest`, to be written. */
export interface ListDocumentImportsRequestInput {
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
  order?: SortOrder | null | undefined;
  includeTotal?: boolean | null | undefined;
}

export interface ListDocumentImportsResponse {
  /** By `order`, newest first unless given. */
  imports: DocumentImport[];
  /** Empty on the last page. */
  nextCursor: string;
  /** Only when asked for. */
  totalCount: number | null;
}

/** `ListDocumentImportsResponse`, to be written. */
export interface ListDocumentImportsResponseInput {
  imports: readonly DocumentImportInput[];
  nextCursor: string;
  totalCount?: number | null | undefined;
}

export interface GetDocumentImportRequest {
  /** The import. */
  importId: string;
}

/** `GetDocumentImportRequest`, to be written. */
export interface GetDocumentImportRequestInput {
  importId: string;
}

export interface CancelDocumentImportRequest {
  /** The import. */
  importId: string;
}

/** `CancelDocumentImportRequest`, to be written. */
export interface CancelDocumentImportRequestInput {
  importId: string;
}

export interface RetryDocumentImportRequest {
  /** The import. */
  importId: string;
}

/** `RetryDocumentImportRequest`, to be written. */
export interface RetryDocumentImportRequestInput {
  importId: string;
}

export interface ListDocumentImportItemsRequest {
  /** The import. */
  importId: string;
  /** Any of them; absent: whatever has become of it. */
  status: DocumentImportItemStatus[];
  limit: number;
  cursor: string;
}

/** `ListDocumentImportItemsRequest`, to be written. */
export interface ListDocumentImportItemsRequestInput {
  importId: string;
  status?: readonly DocumentImportItemStatus[] | null | undefined;
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
}

export interface ListDocumentImportItemsResponse {
  /** By their numbers. */
  items: DocumentImportItem[];
  /** Empty on the last page. */
  nextCursor: string;
}

/** `ListDocumentImportItemsResponse`, to be written. */
export interface ListDocumentImportItemsResponseInput {
  items: readonly DocumentImportItemInput[];
  nextCursor: string;
}

export type DocumentStatus =
  | 'PENDING_UPLOAD'
  | 'UPLOADED'
  | 'PROCESSING'
  | 'READY'
  | 'FAILED'
  /** The URL's life ended before anything was uploaded. */
  | 'EXPIRED'
  | 'ARCHIVED';

export interface Document {
  id: string;
  createdAt: Date | null;
  /** Of the file, with its ending. */
  name: string;
  organisationId: string;
  /** How far it is; search finds what is READY. */
  status: DocumentStatus | null;
  /**
   * The extracted text; empty unless READY, and in lists. Of a very long one the first mebibyte (`content_is_cut`); the
   * chunks hold all of it.
   */
  content: string;
  /** What it says in a few sentences; empty until it is READY. */
  detailedDescription: string;
  /** What it is, in words. */
  description: string;
  /** About how many a model reads with its text; 0 until it is READY. */
  numTokens: number;
  updatedAt: Date | null;
  /**
   * What the bytes are, whatever was said of them; what was said until they are looked at. A document that FAILED says what
   * its bytes are as far as that was found out.
   */
  mediaType: string;
  /** Of the file; 0 until it is uploaded. */
  sizeBytes: string;
  /** SHA-256 of the bytes in hex; empty until it is known. */
  checksum: string;
  /** What clients file it under; empty: nothing. */
  collection: string;
  /** ISO 639-1; empty where it is not known. */
  language: string;
  /** Null for what has no pages. */
  pageCount: number | null;
  /** Null unless FAILED. */
  failure: DocumentFailure | null;
  /** Null unless PROCESSING, or while it is fetched from an address. */
  progress: DocumentProgress | null;
  /** Whether `content` is only the beginning. */
  contentIsCut: boolean;
  /**
   * Of a PDF or a picture that is READY: its pages, from 1, of which no text could be read, as they are empty, or pictures (scanned ones are)
   * and the platform reads none, or not these. What stands on them is not found; have it recognised (OCR), and upload the result.
   */
  pagesWithoutText: number[];
  /** Null unless READY, and in lists. */
  foundBy: DocumentSearch | null;
  access: Access | null;
  /** The number of what it has now, from 1. */
  version: number;
  /** What clients know of it, by names of their own: lists and searches can be narrowed to it. At most 20 names. */
  metadata: Record<string, string>;
  /** Whether it is kept whatever the retention policy says. */
  retentionExempt: boolean;
  /** The import that fetches it, or by which nothing came; null once it has come, and of what is uploaded. */
  importId: string | null;
  /** One that is coming, or that has failed: the document is what it was. Null: there is none. */
  incomingVersion: DocumentVersion | null;
}

/** `Document`, to be written. */
export interface DocumentInput {
  id: string;
  createdAt?: Date | null | undefined;
  name: string;
  organisationId: string;
  status: DocumentStatus | null;
  content: string;
  detailedDescription: string;
  description: string;
  numTokens: number;
  updatedAt?: Date | null | undefined;
  mediaType: string;
  sizeBytes: Int64Input;
  checksum: string;
  collection: string;
  language: string;
  pageCount?: number | null | undefined;
  failure?: DocumentFailureInput | null | undefined;
  progress?: DocumentProgressInput | null | undefined;
  contentIsCut: boolean;
  pagesWithoutText: readonly number[];
  foundBy: DocumentSearch | null;
  access?: AccessInput | null | undefined;
  version: number;
  metadata: Readonly<Record<string, string | undefined>>;
  retentionExempt: boolean;
  importId?: string | null | undefined;
  incomingVersion?: DocumentVersionInput | null | undefined;
}

export type DocumentVersionStatus =
  /** What the document has now. */
  | 'CURRENT'
  /** What it had before. */
  | 'EARLIER'
  | 'PENDING_UPLOAD'
  | 'UPLOADED'
  | 'PROCESSING'
  /** It could not be read, or nothing was uploaded in time. */
  | 'FAILED';

/** What a document has, has had or is going to have under its id. */
export interface DocumentVersion {
  /** Its number, from 1; none is given twice. */
  version: number;
  status: DocumentVersionStatus | null;
  /** When it was asked for. */
  createdAt: Date | null;
  /** Who has brought or restored it: `user`, `api_key` or `service`; empty of a first one from before that was noted. */
  actorType: string;
  actorId: string;
  actorName: string;
  /** Of the file, with its ending. */
  name: string;
  /** What the bytes are; what was said until they are looked at. */
  mediaType: string;
  /** Of the file; 0 until it is uploaded. */
  sizeBytes: string;
  /** SHA-256 of the bytes in hex; empty until it is known. */
  checksum: string;
  /** The version that it was restored from; null: it was uploaded. */
  restoredFrom: number | null;
  /** Null unless FAILED. */
  failure: DocumentFailure | null;
  /** Null unless PROCESSING. */
  progress: DocumentProgress | null;
  /** The extracted text, like that of the document; empty in lists, and where it has not been read. */
  content: string;
}

/** `DocumentVersion`, to be written. */
export interface DocumentVersionInput {
  version: number;
  status: DocumentVersionStatus | null;
  createdAt?: Date | null | undefined;
  actorType: string;
  actorId: string;
  actorName: string;
  name: string;
  mediaType: string;
  sizeBytes: Int64Input;
  checksum: string;
  restoredFrom?: number | null | undefined;
  failure?: DocumentFailureInput | null | undefined;
  progress?: DocumentProgressInput | null | undefined;
  content: string;
}

/** By what a document is found. */
export type DocumentSearch =
  /** By its words and its meaning. */
  | 'meaning'
  /** By its words alone for now: the encoder is away, has refused it, or is another one since, and it is tried again. */
  | 'words';

export interface DocumentFailure {
  /** Stable: `encrypted`, `damaged`, `empty_file`, `no_text`, `unsupported_type`, `too_large`, `timed_out`, ... */
  code: string;
  /** What to do about it. */
  message: string;
}

/** `DocumentFailure`, to be written. */
export interface DocumentFailureInput {
  code: string;
  message: string;
}

export type DocumentStage =
  | 'READING'
  | 'EXTRACTING'
  | 'INDEXING'
  /** From an address, while it is PENDING_UPLOAD. */
  | 'FETCHING';

export interface DocumentProgress {
  /** What is being done with it. */
  stage: DocumentStage | null;
  /** Of the whole, from 0 to 100. */
  percent: number;
}

/** `DocumentProgress`, to be written. */
export interface DocumentProgressInput {
  stage: DocumentStage | null;
  percent: number;
}

export type DocumentEventKind =
  | 'progress'
  | 'finished';

export interface DocumentEvent {
  /** How far the document is. */
  eventId: string;
  /** `finished` is the last one. */
  event: DocumentEventKind | null;
  /** The document after this step. */
  data: DocumentStep | null;
}

/** `DocumentEvent`, to be written. */
export interface DocumentEventInput {
  eventId: string;
  event: DocumentEventKind | null;
  data?: DocumentStepInput | null | undefined;
}

export interface DocumentStep {
  /** Which document. */
  documentId: string;
  /** How far it is. */
  status: DocumentStatus | null;
  /** Null unless PROCESSING. */
  progress: DocumentProgress | null;
  /** Null unless FAILED. */
  failure: DocumentFailure | null;
  /** A version that is coming, or that has failed. Null: there is none. */
  incomingVersion: DocumentVersion | null;
}

/** `DocumentStep`, to be written. */
export interface DocumentStepInput {
  documentId: string;
  status: DocumentStatus | null;
  progress?: DocumentProgressInput | null | undefined;
  failure?: DocumentFailureInput | null | undefined;
  incomingVersion?: DocumentVersionInput | null | undefined;
}

export interface DocumentUpload {
  /**
   * Takes one PUT for 15 minutes, with the header `Content-Type: <content_type>`. Another type is refused: with 415, or
   * where files are in S3 with 403, since there the type is a part of the signature. What comes once the upload is complete changes nothing.
   */
  signedUrl: string;
  /** As it was given. */
  documentId: string;
  /** What the PUT has to name. */
  contentType: string;
  /** The most that the URL takes. */
  maxBytes: string;
  expiresAt: Date | null;
  /** Another way where files are in S3, which holds the size down: a multipart form with these fields, and `file` last. */
  form: UploadForm | null;
  /** Of the document, which the bytes make. */
  version: number;
}

/** `DocumentUpload`, to be written. */
export interface DocumentUploadInput {
  signedUrl: string;
  documentId: string;
  contentType: string;
  maxBytes: Int64Input;
  expiresAt?: Date | null | undefined;
  form?: UploadFormInput | null | undefined;
  version: number;
}

export interface UploadForm {
  /** Where the form is sent. */
  url: string;
  /** Its fields, which come before the file. */
  fields: Record<string, string>;
}

/** `UploadForm`, to be written. */
export interface UploadFormInput {
  url: string;
  fields: Readonly<Record<string, string | undefined>>;
}

export interface DocumentDownload {
  /** Gives the bytes for 15 minutes, and parts of them by `Range`. */
  signedUrl: string;
  expiresAt: Date | null;
}

/** `DocumentDownload`, to be written. */
export interface DocumentDownloadInput {
  signedUrl: string;
  expiresAt?: Date | null | undefined;
}

/** A passage of a document's text. */
export interface DocumentChunk {
  /** Its place among the chunks, from 0. */
  ordinal: number;
  /** Word for word. */
  text: string;
  /** From 1; null for what has no pages. */
  page: number | null;
  /** Where it stands in the text of the document, in UTF-16 code units. */
  start: number;
  /** The first position that is no part of it. */
  end: number;
}

/** `DocumentChunk`, to be written. */
export interface DocumentChunkInput {
  ordinal: number;
  text: string;
  page?: number | null | undefined;
  start: number;
  end: number;
}

export type GetStorageRequest = Record<string, never>;

/** `GetStorageRequest`, to be written. */
export type GetStorageRequestInput = Record<string, never>;

export interface Storage {
  /** Of all documents with their versions, and of uploads that are awaited what they may bring. */
  usedBytes: string;
  /** The most there may be; null: nobody has set a limit. An upload that has no room any more is refused (`storage_quota_exceeded`). */
  maxBytes: string | null;
  /** How many documents there are, archived ones and those that are awaited among them. A list has fewer where some are not for the caller. */
  documentCount: string;
}

/** `Storage`, to be written. */
export interface StorageInput {
  usedBytes: Int64Input;
  maxBytes?: Int64Input | null | undefined;
  documentCount: Int64Input;
}

export interface UploadDocumentRequest {
  /** Of the document, chosen by the client: asked for again it is the same document, until bytes have come. */
  id: string;
  /** Of the file, with its ending. */
  name: string;
  /** Of the upload; by the ending of the name unless given. */
  contentType: string;
  /** What clients file it under; empty: nothing. */
  collection: string;
  /**
   * How many bytes there will be, where that is known: the URL takes no more of them, and where files are in S3 no other number, for
   * there it is a part of the signature. More than a document may have is refused.
   */
  sizeBytes: string | null;
  /** Who may open a document that is new; everybody in the organisation unless given. */
  access: InitialAccess | null;
  /** Of a document that is new: what clients know of it. Names are of letters, digits, `_` and `-`; values have at least one character. */
  metadata: Record<string, string>;
}

/** `UploadDocumentRequest`, to be written. */
export interface UploadDocumentRequestInput {
  id: string;
  name: string;
  contentType?: string | null | undefined;
  collection?: string | null | undefined;
  sizeBytes?: Int64Input | null | undefined;
  access?: InitialAccessInput | null | undefined;
  metadata?: Readonly<Record<string, string | undefined>> | null | undefined;
}

export interface ListDocumentsRequest {
  limit: number;
  cursor: string;
  includeTotal: boolean;
  order: SortOrder;
  /** Any of them. */
  status: DocumentStatus[];
  /** Only what is filed under it. */
  collection: string;
  /** Only of this: `application/pdf`. */
  mediaType: string;
  createdAfter: Date | null;
  createdBefore: Date | null;
  /** Only what is restricted by itself, or only what is not. */
  visibility: Visibility | null;
  /** Only what has all of these, each a name and a value: `department=hr`. */
  metadata: string[];
  /** Only what is restricted by itself to this client group, beside others. */
  groupId: string;
}

/** `ListDocumentsRequest`, to be written. */
export interface ListDocumentsRequestInput {
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
  includeTotal?: boolean | null | undefined;
  order?: SortOrder | null | undefined;
  status?: readonly DocumentStatus[] | null | undefined;
  collection?: string | null | undefined;
  mediaType?: string | null | undefined;
  createdAfter?: Date | null | undefined;
  createdBefore?: Date | null | undefined;
  visibility?: Visibility | null | undefined;
  metadata?: readonly string[] | null | undefined;
  groupId?: string | null | undefined;
}

export interface ListDocumentsResponse {
  /** By `order`, newest first unless given; without their texts. */
  documents: Document[];
  /** Empty on the last page. */
  nextCursor: string;
  /** Only when asked for. */
  totalCount: number | null;
}

/** `ListDocumentsResponse`, to be written. */
export interface ListDocumentsResponseInput {
  documents: readonly DocumentInput[];
  nextCursor: string;
  totalCount?: number | null | undefined;
}

export interface GetDocumentRequest {
  documentId: string;
}

/** `GetDocumentRequest`, to be written. */
export interface GetDocumentRequestInput {
  documentId: string;
}

export interface WatchDocumentRequest {
  documentId: string;
  lastEventId: string;
}

/** `WatchDocumentRequest`, to be written. */
export interface WatchDocumentRequestInput {
  documentId: string;
  lastEventId?: string | null | undefined;
}

export interface UpdateDocumentRequest {
  documentId: string;
  name: string;
  description: string;
  collection: string;
  updateMask: FieldMask | null;
  /** All that is known of it from then on, in place of what was; empty: nothing. */
  metadata: Record<string, string>;
}

/** `UpdateDocumentRequest`, to be written. */
export interface UpdateDocumentRequestInput {
  documentId: string;
  name?: string | null | undefined;
  description?: string | null | undefined;
  collection?: string | null | undefined;
  updateMask?: FieldMask | null | undefined;
  metadata?: Readonly<Record<string, string | undefined>> | null | undefined;
}

export interface CompleteDocumentUploadRequest {
  documentId: string;
}

/** `CompleteDocumentUploadRequest`, to be written. */
export interface CompleteDocumentUploadRequestInput {
  documentId: string;
}

export interface ArchiveDocumentRequest {
  documentId: string;
}

/** `ArchiveDocumentRequest`, to be written. */
export interface ArchiveDocumentRequestInput {
  documentId: string;
}

export interface RestoreDocumentRequest {
  documentId: string;
}

/** `RestoreDocumentRequest`, to be written. */
export interface RestoreDocumentRequestInput {
  documentId: string;
}

export interface RetryDocumentRequest {
  documentId: string;
}

/** `RetryDocumentRequest`, to be written. */
export interface RetryDocumentRequestInput {
  documentId: string;
}

export interface DeleteDocumentRequest {
  documentId: string;
}

/** `DeleteDocumentRequest`, to be written. */
export interface DeleteDocumentRequestInput {
  documentId: string;
}

export interface DownloadDocumentRequest {
  documentId: string;
}

/** `DownloadDocumentRequest`, to be written. */
export interface DownloadDocumentRequestInput {
  documentId: string;
}

export interface UploadDocumentVersionRequest {
  documentId: string;
  /** Of the file, with its ending, and of the document from then on; the present one stays unless given. */
  name: string;
  /** Of the upload; by the ending of the name unless given. */
  contentType: string;
  /** How many bytes there will be, where that is known, as at POST /documents/upload/. */
  sizeBytes: string | null;
}

/** `UploadDocumentVersionRequest`, to be written. */
export interface UploadDocumentVersionRequestInput {
  documentId: string;
  name?: string | null | undefined;
  contentType?: string | null | undefined;
  sizeBytes?: Int64Input | null | undefined;
}

export interface ListDocumentVersionsRequest {
  documentId: string;
  limit: number;
  cursor: string;
  includeTotal: boolean;
}

/** `ListDocumentVersionsRequest`, to be written. */
export interface ListDocumentVersionsRequestInput {
  documentId: string;
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
  includeTotal?: boolean | null | undefined;
}

export interface ListDocumentVersionsResponse {
  /** Newest first. */
  versions: DocumentVersion[];
  /** Empty on the last page. */
  nextCursor: string;
  /** Only when asked for. */
  totalCount: number | null;
}

/** `ListDocumentVersionsResponse`, to be written. */
export interface ListDocumentVersionsResponseInput {
  versions: readonly DocumentVersionInput[];
  nextCursor: string;
  totalCount?: number | null | undefined;
}

export interface GetDocumentVersionRequest {
  documentId: string;
  /** Its number. */
  version: number;
}

/** `GetDocumentVersionRequest`, to be written. */
export interface GetDocumentVersionRequestInput {
  documentId: string;
  version: number;
}

export interface DownloadDocumentVersionRequest {
  documentId: string;
  /** Its number. */
  version: number;
}

/** `DownloadDocumentVersionRequest`, to be written. */
export interface DownloadDocumentVersionRequestInput {
  documentId: string;
  version: number;
}

export interface RestoreDocumentVersionRequest {
  documentId: string;
  /** Its number. */
  version: number;
}

/** `RestoreDocumentVersionRequest`, to be written. */
export interface RestoreDocumentVersionRequestInput {
  documentId: string;
  version: number;
}

export interface DeleteDocumentVersionRequest {
  documentId: string;
  /** Its number. */
  version: number;
}

/** `DeleteDocumentVersionRequest`, to be written. */
export interface DeleteDocumentVersionRequestInput {
  documentId: string;
  version: number;
}

export interface ListDocumentChunksRequest {
  documentId: string;
  limit: number;
  cursor: string;
}

/** `ListDocumentChunksRequest`, to be written. */
export interface ListDocumentChunksRequestInput {
  documentId: string;
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
}

export interface ListDocumentChunksResponse {
  /** In the order of the text. */
  chunks: DocumentChunk[];
  /** Empty on the last page. */
  nextCursor: string;
}

/** `ListDocumentChunksResponse`, to be written. */
export interface ListDocumentChunksResponseInput {
  chunks: readonly DocumentChunkInput[];
  nextCursor: string;
}

export interface UploadFileRequest {
  ticket: string;
  contentType: string;
  /** The URL allows less. */
  chunk: Buffer;
  /** What the whole of the bytes is said to be: one that the URL does not allow is refused before any of it is there. */
  contentLength: string | null;
}

/** `UploadFileRequest`, to be written. */
export interface UploadFileRequestInput {
  ticket?: string | null | undefined;
  contentType?: string | null | undefined;
  chunk?: Uint8Array | null | undefined;
  contentLength?: Int64Input | null | undefined;
}

export interface UploadedFile {
  /** How many bytes have come. */
  sizeBytes: string;
  /** SHA-256 in hex. */
  checksum: string;
}

/** `UploadedFile`, to be written. */
export interface UploadedFileInput {
  sizeBytes: Int64Input;
  checksum: string;
}

export interface DownloadFileRequest {
  ticket: string;
  /** `bytes=0-499`, `bytes=500-`, `bytes=-500`. */
  range: string;
  /** The `ETag` of what the client has of the file. */
  ifRange: string;
}

/** `DownloadFileRequest`, to be written. */
export interface DownloadFileRequestInput {
  ticket: string;
  range?: string | null | undefined;
  ifRange?: string | null | undefined;
}

export interface FilePiece {
  contentType: string;
  contentDisposition: string;
  contentLength: string;
  cacheControl: string;
  chunk: Buffer;
  acceptRanges: string;
  /** Of a part, its place. */
  contentRange: string;
  /** The SHA-256 of the whole file. */
  etag: string;
}

/** `FilePiece`, to be written. */
export interface FilePieceInput {
  contentType?: string | null | undefined;
  contentDisposition?: string | null | undefined;
  contentLength?: Int64Input | null | undefined;
  cacheControl?: string | null | undefined;
  chunk: Uint8Array;
  acceptRanges?: string | null | undefined;
  contentRange?: string | null | undefined;
  etag?: string | null | undefined;
}

export interface SetDocumentRetentionRequest {
  documentId: string;
  /** Whether it is kept whatever the policy says. */
  exempt: boolean;
}

/** `SetDocumentRetentionRequest`, to be written. */
export interface SetDocumentRetentionRequestInput {
  documentId: string;
  exempt: boolean;
}

export interface SetDocumentAccessRequest {
  documentId: string;
  visibility: Visibility;
  /** Client groups, by their ids; only where it is restricted. */
  groups: string[];
  /** Members, by the ids of their users; only where it is restricted. */
  members: string[];
}

/** `SetDocumentAccessRequest`, to be written. */
export interface SetDocumentAccessRequestInput {
  documentId: string;
  visibility: Visibility;
  groups?: readonly string[] | null | undefined;
  members?: readonly string[] | null | undefined;
}

export interface GenerateTextRequest {
  /** Chosen by whoever asks. */
  id: string;
  /**
   * From 1. An answer that is of no use, as it was cut, withheld or does not keep to its schema, is asked for again, and paid again, by a higher
   * one.
   */
  attempt: number;
  /** For what it is asked, as the ledger shows it: a run. */
  workId: string;
  /** One of those that are offered; empty: the usual one. */
  model: string;
  /** How it shall answer; empty: with the text alone. */
  instructions: string;
  prompt: string;
  /** 0 to 2; null: as the model is set. */
  temperature: number | null;
  /** Never more than the model may write. Null: as much as it may. */
  maxOutputTokens: number | null;
  /** Of an answer in JSON. Null: text. */
  jsonSchema: JsonObject | null;
  /** Beyond it the model is not waited for. */
  timeLimitSeconds: number;
  /** For whom it is asked, and whose spending it counts as. */
  memberId: string | null;
  apiKeyId: string | null;
  clientGroupId: string | null;
}

/** `GenerateTextRequest`, to be written. */
export interface GenerateTextRequestInput {
  id: string;
  attempt?: number | null | undefined;
  workId: string;
  model?: string | null | undefined;
  instructions?: string | null | undefined;
  prompt: string;
  temperature?: number | null | undefined;
  maxOutputTokens?: number | null | undefined;
  jsonSchema?: JsonObjectInput | null | undefined;
  timeLimitSeconds?: number | null | undefined;
  memberId?: string | null | undefined;
  apiKeyId?: string | null | undefined;
  clientGroupId?: string | null | undefined;
}

export type GenerationOutcome =
  /** Whole, and as its schema says. */
  | 'ANSWERED'
  /** It was longer than it may be. */
  | 'CUT'
  /** Whoever runs the model withholds it. */
  | 'WITHHELD'
  /** It does not keep to its schema. */
  | 'UNFIT';

export interface GeneratedText {
  outcome: GenerationOutcome | null;
  /** What the model has written, whatever it is: data, and never to be followed. */
  text: string;
  /** What is wrong with one that is `UNFIT`. */
  errors: string[];
  /** Who has answered. */
  model: string;
  inputTokens: string;
  outputTokens: string;
  costMicros: string;
}

/** `GeneratedText`, to be written. */
export interface GeneratedTextInput {
  outcome: GenerationOutcome | null;
  text: string;
  errors: readonly string[];
  model: string;
  inputTokens: Int64Input;
  outputTokens: Int64Input;
  costMicros: Int64Input;
}

export interface CheckGenerationsRequest {
  generations: GenerationSettings[];
}

/** `CheckGenerationsRequest`, to be written. */
export interface CheckGenerationsRequestInput {
  generations: readonly GenerationSettingsInput[];
}

export interface GenerationSettings {
  model: string;
  jsonSchema: JsonObject | null;
}

/** `GenerationSettings`, to be written. */
export interface GenerationSettingsInput {
  model?: string | null | undefined;
  jsonSchema?: JsonObjectInput | null | undefined;
}

export interface CheckGenerationsResponse {
  problems: GenerationProblem[];
}

/** `CheckGenerationsResponse`, to be written. */
export interface CheckGenerationsResponseInput {
  problems: readonly GenerationProblemInput[];
}

export interface GenerationProblem {
  /** Among those that were asked about. */
  index: number;
  /** `model` or `json_schema`. */
  field: string;
  message: string;
}

/** `GenerationProblem`, to be written. */
export interface GenerationProblemInput {
  index: number;
  field: string;
  message: string;
}

export type ListModelsRequest = Record<string, never>;

/** `ListModelsRequest`, to be written. */
export type ListModelsRequestInput = Record<string, never>;

export interface ListModelsResponse {
  /** Always `list`. */
  object: string;
  /** Those that everybody has first. */
  data: Model[];
}

/** `ListModelsResponse`, to be written. */
export interface ListModelsResponseInput {
  object: string;
  data: readonly ModelInput[];
}

export interface GetModelRequest {
  /** Its id or name. */
  model: string;
}

/** `GetModelRequest`, to be written. */
export interface GetModelRequestInput {
  model: string;
}

export interface Model {
  /** Of the assistant. */
  id: string;
  /** Always `model`. */
  object: string;
  /** When it came to be, in seconds since 1970; 0 for those that everybody has. */
  created: string;
  /** `platform`, or `organisation` for one that was made in it. */
  ownedBy: string;
  /** What people call it. */
  name: string;
}

/** `Model`, to be written. */
export interface ModelInput {
  id: string;
  object: string;
  created: Int64Input;
  ownedBy: string;
  name: string;
}

export type ChatRole =
  /** What the assistant is told beside its own instructions. */
  | 'system'
  /** The same. */
  | 'developer'
  | 'user'
  | 'assistant';

/** What was said. Of a message that the assistant has answered before everything may come back as it was. */
export interface ChatMessage {
  /** Who has said it. Calls of tools are not taken. */
  role: ChatRole;
  /**
   * A text, or a list of parts: `{"type": "text", "text": ...}`, and of role `user` also images, `{"type": "image_url", "image_url": {"url":
   * "data:image/png;base64,..."}}`, for language models that see, and files, `{"type": "file", "file": {"file_id": ...}}` of a file that was
   * uploaded or `{"type": "file", "file": {"filename": ..., "file_data": "data:application/pdf;base64,..."}}`: up to ten in all. Addresses
   * are not fetched.
   */
  content: string | JsonValue[] | null;
  /** Who it is, where there are several; it is put before the text. */
  name: string;
  /** Of an answer; nothing is made of it. */
  refusal: null | null;
  /** Of an answer; nothing is made of them. */
  annotations: JsonValue[] | null | null;
  /** None, or null: assistants use tools of their own. */
  toolCalls: JsonValue[] | null | null;
}

/** `ChatMessage`, to be written. */
export interface ChatMessageInput {
  role: ChatRole;
  content: string | readonly JsonValueInput[];
  name?: string | null | undefined;
  refusal?: null | null | undefined;
  annotations?: readonly JsonValueInput[] | null | null | undefined;
  toolCalls?: readonly JsonValueInput[] | null | null | undefined;
}

export interface StreamOptions {
  /** Whether the last chunk before the end says what was used. */
  includeUsage: boolean;
  /** Nothing is obfuscated, whatever it says. */
  includeObfuscation: boolean;
}

/** `StreamOptions`, to be written. */
export interface StreamOptionsInput {
  includeUsage?: boolean | null | undefined;
  includeObfuscation?: boolean | null | undefined;
}

export interface CreateChatCompletionRequest {
  /** Which assistant answers. */
  model: string;
  /** All that was said, oldest first. The last one is the user's. */
  messages: ChatMessage[];
  /** Whether the answer is told while it is written, as server-sent events. */
  stream: boolean;
  /** With `stream` alone. */
  streamOptions: StreamOptions | null;
  /** 0 to 2, in place of the assistant's own. */
  temperature: number | null;
  /** 0 to 1: from how much of what is likely words are chosen. */
  topP: number | null;
  /** The most tokens that are written at once. Never more than the platform allows. */
  maxTokens: number | null;
  /** The same; it goes before `max_tokens`. */
  maxCompletionTokens: number | null;
  /** A text at which the answer ends, or up to four of them. */
  stop: string | JsonValue[] | null | null;
  /** -2 to 2. */
  presencePenalty: number | null;
  /** -2 to 2. */
  frequencyPenalty: number | null;
  /** By which a model that can answers the same again. */
  seed: number | null;
  /** `{"type": "text"}`, `{"type": "json_object"}`, or `json_schema` with a schema. The answer is held against it: `structured_output` says whether it keeps to it. */
  responseFormat: JsonObject | null;
  /** 1, for there is one answer. */
  n: number | null;
  /** None: assistants use tools of their own. */
  tools: JsonValue[] | null | null;
  /** `none` or `auto`. */
  toolChoice: JsonValue | null;
  /** Without tools it changes nothing. */
  parallelToolCalls: boolean;
  /** False: likelihoods are not told. */
  logprobs: boolean;
  /** False: what is asked and answered is not kept. */
  store: boolean;
  /** Whom the client asks for, in its own words. Nothing is made of it: whoever the key is of pays and is noted. */
  user: string;
  /** What the client notes for itself; with nothing kept there is nothing that it could be found by. */
  metadata: JsonObject | null;
  /** `auto` or `default`. */
  serviceTier: string;
}

/** `CreateChatCompletionRequest`, to be written. */
export interface CreateChatCompletionRequestInput {
  model: string;
  messages: readonly ChatMessageInput[];
  stream?: boolean | null | undefined;
  streamOptions?: StreamOptionsInput | null | undefined;
  temperature?: number | null | undefined;
  topP?: number | null | undefined;
  maxTokens?: number | null | undefined;
  maxCompletionTokens?: number | null | undefined;
  stop?: string | readonly JsonValueInput[] | null | null | undefined;
  presencePenalty?: number | null | undefined;
  frequencyPenalty?: number | null | undefined;
  seed?: number | null | undefined;
  responseFormat?: JsonObjectInput | null | undefined;
  n?: number | null | undefined;
  tools?: readonly JsonValueInput[] | null | null | undefined;
  toolChoice?: JsonValueInput | null | undefined;
  parallelToolCalls?: boolean | null | undefined;
  logprobs?: boolean | null | undefined;
  store?: boolean | null | undefined;
  user?: string | null | undefined;
  metadata?: JsonObjectInput | null | undefined;
  serviceTier?: string | null | undefined;
}

export type FinishReason =
  /** It is whole. */
  | 'stop'
  /** It is as long as it may be, or the assistant wanted to look for more than it may in one answer. */
  | 'length'
  /** The provider of the language model withholds the rest. */
  | 'content_filter';

export interface ChatCompletion {
  /** Names the answer, in the log and the ledger. */
  id: string;
  /** Always `chat.completion`. */
  object: string;
  /** When it was begun, in seconds since 1970. */
  created: string;
  /** As it was asked for. */
  model: string;
  /** The one that there is. */
  choices: ChatCompletionChoice[];
  /** What was read and written for it. */
  usage: CompletionUsage | null;
}

/** `ChatCompletion`, to be written. */
export interface ChatCompletionInput {
  id: string;
  object: string;
  created: Int64Input;
  model: string;
  choices: readonly ChatCompletionChoiceInput[];
  usage?: CompletionUsageInput | null | undefined;
}

export interface ChatCompletionChoice {
  /** Always 0. */
  index: number;
  /** What the assistant answers. */
  message: AnsweredMessage | null;
  /** Why it ends. */
  finishReason: FinishReason | null;
  /** Always null. */
  logprobs: JsonValue | null;
}

/** `ChatCompletionChoice`, to be written. */
export interface ChatCompletionChoiceInput {
  index: number;
  message?: AnsweredMessageInput | null | undefined;
  finishReason: FinishReason | null;
  logprobs?: JsonValueInput | null | undefined;
}

/** What the assistant says. */
export interface AnsweredMessage {
  /** Always `assistant`. */
  role: ChatRole | null;
  /** The answer. `[1]` in it is a source. */
  content: string;
  /** Always null. */
  refusal: JsonValue | null;
  /** The sources to which the answer refers, in the order of their places in it. */
  annotations: ChatAnnotation[];
  /** Where `response_format` asks for JSON: whether the answer keeps to it. */
  structuredOutput: StructuredOutput | null;
}

/** `AnsweredMessage`, to be written. */
export interface AnsweredMessageInput {
  role: ChatRole | null;
  content: string;
  refusal?: JsonValueInput | null | undefined;
  annotations: readonly ChatAnnotationInput[];
  structuredOutput?: StructuredOutputInput | null | undefined;
}

export type StructuredOutputStatus =
  | 'valid'
  /** The language model did not keep to it, or was cut. */
  | 'invalid'
  /** It could not be told in time. */
  | 'unchecked';

/** Whether an answer is JSON as it was asked for. */
export interface StructuredOutput {
  status: StructuredOutputStatus | null;
  /** Of one that is not valid: what is wrong and where, up to ten. */
  errors: string[];
}

/** `StructuredOutput`, to be written. */
export interface StructuredOutputInput {
  status: StructuredOutputStatus | null;
  errors: readonly string[];
}

/** A place of the answer at which it stands on a source. */
export interface ChatAnnotation {
  /** Always `file_citation`. */
  type: string;
  /** What stands there. */
  text: string;
  /** Where it begins, in UTF-16 units. */
  startIndex: number;
  /** Where it ends. */
  endIndex: number;
  /** The source. */
  fileCitation: FileCitation | null;
}

/** `ChatAnnotation`, to be written. */
export interface ChatAnnotationInput {
  type: string;
  text: string;
  startIndex: number;
  endIndex: number;
  fileCitation?: FileCitationInput | null | undefined;
}

export interface FileCitation {
  /** Of the document, or of the convention. */
  fileId: string;
  /** What it is called. */
  filename: string;
  /** Its own words. */
  quote: string;
  /** Of a document that has pages. */
  page: number | null;
  /** `DOCUMENT` or `CONVENTION`. */
  kind: string;
}

/** `FileCitation`, to be written. */
export interface FileCitationInput {
  fileId: string;
  filename: string;
  quote: string;
  page?: number | null | undefined;
  kind: string;
}

export interface CompletionUsage {
  /** What the language model has read, sources included. */
  promptTokens: number;
  /** What it has written, calls of tools included. */
  completionTokens: number;
  /** Both together. */
  totalTokens: number;
  /** What it has cost: 1 credit is 1,000,000 of these. */
  creditsMicros: string;
}

/** `CompletionUsage`, to be written. */
export interface CompletionUsageInput {
  promptTokens: number;
  completionTokens: number;
  totalTokens: number;
  creditsMicros: Int64Input;
}

export interface ChatCompletionChunk {
  /** As of ChatCompletion, the same in all chunks. */
  id: string;
  /** Always `chat.completion.chunk`. */
  object: string;
  /** As of ChatCompletion. */
  created: string;
  /** As it was asked for. */
  model: string;
  /** One, and none with `usage`. */
  choices: ChatCompletionChunkChoice[];
  /** In the last chunk, where `stream_options.include_usage` asks for it. */
  usage: CompletionUsage | null;
}

/** `ChatCompletionChunk`, to be written. */
export interface ChatCompletionChunkInput {
  id: string;
  object: string;
  created: Int64Input;
  model: string;
  choices: readonly ChatCompletionChunkChoiceInput[];
  usage?: CompletionUsageInput | null | undefined;
}

export interface ChatCompletionChunkChoice {
  /** Always 0. */
  index: number;
  /** What has come since the chunk before. */
  delta: ChatDelta | null;
  /** In the last one; null before. */
  finishReason: FinishReason | null;
  /** Always null. */
  logprobs: JsonValue | null;
}

/** `ChatCompletionChunkChoice`, to be written. */
export interface ChatCompletionChunkChoiceInput {
  index: number;
  delta?: ChatDeltaInput | null | undefined;
  finishReason?: FinishReason | null | undefined;
  logprobs?: JsonValueInput | null | undefined;
}

/** What has come since the chunk before. */
export interface ChatDelta {
  /** In the first one. */
  role: ChatRole | null;
  /** What is added to the answer. */
  content: string;
  /** With the end of the answer. */
  annotations: ChatAnnotation[];
  /** With the end of the answer. */
  structuredOutput: StructuredOutput | null;
}

/** `ChatDelta`, to be written. */
export interface ChatDeltaInput {
  role?: ChatRole | null | undefined;
  content?: string | null | undefined;
  annotations?: readonly ChatAnnotationInput[] | null | undefined;
  structuredOutput?: StructuredOutputInput | null | undefined;
}

export interface CreateEmbeddingsRequest {
  /** The encoder, as `GET /v1/models` lists it. */
  model: string;
  /** A text, or up to 512 of them. Tokens are not taken: they are those of another encoder. */
  input: string | JsonValue[] | null;
  /** `float`, numbers, or `base64`, their bytes as 32-bit floats, little end first. */
  encodingFormat: string;
  /** As many as the encoder has; vectors are not shortened. */
  dimensions: number | null;
  /** As of CreateChatCompletionRequest. */
  user: string;
}

/** `CreateEmbeddingsRequest`, to be written. */
export interface CreateEmbeddingsRequestInput {
  model: string;
  input: string | readonly JsonValueInput[];
  encodingFormat?: string | null | undefined;
  dimensions?: number | null | undefined;
  user?: string | null | undefined;
}

export interface CreateEmbeddingsResponse {
  /** Always `list`. */
  object: string;
  /** One for each text, in their order. */
  data: Embedding[];
  /** The encoder. */
  model: string;
  /** What was read for them. */
  usage: EmbeddingsUsage | null;
}

/** `CreateEmbeddingsResponse`, to be written. */
export interface CreateEmbeddingsResponseInput {
  object: string;
  data: readonly EmbeddingInput[];
  model: string;
  usage?: EmbeddingsUsageInput | null | undefined;
}

export interface Embedding {
  /** Always `embedding`. */
  object: string;
  /** Of the text, from 0. */
  index: number;
  /** Of unit length, as `encoding_format` says. */
  embedding: JsonValue | null;
}

/** `Embedding`, to be written. */
export interface EmbeddingInput {
  object: string;
  index: number;
  embedding?: JsonValueInput | null | undefined;
}

export interface EmbeddingsUsage {
  /** About how many the texts have. */
  promptTokens: number;
  /** The same. */
  totalTokens: number;
}

/** `EmbeddingsUsage`, to be written. */
export interface EmbeddingsUsageInput {
  promptTokens: number;
  totalTokens: number;
}

export interface CreateAudioTranscriptionRequest {
  /** The recording; what it is its bytes say. */
  file: AudioFile;
  /** The recogniser, as `GET /v1/models` lists it, or `whisper-1`, whichever there is. */
  model: string;
  /** What is spoken, in ISO 639-1, where it is known. */
  language: string;
  /** Not followed: leave it out. */
  prompt: string;
  /**
   * `json`: the text; `verbose_json`: with what was said when; `text`, `srt` and `vtt`: the body is plain text, the latter two with
   * what is said when as subtitles. Others are refused.
   */
  responseFormat: string;
  /** 0: recognisers choose nothing at random. */
  temperature: number;
  /** False. */
  stream: boolean;
}

/** `CreateAudioTranscriptionRequest`, to be written. */
export interface CreateAudioTranscriptionRequestInput {
  file: AudioFileInput;
  model: string;
  language?: string | null | undefined;
  prompt?: string | null | undefined;
  responseFormat?: string | null | undefined;
  temperature?: number | null | undefined;
  stream?: boolean | null | undefined;
}

export interface AudioTranscription {
  /** Empty where nobody speaks. */
  text: string;
  /** Of `verbose_json`: always `transcribe`. */
  task: string;
  /** Of `verbose_json`: ISO 639-1, where it is known. */
  language: string;
  /** Of `verbose_json`: seconds. */
  duration: number | null;
  /** Of `verbose_json`, where the recogniser tells times. */
  segments: AudioSegment[];
  /** How long the recording is. */
  usage: AudioUsage | null;
  /** Never in JSON: the whole body of `text`, `srt` and `vtt`. */
  plain: string | null;
}

/** `AudioTranscription`, to be written. */
export interface AudioTranscriptionInput {
  text: string;
  task?: string | null | undefined;
  language?: string | null | undefined;
  duration?: number | null | undefined;
  segments?: readonly AudioSegmentInput[] | null | undefined;
  usage?: AudioUsageInput | null | undefined;
  plain?: string | null | undefined;
}

export interface AudioSegment {
  /** From 0. */
  id: number;
  /** Seconds from the beginning of the recording. */
  start: number;
  /** As `start`. */
  end: number;
  /** What was said. */
  text: string;
}

/** `AudioSegment`, to be written. */
export interface AudioSegmentInput {
  id: number;
  start: number;
  end: number;
  text: string;
}

export interface AudioUsage {
  /** Always `duration`. */
  type: string;
  /** Of the recording. */
  seconds: number;
}

/** `AudioUsage`, to be written. */
export interface AudioUsageInput {
  type: string;
  seconds: number;
}

export interface NewFile {
  /** What it is called; by its ending it is taken for what it is until it is read. */
  filename: string;
  /** As the client named it; empty when it did not. */
  contentType: string;
  /** Up to 25 MiB. */
  content: Buffer;
}

/** `NewFile`, to be written. */
export interface NewFileInput {
  filename?: string | null | undefined;
  contentType?: string | null | undefined;
  content?: Uint8Array | null | undefined;
}

export interface CreateFileRequest {
  /** The file itself, with its name. */
  file: NewFile;
  /** `assistants` or `user_data`: both are for assistants to search. */
  purpose: string;
}

/** `CreateFileRequest`, to be written. */
export interface CreateFileRequestInput {
  file: NewFileInput;
  purpose: string;
}

export interface OpenAiFile {
  /** Of the document. */
  id: string;
  /** Always `file`. */
  object: string;
  /** How large it is. */
  bytes: string;
  /** In seconds since 1970. */
  createdAt: string;
  /** What it is called. */
  filename: string;
  /** Always `assistants`. */
  purpose: string;
  /** `uploaded`, and then `processed`, when it is found, or `error`. */
  status: string;
  /** Of an `error`: what to do about it. */
  statusDetails: string;
}

/** `OpenAiFile`, to be written. */
export interface OpenAiFileInput {
  id: string;
  object: string;
  bytes: Int64Input;
  createdAt: Int64Input;
  filename: string;
  purpose: string;
  status: string;
  statusDetails?: string | null | undefined;
}

export interface ListFilesRequest {
  /** The most files of a page; of more than 200, 200. */
  limit: number;
  /** The last file of the page before. */
  after: string;
  order: SortOrder;
  /** Only those; all are for `assistants`. */
  purpose: string;
}

/** `ListFilesRequest`, to be written. */
export interface ListFilesRequestInput {
  limit?: number | null | undefined;
  after?: string | null | undefined;
  order?: SortOrder | null | undefined;
  purpose?: string | null | undefined;
}

export interface ListFilesResponse {
  /** Always `list`. */
  object: string;
  /** The files of this page. */
  data: OpenAiFile[];
  /** Null where there are none. */
  firstId: string | null;
  /** For `after` of the next page. */
  lastId: string | null;
  /** Whether there is another page. */
  hasMore: boolean;
}

/** `ListFilesResponse`, to be written. */
export interface ListFilesResponseInput {
  object: string;
  data: readonly OpenAiFileInput[];
  firstId?: string | null | undefined;
  lastId?: string | null | undefined;
  hasMore: boolean;
}

export interface GetFileRequest {
  /** Of the document. */
  fileId: string;
}

/** `GetFileRequest`, to be written. */
export interface GetFileRequestInput {
  fileId: string;
}

export interface DeleteFileRequest {
  /** Of the document. */
  fileId: string;
}

/** `DeleteFileRequest`, to be written. */
export interface DeleteFileRequestInput {
  fileId: string;
}

export interface DeletedFile {
  /** Of the document. */
  id: string;
  /** Always `file`. */
  object: string;
  deleted: boolean;
}

/** `DeletedFile`, to be written. */
export interface DeletedFileInput {
  id: string;
  object: string;
  deleted: boolean;
}

export interface DownloadFileContentRequest {
  /** Of the document. */
  fileId: string;
}

/** `DownloadFileContentRequest`, to be written. */
export interface DownloadFileContentRequestInput {
  fileId: string;
}

export interface FileContent {
  contentType: string;
  contentDisposition: string;
  contentLength: string;
  cacheControl: string;
  chunk: Buffer;
}

/** `FileContent`, to be written. */
export interface FileContentInput {
  contentType?: string | null | undefined;
  contentDisposition?: string | null | undefined;
  contentLength?: Int64Input | null | undefined;
  cacheControl?: string | null | undefined;
  chunk: Uint8Array;
}

export interface Transcription {
  /** Empty where nobody speaks. */
  text: string;
  /** ISO 639-1; empty where it is not known. */
  language: string;
  /** Of the recording. */
  durationSeconds: number;
  /** What recognised it. */
  engine: string;
  id: string;
  /** As the client named the file. */
  filename: string;
  /** The user who asked for it, or for whom a key did. */
  createdBy: string;
  createdAt: Date | null;
  /** Begins as the filename. */
  name: string;
  updatedAt: Date | null;
  /** Whether somebody has changed the text. */
  corrected: boolean;
  /**
   * What was recognised when, in its order; empty in lists, and where the engine tells no times. Of very many the first
   * 10,000.
   */
  segments: TranscriptionSegment[];
}

/** `Transcription`, to be written. */
export interface TranscriptionInput {
  text: string;
  language: string;
  durationSeconds: number;
  engine: string;
  id: string;
  filename: string;
  createdBy: string;
  createdAt?: Date | null | undefined;
  name: string;
  updatedAt?: Date | null | undefined;
  corrected: boolean;
  segments: readonly TranscriptionSegmentInput[];
}

export interface TranscriptionSegment {
  /** Seconds from the beginning of the recording. */
  start: number;
  /** As `start`. */
  end: number;
  /** What was said. */
  text: string;
}

/** `TranscriptionSegment`, to be written. */
export interface TranscriptionSegmentInput {
  start: number;
  end: number;
  text: string;
}

export interface AudioFile {
  /** As the client named it. */
  filename: string;
  /** As the client named it; empty when it did not. */
  contentType: string;
  /** Up to 25 MiB. */
  content: Buffer;
}

/** `AudioFile`, to be written. */
export interface AudioFileInput {
  filename?: string | null | undefined;
  contentType?: string | null | undefined;
  content?: Uint8Array | null | undefined;
}

export interface TranscribeRequest {
  /** The recording; what it is its bytes say. */
  audio: AudioFile | null;
  /** What is spoken, in ISO 639-1, where it is known. */
  language: string;
}

/** `TranscribeRequest`, to be written. */
export interface TranscribeRequestInput {
  audio?: AudioFileInput | null | undefined;
  language?: string | null | undefined;
}

export interface ListTranscriptionsRequest {
  limit: number;
  cursor: string;
  order: SortOrder;
  includeTotal: boolean;
}

/** `ListTranscriptionsRequest`, to be written. */
export interface ListTranscriptionsRequestInput {
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
  order?: SortOrder | null | undefined;
  includeTotal?: boolean | null | undefined;
}

export interface ListTranscriptionsResponse {
  /** By `order`, newest first unless given. */
  transcriptions: Transcription[];
  /** Empty on the last page. */
  nextCursor: string;
  /** Only when asked for. */
  totalCount: number | null;
}

/** `ListTranscriptionsResponse`, to be written. */
export interface ListTranscriptionsResponseInput {
  transcriptions: readonly TranscriptionInput[];
  nextCursor: string;
  totalCount?: number | null | undefined;
}

export interface GetTranscriptionRequest {
  transcriptionId: string;
}

/** `GetTranscriptionRequest`, to be written. */
export interface GetTranscriptionRequestInput {
  transcriptionId: string;
}

export type TranscriptionFormat =
  | 'text'
  /** Subtitles as SubRip has them. */
  | 'srt'
  /** Subtitles as WebVTT has them. */
  | 'vtt'
  /** JSON with the segments, as OpenAI's interface has it. */
  | 'verbose_json';

export interface DownloadTranscriptionRequest {
  transcriptionId: string;
  /** What it comes as. */
  format: TranscriptionFormat;
}

/** `DownloadTranscriptionRequest`, to be written. */
export interface DownloadTranscriptionRequestInput {
  transcriptionId: string;
  format?: TranscriptionFormat | null | undefined;
}

export interface TranscriptionContent {
  contentType: string;
  contentDisposition: string;
  contentLength: string;
  cacheControl: string;
  chunk: Buffer;
}

/** `TranscriptionContent`, to be written. */
export interface TranscriptionContentInput {
  contentType?: string | null | undefined;
  contentDisposition?: string | null | undefined;
  contentLength?: Int64Input | null | undefined;
  cacheControl?: string | null | undefined;
  chunk: Uint8Array;
}

export interface UpdateTranscriptionRequest {
  transcriptionId: string;
  name: string;
  /** In place of what was recognised. */
  text: string;
  updateMask: FieldMask | null;
}

/** `UpdateTranscriptionRequest`, to be written. */
export interface UpdateTranscriptionRequestInput {
  transcriptionId: string;
  name?: string | null | undefined;
  text?: string | null | undefined;
  updateMask?: FieldMask | null | undefined;
}

export interface DeleteTranscriptionRequest {
  transcriptionId: string;
}

/** `DeleteTranscriptionRequest`, to be written. */
export interface DeleteTranscriptionRequestInput {
  transcriptionId: string;
}

export type TranscriptionJobStatus =
  /** It waits for its turn, for the first time or between two parts of the recording. */
  | 'QUEUED'
  | 'RUNNING'
  | 'SUCCEEDED'
  /** `failure` says why. */
  | 'FAILED'
  | 'CANCELLED';

export interface TranscriptionJob {
  id: string;
  status: TranscriptionJobStatus | null;
  /** Whose recording is transcribed. */
  documentId: string;
  /** As the document was called. */
  filename: string;
  /** As it was told; empty: it is found out. */
  language: string;
  /** Of the recording; null until it is known. */
  durationSeconds: number | null;
  /** How much of it is done. */
  transcribedSeconds: number;
  /** Of the whole, from 0 to 100. */
  percent: number;
  /** Why it failed; null unless FAILED. */
  failure: TranscriptionJobFailure | null;
  /**
   * What was transcribed, as `GET /transcriptions/{transcription_id}/content/?format=srt` gives it; empty unless SUCCEEDED, or CANCELLED
   * after a part was done.
   */
  transcriptionId: string;
  /** The user who asked for it, or for whom a key did. */
  createdBy: string;
  createdAt: Date | null;
  updatedAt: Date | null;
  /** Null until it is over. */
  finishedAt: Date | null;
}

/** `TranscriptionJob`, to be written. */
export interface TranscriptionJobInput {
  id: string;
  status: TranscriptionJobStatus | null;
  documentId: string;
  filename: string;
  language: string;
  durationSeconds?: number | null | undefined;
  transcribedSeconds: number;
  percent: number;
  failure?: TranscriptionJobFailureInput | null | undefined;
  transcriptionId: string;
  createdBy: string;
  createdAt?: Date | null | undefined;
  updatedAt?: Date | null | undefined;
  finishedAt?: Date | null | undefined;
}

export interface TranscriptionJobFailure {
  /** Stable, for programs. */
  code: string;
  /** For people. */
  message: string;
}

/** `TranscriptionJobFailure`, to be written. */
export interface TranscriptionJobFailureInput {
  code: string;
  message: string;
}

export interface CreateTranscriptionJobRequest {
  documentId: string;
  /** What is spoken, in ISO 639-1, where it is known. */
  language: string;
}

/** `CreateTranscriptionJobRequest`, to be written. */
export interface CreateTranscriptionJobRequestInput {
  documentId: string;
  language?: string | null | undefined;
}

export interface ListTranscriptionJobsRequest {
  /** Any of them; absent: whatever it is. */
  status: TranscriptionJobStatus[];
  limit: number;
  cursor: string;
  order: SortOrder;
  includeTotal: boolean;
}

/** `ListTranscriptionJobsRequest`, to be written. */
export interface ListTranscriptionJobsRequestInput {
  status?: readonly TranscriptionJobStatus[] | null | undefined;
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
  order?: SortOrder | null | undefined;
  includeTotal?: boolean | null | undefined;
}

export interface ListTranscriptionJobsResponse {
  /** By `order`, newest first unless given. */
  jobs: TranscriptionJob[];
  /** Empty on the last page. */
  nextCursor: string;
  /** Only when asked for. */
  totalCount: number | null;
}

/** `ListTranscriptionJobsResponse`, to be written. */
export interface ListTranscriptionJobsResponseInput {
  jobs: readonly TranscriptionJobInput[];
  nextCursor: string;
  totalCount?: number | null | undefined;
}

export interface GetTranscriptionJobRequest {
  /** The job. */
  jobId: string;
}

/** `GetTranscriptionJobRequest`, to be written. */
export interface GetTranscriptionJobRequestInput {
  jobId: string;
}

export interface CancelTranscriptionJobRequest {
  /** The job. */
  jobId: string;
}

/** `CancelTranscriptionJobRequest`, to be written. */
export interface CancelTranscriptionJobRequestInput {
  jobId: string;
}

export type ToolServerKind =
  /** It speaks the Model Context Protocol over streamable HTTP, and says itself which tools it has. */
  | 'mcp'
  /** Each tool is an HTTP request, which the organisation describes. */
  | 'http';

export type ApprovalRule =
  /** Whoever has asked approves each call (DecideApproval), whatever `tool_effects` of the assistant says. */
  | 'required'
  /** It only reads: called at once. */
  | 'none';

export type ToolMethod =
  | 'GET'
  | 'POST'
  | 'PUT'
  | 'PATCH'
  | 'DELETE';

/** A tool that assistants may use. */
export interface AllowedTool {
  /**
   * As its server names it. Models know it by the server's name, two underscores and this one; what is neither a letter nor a digit
   * of ASCII, `_` or `-` is an underscore there.
   */
  name: string;
  approval: ApprovalRule | null;
  /** Only of a server of kind `http`, like the fields below: what the tool is good for, as models read it. */
  description: string;
  method: ToolMethod | null;
  /**
   * Goes behind the server's `url`. An argument whose name stands in braces goes there; all others are in the query of a GET or DELETE,
   * and else the body, as JSON.
   */
  path: string;
  /** A JSON Schema of its arguments: an object. Absent: it takes none. */
  parameters: JsonObject | null;
}

/** `AllowedTool`, to be written. */
export interface AllowedToolInput {
  name: string;
  approval: ApprovalRule | null;
  description: string;
  method: ToolMethod | null;
  path: string;
  parameters?: JsonObjectInput | null | undefined;
}

export interface ToolServer {
  id: string;
  /** With which the names of its tools begin. */
  name: string;
  /** What it is for; may be empty. */
  description: string;
  kind: ToolServerKind | null;
  url: string;
  /** Headers that each request to it has. Their values are never shown. */
  headerNames: string[];
  /** What assistants may use; nothing else of the server is. */
  tools: AllowedTool[];
  /** How long one call of a tool may take. */
  timeoutSeconds: number;
  /** Of what a tool answers, a model reads so many bytes. */
  maxResultBytes: number;
  /** The user who added it. */
  memberId: string;
  createdAt: Date | null;
  updatedAt: Date | null;
  access: Access | null;
}

/** `ToolServer`, to be written. */
export interface ToolServerInput {
  id: string;
  name: string;
  description: string;
  kind: ToolServerKind | null;
  url: string;
  headerNames: readonly string[];
  tools: readonly AllowedToolInput[];
  timeoutSeconds: number;
  maxResultBytes: number;
  memberId: string;
  createdAt?: Date | null | undefined;
  updatedAt?: Date | null | undefined;
  access?: AccessInput | null | undefined;
}

export interface CreateToolServerRequest {
  /** Unique in the organisation; the names of its tools begin with it. */
  name: string;
  /** What it is for; may be empty. */
  description: string;
  kind: ToolServerKind;
  /** Begins with `https://` and is a public address, unless the operator allows its host by name. */
  url: string;
  /** What each request has beside what the protocol needs, an `Authorization` say. Kept sealed, and shown to nobody. */
  headers: Record<string, string>;
  /** What assistants may use; empty: nothing yet. */
  tools: AllowedTool[];
  timeoutSeconds: number;
  maxResultBytes: number;
  /** Whose assistants may use it; everybody's in the organisation unless given. */
  access: InitialAccess | null;
}

/** `CreateToolServerRequest`, to be written. */
export interface CreateToolServerRequestInput {
  name: string;
  description?: string | null | undefined;
  kind?: ToolServerKind | null | undefined;
  url: string;
  headers?: Readonly<Record<string, string | undefined>> | null | undefined;
  tools?: readonly AllowedToolInput[] | null | undefined;
  timeoutSeconds?: number | null | undefined;
  maxResultBytes?: number | null | undefined;
  access?: InitialAccessInput | null | undefined;
}

export interface ListToolServersRequest {
  limit: number;
  cursor: string;
  order: SortOrder;
  includeTotal: boolean;
  /** Only what is restricted by itself, or only what is not. */
  visibility: Visibility | null;
  /** Exactly this name. */
  name: string | null;
}

/** `ListToolServersRequest`, to be written. */
export interface ListToolServersRequestInput {
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
  order?: SortOrder | null | undefined;
  includeTotal?: boolean | null | undefined;
  visibility?: Visibility | null | undefined;
  name?: string | null | undefined;
}

export interface ListToolServersResponse {
  /** By `order`, newest first unless given. */
  toolServers: ToolServer[];
  /** Empty on the last page. */
  nextCursor: string;
  /** Only when asked for. */
  totalCount: number | null;
}

/** `ListToolServersResponse`, to be written. */
export interface ListToolServersResponseInput {
  toolServers: readonly ToolServerInput[];
  nextCursor: string;
  totalCount?: number | null | undefined;
}

export interface GetToolServerRequest {
  toolServerId: string;
}

/** `GetToolServerRequest`, to be written. */
export interface GetToolServerRequestInput {
  toolServerId: string;
}

export interface UpdateToolServerRequest {
  toolServerId: string;
  name: string;
  description: string;
  url: string;
  /** All that each request has from now on. */
  headers: Record<string, string>;
  /** All that assistants may use from now on. */
  tools: AllowedTool[];
  timeoutSeconds: number;
  maxResultBytes: number;
  updateMask: FieldMask | null;
}

/** `UpdateToolServerRequest`, to be written. */
export interface UpdateToolServerRequestInput {
  toolServerId: string;
  name?: string | null | undefined;
  description?: string | null | undefined;
  url?: string | null | undefined;
  headers?: Readonly<Record<string, string | undefined>> | null | undefined;
  tools?: readonly AllowedToolInput[] | null | undefined;
  timeoutSeconds?: number | null | undefined;
  maxResultBytes?: number | null | undefined;
  updateMask?: FieldMask | null | undefined;
}

export interface DeleteToolServerRequest {
  toolServerId: string;
}

/** `DeleteToolServerRequest`, to be written. */
export interface DeleteToolServerRequestInput {
  toolServerId: string;
}

export interface SetToolServerAccessRequest {
  toolServerId: string;
  visibility: Visibility;
  /** Client groups, by their ids; only where it is restricted. */
  groups: string[];
  /** Members, by the ids of their users; only where it is restricted. */
  members: string[];
}

/** `SetToolServerAccessRequest`, to be written. */
export interface SetToolServerAccessRequestInput {
  toolServerId: string;
  visibility: Visibility;
  groups?: readonly string[] | null | undefined;
  members?: readonly string[] | null | undefined;
}

export interface ListServerToolsRequest {
  toolServerId: string;
}

/** `ListServerToolsRequest`, to be written. */
export interface ListServerToolsRequestInput {
  toolServerId: string;
}

/** A tool as its server has it now. */
export interface ServerTool {
  /** What goes into `name` of the tools that are allowed. */
  name: string;
  /** What models know it by. */
  modelName: string;
  /** What the server says of it, at most 1,000 characters. */
  description: string;
  /** The JSON Schema of its arguments, as the server says; null where that is larger than 16 KiB, and then no model gets the tool. */
  parameters: JsonObject | null;
  /** Whether assistants may use it. */
  isAllowed: boolean;
  /** `required` also of what is not allowed. */
  approval: ApprovalRule | null;
}

/** `ServerTool`, to be written. */
export interface ServerToolInput {
  name: string;
  modelName: string;
  description: string;
  parameters?: JsonObjectInput | null | undefined;
  isAllowed: boolean;
  approval: ApprovalRule | null;
}

export interface ListServerToolsResponse {
  /** Allowed ones that the server does not have are missing. */
  tools: ServerTool[];
}

/** `ListServerToolsResponse`, to be written. */
export interface ListServerToolsResponseInput {
  tools: readonly ServerToolInput[];
}

export interface Report {
  id: string;
  /** What it is called. */
  title: string;
  /** GitHub's Markdown. Pictures have to stand in it as `data:` URLs of PNG, JPEG, GIF or WebP; others are not shown. */
  markdown: string;
  /** The user who created it, or for whom an API key did. */
  authorId: string;
  /** One more with every change of what it says. */
  version: number;
  createdAt: Date | null;
  updatedAt: Date | null;
  /** The message that it was made of. Null: none. */
  messageId: string | null;
  /** The run of a pipeline that it was made of. Null: none. */
  runId: string | null;
}

/** `Report`, to be written. */
export interface ReportInput {
  id: string;
  title: string;
  markdown: string;
  authorId: string;
  version: number;
  createdAt?: Date | null | undefined;
  updatedAt?: Date | null | undefined;
  messageId?: string | null | undefined;
  runId?: string | null | undefined;
}

/** A report in a list, without what it says. */
export interface ReportSummary {
  id: string;
  /** What it is called. */
  title: string;
  /** The user who created it, or for whom an API key did. */
  authorId: string;
  /** One more with every change of what it says. */
  version: number;
  createdAt: Date | null;
  updatedAt: Date | null;
  /** Null unless deleted; 30 days later it is gone. */
  deletedAt: Date | null;
  /** The message that it was made of. Null: none. */
  messageId: string | null;
  /** The run of a pipeline that it was made of. Null: none. */
  runId: string | null;
}

/** `ReportSummary`, to be written. */
export interface ReportSummaryInput {
  id: string;
  title: string;
  authorId: string;
  version: number;
  createdAt?: Date | null | undefined;
  updatedAt?: Date | null | undefined;
  deletedAt?: Date | null | undefined;
  messageId?: string | null | undefined;
  runId?: string | null | undefined;
}

export interface CreateReportRequest {
  /** Absent: the first line of what it says. */
  title: string | null;
  /** This, `message_id` or `run`. */
  markdown: string | null;
  /** The message that it is made of. */
  messageId: string | null;
  /** The run of a pipeline that it is made of. */
  run: RunReference | null;
}

/** `CreateReportRequest`, to be written. */
export interface CreateReportRequestInput {
  title?: string | null | undefined;
  markdown?: string | null | undefined;
  messageId?: string | null | undefined;
  run?: RunReferenceInput | null | undefined;
}

export interface RunReference {
  /** The pipeline. */
  pipelineId: string;
  /** The run of it. */
  runId: string;
}

/** `RunReference`, to be written. */
export interface RunReferenceInput {
  pipelineId: string;
  runId: string;
}

export interface ListReportsRequest {
  /** In the title, whatever the case. */
  search: string;
  /** Only those of this user. */
  authorId: string;
  /** Those that were deleted within 30 days instead of the others. */
  deleted: boolean | null;
  createdAfter: Date | null;
  createdBefore: Date | null;
  limit: number;
  cursor: string;
  order: SortOrder;
  includeTotal: boolean;
}

/** `ListReportsRequest`, to be written. */
export interface ListReportsRequestInput {
  search?: string | null | undefined;
  authorId?: string | null | undefined;
  deleted?: boolean | null | undefined;
  createdAfter?: Date | null | undefined;
  createdBefore?: Date | null | undefined;
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
  order?: SortOrder | null | undefined;
  includeTotal?: boolean | null | undefined;
}

export interface ListReportsResponse {
  /** By `order`, newest first unless given. */
  reports: ReportSummary[];
  /** Empty on the last page. */
  nextCursor: string;
  /** Only when asked for. */
  totalCount: number | null;
}

/** `ListReportsResponse`, to be written. */
export interface ListReportsResponseInput {
  reports: readonly ReportSummaryInput[];
  nextCursor: string;
  totalCount?: number | null | undefined;
}

export interface GetReportRequest {
  reportId: string;
}

/** `GetReportRequest`, to be written. */
export interface GetReportRequestInput {
  reportId: string;
}

export interface UpdateReportRequest {
  reportId: string;
  title: string;
  markdown: string;
  /** The version that the caller knows. Absent: whichever there is. */
  version: number | null;
  updateMask: FieldMask | null;
}

/** `UpdateReportRequest`, to be written. */
export interface UpdateReportRequestInput {
  reportId: string;
  title?: string | null | undefined;
  markdown?: string | null | undefined;
  version?: number | null | undefined;
  updateMask?: FieldMask | null | undefined;
}

export interface DeleteReportRequest {
  reportId: string;
}

/** `DeleteReportRequest`, to be written. */
export interface DeleteReportRequestInput {
  reportId: string;
}

export interface RestoreReportRequest {
  reportId: string;
}

/** `RestoreReportRequest`, to be written. */
export interface RestoreReportRequestInput {
  reportId: string;
}

export interface GetReportHtmlRequest {
  reportId: string;
}

/** `GetReportHtmlRequest`, to be written. */
export interface GetReportHtmlRequestInput {
  reportId: string;
}

export interface ReportHtml {
  /** A page that stands by itself. */
  content: Buffer;
}

/** `ReportHtml`, to be written. */
export interface ReportHtmlInput {
  content: Uint8Array;
}

export interface GetReportPdfRequest {
  reportId: string;
}

/** `GetReportPdfRequest`, to be written. */
export interface GetReportPdfRequestInput {
  reportId: string;
}

export interface ReportPdf {
  /** The report on pages of A4. */
  content: Buffer;
}

/** `ReportPdf`, to be written. */
export interface ReportPdfInput {
  content: Uint8Array;
}

/** From when on the days are counted. */
export type RetentionSince =
  /** Since it came to be. */
  | 'CREATED'
  /** Since its last change; of a conversation, since the last message. */
  | 'CHANGED';

export interface RetentionRule {
  /** How many whole days something is kept. */
  days: number;
  since: RetentionSince | null;
}

/** `RetentionRule`, to be written. */
export interface RetentionRuleInput {
  days: number;
  since: RetentionSince | null;
}

export interface CollectionRetention {
  /** What documents are filed under. */
  collection: string;
  /** In place of that of other documents; null: those of this collection are kept for good. */
  rule: RetentionRule | null;
}

/** `CollectionRetention`, to be written. */
export interface CollectionRetentionInput {
  collection: string;
  rule?: RetentionRuleInput | null | undefined;
}

export interface UpdateRetentionPolicyRequest {
  /** Of documents that no collection of `collections` has; null: they are kept for good. */
  documents: RetentionRule | null;
  /** Collections with a rule of their own, each once. */
  collections: CollectionRetention[];
  /** Of conversations with their messages, whosever they are; null: they are kept for good. */
  conversations: RetentionRule | null;
  /** Of transcriptions, whosever they are; null: they are kept for good. */
  transcriptions: RetentionRule | null;
}

/** `UpdateRetentionPolicyRequest`, to be written. */
export interface UpdateRetentionPolicyRequestInput {
  documents?: RetentionRuleInput | null | undefined;
  collections?: readonly CollectionRetentionInput[] | null | undefined;
  conversations?: RetentionRuleInput | null | undefined;
  transcriptions?: RetentionRuleInput | null | undefined;
}

export interface RetentionPolicy {
  /** Of documents that no collection of `collections` has; null: they are kept for good. */
  documents: RetentionRule | null;
  /** Collections with a rule of their own. */
  collections: CollectionRetention[];
  /** Of conversations with their messages, whosever they are; null: they are kept for good. */
  conversations: RetentionRule | null;
  /** Of transcriptions, whosever they are; null: they are kept for good. */
  transcriptions: RetentionRule | null;
  /** When it was put in place; null: nobody has made one. */
  updatedAt: Date | null;
  /** The last one that has deleted something; null: none has. */
  lastPass: RetentionPass | null;
}

/** `RetentionPolicy`, to be written. */
export interface RetentionPolicyInput {
  documents?: RetentionRuleInput | null | undefined;
  collections: readonly CollectionRetentionInput[];
  conversations?: RetentionRuleInput | null | undefined;
  transcriptions?: RetentionRuleInput | null | undefined;
  updatedAt?: Date | null | undefined;
  lastPass?: RetentionPassInput | null | undefined;
}

/** A look through everything. */
export interface RetentionPass {
  /** By the moment at which it was begun all was judged. */
  startedAt: Date | null;
  /** When everything was looked through, or the policy became another one. */
  finishedAt: Date | null;
  /** How many it has deleted. */
  documents: number;
  /** How many it has deleted, with their messages. */
  conversations: number;
  /** How many it has deleted. */
  transcriptions: number;
}

/** `RetentionPass`, to be written. */
export interface RetentionPassInput {
  startedAt?: Date | null | undefined;
  finishedAt?: Date | null | undefined;
  documents: number;
  conversations: number;
  transcriptions: number;
}

export type GetRetentionPolicyRequest = Record<string, never>;

/** `GetRetentionPolicyRequest`, to be written. */
export type GetRetentionPolicyRequestInput = Record<string, never>;

export interface PreviewRetentionPolicyRequest {
  /** Of documents that no collection of `collections` has; null: they are kept for good. */
  documents: RetentionRule | null;
  /** Collections with a rule of their own, each once. */
  collections: CollectionRetention[];
  /** Of conversations with their messages, whosever they are; null: they are kept for good. */
  conversations: RetentionRule | null;
  /** Of transcriptions, whosever they are; null: they are kept for good. */
  transcriptions: RetentionRule | null;
}

/** `PreviewRetentionPolicyRequest`, to be written. */
export interface PreviewRetentionPolicyRequestInput {
  documents?: RetentionRuleInput | null | undefined;
  collections?: readonly CollectionRetentionInput[] | null | undefined;
  conversations?: RetentionRuleInput | null | undefined;
  transcriptions?: RetentionRuleInput | null | undefined;
}

export interface RetentionPreview {
  /** By whose clock: what is older than its rule says at this moment. */
  asOf: Date | null;
  /** How many would be deleted; 10,000: that many or more. */
  documents: number;
  /** How many would be deleted; 10,000: that many or more. */
  conversations: number;
  /** How many would be deleted; 10,000: that many or more. */
  transcriptions: number;
  /** Some of the documents, the oldest first: up to 20 of each collection with a rule and of all others, 100 in all. */
  examples: RetentionPreviewDocument[];
}

/** `RetentionPreview`, to be written. */
export interface RetentionPreviewInput {
  asOf?: Date | null | undefined;
  documents: number;
  conversations: number;
  transcriptions: number;
  examples: readonly RetentionPreviewDocumentInput[];
}

export interface RetentionPreviewDocument {
  /** Of the document. */
  id: string;
  /** Of the file, with its ending. */
  name: string;
  /** What it is filed under; empty: nothing. */
  collection: string;
  createdAt: Date | null;
  updatedAt: Date | null;
}

/** `RetentionPreviewDocument`, to be written. */
export interface RetentionPreviewDocumentInput {
  id: string;
  name: string;
  collection: string;
  createdAt?: Date | null | undefined;
  updatedAt?: Date | null | undefined;
}

export interface RunTaskRequest {
  turnId: string;
  /** The user in whose name it is done, and what they may do now. */
  userId: string;
  permissionLevel: PermissionLevel;
  /** Its name or id. */
  assistantName: string;
  instruction: string;
  context: ConversationContext;
}

/** `RunTaskRequest`, to be written. */
export interface RunTaskRequestInput {
  turnId: string;
  userId: string;
  permissionLevel: PermissionLevel;
  assistantName: string;
  instruction: string;
  context?: ConversationContextInput | null | undefined;
}

export interface TaskTurn {
  conversationId: string;
  /** What has been written so far, and whether that is all; of type `ERROR` when it could not be. */
  message: Message | null;
}

/** `TaskTurn`, to be written. */
export interface TaskTurnInput {
  conversationId: string;
  message?: MessageInput | null | undefined;
}

export type TurnEventKind =
  | 'started'
  | 'text'
  | 'tool'
  | 'finished'
  | 'approval';

export interface TurnEvent {
  /** How much of the answer is told with it, or that it is told to its end. */
  eventId: string;
  /** `finished` is the last one, or `approval` where the assistant waits for that. */
  event: TurnEventKind | null;
  /** What has come since the event before. */
  data: TurnProgress | null;
}

/** `TurnEvent`, to be written. */
export interface TurnEventInput {
  eventId: string;
  event: TurnEventKind | null;
  data?: TurnProgressInput | null | undefined;
}

export interface TurnProgress {
  /** The `id` of the message that the assistant writes. */
  turnId: string;
  /** The one that was named, or the new one. */
  conversationId: string;
  /** What is added to the answer. */
  text: string;
  /** What the assistant is using. */
  tool: ToolUse | null;
  /** The answer as it is stored; of type `ERROR` when there is none. */
  message: Message | null;
  /** What the turn has cost; with `finished`. */
  usage: AssistantUsage | null;
  /** Of a turn that ends with it; it stands in `annotations.approval` of its message too. */
  approval: ToolApproval | null;
}

/** `TurnProgress`, to be written. */
export interface TurnProgressInput {
  turnId: string;
  conversationId: string;
  text?: string | null | undefined;
  tool?: ToolUseInput | null | undefined;
  message?: MessageInput | null | undefined;
  usage?: AssistantUsageInput | null | undefined;
  approval?: ToolApprovalInput | null | undefined;
}

/** What an assistant wants to do and is to be approved by whoever has asked, with DecideApproval. */
export interface ToolApproval {
  /** Which call of a tool. */
  toolCallId: string;
  /** Of the tool: `run_pipeline`, or one of a tool server. */
  name: string;
  /** As the model has written them; what is no text is JSON. */
  arguments: Record<string, string>;
  /** What it would do, in the platform's words and not the model's. */
  summary: string;
  /** Afterwards it is too late. */
  expiresAt: Date | null;
}

/** `ToolApproval`, to be written. */
export interface ToolApprovalInput {
  toolCallId: string;
  name: string;
  arguments: Readonly<Record<string, string | undefined>>;
  summary: string;
  expiresAt?: Date | null | undefined;
}

export interface ToolUse {
  /** `search_documents`, `read_conventions`. */
  name: string;
  /** False when it begins. */
  isFinished: boolean;
  /** It could not do what it was asked to, and the answer is written without it. */
  isFailed: boolean;
}

/** `ToolUse`, to be written. */
export interface ToolUseInput {
  name: string;
  isFinished: boolean;
  isFailed: boolean;
}

export interface WatchTurnRequest {
  turnId: string;
  lastEventId: string;
}

/** `WatchTurnRequest`, to be written. */
export interface WatchTurnRequestInput {
  turnId: string;
  lastEventId?: string | null | undefined;
}

export interface RegenerateMessageRequest {
  messageId: string;
  /** As in SubmitToAssistantRequest. */
  idempotencyKey: string;
}

/** `RegenerateMessageRequest`, to be written. */
export interface RegenerateMessageRequestInput {
  messageId: string;
  idempotencyKey?: string | null | undefined;
}

export interface EditMessageRequest {
  messageId: string;
  /** What is asked instead. */
  newMessage: string;
  /** As in SubmitToAssistantRequest. */
  idempotencyKey: string;
}

/** `EditMessageRequest`, to be written. */
export interface EditMessageRequestInput {
  messageId: string;
  newMessage: string;
  idempotencyKey?: string | null | undefined;
}

export interface DecideApprovalRequest {
  /** The message that asks for it. */
  turnId: string;
  /** As the message names it. */
  toolCallId: string;
  /** False: refused. */
  approve: boolean;
}

/** `DecideApprovalRequest`, to be written. */
export interface DecideApprovalRequestInput {
  turnId: string;
  toolCallId: string;
  approve: boolean;
}

export interface StopTurnRequest {
  turnId: string;
}

/** `StopTurnRequest`, to be written. */
export interface StopTurnRequestInput {
  turnId: string;
}
