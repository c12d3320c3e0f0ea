import type { AssistantSettings } from './assistant.ts';

/** What an assistant looks at and uses, which may be restricted by itself. */
export type AssistantSources = Pick<AssistantSettings, 'documentIds' | 'collections' | 'toolServerIds'>;

/** Of these, what somebody may not open. */
export type HiddenSources = Readonly<Record<keyof AssistantSources, ReadonlySet<string>>>;

const without = (items: readonly string[], hidden: ReadonlySet<string>) => items.filter((item) => !hidden.has(item));
const within = (items: readonly string[], hidden: ReadonlySet<string>) => items.filter((item) => hidden.has(item));

/** The assistant as it is shown. */
export const withoutHidden = <Shown extends AssistantSources>(shown: Shown, hidden: HiddenSources): Shown => ({
  ...shown,
  documentIds: without(shown.documentIds, hidden.documentIds),
  collections: without(shown.collections, hidden.collections),
  toolServerIds: without(shown.toolServerIds, hidden.toolServerIds),
});

/** What was not shown stays: where it was, if what was shown is wanted, else behind what is. */
function keeping(wanted: readonly string[], before: readonly string[], hidden: ReadonlySet<string>): readonly string[] {
  const shown = without(before, hidden);
  const isAsShown = wanted.length === shown.length && wanted.every((item, index) => item === shown[index]);
  return isAsShown ? before : [...wanted, ...within(before, hidden)];
}

/** What it is to look at: what was not shown to whoever changes it stays. */
export const keepingHidden = (
  wanted: Partial<AssistantSources>,
  before: AssistantSources,
  hidden: HiddenSources,
): Partial<AssistantSources> => ({
  ...(wanted.documentIds && {
    documentIds: keeping(wanted.documentIds, before.documentIds, hidden.documentIds),
  }),
  ...(wanted.collections && {
    collections: keeping(wanted.collections, before.collections, hidden.collections),
  }),
  ...(wanted.toolServerIds && {
    toolServerIds: keeping(wanted.toolServerIds, before.toolServerIds, hidden.toolServerIds),
  }),
});
