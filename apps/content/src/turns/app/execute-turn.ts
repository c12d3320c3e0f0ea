import { DomainError } from '@platform-backend/core';
import type { MessageEnd } from '../../conversations/domain/message.ts';
import { reserveCredits, type ReservedCredits } from '../../credits/app/reserved-credits.ts';
import type { Credits, DebitCreated, RecordDebit } from '../../credits/domain/credits.ts';
import type { AssistantConfig } from '../domain/assistant-config.ts';
import type { TokenUsage } from '../domain/language-model.ts';
import { costOf, greatestCost, turnDebitId, usageFields } from '../domain/turn-cost.ts';
import { reasonOf, TurnInterrupted, usageOf } from './live-answer.ts';
import { persistAnswerPeriodically } from './persist-answer.ts';
import { MAX_REWRITE_USAGE } from './rewrite-question.ts';
import { storePersistently } from './store-answer.ts';
import { modelOf, type AnswerPorts, type Caller, type TurnExecution } from './turn-execution.ts';
import type { TurnOutcome } from './turn-meters.ts';
import { writeAnswer } from './write-answer.ts';
import { MAX_TITLE_USAGE, writeTitle, type TitlePorts } from './write-title.ts';

export interface ExecutionPorts extends AnswerPorts {
  readonly credits: Credits;
  readonly recordDebit: RecordDebit;
  readonly titleModel: TitlePorts['titleModel'];
}

/** A turn that this process carries out, and what is set aside for it. */
export interface PaidTurn extends TurnExecution {
  readonly credits: ReservedCredits;
}

export const MAX_TURN_MS = 300_000;

/** Which models work for an answer beside the assistant's own. */
type UsedModels = Pick<ExecutionPorts, 'model' | 'rewriteModel'> & Partial<Pick<TitlePorts, 'titleModel'>>;

/** Sets aside what the longest possible answer costs, with all that is asked beside it. PAYMENT_REQUIRED: there is too little. */
export function reserveForTurn(
  { credits, model, titleModel, rewriteModel }: Pick<ExecutionPorts, 'credits'> & UsedModels,
  by: Caller,
  assistant: Pick<AssistantConfig, 'model'>,
): Promise<ReservedCredits> {
  const beside = (name: string | undefined, use: TokenUsage): bigint =>
    name === undefined || model.quotesOnly ? 0n : costOf(model.termsOf(name).price, use);
  const own = greatestCost(model.termsOf(assistant.model));
  return reserveCredits(
    credits,
    by,
    own + beside(titleModel, MAX_TITLE_USAGE) + beside(rewriteModel, MAX_REWRITE_USAGE),
  );
}

/** Has the answer written and stored, whatever it ends with, together with what it has cost. Never rejects. */
export async function executeTurn(ports: ExecutionPorts, turn: PaidTurn): Promise<void> {
  const { live, credits } = turn;
  const kept = persistAnswerPeriodically(ports, turn, () => usageFields(usageOf(live), costSoFar(ports, turn)));
  await generateAnswer(ports, turn);
  live.finish();
  // Of what was used billing hears by the debit.
  if (costSoFar(ports, turn) === 0n) await credits.release();
  await kept;
}

const costSoFar = (ports: ExecutionPorts, turn: PaidTurn): bigint => turn.credits.covered(priceOf(ports, turn));

/** By the price of the model that answered, of the one that named the conversation, and of the one that said the question whole. */
export const priceOf = (
  { model, titleModel = '', rewriteModel = '' }: UsedModels,
  { live, assistant }: Pick<TurnExecution, 'live' | 'assistant'>,
): bigint =>
  costOf(model.termsOf(assistant.model).price, live.usage) +
  costOf(model.termsOf(titleModel).price, live.titleUsage) +
  costOf(model.termsOf(rewriteModel).price, live.rewriteUsage);

/** Has the turn answered. What the model has read and written is owed, whatever it ends with: stopped, cut off, an error. */
async function generateAnswer(ports: ExecutionPorts, turn: PaidTurn): Promise<void> {
  const { conversationTurns, logger } = ports;
  const { by, ref, context, live } = turn;
  const { turnId } = ref;
  const finish = (end: MessageEnd, title: string | undefined): Promise<unknown> => {
    const usage = usageFields(usageOf(live), costSoFar(ports, turn));
    const annotations = { ...end.annotations, usage };
    return conversationTurns.finishTurn(by, ref, { ...end, annotations }, debitsOf(ports, turn), title);
  };
  const giveUp = () => live.stop(new TurnInterrupted(TOO_LONG));
  const tooLong = setTimeout(giveUp, MAX_TURN_MS);
  let end: MessageEnd;
  try {
    end = await writeAnswer(ports, turn);
  } catch (error) {
    logger.warn({ event: 'turn.failed', err: error, turnId }, 'an assistant could not answer');
    const { code, message } = reasonOf(error);
    const annotations = { context: context.entities, model: modelOf(ports, turn), error: code };
    end = { message, messageType: 'ERROR', annotations };
  } finally {
    clearTimeout(tooLong);
  }
  const title = await writeTitle(ports, turn, end);
  ports.meters.ended(outcomeOf(end), usageOf(live));
  await storeEnd(ports, turn, () => finish(end, title));
}

function outcomeOf({ messageType, annotations }: MessageEnd): TurnOutcome {
  if (messageType === 'ERROR') return 'error';
  const signs = ['approval', 'stopped', 'cut', 'incomplete'] as const;
  return signs.find((sign) => annotations[sign] !== undefined) ?? 'whole';
}

export const TOO_LONG = { code: 'timed_out', message: 'The answer took too long, and was given up.' };

/** What was written is not lost by a moment in which nothing can be stored: it is tried again, while the turn's lease is renewed. */
async function storeEnd(ports: ExecutionPorts, turn: PaidTurn, store: () => Promise<unknown>): Promise<void> {
  const failed = (error: unknown, isLast: boolean): void => {
    ports.meters.notStored('end');
    if (isLast) return;
    ports.logger.warn(
      { event: 'turn.end_not_stored', err: error, turnId: turn.ref.turnId },
      'the end of an answer could not be stored, trying again',
    );
  };
  const unstored = await storePersistently(ports, store, { failed, isOver });
  if (unstored) await oweWithoutEnd(ports, turn, unstored.failure);
}

const debitsOf = (ports: ExecutionPorts, turn: PaidTurn): readonly DebitCreated[] => {
  const { turnId } = turn.ref;
  const micros = priceOf(ports, turn);
  return turn.credits.debit({ debitId: turnDebitId(turnId), workId: turnId, micros, at: ports.clock.now() });
};

/**
 * The conversation was deleted, or nothing can be stored at all; or somebody else has ended the turn, who owes what was stored of it: an answer
 * costs what stands in it.
 */
async function oweWithoutEnd(ports: ExecutionPorts, turn: PaidTurn, failure: unknown): Promise<void> {
  const { conversations, logger, recordDebit } = ports;
  const { by, ref } = turn;
  const facts = { turnId: ref.turnId };
  logger.warn({ event: 'turn.end_not_stored', err: failure, ...facts }, 'the end of an answer could not be stored');
  // As long as it is not over, it is ended by whoever sees first that its lease runs out, with what was stored of it.
  if (!isOver(failure)) return;
  const failed = (error: unknown): void => {
    ports.meters.notStored('debit');
    logger.warn(
      { event: 'turn.debit_not_stored', err: error, ...facts },
      'what an answer has cost that is gone could not be stored',
    );
  };
  const owe = async (debit: DebitCreated): Promise<void> => {
    const conversation = await conversations.find(by.organisationId, ref.conversationId);
    if (!conversation || conversation.removedAt) await recordDebit(by, debit);
  };
  for (const debit of debitsOf(ports, turn))
    await storePersistently(ports, () => owe(debit), { failed, isOver: () => false });
}

const isOver = (error: unknown): boolean => error instanceof DomainError && error.code === 'turn_over';
