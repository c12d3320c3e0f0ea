/** One request to make something of a name that no other has. */
export interface Write {
  readonly path: string;
  readonly name: string;
  /** What was made, where the request was answered with it. */
  readonly id?: string | undefined;
}

/** Something that is there. */
export interface Listed {
  readonly id: string;
  readonly name: string;
}

/**
 * What became of writes that lists do not have as they were acknowledged, one sentence for each kind: each that was answered with an id is
 * there with its name, once, and one that was not is there once or not at all.
 */
export function writeProblems(writes: readonly Write[], listed: Readonly<Record<string, readonly Listed[]>>): string[] {
  return Object.entries(Object.groupBy(writes, ({ path }) => path)).flatMap(([path, sent = []]) => {
    const there = listed[path] ?? [];
    const names = new Map(there.map(({ id, name }) => [id, name]));
    const acknowledged = sent.filter(({ id }) => id !== undefined);
    const times = Map.groupBy(there, ({ name }) => name);
    return [
      sentence(
        path,
        'not there',
        acknowledged.filter(({ id = '', name }) => names.get(id) !== name),
      ),
      sentence(
        path,
        'there more than once',
        sent.filter(({ name }) => (times.get(name)?.length ?? 0) > 1),
      ),
    ].filter((problem) => problem !== undefined);
  });
}

const sentence = (path: string, what: string, writes: readonly Write[]): string | undefined =>
  writes.length === 0
    ? undefined
    : `${String(writes.length)} writes to ${path} are ${what}: ${writes.map(({ name, id }) => `${name} (${id ?? 'not acknowledged'})`).join(', ')}`;
