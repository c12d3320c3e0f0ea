import { DomainError, type Fields } from '@platform-backend/core';
import { interrupted } from '../../conversations/domain/incomplete.ts';
import { writeMessage } from '../../conversations/domain/message.ts';
import { isSameUsage, noUsage } from '../domain/language-model.ts';
import { TurnInterrupted, TurnStopped, usageOf } from './live-answer.ts';
import { storePeriodically } from './store-answer.ts';
import type { AnswerPorts, TurnExecution } from './turn-execution.ts';

/** Stores what is written and used, asks whether it is still wanted and keeps the lease of its turn, until its end is stored. */
export function persistAnswerPeriodically(
  ports: AnswerPorts,
  { by, ref: { turnId, conversationId }, live }: TurnExecution,
  usageSoFar: () => Fields,
): Promise<void> {
  const { conversationTurns, conversations, messages } = ports;
  let [stored, counted] = ['', noUsage];
  const store = async (renews: boolean): Promise<void> => {
    const conversation = renews
      ? await conversationTurns.renewTurn(by, conversationId, turnId)
      : await conversations.find(by.organisationId, conversationId);
    if (conversation?.turn?.id !== turnId) live.stop(new TurnInterrupted(interrupted));
    else if (conversation.turn.isStopped) live.stop(new TurnStopped());
    const used = usageOf(live);
    if (live.text !== stored || !isSameUsage(used, counted)) {
      [stored, counted] = [live.text, used];
      const usage = usageSoFar();
      await messages.update(by, turnId, (found) => writeMessage(found, stored, { usage }));
    }
  };
  return storePeriodically(ports, live, { store, isOver });
}

/** Somebody has ended the turn, or its conversation is gone; anything else may pass. */
const isOver = (error: unknown): boolean =>
  error instanceof DomainError && (error.code === 'turn_over' || error.kind === 'not_found');
