import type { Fields } from '@platform-backend/core';
import type { MessageEnd } from '../../conversations/domain/message.ts';
import { reserveCredits, type ReservedCredits, type ReservingPorts } from '../../credits/app/reserved-credits.ts';
import type { TokenUsage } from '../domain/language-model.ts';
import { failureText, TurnInterrupted } from './running-turns.ts';
import {
  persistAnswerPeriodically,
  writeAnswer,
  type AnswerPorts,
  type Caller,
  type TurnExecution,
} from './write-answer.ts';

export interface ExecutionPorts extends AnswerPorts, ReservingPorts {
  /** What reading and writing 1,000 tokens costs. */
  readonly microsPer1000Tokens: bigint;
}

/** A turn that this process carries out, and what is set aside for it. */
export interface PaidTurn extends TurnExecution {
  readonly credits: ReservedCredits;
}

const LONGEST_MS = 300_000;

/** Sets aside what the longest possible answer costs. PAYMENT_REQUIRED: there is too little. */
export const reserveForTurn = (ports: ExecutionPorts, by: Caller): Promise<ReservedCredits> => {
  const micros = costOf(ports, { inputTokens: ports.model.maxTokens, outputTokens: 0 });
  return reserveCredits(ports, by, { micros, purpose: 'assistant_message' });
};

/** Has the answer written and stored, whatever it ends with, and pays for it. Never rejects. */
export async function executeTurn(ports: ExecutionPorts, turn: PaidTurn): Promise<void> {
  const { live, credits } = turn;
  const kept = persistAnswerPeriodically(ports, turn);
  const cost = await generateAnswer(ports, turn);
  live.finish();
  await (cost === undefined ? credits.release() : credits.settle(cost));
  await kept;
}

/** Has the turn answered, and says what that costs; undefined where an error is all there is to say, which costs nothing. */
async function generateAnswer(ports: ExecutionPorts, turn: PaidTurn): Promise<bigint | undefined> {
  const { conversationTurns, model, logger } = ports;
  const { by, place, context, credits, live } = turn;
  const { turnId, conversationId } = place;
  let usage: TokenUsage = { inputTokens: 0, outputTokens: 0 };
  const finish = (end: MessageEnd, cost: bigint): Promise<unknown> => {
    const spent: Fields = {
      input_tokens: usage.inputTokens,
      output_tokens: usage.outputTokens,
      credits_micros: Number(cost),
    };
    const annotations = { ...end.annotations, usage: spent };
    return conversationTurns.finishTurn(by, conversationId, turnId, { ...end, annotations });
  };
  const giveUp = () => live.stop(new TurnInterrupted('The answer took too long and was given up.'));
  const tooLong = setTimeout(giveUp, LONGEST_MS);
  try {
    const end = await writeAnswer(ports, turn, (used) => {
      usage = used;
    });
    const cost = credits.covered(costOf(ports, usage));
    await finish(end, cost);
    return cost;
  } catch (error) {
    logger.warn({ event: 'turn.failed', err: error, turnId }, 'an assistant could not answer');
    const annotations = { context: context.entities, model: model.name };
    await finish({ message: failureText(error), messageType: 'ERROR', annotations }, 0n).catch((failure: unknown) =>
      // Its lease runs out, and then it is ended by whoever sees that first.
      logger.warn({ event: 'turn.end_not_stored', err: failure, turnId }, 'the end of an answer could not be stored'),
    );
    return undefined;
  } finally {
    clearTimeout(tooLong);
  }
}

const costOf = ({ microsPer1000Tokens }: ExecutionPorts, { inputTokens, outputTokens }: TokenUsage): bigint =>
  (BigInt(inputTokens + outputTokens) * microsPer1000Tokens + 999n) / 1000n;
