import type {
  AssistantReplyInput,
  AssistantServiceHandlers,
  DecideApprovalRequest,
  EditMessageRequest,
  RegenerateMessageRequest,
  SubmitToAssistantRequest,
  TurnEventInput,
  TurnServiceHandlers,
} from '@platform-backend/contract-content';
import { idOf, newId, remainingDeadlineMs, requireVisible, type Fields } from '@platform-backend/core';
import type { CallContext } from '@platform-backend/grpc';
import { messageOf } from '../../conversations/api/message-handlers.ts';
import type { Message } from '../../conversations/domain/message.ts';
import { payerOf } from '../../credits/api/payer.ts';
import type { TurnRef } from '../app/conversation-turns.ts';
import type { Caller } from '../app/turn-execution.ts';
import type { TurnUseCases, TurnInput } from '../app/turns.ts';
import { answerPending } from '../domain/errors.ts';
import { rightsOf } from './rights.ts';

export const submitHandler = (app: TurnUseCases): Pick<AssistantServiceHandlers<CallContext>, 'submitToAssistant'> => ({
  async submitToAssistant(request, context) {
    const by = callerOf(context);
    return awaitAnswer(app, context, await app.start(by, wantedBy(request, by)));
  },
});

export const turnHandlers = (app: TurnUseCases): TurnServiceHandlers<CallContext> => ({
  async *streamToAssistant(request, context) {
    const by = callerOf(context);
    yield* toldFrom(app, context, await app.start(by, wantedBy(request, by)));
  },

  async regenerateMessage(request, context) {
    const by = callerOf(context);
    return awaitAnswer(app, context, await regenerated(app, by, request));
  },

  async *streamRegeneration(request, context) {
    const by = callerOf(context);
    yield* toldFrom(app, context, await regenerated(app, by, request));
  },

  async editMessage(request, context) {
    const by = callerOf(context);
    return awaitAnswer(app, context, await edited(app, by, request));
  },

  async *streamEdit(request, context) {
    const by = callerOf(context);
    yield* toldFrom(app, context, await edited(app, by, request));
  },

  async decideApproval(request, context) {
    return awaitAnswer(app, context, await decided(app, callerOf(context), request));
  },

  async *streamApproval(request, context) {
    yield* toldFrom(app, context, await decided(app, callerOf(context), request));
  },

  async *watchTurn({ turnId, lastEventId }, context) {
    if (lastEventId === FINISHED) return;
    const isStarted = /^\d{1,6}$/.test(lastEventId);
    const from = isStarted ? Number(lastEventId) : 0;
    const { conversationId } = await app.answerOf(callerOf(context), turnId);
    yield* toldFrom(app, context, { turnId, conversationId }, { from, isStarted });
  },

  stopTurn: async ({ turnId }, context) => messageOf(await app.stop(callerOf(context), turnId)),
});

const regenerated = (app: TurnUseCases, by: Caller, { messageId, idempotencyKey }: RegenerateMessageRequest) =>
  app.regenerate(by, turnIdOf(by, idempotencyKey), messageId);

const edited = (app: TurnUseCases, by: Caller, { messageId, newMessage, idempotencyKey }: EditMessageRequest) => {
  requireVisible('body', { new_message: newMessage });
  return app.edit(by, turnIdOf(by, idempotencyKey), messageId, newMessage);
};

const decided = (app: TurnUseCases, by: Caller, { turnId, toolCallId, approve }: DecideApprovalRequest) =>
  app.decideApproval(by, turnId, { toolCallId, isApproved: approve });

/** Waits until the answer is written. ACCEPTED: it goes on, and what is said says where. */
async function awaitAnswer(app: TurnUseCases, context: CallContext, ref: TurnRef): Promise<AssistantReplyInput> {
  const signal = AbortSignal.any([context.signal, ...beforeDeadline()]);
  const updates = await app.follow(callerOf(context), ref.turnId, { from: 0, signal });
  for await (const update of updates) if (update.kind === 'finished') return replyMessage(update.message);
  context.signal.throwIfAborted();
  const { turnId: id, conversationId } = ref;
  const related = { conversation_id: conversationId };
  throw answerPending({ ...ref, pending: { id, state: 'ANSWERING', location: `/messages/${id}/`, related } });
}

/** Aborted while the caller can still be told that it takes longer; nothing where the caller has all the time there is. */
function beforeDeadline(): AbortSignal[] {
  const leftMs = remainingDeadlineMs();
  return Number.isFinite(leftMs) ? [AbortSignal.timeout(leftMs)] : [];
}

/** The id of the event after which there is nothing more. */
const FINISHED = 'finished';

/** What is said in a turn, from this position of its answer on, and that it has begun to whoever does not know. */
async function* toldFrom(
  app: TurnUseCases,
  context: CallContext,
  ref: TurnRef,
  { from, isStarted } = { from: 0, isStarted: false },
): AsyncGenerator<TurnEventInput> {
  const updates = await app.follow(callerOf(context), ref.turnId, { from, signal: context.signal });
  if (!isStarted) yield { eventId: '0', event: 'started', data: ref };
  for await (const update of updates) {
    if (update.kind === 'text') {
      yield { eventId: String(update.position), event: 'text', data: { ...ref, text: update.text } };
    } else if (update.kind === 'tool') {
      yield { eventId: '', event: 'tool', data: { ...ref, tool: update.tool } };
    } else if (update.kind === 'approval') {
      const { toolCallId, tool: name, summary, expiresAt, ...approval } = update.approval;
      const asked = { toolCallId, name, arguments: textsOf(approval.arguments), summary, expiresAt };
      yield { eventId: '', event: 'approval', data: { ...ref, approval: asked } };
    } else {
      const { message, usage } = replyMessage(update.message);
      yield { eventId: FINISHED, event: 'finished', data: { ...ref, message, usage } };
    }
  }
}

const textsOf = (given: Fields): Record<string, string> =>
  Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );

const callerOf = (context: CallContext): Caller => ({ ...payerOf(context), rights: rightsOf(context.caller) });

function wantedBy(
  {
    assistantName,
    newMessage,
    conversationId,
    conversationCtx,
    idempotencyKey,
    attachments,
    responseFormat,
  }: SubmitToAssistantRequest,
  by: Caller,
): TurnInput {
  return {
    turnId: turnIdOf(by, idempotencyKey),
    assistantName,
    newMessage,
    conversationId: conversationId === '' ? undefined : conversationId,
    entities: conversationCtx.entities,
    attachments,
    responseFormat,
  };
}

/** The same for every repetition of a request with a key. */
const turnIdOf = ({ organisationId, actor }: Caller, key: string): string =>
  key === '' ? newId() : idOf([organisationId, actor.type, actor.id, key]);

function replyMessage(message: Message): AssistantReplyInput {
  const usage = (message.annotations['usage'] ?? {}) as Readonly<Record<string, number>>;
  return {
    conversationId: message.conversationId,
    message: messageOf(message),
    usage: {
      inputTokens: usage['input_tokens'] ?? 0,
      outputTokens: usage['output_tokens'] ?? 0,
      creditsMicros: usage['credits_micros'] ?? 0,
    },
  };
}
