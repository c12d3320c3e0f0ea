import type { Clock, FairSemaphore, Logger } from '@platform-backend/core';
import type { Conversations, Messages } from '../../conversations/domain/conversations.ts';
import type { Payer } from '../../credits/domain/credits.ts';
import type { Search } from '../../passages/domain/search.ts';
import type { ToolSession } from '../../tool-servers/app/tool-session.ts';
import type { AssistantConfig, TurnRights } from '../domain/assistant-config.ts';
import type { Datasets } from '../domain/datasets.ts';
import type { ChatMessage, GenerationOptions, LanguageModel } from '../domain/language-model.ts';
import type { Pipelines } from '../domain/pipelines.ts';
import type { JsonSchemas, ResponseFormat } from '../domain/structured-output.ts';
import type { AttachedFiles, ReadAttachments } from './attachments.ts';
import type { ConversationTurns, TurnRef } from './conversation-turns.ts';
import type { LiveAnswer } from './live-answer.ts';
import type { RewritePorts } from './rewrite-question.ts';
import type { TurnContext } from './turn-context.ts';
import type { TurnMeters } from './turn-meters.ts';

export interface AnswerPorts {
  readonly meters: TurnMeters;
  readonly clock: Clock;
  /** For how long a call of a tool may be approved. */
  readonly approvalMs: number;
  readonly datasets: Datasets;
  readonly pipelines: Pipelines;
  readonly attachedFiles: AttachedFiles;
  /** Of the answers that hold images at once. */
  readonly imageSlots: FairSemaphore;
  readonly schemas: JsonSchemas;
  /** Connects to the tool servers of one answer. */
  readonly toolServers: (organisationId: string) => ToolSession;
  /** Rejected when the signal is aborted. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly conversationTurns: ConversationTurns;
  readonly conversations: Conversations;
  readonly messages: Messages;
  readonly model: LanguageModel;
  readonly rewriteModel: RewritePorts['rewriteModel'];
  readonly search: Search;
  readonly turnLeaseMs: number;
  readonly logger: Pick<Logger, 'warn'>;
}

export type WritingPorts = Pick<
  AnswerPorts,
  | 'approvalMs'
  | 'attachedFiles'
  | 'clock'
  | 'datasets'
  | 'imageSlots'
  | 'logger'
  | 'meters'
  | 'model'
  | 'pause'
  | 'pipelines'
  | 'rewriteModel'
  | 'schemas'
  | 'search'
  | 'toolServers'
> & {
  readonly conversationTurns: Pick<ConversationTurns, 'branchOf' | 'claimApproved'>;
};

export interface Caller extends Payer {
  readonly rights: TurnRights;
}

/** An answer while it is written. */
export interface TurnExecution {
  readonly by: Caller;
  readonly ref: TurnRef;
  readonly assistant: AssistantConfig;
  readonly context: TurnContext;
  /** Whoever has asked is there, and may be asked back. */
  readonly isAttended: boolean;
  /** In which the answer is asked for; absent: text, or as `given` says. */
  readonly responseFormat?: ResponseFormat;
  readonly live: LiveAnswer;
  /** What is asked, where it comes with the request; absent: it stands in the conversation. */
  readonly given?: GivenQuestion;
}

/** All that was said, of which nothing is kept. */
export interface GivenQuestion {
  /** Beside those of the assistant. */
  readonly instructions: string;
  /** Oldest first; the last one is a person's. */
  readonly messages: readonly ChatMessage[];
  /** What was read of files that came with it. */
  readonly attached: ReadAttachments['texts'];
  /** In place of the assistant's; null: that one. */
  readonly temperature: number | null;
  readonly generation: GenerationOptions;
}

/** Which one answers; of those that are chosen for an assistant nobody asks who only quotes. */
export const modelOf = (
  { model }: Pick<AnswerPorts, 'model'>,
  { assistant }: Pick<TurnExecution, 'assistant'>,
): string => (assistant.model === '' || model.quotesOnly ? model.name : assistant.model);
