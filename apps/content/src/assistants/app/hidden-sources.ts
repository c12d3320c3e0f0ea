import type { PresentReader } from '../../access/domain/opening.ts';
import type { AssistantSources, HiddenSources } from '../domain/hidden-sources.ts';

type IdsAmong = (organisationId: string, ids: readonly string[]) => Promise<ReadonlySet<string>>;

export interface SourcePorts {
  readonly reader: PresentReader;
  /** Those of these that are there, for whoever asks. */
  readonly documentsAmong: IdsAmong;
  readonly toolServersAmong: IdsAmong;
}

export type FindHiddenSources = ReturnType<typeof hiddenSources>;

const NOTHING: HiddenSources = { documentIds: new Set(), collections: new Set(), toolServerIds: new Set() };

/** What of these assistants whoever asks may not open. What is gone is hidden from nobody. */
export const hiddenSources =
  ({ reader, documentsAmong, toolServersAmong }: SourcePorts) =>
  async (organisationId: string, assistants: readonly AssistantSources[]): Promise<HiddenSources> => {
    const opening = await reader.opening();
    if (!opening) return NOTHING;
    const documentIds = [...new Set(assistants.flatMap((one) => one.documentIds))];
    const toolServerIds = [...new Set(assistants.flatMap((one) => one.toolServerIds))];
    const find = async () => ({
      documents: await amongSome(documentsAmong, organisationId, documentIds),
      toolServers: await amongSome(toolServersAmong, organisationId, toolServerIds),
    });
    const [open, present] = [await find(), await reader.within(undefined, find)];
    const closed = (all: ReadonlySet<string>, opened: ReadonlySet<string>) =>
      new Set([...all].filter((id) => !opened.has(id)));
    return {
      documentIds: closed(present.documents, open.documents),
      collections: new Set(opening.closedCollections),
      toolServerIds: closed(present.toolServers, open.toolServers),
    };
  };

const amongSome = async (idsAmong: IdsAmong, organisationId: string, ids: readonly string[]) =>
  ids.length === 0 ? new Set<string>() : idsAmong(organisationId, ids);
