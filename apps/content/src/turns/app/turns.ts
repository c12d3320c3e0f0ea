import {
  DomainError,
  fairSemaphore,
  forbidden,
  idOf,
  keyReused,
  newId,
  withoutCaller,
  type FairSemaphore,
  type Fields,
} from '@platform-backend/core';
import type { Attachment } from '../../conversations/domain/attachment.ts';
import { mayRead, type TurnPayer } from '../../conversations/domain/conversation.ts';
import { messageNotFound } from '../../conversations/domain/errors.ts';
import { interrupted } from '../../conversations/domain/incomplete.ts';
import type { Message } from '../../conversations/domain/message.ts';
import { readerOf } from '../../conversations/domain/reader.ts';
import type { Payer } from '../../credits/domain/credits.ts';
import { approvalOf, decideApproval, type ApprovalDecision } from '../domain/approval.ts';
import type { FindAssistant } from '../domain/assistant-config.ts';
import { approvalNotFound, turnInProgress, turnNotFound, turnStarted } from '../domain/errors.ts';
import { requireFormat } from '../domain/structured-output.ts';
import { stopTurn } from '../domain/turn.ts';
import { admitAttachments } from './attachments.ts';
import type { TurnRef } from './conversation-turns.ts';
import { executeTurn, reserveForTurn, type PaidTurn, type ExecutionPorts } from './execute-turn.ts';
import { followTurn, type TurnReader, type TurnUpdate } from './follow-turn.ts';
import { liveAnswer, TurnInterrupted, TurnStopped, type LiveAnswer } from './live-answer.ts';
import { resolveContext, type ContextPorts } from './turn-context.ts';
import type { Caller } from './turn-execution.ts';

export interface TurnPorts extends ExecutionPorts, Omit<ContextPorts, keyof ExecutionPorts> {
  readonly findAssistant: FindAssistant;
  /** Of the answers that this process writes at once. */
  readonly slots: FairSemaphore;
  /** For how long answers are written on when the service is told to stop. */
  readonly drainMs: number;
}

/** What an assistant answers by, whoever asks. */
export type AnsweringPorts = Omit<
  TurnPorts,
  'conversationTurns' | 'conversations' | 'messages' | 'credits' | 'recordDebit'
>;

export interface TurnInput {
  /** The same one for every repetition of a request. */
  readonly turnId: string;
  /** Its name or id. */
  readonly assistantName: string;
  /** Absent: an answer is made again to what was said before. */
  readonly newMessage?: string;
  /** Absent: a new conversation. */
  readonly conversationId: string | undefined;
  /** What it follows, as another branch; absent: the branch that is shown. */
  readonly parentId?: string;
  readonly entities: readonly unknown[];
  /** Documents that belong to the message, by their ids. */
  readonly attachments?: readonly string[];
  /** The same, of a message in whose place this one comes. */
  readonly keptAttachments?: readonly Attachment[];
  /** As `requireFormat` takes it, in which the answer is asked for. */
  readonly responseFormat?: Fields | null;
  /** The call of a tool that is approved with it, which the parent asks for. */
  readonly approvedToolCallId?: string;
  /** Nobody is there who could be asked back. */
  readonly isUnattended?: true;
}

export type TurnUseCases = ReturnType<typeof turnUseCases>;

/** How long somebody waits for a slot, in milliseconds: less than callers wait for an answer. */
const SLOT_TIMEOUT_MS = 4_000;

/** For as many answers at once, of all and of one organisation. */
export const answerSlots = ({ slots, share }: { readonly slots: number; readonly share: number }): FairSemaphore =>
  fairSemaphore({ slots, share, maxWaiting: share, maxWaitingInAll: slots, timeoutMs: SLOT_TIMEOUT_MS });

/** With what is made of them for a server, the images of one answer take some 50 MB. */
const ANSWERS_WITH_IMAGES = 8;
/** They wait while they are written, of which one may take minutes. */
const IMAGES_TIMEOUT_MS = 60_000;

/** For those of the answers at once that have images. */
export const imageSlots = ({ slots, share }: { readonly slots: number; readonly share: number }): FairSemaphore =>
  fairSemaphore({
    ...{ slots: ANSWERS_WITH_IMAGES, share: ANSWERS_WITH_IMAGES / 2 },
    ...{ maxWaiting: share, maxWaitingInAll: slots, timeoutMs: IMAGES_TIMEOUT_MS },
  });

/** Turns: a person says something, an assistant answers. */
export function turnUseCases(ports: TurnPorts) {
  const { conversationTurns, conversations, messages } = ports;
  const running = new Map<string, { readonly live: LiveAnswer; readonly done: Promise<void> }>();
  const semaphore = ports.slots;
  let isClosing = false;

  /** The turn of the same request that came before. INVALID: it asked for something else. */
  async function repeated(organisationId: string, wanted: TurnInput): Promise<TurnRef | undefined> {
    const { turnId, newMessage, attachments } = wanted;
    const answer = await messages.find(organisationId, turnId);
    if (!answer) return undefined;
    const question = await messages.find(organisationId, answer.parentId);
    const isSame = newMessage === undefined ? question?.id === wanted.parentId : question?.message === newMessage;
    const had = question?.attachments?.map(({ documentId }) => documentId) ?? [];
    // Those that are gone since are not shown any more.
    if (!isSame || had.some((id) => attachments?.includes(id) === false)) throw keyReused();
    return { turnId, conversationId: answer.conversationId };
  }

  /** The answer that is written in this turn, for whoever may read it. */
  async function answerOf(by: Payer, turnId: string): Promise<Message> {
    const message = await messages.find(by.organisationId, turnId);
    if (message?.senderType !== 'ASSISTANT') throw turnNotFound();
    const conversation = await conversations.find(by.organisationId, message.conversationId);
    if (!conversation || !mayRead(readerOf(by), conversation)) throw turnNotFound();
    return message;
  }

  async function start(by: Caller, wanted: TurnInput): Promise<TurnRef> {
    const { organisationId } = by;
    const known = await repeated(organisationId, wanted);
    if (known) return known;
    const assistant = await ports.findAssistant(organisationId, readerOf(by).memberId, wanted.assistantName);
    const context = await resolveContext(ports, { by, assistant, entities: wanted.entities });
    const seesImages = ports.model.seesImages(assistant.model);
    const named = await admitAttachments(ports, { by, ids: wanted.attachments ?? [], seesImages });
    const attachments = [...(wanted.keptAttachments ?? []), ...named];
    const isFollowed = !ports.model.quotesOnly;
    const { schemas } = ports;
    const responseFormat = await requireFormat({ schemas, organisationId }, wanted.responseFormat ?? null, {
      isFollowed,
    });
    const tenant = await semaphore.acquire('tenants', organisationId);
    try {
      return await reserveAndStart(by, wanted, {
        ...{ assistant, context, attachments, ...(responseFormat && { responseFormat }) },
        whenDone: () => semaphore.release(tenant),
      });
    } catch (error) {
      semaphore.release(tenant);
      // Two at the same moment find each other's turn in progress.
      const isRepetition = error instanceof DomainError && REPEATED.has(error.code);
      const started = isRepetition ? await repeated(organisationId, wanted) : undefined;
      if (!started) throw error;
      return started;
    }
  }

  /** Begins the turn, which goes on by itself. Where it cannot be started, nothing was stored and nothing is paid. */
  async function reserveAndStart(
    by: Caller,
    wanted: TurnInput,
    {
      whenDone,
      attachments,
      ...begun
    }: Pick<PaidTurn, 'assistant' | 'context' | 'responseFormat'> & {
      readonly attachments: readonly Attachment[];
      readonly whenDone: () => void;
    },
  ): Promise<TurnRef> {
    const credits = await reserveForTurn(ports, by, begun.assistant);
    try {
      const ref = await store(by, wanted, { ...begun, attachments, credits });
      const { turnId } = ref;
      const live = liveAnswer(turnId);
      const isAttended = wanted.isUnattended !== true;
      const turn = { by, ref, ...begun, isAttended, credits, live };
      const done = withoutCaller(() => executeTurn(ports, turn)).finally(() => {
        running.delete(turnId);
        whenDone();
      });
      running.set(turnId, { live, done });
      if (isClosing) live.stop(new TurnInterrupted(interrupted));
      return ref;
    } catch (error) {
      await credits.release();
      throw error;
    }
  }

  /** Stores the question and the answer that is to be written. */
  async function store(
    by: Caller,
    { turnId, conversationId, newMessage, parentId, approvedToolCallId }: TurnInput,
    {
      assistant,
      context,
      attachments,
      credits,
      responseFormat,
    }: Pick<PaidTurn, 'assistant' | 'context' | 'credits' | 'responseFormat'> & {
      readonly attachments: readonly Attachment[];
    },
  ): Promise<TurnRef> {
    const annotations = {
      ...(context.entities.length > 0 && { context: context.entities }),
      ...(responseFormat && { response_format: responseFormat }),
    };
    const { conversation } = await conversationTurns.startTurn(by, {
      ...{ id: turnId, answerId: turnId, assistantId: assistant.id, conversationId, parentId },
      payer: turnPayerOf(by, credits.reservationId),
      ...(approvedToolCallId !== undefined && { approvedToolCallId }),
      ...(newMessage !== undefined && {
        question: {
          ...{ id: newId(), message: newMessage, messageType: 'TEXT', annotations },
          ...(attachments.length > 0 && { attachments }),
        },
      }),
    });
    return { turnId, conversationId: conversation.id };
  }

  /** A message of this kind in a conversation of their own. */
  async function ownMessage(by: Caller, id: string, senderType: Message['senderType']): Promise<Message> {
    const message = await messages.find(by.organisationId, id);
    if (message?.senderType !== senderType || message.memberId !== readerOf(by).memberId) throw messageNotFound();
    return message;
  }

  return {
    /**
     * Stores what a person says and has an assistant answer, which goes on when nobody waits for it. Repeating it with the
     * same turn changes nothing. NOT_FOUND: unknown assistant or conversation. CONFLICT: it answers still in this
     * conversation. PAYMENT_REQUIRED: no credits left, and nothing was stored.
     */
    start,

    /** Has the assistant answer once more to what it has answered to. As `start`. */
    async regenerate(by: Caller, turnId: string, messageId: string): Promise<TurnRef> {
      const { conversationId, parentId, senderId } = await ownMessage(by, messageId, 'ASSISTANT');
      const question = await messages.find(by.organisationId, parentId);
      const about = { entities: entitiesOf(question), responseFormat: formatOf(question) };
      return start(by, { turnId, assistantName: senderId, conversationId, parentId, ...about });
    },

    /** Says something else in place of a message. As `start`. */
    async edit(by: Caller, turnId: string, messageId: string, newMessage: string): Promise<TurnRef> {
      const message = await ownMessage(by, messageId, 'USER');
      const { conversationId, parentId } = message;
      const conversation = await conversations.find(by.organisationId, conversationId);
      const assistantName = conversation?.assistantId ?? '';
      return start(by, {
        ...{ turnId, assistantName, newMessage, conversationId, parentId },
        entities: entitiesOf(message),
        responseFormat: formatOf(message),
        ...(message.attachments && { keptAttachments: message.attachments }),
      });
    },

    /**
     * Decides whether the assistant may do what its answer asks for; approved, a turn begins that does it and answers what comes of it.
     * Names the turn with whose answer it goes on; repeating it is safe. NOT_FOUND, CONFLICT: as `decideApproval`; and as `start`.
     */
    async decideApproval(by: Caller, turnId: string, decision: ApprovalDecision): Promise<TurnRef> {
      const { senderId, conversationId, ...asked } = await ownMessage(by, turnId, 'ASSISTANT');
      const approval = approvalOf(asked);
      if (approval?.toolCallId !== decision.toolCallId) throw approvalNotFound();
      if (!decision.isApproved) {
        await messages.update(by, turnId, (found) => decideApproval(found, decision, ports.clock.now()));
        return { turnId, conversationId };
      }
      if (approval.tool === 'run_pipeline' && !by.rights.runs) throw forbidden();
      const approvedToolCallId = approval.toolCallId;
      return start(by, {
        ...{
          turnId: idOf(['approved', approvedToolCallId]),
          assistantName: senderId,
          conversationId,
          parentId: turnId,
        },
        ...{ entities: entitiesOf(asked), approvedToolCallId },
        responseFormat: formatOf(await messages.find(by.organisationId, asked.parentId)),
      });
    },

    /** What is added to the answer after this position, until it is finished. NOT_FOUND: it is not for them. */
    async follow(by: Payer, turnId: string, reader: TurnReader): Promise<AsyncIterable<TurnUpdate>> {
      await answerOf(by, turnId);
      return followTurn({ running: running.get(turnId)?.live, stored: () => answerOf(by, turnId), ...reader });
    },

    /** What has been written in it so far. NOT_FOUND: it is not for them. */
    answerOf,

    /** NOT_FOUND: unknown turn, or somebody else's. Repeating it is safe. */
    async stop(by: Payer, turnId: string): Promise<Message> {
      const message = await answerOf(by, turnId);
      if (message.memberId !== readerOf(by).memberId) throw turnNotFound();
      if (message.isFinished) return message;
      await conversations.update(by, message.conversationId, (found) => stopTurn(found, turnId));
      const here = running.get(turnId);
      if (!here) return message;
      here.live.stop(new TurnStopped());
      await here.done;
      return answerOf(by, turnId);
    },

    /** Lets what is being written here come to its end, for a while; what is not whole by then ends with what there is of it. */
    async close(): Promise<void> {
      isClosing = true;
      const whole = Promise.all([...running.values()].map(({ done }) => done));
      const drained = new AbortController();
      const drain = ports.pause(ports.drainMs, drained.signal).catch(() => undefined);
      await Promise.race([whole, drain]);
      drained.abort();
      for (const { live } of running.values()) live.stop(new TurnInterrupted(interrupted));
      await whole;
    },
  };
}

const REPEATED: ReadonlySet<string> = new Set([turnStarted.code, turnInProgress.code]);

/** As it is kept with the turn, for whoever ends it. */
export const turnPayerOf = ({ actor, clientGroupId }: Payer, reservationId: string | null): TurnPayer => ({
  reservationId,
  memberId: actor.userId,
  clientGroupId: clientGroupId ?? null,
  apiKeyId: actor.type === 'api_key' ? actor.id : null,
});

/** In which form a question was asked to be answered. */
function formatOf(question: Pick<Message, 'annotations'> | undefined): Fields | null {
  const { response_format: format } = question?.annotations ?? {};
  return typeof format === 'object' && format !== null ? (format as Fields) : null;
}

/** What a question was about. */
function entitiesOf(question: Pick<Message, 'annotations'> | undefined): readonly unknown[] {
  const { context } = question?.annotations ?? {};
  return Array.isArray(context) ? context : [];
}
