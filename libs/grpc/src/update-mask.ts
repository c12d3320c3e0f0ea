/**
 * The fields an update is about. `fields` names each by its spelling in the contract and gives what it changes;
 * those that the mask does not name stay as they are.
 */
export function fieldsGiven<Change extends object>(
  mask: { readonly paths: readonly string[] } | null,
  fields: Readonly<Record<string, Partial<Change>>>,
): Partial<Change> {
  const given = (mask?.paths ?? []).map((path) => fields[path] ?? {});
  return Object.assign({}, ...given) as Partial<Change>;
}
