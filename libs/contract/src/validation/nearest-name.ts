/** Names longer than this are no slip of a known one. */
const maxLength = 64;

/** The known name that another one was probably meant for; undefined: none of them is near. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > maxLength) return undefined;
  const lower = name.toLowerCase();
  const maxEdits = (candidate: string): number => Math.max(1, Math.floor(Math.min(name.length, candidate.length) / 3));
  const near = known
    // There are at least as many as one is longer.
    .filter((candidate) => Math.abs(candidate.length - name.length) <= maxEdits(candidate))
    .map((candidate) => ({ candidate, edits: editsBetween(lower, candidate) }))
    .filter(({ candidate, edits }) => edits <= maxEdits(candidate))
    .toSorted((one, other) => one.edits - other.edits);
  return near[0]?.candidate;
}

/** How many letters have to be added, left out, exchanged, or changed in their order with the next one. */
function editsBetween(one: string, other: string): number {
  let [beforeLast, last]: [number[], number[]] = [[], Array.from({ length: other.length + 1 }, (_, n) => n)];
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const isSame = one[i - 1] === other[j - 1];
      const swapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      row.push(
        Math.min(
          (last[j] ?? 0) + 1,
          (row[j - 1] ?? 0) + 1,
          (last[j - 1] ?? 0) + (isSame ? 0 : 1),
          swapped ? (beforeLast[j - 2] ?? 0) + 1 : Infinity,
        ),
      );
    }
    [beforeLast, last] = [last, row];
  }
  return last[other.length] ?? 0;
}
