import type { Message } from '../domain/conversations/message.ts';
import type { RunningTurn, ToolStep } from './running-turns.ts';

export type TurnUpdate =
  /** `position` is how much of the answer is told with it, in UTF-16 units. */
  | { readonly kind: 'text'; readonly text: string; readonly position: number }
  | { readonly kind: 'tool'; readonly tool: ToolStep }
  | { readonly kind: 'finished'; readonly message: Message };

export interface FollowedTurn {
  /** While it is written in this process. */
  readonly running: RunningTurn | undefined;
  /** As it is stored: whole when it is finished, else as it was a moment ago. */
  readonly stored: () => Promise<Message>;
  /** What the reader knows already. */
  readonly from: number;
}

/** How often an answer is looked up that another process writes. */
const LOOK_MS = 500;

/**
 * What is added to an answer, until it is finished. Whoever reads slowly gets larger pieces: nothing piles up.
 */
export async function* followTurn({ running, stored, from }: FollowedTurn): AsyncGenerator<TurnUpdate> {
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
  while (running && !running.hasEnded()) {
    const { changed } = running;
    yield* newTools();
    yield* more(running.text, false);
    await changed;
  }
  yield* newTools();
  for (;;) {
    const message = await stored();
    const { isFinished, messageType } = message;
    // An error is no end of what was written before it.
    if (messageType !== 'ERROR') yield* more(message.message, isFinished);
    if (isFinished) {
      yield { kind: 'finished', message };
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
