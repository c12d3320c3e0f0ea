import {
  fieldViolation,
  invalid,
  newId,
  type Actor,
  type ActorContext,
  type Clock,
  type Page,
  type PageRequest,
  type Violation,
} from '@platform-backend/core';
import type { AdmitAccess } from '../../access/app/admit-access.ts';
import { madeBy, type AccessInput } from '../../access/domain/access.ts';
import type { ImportedDocuments } from '../../documents/app/imported-documents.ts';
import { actorOf } from '../../documents/domain/document-versions.ts';
import type { Document } from '../../documents/domain/document.ts';
import type { ImportStart } from '../../documents/domain/import-document.ts';
import type { Metadata } from '../../documents/domain/metadata.ts';
import { importNotFound } from '../domain/errors.ts';
import { fetchedName, shownUrl } from '../domain/fetched-name.ts';
import {
  createImport,
  type DocumentImport,
  type ImportItem,
  type Imports,
  type ItemCounts,
  type ItemList,
} from '../domain/imports.ts';

/** For so long it is told what became of addresses, in milliseconds. */
const KEPT_MS = 30 * 24 * 60 * 60_000;

export interface ImportPorts {
  readonly imports: Imports;
  readonly admitAccess: AdmitAccess;
  readonly documents: Pick<ImportedDocuments, 'begin' | 'requireRoom'>;
  /** Why an address is not asked, by what can be seen of it; undefined: it may be. */
  readonly urlRefusal: (url: string) => string | undefined;
  /** NOT_PROVIDED: there is no key. */
  readonly sealUrl: (organisationId: string, itemId: string, url: string) => string;
  readonly clock: Clock;
  /** Has what is due done soon. */
  readonly wake: () => void;
}

export interface ImportAddress {
  readonly url: string;
  /** Of the document; empty: one is made. */
  readonly id: string;
  readonly name: string;
}

/** What holds for all documents of an import. */
export interface ImportInput {
  readonly collection: string;
  readonly metadata: Metadata;
  readonly access: AccessInput | undefined;
}

export interface CountedImport extends DocumentImport {
  readonly counts: ItemCounts;
}

export type ImportUseCases = ReturnType<typeof importUseCases>;

export function importUseCases(ports: ImportPorts) {
  const { imports, admitAccess, documents, urlRefusal, sealUrl, clock, wake } = ports;

  function requireUrls(addresses: readonly ImportAddress[], locOf: (index: number) => Violation['loc']): void {
    const wrong = addresses.flatMap(({ url: input }, index): Violation[] => {
      const refusal = urlRefusal(input);
      return refusal === undefined ? [] : [fieldViolation(locOf(index), refusal, input)];
    });
    if (wrong.length > 0) throw invalid(wrong);
  }

  async function prepared(by: ActorContext, addresses: readonly ImportAddress[], wanted: ImportInput) {
    const { organisationId, actor } = by;
    const { collection, metadata, access: given } = wanted;
    await documents.requireRoom(organisationId);
    const access = given && (await admitAccess(by, given, { loc: ['body', 'access'] }));
    const importId = newId();
    const items = addresses.map(({ url, id: documentId, name }, number): ImportItem => {
      const id = newId();
      return {
        ...{ id, importId, number, url: shownUrl(url), sealedUrl: sealUrl(organisationId, id, url) },
        ...{ documentId: documentId === '' ? newId() : documentId, name, status: 'QUEUED', begun: false },
        ...{ isCancelled: false, attempts: 0, sizeBytes: 0, failure: null },
      };
    });
    const made: DocumentImport = {
      ...{ id: importId, userId: userOf(actor), total: items.length, collection, metadata },
      ...{ made: { ...madeBy(actor), ...(access && { access }) }, createdAt: clock.now() },
      actor: actorOf(actor),
    };
    return { made, items };
  }

  const seen = async ({ organisationId, actor }: ActorContext, id: string): Promise<DocumentImport> => {
    const found = await imports.find(organisationId, id);
    if (!found || (found.userId !== userOf(actor) && !seesAll(actor))) throw importNotFound();
    return found;
  };
  const counted = async (organisationId: string, found: readonly DocumentImport[]): Promise<CountedImport[]> => {
    const ids = found.map(({ id }) => id);
    const counts = ids.length === 0 ? new Map<string, ItemCounts>() : await imports.counts(organisationId, ids);
    return found.map((one) => ({ ...one, counts: counts.get(one.id) ?? {} }));
  };

  const countedOne = async ({ organisationId }: ActorContext, found: DocumentImport): Promise<CountedImport> => ({
    ...found,
    counts: (await imports.counts(organisationId, [found.id])).get(found.id) ?? {},
  });

  return {
    /** The document, whose bytes are going to be fetched. INVALID: no address that is asked. CONFLICT: the id is taken, or there is no room. */
    async importDocument(by: ActorContext, address: ImportAddress, wanted: ImportInput): Promise<Document> {
      requireUrls([address], () => ['body', 'url']);
      const { made, items } = await prepared(by, [address], wanted);
      const begun = items.map((item) => ({ ...item, begun: true }));
      const document = await imports.create(by, createImport(made), begun, async () => {
        const [first] = await Promise.all(begun.map((item) => documents.begin(by, startOf(made, item))));
        return first;
      });
      if (!document) throw new Error('an address makes a document');
      wake();
      return document;
    },

    /** INVALID: an address that is not asked, or the same document twice. */
    async createImport(
      by: ActorContext,
      addresses: readonly ImportAddress[],
      wanted: ImportInput,
    ): Promise<CountedImport> {
      requireUrls(addresses, (index) => ['body', 'items', index, 'url']);
      requireDifferent(addresses);
      const { made, items } = await prepared(by, addresses, wanted);
      await imports.create(by, createImport(made), items, () => Promise.resolve());
      wake();
      return { ...made, counts: { QUEUED: items.length } };
    },

    /** Newest or oldest first; below level ADMIN the caller's own ones. */
    async listImports(
      { organisationId, actor }: ActorContext,
      wanted: PageRequest & { readonly order: 'asc' | 'desc' },
    ): Promise<Page<CountedImport>> {
      const page = await imports.list(organisationId, { ...wanted, userId: seesAll(actor) ? null : userOf(actor) });
      return { ...page, items: await counted(organisationId, page.items) };
    },

    getImport: async (by: ActorContext, id: string): Promise<CountedImport> => countedOne(by, await seen(by, id)),

    /** Ends what is still to be fetched. */
    async cancelImport(by: ActorContext, id: string): Promise<CountedImport> {
      const found = await seen(by, id);
      await imports.cancel(by, found, clock.now());
      wake();
      return countedOne(by, found);
    },

    /** Has what failed fetched once more. CONFLICT: too many are open, or there is no room. */
    async retryImport(by: ActorContext, id: string): Promise<CountedImport> {
      const found = await seen(by, id);
      await documents.requireRoom(by.organisationId);
      await imports.retry(by, found, clock.now());
      wake();
      return countedOne(by, found);
    },

    async listItems(by: ActorContext, id: string, wanted: ItemList) {
      await seen(by, id);
      return imports.items(by.organisationId, id, wanted);
    },

    removeOld: (stopping: AbortSignal): Promise<void> =>
      imports.removeOld(new Date(clock.now().getTime() - KEPT_MS), stopping),
  };
}

/** The member, or the key that stands for nobody. */
const userOf = ({ userId, id }: Actor): string => userId ?? id;

const seesAll = ({ level }: Actor): boolean => level === 'ADMIN' || level === 'OWNER';

/** What its document is called until its bytes have come. */
export const nameUntilFetched = ({ name, url }: Pick<ImportItem, 'name' | 'url'>): string =>
  name === '' ? fetchedName(url, null) : name;

/** What its document is until its bytes have come. */
export const startOf = (
  { collection, metadata, made, actor }: Pick<DocumentImport, 'collection' | 'metadata' | 'made' | 'actor'>,
  item: ImportItem,
): Omit<ImportStart, 'newKey'> => ({
  ...{ importItemId: item.id, importId: item.importId, id: item.documentId, name: nameUntilFetched(item) },
  ...{ collection, metadata, made, actor },
});

function requireDifferent(addresses: readonly ImportAddress[]): void {
  const given = addresses.map(({ id }) => id);
  const wrong = given.flatMap((input, index): Violation[] =>
    input === '' || given.indexOf(input) === index
      ? []
      : [fieldViolation(['body', 'items', index, 'id'], 'two addresses have this id', input)],
  );
  if (wrong.length > 0) throw invalid(wrong);
}
