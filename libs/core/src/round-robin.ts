/**
 * Has rounds over all organisations begin where the one before has ended, so that those of which something fails every time keep no others
 * waiting.
 */
export class RoundRobin {
  #after = '';

  /** What `list` answers for those after an organisation, and then for the others, at most so many. */
  async next<Due>(
    limit: number,
    list: (after: string) => Promise<readonly Due[]>,
    organisationOf: (due: Due) => string,
  ): Promise<readonly Due[]> {
    const due = await list(this.#after);
    const last = due.at(-1);
    this.#after = last !== undefined && due.length === limit ? organisationOf(last) : '';
    return due;
  }
}
