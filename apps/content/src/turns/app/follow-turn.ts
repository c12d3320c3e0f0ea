import { snapshots } from '@platform-backend/core';
import type { Message } from '../../conversations/domain/message.ts';
import { approvalOf, type Approval } from '../domain/approval.ts';
import type { LiveAnswer, ToolStep } from './live-answer.ts';

export type TurnUpdate =
  /** `position` is how much of the answer is told with it, in UTF-16 units. */
  | { readonly kind: 'text'; readonly text: string; readonly position: number }
  | { readonly kind: 'tool'; readonly tool: ToolStep }
  | { readonly kind: 'approval'; readonly approval: Approval }
  | { readonly kind: 'finished'; readonly message: Message };

export interface TurnReader {
  /** What they know already of the answer, in UTF-16 units. */
  readonly from: number;
  /** Aborted when they have gone. */
  readonly signal: AbortSignal;
}

export interface FollowedTurn extends TurnReader {
  /** While it is written in this process. */
  readonly running: LiveAnswer | undefined;
  /** As it is stored: whole when it is finished, else as it was a moment ago. */
  readonly stored: () => Promise<Message>;
}

/**
 * What is added to an answer, until it is finished or its reader has gone. Whoever reads slowly gets larger pieces: nothing
 * piles up.
 */
export async function* followTurn({ running, stored, from, signal }: FollowedTurn): AsyncGenerator<TurnUpdate> {
  let [position, toolsTold] = [from, 0];
  const more = (text: string, isWhole: boolean): TurnUpdate[] => {
    // Half a character is told with its other half.
    const end = !isWhole && /[\uD800-\uDBFF]$/.test(text) ? text.length - 1 : text.length;
    if (end <= position) return [];
    const piece = text.slice(position, end);
    position = end;
    return [{ kind: 'text', text: piece, position }];
  };
  function* newTools(): Generator<TurnUpdate> {
    for (const tool of running?.tools.slice(toolsTold) ?? []) {
      toolsTold += 1;
      yield { kind: 'tool', tool };
    }
  }
  while (running && !running.finished.aborted && !signal.aborted) {
    const { changes } = running;
    yield* newTools();
    yield* more(running.text, false);
    await running.changedSince(changes, signal);
  }
  yield* newTools();
  for await (const message of snapshots(stored, { signal })) {
    const { isFinished, messageType } = message;
    // An error is no end of what was written before it.
    if (messageType !== 'ERROR') yield* more(message.message, isFinished);
    if (isFinished) {
      const approval = approvalOf(message);
      // Told when it is stored, so that it can be decided at once, of any replica.
      if (approval?.status === 'pending') yield { kind: 'approval', approval };
      yield { kind: 'finished', message };
      return;
    }
  }
}
