/** A run that waits to be admitted. */
export interface WaitingRun {
  readonly id: string;
  readonly pipelineId: string;
  /** How many runs of its pipeline may go on at the same time. */
  readonly maxOfPipeline: number;
  /** Another one waits for it, in whose place it goes on: it needs none of the organisation's. */
  readonly isChild?: boolean;
}

/**
 * Which of an organisation's waiting runs, oldest first, are admitted. Pipelines take turns: a place goes to the pipeline of which the
 * fewest runs go on, and among those to whoever waits longest. One whose pipeline has all of its own holds up no run of another
 * pipeline. `childrenGoingOn` of those that go on are in the places of others.
 */
export function admitted(
  waiting: readonly WaitingRun[],
  goingOn: ReadonlyMap<string, number>,
  maxOfOrganisation: number,
  childrenGoingOn = 0,
): readonly string[] {
  const counts = new Map(goingOn);
  let slots = maxOfOrganisation + childrenGoingOn - [...counts.values()].reduce((sum, count) => sum + count, 0);
  const chosen: string[] = [];
  for (const { id, pipelineId, maxOfPipeline, isChild = false } of inTurn(waiting, goingOn)) {
    if (slots <= 0 && !isChild) continue;
    const own = counts.get(pipelineId) ?? 0;
    if (own >= maxOfPipeline) continue;
    counts.set(pipelineId, own + 1);
    if (!isChild) slots -= 1;
    chosen.push(id);
  }
  return chosen;
}

/** The first of each pipeline before the second of any, those that go on counted. */
function inTurn(waiting: readonly WaitingRun[], goingOn: ReadonlyMap<string, number>): readonly WaitingRun[] {
  const turns = new Map(goingOn);
  const ranked = waiting.map((run) => {
    const turn = turns.get(run.pipelineId) ?? 0;
    turns.set(run.pipelineId, turn + 1);
    return { run, turn };
  });
  return ranked.sort((a, b) => a.turn - b.turn).map(({ run }) => run);
}

interface SlotUse {
  readonly goingOn: number;
  readonly max: number;
}

/** How a run stands that waits to be admitted. */
export interface QueueStatus {
  /** Among the runs of the organisation that wait, from 1. */
  readonly position: number;
  readonly ofPipeline: SlotUse;
  readonly ofOrganisation: SlotUse;
}

/** What it waits for, in words. */
export function waitReason({ ofPipeline, ofOrganisation }: QueueStatus): string {
  const full = ({ goingOn, max }: SlotUse, whose: string): string =>
    goingOn >= max ? `It waits: ${goingOn} runs of ${whose} go on, and no more may` : '';
  return (
    full(ofPipeline, 'its pipeline') ||
    full(ofOrganisation, 'its organisation') ||
    'It waits for its place, which it gets within seconds'
  );
}
