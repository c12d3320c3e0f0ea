import type { ScheduleScope } from './schedule-scope.ts';

/** Has rounds over all organisations begin where the one before has ended, so that those that fail keep no others waiting. */
export class Turns {
  #after = '';

  /** What `list` answers for those after an organisation, and then for the others, at most so many. */
  async next<Due>(
    scope: ScheduleScope,
    limit: number,
    list: (after: string) => Promise<readonly Due[]>,
    organisationOf: (due: Due) => string,
  ): Promise<readonly Due[]> {
    if ('only' in scope) return list('');
    const due = await list(this.#after);
    const last = due.at(-1);
    this.#after = last !== undefined && due.length === limit ? organisationOf(last) : '';
    return due;
  }
}
