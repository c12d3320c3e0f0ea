import type { SourceKind } from '../domain/passage.ts';

/** What is indexed together. Messages are the most by far, and most searches are not about them. */
export const PARTS = { content: ['DOCUMENT', 'CONVENTION'], messages: ['MESSAGE'] } as const satisfies Record<
  string,
  readonly SourceKind[]
>;
export type Part = keyof typeof PARTS;
export const ALL_PARTS = Object.keys(PARTS) as readonly Part[];

/** Those with what a query may find. */
export const partsOf = (kinds: readonly SourceKind[] | undefined): readonly Part[] =>
  kinds ? ALL_PARTS.filter((part) => PARTS[part].some((kind) => kinds.includes(kind))) : ALL_PARTS;

/** All kinds that are searched as one where some of these are. */
export const kindsSearchedWith = (kinds: readonly SourceKind[] | undefined): readonly SourceKind[] =>
  partsOf(kinds).flatMap((part) => PARTS[part]);

/** How many passages of each kind an index takes. */
export type PassageBudgets = Readonly<Record<SourceKind, number>>;

export const sameBudgets = (passages: number): PassageBudgets => ({
  DOCUMENT: passages,
  CONVENTION: passages,
  MESSAGE: passages,
});
