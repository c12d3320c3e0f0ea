import {
  busy,
  DomainError,
  invalid,
  notFound,
  withoutCaller,
  type Fields,
  type Clock,
  type Violation,
} from '@platform/core';
import type { TokenUsage } from '../domain/assistants/language-model.ts';
import type { FindAssistant } from '../domain/assistants/played-assistant.ts';
import { mayRead } from '../domain/conversations/conversation.ts';
import type { Message, MessageEnd } from '../domain/conversations/message.ts';
import { readerOf } from '../domain/conversations/reader.ts';
import { stopTurn } from '../domain/conversations/turn.ts';
import type { Credits, Payer, Reservation } from '../domain/credits.ts';
import { followTurn, type TurnReader, type TurnUpdate } from './follow-turn.ts';
import { failureText, runningTurn, TurnInterrupted, TurnStopped, type RunningTurn } from './running-turns.ts';
import { resolveContext, type ContextPorts } from './turn-context.ts';
import {
  keepAnswer,
  writeAnswer,
  type AnswerPorts,
  type Caller,
  type TurnPlace,
  type TurnUnderWay,
} from './write-answer.ts';

export interface TurnPorts extends AnswerPorts, Omit<ContextPorts, keyof AnswerPorts> {
  readonly findAssistant: FindAssistant;
  readonly credits: Credits;
  readonly microsPer1000Tokens: bigint;
  readonly clock: Clock;
  readonly newId: () => string;
}

export interface WantedTurn {
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
}

export type TurnUseCases = ReturnType<typeof turnUseCases>;

/** Of this process; the model has no more patience than this either. */
const MOST_RUNNING = 64;
const MOST_RUNNING_OF_ORGANISATION = 16;

const LONGEST_MS = 300_000;

/** A turn that this process carries out, and what is set aside for it. */
interface PaidTurn extends TurnUnderWay {
  readonly reservation: Reservation;
  /** In micros. */
  readonly reserved: bigint;
}

/** Turns: a person says something, an assistant answers. */
export function turnUseCases(ports: TurnPorts) {
  const { conversationTurns, conversations, messages, model, credits, newId, logger } = ports;
  const running = new Map<
    string,
    { readonly organisationId: string; readonly live: RunningTurn; done: Promise<void> }
  >();
  let isClosing = false;

  const costOf = ({ inputTokens, outputTokens }: TokenUsage): bigint =>
    (BigInt(inputTokens + outputTokens) * ports.microsPer1000Tokens + 999n) / 1000n;

  function requirePlace(organisationId: string): void {
    const own = [...running.values()].filter((turn) => turn.organisationId === organisationId).length;
    if (isClosing || running.size >= MOST_RUNNING || own >= MOST_RUNNING_OF_ORGANISATION) throw busy();
  }

  async function reserve(by: Caller): Promise<{ reservation: Reservation; reserved: bigint }> {
    const reserved = costOf({ inputTokens: model.maxTokens, outputTokens: 0 });
    if (reserved === 0n) {
      const nothing = () => Promise.resolve();
      return { reservation: { settle: nothing, release: nothing }, reserved };
    }
    const wanted = { operationId: newId(), micros: reserved, purpose: 'assistant_message' };
    return { reservation: await credits.reserve(by, wanted), reserved };
  }

  /** What is neither spent nor given back goes back by itself; the turn is what it is either way. */
  const finishCredits = (finish: () => Promise<unknown>): Promise<unknown> =>
    finish().catch((error: unknown) => logger.warn({ err: error }, 'a reservation could not be finished'));

  /** The turn of the same request that came before. INVALID: it asked for something else. */
  async function repeated(organisationId: string, wanted: WantedTurn): Promise<TurnPlace | undefined> {
    const { turnId, newMessage } = wanted;
    const answer = await messages.find(organisationId, turnId);
    if (!answer) return undefined;
    const question = await messages.find(organisationId, answer.parentId);
    const isSame = newMessage === undefined ? question?.id === wanted.parentId : question?.message === newMessage;
    if (!isSame) throw invalid([usedKey]);
    return { turnId, conversationId: answer.conversationId };
  }

  /** The answer that is written in this turn, for whoever may read it. */
  async function answerOf(by: Payer, turnId: string): Promise<Message> {
    const message = await messages.find(by.organisationId, turnId);
    if (message?.senderType !== 'ASSISTANT') throw notFound('Turn');
    const conversation = await conversations.find(by.organisationId, message.conversationId);
    if (!conversation || !mayRead(readerOf(by), conversation)) throw notFound('Turn');
    return message;
  }

  async function perform(turn: PaidTurn): Promise<void> {
    const { by, place, context, reservation, reserved, live } = turn;
    const { turnId, conversationId } = place;
    let usage: TokenUsage = { inputTokens: 0, outputTokens: 0 };
    let cost = 0n;
    const finish = (end: MessageEnd): Promise<Message> => {
      const spent: Fields = {
        input_tokens: usage.inputTokens,
        output_tokens: usage.outputTokens,
        credits_micros: Number(cost),
      };
      const annotations = { ...end.annotations, usage: spent };
      return conversationTurns.finishTurn(by, conversationId, turnId, { ...end, annotations });
    };
    const tooLong = setTimeout(
      () => live.stop(new TurnInterrupted('The answer took too long and was given up.')),
      LONGEST_MS,
    );
    const kept = keepAnswer(ports, turn);
    let isAnswered = false;
    try {
      const end = await writeAnswer(ports, turn, (used) => {
        usage = used;
      });
      cost = smaller(costOf(usage), reserved);
      clearTimeout(tooLong);
      await finish(end);
      isAnswered = true;
    } catch (error) {
      logger.warn({ err: error, turnId }, 'an assistant could not answer');
      cost = 0n;
      const annotations = { context: context.entities, model: model.name };
      await finish({ message: failureText(error), messageType: 'ERROR', annotations }).catch((failure: unknown) =>
        // Its lease runs out, and then it is ended by whoever sees that first.
        logger.warn({ err: failure, turnId }, 'the end of an answer could not be stored'),
      );
    } finally {
      clearTimeout(tooLong);
      live.end();
      running.delete(turnId);
    }
    await finishCredits(() => (isAnswered ? reservation.settle(cost) : reservation.release()));
    await kept;
  }

  async function begin(by: Caller, wanted: WantedTurn): Promise<TurnPlace> {
    const { organisationId } = by;
    const { turnId, conversationId, newMessage, parentId } = wanted;
    const known = await repeated(organisationId, wanted);
    if (known) return known;
    const assistant = await ports.findAssistant(organisationId, readerOf(by).memberId, wanted.assistantName);
    const context = await resolveContext(ports, { by, assistant, entities: wanted.entities });
    requirePlace(organisationId);
    const { reservation, reserved } = await reserve(by);
    try {
      const annotations = context.entities.length > 0 ? { context: context.entities } : {};
      const { conversation } = await conversationTurns.beginTurn(by, {
        ...{ id: turnId, answerId: turnId, assistantId: assistant.id, conversationId, parentId },
        ...(newMessage !== undefined && {
          question: { id: newId(), message: newMessage, messageType: 'TEXT', annotations },
        }),
      });
      const place = { turnId, conversationId: conversation.id };
      const live = runningTurn(turnId);
      const turn = { organisationId, live, done: Promise.resolve() };
      running.set(turnId, turn);
      turn.done = withoutCaller(() => perform({ by, place, assistant, context, reservation, reserved, live }));
      return place;
    } catch (error) {
      await finishCredits(() => reservation.release());
      const isRepetition = error instanceof DomainError && error.code === 'turn_begun';
      const begun = isRepetition ? await repeated(organisationId, wanted) : undefined;
      if (!begun) throw error;
      return begun;
    }
  }

  /** A message of this kind in a conversation of their own. */
  async function ownMessage(by: Caller, id: string, senderType: Message['senderType']): Promise<Message> {
    const message = await messages.find(by.organisationId, id);
    if (message?.senderType !== senderType || message.memberId !== readerOf(by).memberId) throw notFound('Message');
    return message;
  }

  return {
    /**
     * Stores what a person says and has an assistant answer, which goes on when nobody waits for it. Repeating it with the
     * same turn changes nothing. NOT_FOUND: unknown assistant or conversation. CONFLICT: it answers still in this
     * conversation. PAYMENT_REQUIRED: no credits left, and nothing was stored.
     */
    begin,

    /** Has the assistant answer once more to what it has answered to. As `begin`. */
    async regenerate(by: Caller, turnId: string, messageId: string): Promise<TurnPlace> {
      const { conversationId, parentId, senderId } = await ownMessage(by, messageId, 'ASSISTANT');
      const question = await messages.find(by.organisationId, parentId);
      const entities = entitiesOf(question);
      return begin(by, { turnId, assistantName: senderId, conversationId, parentId, entities });
    },

    /** Says something else in place of a message. As `begin`. */
    async edit(by: Caller, turnId: string, messageId: string, newMessage: string): Promise<TurnPlace> {
      const message = await ownMessage(by, messageId, 'USER');
      const { conversationId, parentId } = message;
      const conversation = await conversations.find(by.organisationId, conversationId);
      const assistantName = conversation?.assistantId ?? '';
      return begin(by, {
        ...{ turnId, assistantName, newMessage, conversationId, parentId },
        entities: entitiesOf(message),
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
      if (message.memberId !== readerOf(by).memberId) throw notFound('Turn');
      if (message.isFinished) return message;
      await conversations.decide(by, message.conversationId, (found) => stopTurn(found, turnId));
      const here = running.get(turnId);
      if (!here) return message;
      here.live.stop(new TurnStopped());
      await here.done;
      return answerOf(by, turnId);
    },

    /** Ends what is being written here. */
    async close(): Promise<void> {
      isClosing = true;
      const turns = [...running.values()];
      for (const { live } of turns)
        live.stop(new TurnInterrupted('The answer was interrupted by a restart. Please ask again.'));
      await Promise.all(turns.map(({ done }) => done));
    },
  };
}

const usedKey: Violation = {
  type: 'value_error',
  loc: ['header', 'idempotency-key'],
  msg: 'Value error, this key was used for another request',
};

/** What a question was about. */
function entitiesOf(question: Message | undefined): readonly unknown[] {
  const { context } = question?.annotations ?? {};
  return Array.isArray(context) ? context : [];
}

const smaller = (one: bigint, other: bigint): bigint => (one < other ? one : other);
