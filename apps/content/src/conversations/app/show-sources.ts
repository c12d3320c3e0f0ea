import { memberToken } from '../../access/domain/access.ts';
import type { PresentReader } from '../../access/domain/opening.ts';
import type { ShowSources } from '../domain/conversations.ts';
import type { Message } from '../domain/message.ts';
import { sourcesOf, withShownAttachments, withShownSources, type SourceRef } from '../domain/shown-sources.ts';

type IdsAmong = (organisationId: string, ids: readonly string[]) => Promise<ReadonlySet<string>>;

export interface SourcePorts {
  readonly reader: PresentReader;
  readonly documentsAmong: IdsAmong;
  readonly conventionsAmong: IdsAmong;
}

/**
 * Messages as whoever reads them may see them: of their sources those that the reader may open. What a source was that is gone since
 * is shown to the one alone who was answered: nobody can tell any more who else might have opened it. A file of a message is not shown
 * any more when its document is gone.
 */
export const showSources =
  ({ reader, documentsAmong, conventionsAmong }: SourcePorts): ShowSources =>
  async (organisationId, stored) => {
    const messages = await withAttachments({ documentsAmong }, organisationId, stored);
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

async function withAttachments(
  { documentsAmong }: Pick<SourcePorts, 'documentsAmong'>,
  organisationId: string,
  messages: readonly Message[],
): Promise<readonly Message[]> {
  const ids = messages.flatMap(({ attachments = [] }) => attachments.map(({ documentId }) => documentId));
  if (ids.length === 0) return messages;
  const open = await documentsAmong(organisationId, [...new Set(ids)]);
  return messages.map((message) => withShownAttachments(message, open));
}
