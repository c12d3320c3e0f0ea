/**
 * Works on what is due until nothing is: of each organisation one, round and round, also over several who work by the same `turn`. Answers
 * how many there were. `next` finds one of the organisation behind the last one; `work` says false where somebody else is at it.
 */
export async function workInTurns<Due extends { readonly organisationId: string }>(
  turn: { /** Whose turn it was last; empty at first. */ last: string },
  stopping: AbortSignal,
  next: (last: string) => Promise<Due | undefined>,
  work: (due: Due) => Promise<boolean>,
): Promise<number> {
  let [done, missed] = [0, 0];
  // What cannot be had twice in a row is in the hands of somebody else.
  while (!stopping.aborted && missed < 2) {
    const due = await next(turn.last);
    if (!due) break;
    turn.last = due.organisationId;
    const isDone = await work(due);
    done += isDone ? 1 : 0;
    missed = isDone ? 0 : missed + 1;
  }
  return done;
}
