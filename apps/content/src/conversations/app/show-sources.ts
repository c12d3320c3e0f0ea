import { memberToken } from '../../access/domain/access.ts';
import type { PresentReader } from '../../access/domain/opening.ts';
import type { ShowSources } from '../domain/conversations.ts';
import { sourcesOf, withShownSources, type SourceRef } from '../domain/shown-sources.ts';

type IdsAmong = (organisationId: string, ids: readonly string[]) => Promise<ReadonlySet<string>>;

export interface SourcePorts {
  readonly reader: PresentReader;
  readonly documentsAmong: IdsAmong;
  readonly conventionsAmong: IdsAmong;
}

/**
 * Messages as whoever reads them may see them: of their sources those that the reader may open. What a source was that is gone since
 * is shown to the one alone who was answered: nobody can tell any more who else might have opened it.
 */
export const showSources =
  ({ reader, documentsAmong, conventionsAmong }: SourcePorts): ShowSources =>
  async (organisationId, messages) => {
    const sources = messages.flatMap(sourcesOf);
    const opening = sources.length > 0 ? await reader.opening() : undefined;
    if (!opening) return messages;
    const idsOf = (wanted: SourceRef['kind']) => [
      ...new Set(sources.flatMap(({ kind, id }) => (kind === wanted ? [id] : []))),
    ];
    const find = async () => ({
      DOCUMENT: await documentsAmong(organisationId, idsOf('DOCUMENT')),
      CONVENTION: await conventionsAmong(organisationId, idsOf('CONVENTION')),
    });
    const [open, present] = [await find(), await reader.within(undefined, find)];
    return messages.map((message) => {
      const isAsker = opening.tokens.includes(memberToken(message.memberId));
      return withShownSources(message, ({ kind, id }) => open[kind].has(id) || (isAsker && !present[kind].has(id)));
    });
  };
