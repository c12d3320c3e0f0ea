// Generated from protos/platform/events/v1/content by `npm run generate`. Do not edit.

/** Which event has which payload. */
export type ContentEvents = {
  readonly 'convention.created': ConventionCreated;
  readonly 'convention.updated': ConventionUpdated;
  readonly 'convention.deleted': ConventionDeleted;
  readonly 'report.created': ReportCreated;
  readonly 'report.updated': ReportUpdated;
  readonly 'report.deleted': ReportDeleted;
  readonly 'report.restored': ReportRestored;
  readonly 'report.purged': ReportPurged;
  readonly 'transcription.finished': TranscriptionFinished;
  readonly 'transcription.updated': TranscriptionUpdated;
  readonly 'transcription.deleted': TranscriptionDeleted;
  readonly 'transcription_job.created': TranscriptionJobCreated;
  readonly 'transcription_job.finished': TranscriptionJobFinished;
  readonly 'document_import.created': DocumentImportCreated;
  readonly 'document_import.cancelled': DocumentImportCancelled;
  readonly 'document_import.retried': DocumentImportRetried;
  readonly 'retention_policy.updated': RetentionPolicyUpdated;
  readonly 'retention_policy.enforced': RetentionPolicyEnforced;
  readonly 'organisation_content.removed': OrganisationContentRemoved;
  readonly 'conversation.created': ConversationCreated;
  readonly 'conversation.updated': ConversationUpdated;
  readonly 'conversation.shared': ConversationShared;
  readonly 'conversation.deleted': ConversationDeleted;
  readonly 'message.created': MessageCreated;
  readonly 'message.finished': MessageFinished;
  readonly 'message.rated': MessageRated;
  readonly 'tool_call.decided': ToolCallDecided;
  readonly 'document.upload_requested': DocumentUploadRequested;
  readonly 'document.uploaded': DocumentUploaded;
  readonly 'document.expired': DocumentExpired;
  readonly 'document.progressed': DocumentProgressed;
  readonly 'document.ready': DocumentReady;
  readonly 'document.failed': DocumentFailed;
  readonly 'document.updated': DocumentUpdated;
  readonly 'document.retried': DocumentRetried;
  readonly 'document.archived': DocumentArchived;
  readonly 'document.restored': DocumentRestored;
  readonly 'document.deleted': DocumentDeleted;
  readonly 'assistant.created': AssistantCreated;
  readonly 'assistant.updated': AssistantUpdated;
  readonly 'assistant.deleted': AssistantDeleted;
  readonly 'chat_completion.finished': ChatCompletionFinished;
  readonly 'document.version_requested': DocumentVersionRequested;
  readonly 'document.version_uploaded': DocumentVersionUploaded;
  readonly 'document.version_ready': DocumentVersionReady;
  readonly 'document.version_failed': DocumentVersionFailed;
  readonly 'document.version_deleted': DocumentVersionDeleted;
  readonly 'document.access_changed': DocumentAccessChanged;
  readonly 'convention.access_changed': ConventionAccessChanged;
  readonly 'assistant.access_changed': AssistantAccessChanged;
  readonly 'collection.access_changed': CollectionAccessChanged;
  readonly 'tool_server.created': ToolServerCreated;
  readonly 'tool_server.updated': ToolServerUpdated;
  readonly 'tool_server.deleted': ToolServerDeleted;
  readonly 'tool_server.access_changed': ToolServerAccessChanged;
  readonly 'audit.recorded': AuditRecorded;
  readonly 'debit.created': DebitCreated;
};

/** A rule was written down. */
export type ConventionCreated = {
  readonly convention_id: string;
  readonly title: string;
};

/** A rule says something else. */
export type ConventionUpdated = {
  readonly convention_id: string;
  readonly title: string;
  readonly changed_fields: readonly string[];
};

/** A rule holds no more, and is found no more. */
export type ConventionDeleted = {
  readonly convention_id: string;
};

/** A report was made, by hand or of a message or a run. */
export type ReportCreated = {
  readonly report_id: string;
  readonly title: string;
  /** The user who created it, or for whom an API key did. */
  readonly author_id: string | null;
};

/** A report says something else. */
export type ReportUpdated = {
  readonly report_id: string;
  readonly title: string;
  /** One more with every change of what it says. */
  readonly version: number;
  readonly changed_fields: readonly string[];
};

/** It can be restored for 30 days. */
export type ReportDeleted = {
  readonly report_id: string;
};

/** A report that was deleted is there again. */
export type ReportRestored = {
  readonly report_id: string;
  readonly title: string;
};

/** It was deleted for 30 days, and is gone. */
export type ReportPurged = {
  readonly report_id: string;
};

/** The recording itself is not kept. */
export type TranscriptionFinished = {
  readonly transcription_id: string;
  /** Of the recording. */
  readonly duration_seconds: number;
  /** ISO 639-1; null where it is not known. */
  readonly language: string | null;
  /** What recognised it. */
  readonly engine: string;
};

/** Somebody has corrected its text, or named it otherwise. */
export type TranscriptionUpdated = {
  readonly transcription_id: string;
  readonly name: string;
  /** `name`, `text`. */
  readonly changed_fields: readonly string[];
};

/** It is gone for good. */
export type TranscriptionDeleted = {
  readonly transcription_id: string;
};

/** Somebody has asked for a long recording to be transcribed. */
export type TranscriptionJobCreated = {
  /** The job. */
  readonly job_id: string;
  /** Whose recording it is. */
  readonly document_id: string;
};

/** The job is over. */
export type TranscriptionJobFinished = {
  /** The job. */
  readonly job_id: string;
  /** SUCCEEDED, FAILED or CANCELLED. */
  readonly status: string;
  /** What was transcribed; null where nothing was. */
  readonly transcription_id: string | null;
  /** Why it failed; null unless it did. */
  readonly failure_code: string | null;
};

/** Somebody has asked for documents to be fetched from addresses. */
export type DocumentImportCreated = {
  /** The import. */
  readonly import_id: string;
  /** How many addresses there are. */
  readonly addresses: number;
};

/** Nothing that was still to be fetched is fetched any more. */
export type DocumentImportCancelled = {
  /** The import. */
  readonly import_id: string;
  /** How many addresses were not fetched yet. */
  readonly addresses: number;
};

/** What had failed is fetched once more. */
export type DocumentImportRetried = {
  /** The import. */
  readonly import_id: string;
  /** How many addresses are. */
  readonly addresses: number;
};

/** What an organisation keeps is deleted by itself after another time than before, or no longer. */
export type RetentionPolicyUpdated = {
  /** Null: documents are kept for good. */
  readonly documents_days: number | null;
  /** Null: conversations are kept for good. */
  readonly conversations_days: number | null;
  /** Null: transcriptions are kept for good. */
  readonly transcriptions_days: number | null;
  /** How many collections have a rule of their own. */
  readonly collections: number;
};

/** The policy has deleted something: all that it had to, or until it was another one. */
export type RetentionPolicyEnforced = {
  /** When the pass was begun. */
  readonly started_at: string;
  /** How many were deleted. */
  readonly documents: number;
  /** How many were deleted, with their messages. */
  readonly conversations: number;
  /** How many were deleted. */
  readonly transcriptions: number;
};

/** All that was kept here of a deleted organisation is gone. */
export type OrganisationContentRemoved = {
  readonly organisation_id: string;
};

/** Somebody has asked the first question of a conversation. */
export type ConversationCreated = {
  readonly conversation_id: string;
  /** The user who has begun it. */
  readonly member_id: string;
};

/** Its title is another one, given by its owner or by a model, another branch is shown, or it was put into the archive or out of it. */
export type ConversationUpdated = {
  readonly conversation_id: string;
  /** The user who has begun it. */
  readonly member_id: string;
  readonly changed_fields: readonly string[];
};

/** The whole organisation reads it from now on, or does so no longer. */
export type ConversationShared = {
  readonly conversation_id: string;
  /** The user who has begun it. */
  readonly member_id: string;
  /** Whether the whole organisation reads it from now on. */
  readonly shared: boolean;
};

/** Its messages are gone with it. */
export type ConversationDeleted = {
  readonly conversation_id: string;
  /** The user who has begun it. */
  readonly member_id: string;
};

/** Of a person or an assistant; what it says is for those alone who may read the conversation. */
export type MessageCreated = {
  readonly message_id: string;
  readonly conversation_id: string;
  /** Whose conversation it is. */
  readonly member_id: string;
  readonly sender_id: string;
  /** USER, ASSISTANT, SYSTEM or TOOL. */
  readonly sender_type: string;
};

/** Nothing more will be written into it. */
export type MessageFinished = {
  readonly message_id: string;
  readonly conversation_id: string;
  /** Whose conversation it is. */
  readonly member_id: string;
  readonly sender_id: string;
  /** USER, ASSISTANT, SYSTEM or TOOL. */
  readonly sender_type: string;
  /** TEXT, TOOL_CALL, TOOL_RESULT, FILE, or ERROR when an answer could not be given. */
  readonly message_type: string;
};

/** Somebody has said how good an answer was, or taken that back. */
export type MessageRated = {
  readonly message_id: string;
  readonly conversation_id: string;
  /** Whose conversation it is. */
  readonly member_id: string;
  /** UP or DOWN; null when it was taken back. */
  readonly rating: string | null;
};

/** Whoever had asked has decided whether an assistant may do what it wants to. */
export type ToolCallDecided = {
  /** The message that asked for it. */
  readonly message_id: string;
  readonly conversation_id: string;
  /** Whose conversation it is. */
  readonly member_id: string;
  readonly tool_call_id: string;
  /** Of the tool: `run_pipeline`. */
  readonly name: string;
  /** False: refused. */
  readonly approved: boolean;
};

/** A place for a document was made, and a URL that takes its bytes; or one for it once more. */
export type DocumentUploadRequested = {
  readonly document_id: string;
  readonly name: string;
  /** What the upload has to name. */
  readonly content_type: string;
  /** Until when the URL takes bytes. */
  readonly expires_at: string;
};

/** Its bytes are there; what is in them is not known yet. */
export type DocumentUploaded = {
  readonly document_id: string;
  readonly name: string;
  readonly media_type: string;
  readonly size_bytes: number;
};

/** Nothing was uploaded in time. */
export type DocumentExpired = {
  readonly document_id: string;
  readonly name: string;
};

/** Not every step is told. */
export type DocumentProgressed = {
  readonly document_id: string;
  /** `READING`, `EXTRACTING` or `INDEXING`. */
  readonly stage: string;
  /** Of the whole, from 0 to 100. */
  readonly percent: number;
  /** Of a version that is coming; null: the document itself. */
  readonly version: number | null;
};

/** It can be read and found. */
export type DocumentReady = {
  readonly document_id: string;
  readonly name: string;
  readonly media_type: string;
  readonly size_bytes: number;
  /** Null for what has no pages. */
  readonly page_count: number | null;
  /** About how many a model reads with its text. */
  readonly num_tokens: number;
  /** ISO 639-1; empty where it is not known. */
  readonly language: string;
  /** What it is filed under; empty: nothing. */
  readonly collection: string;
};

/** It cannot be read. */
export type DocumentFailed = {
  readonly document_id: string;
  readonly name: string;
  /** Stable: `encrypted`, `damaged`, `empty_file`, `too_large`, ... */
  readonly code: string;
  /** What to do about it. */
  readonly message: string;
};

/** It is called, described or filed otherwise. */
export type DocumentUpdated = {
  readonly document_id: string;
  readonly name: string;
  readonly changed_fields: readonly string[];
};

/** It is to be processed once more, from its beginning. */
export type DocumentRetried = {
  readonly document_id: string;
  readonly name: string;
};

/** It is found no more, until it is restored. */
export type DocumentArchived = {
  readonly document_id: string;
  readonly name: string;
};

/** It is out of the archive, and found again. */
export type DocumentRestored = {
  readonly document_id: string;
  readonly name: string;
};

/** Its bytes, text and passages go with it. */
export type DocumentDeleted = {
  readonly document_id: string;
  readonly name: string;
};

/** The organisation has made an assistant of its own. */
export type AssistantCreated = {
  readonly assistant_id: string;
  readonly name: string;
};

/** It has another version. */
export type AssistantUpdated = {
  readonly assistant_id: string;
  readonly name: string;
  readonly version: number;
  readonly changed_fields: readonly string[];
};

/** It cannot be asked any more; what it has said stays. */
export type AssistantDeleted = {
  readonly assistant_id: string;
};

/** An assistant has answered a client of OpenAI's interface. What was said is not kept. */
export type ChatCompletionFinished = {
  /** The answer's `id`. */
  readonly chat_completion_id: string;
  readonly assistant_id: string;
  /** The language model. */
  readonly model: string;
  /** What the language model read. */
  readonly input_tokens: number;
  /** What it wrote. */
  readonly output_tokens: number;
  /** `stop`, `length`, `content_filter`, `stopped` where the client has left, `failed`, or `interrupted` where the platform has. */
  readonly finish_reason: string;
};

/** Who may open something: of restricted things those named, their makers and administrators. */
export type AccessState = {
  /** `organisation` or `restricted`. */
  readonly visibility: string;
  /** Client groups, by their ids. */
  readonly groups: readonly string[];
  /** Members, by the ids of their users. */
  readonly members: readonly string[];
};

/** A new version of a document is coming: a place for its bytes was made, or an earlier one is to be the document's again. */
export type DocumentVersionRequested = {
  readonly document_id: string;
  readonly name: string;
  /** Its number. */
  readonly version: number;
  /** The earlier one whose bytes it has; null: they are awaited. */
  readonly restored_from: number | null;
};

/** The bytes of a version are there; the document is still what it was. */
export type DocumentVersionUploaded = {
  readonly document_id: string;
  readonly name: string;
  /** Its number. */
  readonly version: number;
  readonly size_bytes: number;
};

/** The document is what its new version says, and is found as that. */
export type DocumentVersionReady = {
  readonly document_id: string;
  readonly name: string;
  /** Its number. */
  readonly version: number;
  /** The earlier one whose bytes it has; null: they were uploaded. */
  readonly restored_from: number | null;
  readonly media_type: string;
  readonly size_bytes: number;
};

/** A version cannot be read, or nothing was uploaded in time; the document stays what it was. */
export type DocumentVersionFailed = {
  readonly document_id: string;
  readonly name: string;
  /** Its number. */
  readonly version: number;
  /** Stable: `encrypted`, `damaged`, `upload_expired`, ... */
  readonly code: string;
  /** What to do about it. */
  readonly message: string;
};

/** An earlier version is gone with its bytes, or one that was coming was given up. */
export type DocumentVersionDeleted = {
  readonly document_id: string;
  readonly name: string;
  /** Its number. */
  readonly version: number;
};

/** Others than before may open a document. */
export type DocumentAccessChanged = {
  readonly document_id: string;
  /** Who may open it from now on. */
  readonly access: AccessState;
};

/** Others than before may open a convention. */
export type ConventionAccessChanged = {
  readonly convention_id: string;
  /** Who may open it from now on. */
  readonly access: AccessState;
};

/** Others than before may open and ask an assistant. */
export type AssistantAccessChanged = {
  readonly assistant_id: string;
  /** Who may open it from now on. */
  readonly access: AccessState;
};

/** Others than before may open a collection. */
export type CollectionAccessChanged = {
  /** What its documents are filed under. */
  readonly collection: string;
  /** Who may open it from now on. */
  readonly access: AccessState;
};

/** A server whose tools assistants may use was added. */
export type ToolServerCreated = {
  readonly tool_server_id: string;
  /** With which the names of its tools begin. */
  readonly name: string;
};

/** A tool server has another address, other headers or other tools that are allowed. */
export type ToolServerUpdated = {
  readonly tool_server_id: string;
  /** With which the names of its tools begin. */
  readonly name: string;
  readonly changed_fields: readonly string[];
};

/** No assistant uses it any more. */
export type ToolServerDeleted = {
  readonly tool_server_id: string;
};

/** Others than before may have assistants use a tool server. */
export type ToolServerAccessChanged = {
  readonly tool_server_id: string;
  /** Who may open it from now on. */
  readonly access: AccessState;
};

/** One for each change, with what members may know of it: an entry of the audit log. */
export type AuditRecorded = {
  /** Of the entry in the audit log. */
  readonly audit_entry_id: string;
  /** `user`, `api_key` or `service`. */
  readonly actor_type: string;
  /** The user, the API key or the service. */
  readonly actor_id: string;
  /** As it was at the time. Empty for a key where it is not known; the audit log knows it. */
  readonly actor_name: string;
  /** The name of the event: `client_group.updated`. */
  readonly action: string;
  /** What was changed: `client_group`. */
  readonly target_type: string;
  /** Which of them. */
  readonly target_id: string;
  /** The user for whom a key has acted; null for users and services. */
  readonly on_behalf_of_user_id: string | null;
  /** As it was at the time. */
  readonly on_behalf_of_user_name: string | null;
  /** The changed fields before and after; null where there was or is nothing. Long lists and texts are cut. */
  readonly before: Readonly<Record<string, unknown>> | null;
  /** As `before`. */
  readonly after: Readonly<Record<string, unknown>> | null;
  /** The request that led to it, as in `X-Request-Id`. */
  readonly request_id: string;
  /** When it was changed: RFC 3339, UTC, milliseconds. */
  readonly at: string;
};

/**
 * Work has cost credits. It is written in the transaction that ends the work, so that the one is never there without the
 * other, and billing books it once by its id, however late and however often it comes: also when the reservation has
 * expired, was given back or never was. The balance may go below zero by it.
 */
export type DebitCreated = {
  /** The same for the same work, whoever writes it down: two replicas that both end a piece of work debit it once. */
  readonly debit_id: string;
  /** What was set aside for it; while that is still open, it is settled by this debit and the rest is given back. */
  readonly reservation_id: string | null;
  /** A whole number as text, at least 1: 1 credit = 1,000,000 micros. */
  readonly amount_micros: string;
  /** `AI` or `INFRASTRUCTURE`: which limit of the group's policy it counts against. */
  readonly credit_class: string;
  /** As of its reservation, shown in the ledger: `assistant_message`, `kernel_minute`. */
  readonly purpose: string;
  /** What was done: the message, the kernel, the run. */
  readonly work_id: string;
  /** Whose policy and usage it counts against. Null: those of its reservation, or else the default group. */
  readonly client_group_id: string | null;
  readonly api_key_id: string | null;
  /** The user for whom it was done. Null: nobody in particular. */
  readonly member_id: string | null;
  /** When the work was done, on whose day it is counted: RFC 3339, UTC, milliseconds. */
  readonly occurred_at: string;
};
