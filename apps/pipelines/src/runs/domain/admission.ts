/** A run that waits for a place. */
export interface WaitingRun {
  readonly id: string;
  readonly pipelineId: string;
  /** How many runs of its pipeline may go on at the same time. */
  readonly mostOfPipeline: number;
}

/**
 * Which of an organisation's waiting runs, oldest first, get a place. One whose pipeline has all of its own holds up no
 * run of another pipeline.
 */
export function admitted(
  waiting: readonly WaitingRun[],
  goingOn: ReadonlyMap<string, number>,
  mostOfOrganisation: number,
): readonly string[] {
  const counts = new Map(goingOn);
  let places = mostOfOrganisation - [...counts.values()].reduce((sum, count) => sum + count, 0);
  const chosen: string[] = [];
  for (const { id, pipelineId, mostOfPipeline } of waiting) {
    if (places <= 0) break;
    const own = counts.get(pipelineId) ?? 0;
    if (own >= mostOfPipeline) continue;
    counts.set(pipelineId, own + 1);
    places -= 1;
    chosen.push(id);
  }
  return chosen;
}
