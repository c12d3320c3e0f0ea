import { fieldViolation, invalid } from '@platform-backend/core';

/** What clients know of a document, by names of their own. */
export type Metadata = Readonly<Record<string, string>>;

const NAME = /^[A-Za-z0-9_-]+$/;

/** As it is stored, searched and filtered by: `department=hr`. */
export const labelsOf = (metadata: Metadata = {}): readonly string[] =>
  Object.entries(metadata)
    .map(([name, value]) => `${name}=${value}`)
    .toSorted();

export const metadataOf = (labels: readonly string[]): Metadata =>
  Object.fromEntries(
    labels.map((label) => {
      const at = label.indexOf('=');
      return [label.slice(0, at), label.slice(at + 1)];
    }),
  );

/** INVALID: names of other characters, or values that are empty, in this field of a request. */
export function requireMetadata(metadata: Metadata, field = 'metadata'): Metadata {
  const violations = Object.entries(metadata).flatMap(([name, value]) => {
    const loc = ['body', field, name];
    if (!NAME.test(name)) return [fieldViolation(loc, 'names are of letters, digits, _ and -')];
    return value === '' ? [fieldViolation(loc, 'there is no value: leave the name out')] : [];
  });
  if (violations.length > 0) throw invalid(violations);
  return metadata;
}
