// Generated from protos/platform/content/v1 by `npm run generate`. Do not edit.
import type { ClientCall, Handler, Int64Input, JsonObject, JsonObjectInput, JsonValue, JsonValueInput } from '../messages.ts';
import type { SortOrder } from './options.ts';

/** AssistantService lets people and programs talk to assistants. */
export interface AssistantServiceHandlers<Context> {
  /** The assistants everybody has and those the caller has made. */
  listAvailableAssistants: Handler<ListAvailableAssistantsRequest, AvailableAssistantsInput, Context>;
  /**
   * Adds a message to a conversation and answers with the assistant's.
   * NOT_FOUND: unknown assistant or conversation. PAYMENT_REQUIRED: no credits left.
   */
  submitToAssistant: Handler<SubmitToAssistantRequest, AssistantReplyInput, Context>;
}

/** AssistantService lets people and programs talk to assistants. */
export interface AssistantServiceClient<Options = unknown> {
  /** The assistants everybody has and those the caller has made. */
  listAvailableAssistants: ClientCall<ListAvailableAssistantsRequestInput, AvailableAssistants, Options>;
  /**
   * Adds a message to a conversation and answers with the assistant's.
   * NOT_FOUND: unknown assistant or conversation. PAYMENT_REQUIRED: no credits left.
   */
  submitToAssistant: ClientCall<SubmitToAssistantRequestInput, AssistantReply, Options>;
}

/** MessageService answers what was said in the caller's conversations. */
export interface MessageServiceHandlers<Context> {
  /** Newest first unless asked otherwise. Below level ADMIN only the caller's own. */
  listMessages: Handler<ListMessagesRequest, ListMessagesResponseInput, Context>;
}

/** MessageService answers what was said in the caller's conversations. */
export interface MessageServiceClient<Options = unknown> {
  /** Newest first unless asked otherwise. Below level ADMIN only the caller's own. */
  listMessages: ClientCall<ListMessagesRequestInput, ListMessagesResponse, Options>;
}

/** ConventionService owns what an organisation wants its assistants to know and keep to. */
export interface ConventionServiceHandlers<Context> {
  getConvention: Handler<GetConventionRequest, ConventionInput, Context>;
}

/** ConventionService owns what an organisation wants its assistants to know and keep to. */
export interface ConventionServiceClient<Options = unknown> {
  getConvention: ClientCall<GetConventionRequestInput, Convention, Options>;
}

/** DocumentService owns an organisation's documents, from upload to extracted text. */
export interface DocumentServiceHandlers<Context> {
  /**
   * Makes a place for a document and a URL that takes its bytes. Repeating it with the
   * same id and name gives a fresh URL. CONFLICT: the id is taken under another name.
   */
  uploadDocument: Handler<UploadDocumentRequest, DocumentUploadInput, Context>;
  getDocument: Handler<GetDocumentRequest, DocumentInput, Context>;
}

/** DocumentService owns an organisation's documents, from upload to extracted text. */
export interface DocumentServiceClient<Options = unknown> {
  /**
   * Makes a place for a document and a URL that takes its bytes. Repeating it with the
   * same id and name gives a fresh URL. CONFLICT: the id is taken under another name.
   */
  uploadDocument: ClientCall<UploadDocumentRequestInput, DocumentUpload, Options>;
  getDocument: ClientCall<GetDocumentRequestInput, Document, Options>;
}

/** ReportService owns reports that assistants and people have written. */
export interface ReportServiceHandlers<Context> {
  /** Below level ADMIN only the caller's own: others' are NOT_FOUND. */
  deleteReport: Handler<DeleteReportRequest, DeletedInput, Context>;
}

/** ReportService owns reports that assistants and people have written. */
export interface ReportServiceClient<Options = unknown> {
  /** Below level ADMIN only the caller's own: others' are NOT_FOUND. */
  deleteReport: ClientCall<DeleteReportRequestInput, Deleted, Options>;
}

/** TranscriptionService turns speech into text. */
export interface TranscriptionServiceHandlers<Context> {
  /** UNSUPPORTED_MEDIA: the file is no audio that we can read. */
  transcribe: Handler<TranscribeRequest, TranscriptionInput, Context>;
}

/** TranscriptionService turns speech into text. */
export interface TranscriptionServiceClient<Options = unknown> {
  /** UNSUPPORTED_MEDIA: the file is no audio that we can read. */
  transcribe: ClientCall<TranscribeRequestInput, Transcription, Options>;
}

export interface Assistant {
  id: string;
  /** What `assistant_name` and `assignee` refer to. */
  name: string;
  description: string;
  /** Null for a default assistant. */
  createdAt: Date | null;
}

/** `Assistant`, to be written. */
export interface AssistantInput {
  id: string;
  name: string;
  description: string;
  createdAt?: Date | null | undefined;
}

export interface AvailableAssistants {
  default: Assistant[];
  custom: Assistant[];
}

/** `AvailableAssistants`, to be written. */
export interface AvailableAssistantsInput {
  default: readonly AssistantInput[];
  custom: readonly AssistantInput[];
}

/** What an assistant should look at: documents, datasets, anything a client names. */
export interface ConversationContext {
  entities: JsonValue[];
}

/** `ConversationContext`, to be written. */
export interface ConversationContextInput {
  entities?: readonly JsonValueInput[] | null | undefined;
}

export interface AssistantReply {
  conversationId: string;
  message: Message | null;
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
  inputTokens: number;
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

export interface SubmitToAssistantRequest {
  assistantName: string;
  newMessage: string;
  /** Empty: a new conversation. */
  conversationId: string;
  conversationCtx: ConversationContext;
}

/** `SubmitToAssistantRequest`, to be written. */
export interface SubmitToAssistantRequestInput {
  assistantName: string;
  newMessage: string;
  conversationId?: string | null | undefined;
  conversationCtx?: ConversationContextInput | null | undefined;
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

export interface Message {
  id: string;
  memberId: string;
  /** A user's or an assistant's id, as `sender_type` says. */
  senderId: string;
  senderType: SenderType | null;
  message: string;
  messageType: MessageType | null;
  conversationId: string;
  createdAt: Date | null;
  /** False while an assistant is still writing. */
  isFinished: boolean;
  annotations: JsonObject | null;
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
}

export interface ListMessagesRequest {
  conversationId: string | null;
  memberId: string;
  senderType: SenderType | null;
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

export interface Convention {
  title: string;
  content: string;
  organisationId: string;
  id: string;
  createdAt: Date | null;
  updatedAt: Date | null;
  /** Stands for title and content in similarity search. */
  embedding: number[];
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
}

export interface GetConventionRequest {
  conventionId: string;
}

/** `GetConventionRequest`, to be written. */
export interface GetConventionRequestInput {
  conventionId: string;
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
  name: string;
  organisationId: string;
  status: DocumentStatus | null;
  /** The extracted text; empty until READY. */
  content: string;
  detailedDescription: string;
  description: string;
  numTokens: number;
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
}

export interface DocumentUpload {
  /** Takes one PUT for 15 minutes. */
  signedUrl: string;
  documentId: string;
}

/** `DocumentUpload`, to be written. */
export interface DocumentUploadInput {
  signedUrl: string;
  documentId: string;
}

export interface UploadDocumentRequest {
  id: string;
  name: string;
}

/** `UploadDocumentRequest`, to be written. */
export interface UploadDocumentRequestInput {
  id: string;
  name: string;
}

export interface GetDocumentRequest {
  documentId: string;
}

/** `GetDocumentRequest`, to be written. */
export interface GetDocumentRequestInput {
  documentId: string;
}

/** The answer to a delete. */
export interface Deleted {
  id: string;
  deleted: boolean;
}

/** `Deleted`, to be written. */
export interface DeletedInput {
  id: string;
  deleted: boolean;
}

export interface DeleteReportRequest {
  reportId: string;
}

/** `DeleteReportRequest`, to be written. */
export interface DeleteReportRequestInput {
  reportId: string;
}

export interface Transcription {
  text: string;
}

/** `Transcription`, to be written. */
export interface TranscriptionInput {
  text: string;
}

export interface AudioFile {
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
  audio: AudioFile;
}

/** `TranscribeRequest`, to be written. */
export interface TranscribeRequestInput {
  audio: AudioFileInput;
}
