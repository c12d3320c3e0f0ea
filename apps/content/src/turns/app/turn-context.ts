import { isUnavailable, type ActorContext } from '@platform-backend/core';
import type { Convention } from '../../conventions/domain/convention.ts';
import type { Documents } from '../../documents/domain/documents.ts';
import { labelsOf } from '../../documents/domain/metadata.ts';
import type { Source } from '../../passages/domain/passage.ts';
import type { SearchFilter } from '../../passages/domain/search.ts';
import type { AssistantConfig, TurnRights } from '../domain/assistant-config.ts';
import type { Datasets } from '../domain/datasets.ts';
import { namedEntities, unreadDocument, type NamedEntity, type ResolvedEntity } from '../domain/named-entities.ts';
import type { Pipelines } from '../domain/pipelines.ts';

export interface ContextPorts {
  readonly datasets: Pick<Datasets, 'find'>;
  readonly pipelines: Pick<Pipelines, 'find'>;
  /** A document that can be searched. */
  readonly findDocument: (
    organisationId: string,
    id: string,
  ) => Promise<Pick<Source, 'title' | 'collection' | 'labels'> | undefined>;
  readonly documents: Pick<Documents, 'find'>;
  readonly findConvention: (organisationId: string, id: string) => Promise<Convention | undefined>;
}

/** Named ones, or those of collections; of these, those that have all of the labels. */
export type DocumentScope = Pick<SearchFilter, 'sourceIds' | 'collections' | 'labels'>;

/** What an assistant has before it in one turn. */
export interface TurnContext {
  readonly entities: readonly ResolvedEntity[];
  readonly conventions: readonly Pick<Convention, 'title' | 'content'>[];
  /** The documents to be searched, which are in one of these; undefined: all. */
  readonly documents: readonly DocumentScope[] | undefined;
}

interface ContextInput {
  readonly by: ActorContext & { readonly rights: TurnRights };
  readonly assistant: AssistantConfig;
  readonly entities: readonly unknown[];
}

/** Looks up what a client names, as far as caller and assistant may see it. What is not there is said, and no refusal. */
export async function resolveContext(ports: ContextPorts, wanted: ContextInput): Promise<TurnContext> {
  const { by, assistant } = wanted;
  const scope = scopeOf(assistant);
  const conventions: Convention[] = [];
  const entities: ResolvedEntity[] = [];
  const lookUpDocument = async (id: string): Promise<ResolvedEntity | undefined> => {
    const isInScope = (found: Pick<Source, 'collection' | 'labels'>) => holds(assistant, { ...found, id });
    const found = await ports.findDocument(by.organisationId, id);
    if (found) {
      return isInScope(found) ? { type: 'document', id, status: 'RESOLVED', title: found.title } : undefined;
    }
    const unread = await ports.documents.find(by.organisationId, id);
    if (!unread) return undefined;
    const { collection, metadata } = unread;
    return isInScope({ collection, labels: labelsOf(metadata) }) ? unreadDocument(unread) : undefined;
  };
  /** What another service keeps. */
  const lookUpElsewhere = async ({ type, id }: NamedEntity, { find }: KeptElsewhere): Promise<ResolvedEntity> => {
    try {
      const found = await find(by, id);
      return found ? { type, id, status: 'RESOLVED', title: found.name } : { type, id, status: 'NOT_FOUND' };
    } catch (error) {
      if (isUnavailable(error)) return { type, id, status: 'NOT_AVAILABLE' };
      throw error;
    }
  };
  const lookUp = async ({ type, id }: NamedEntity): Promise<ResolvedEntity> => {
    if (type === 'document' && by.rights.documents)
      return (await lookUpDocument(id)) ?? { type, id, status: 'NOT_FOUND' };
    if (type === 'convention' && by.rights.conventions) {
      const convention = await ports.findConvention(by.organisationId, id);
      if (!convention) return { type, id, status: 'NOT_FOUND' };
      conventions.push(convention);
      return { type, id, status: 'RESOLVED', title: convention.title };
    }
    if (type === 'dataset' && by.rights.datasets) return lookUpElsewhere({ type, id }, ports.datasets);
    if (type === 'pipeline' && by.rights.pipelines) return lookUpElsewhere({ type, id }, ports.pipelines);
    return { type, id, status: 'NOT_AVAILABLE' };
  };
  for (const entity of namedEntities(wanted.entities)) entities.push(await lookUp(entity));
  // Whoever names a document that is not read yet does not ask about all others.
  const named = entities.flatMap(({ type, id, title }) => (type === 'document' && title !== undefined ? [id] : []));
  return { entities, conventions, documents: named.length > 0 ? [{ sourceIds: named }] : scope };
}

interface KeptElsewhere {
  readonly find: (by: ActorContext, id: string) => Promise<{ readonly name: string } | undefined>;
}

type Scoped = Pick<AssistantConfig, 'documentIds' | 'collections' | 'documentLabels'>;

function scopeOf({ documentIds, collections, documentLabels }: Scoped): readonly DocumentScope[] | undefined {
  const labels = documentLabels.length > 0 ? { labels: documentLabels } : undefined;
  const parts = [
    ...(documentIds.length > 0 ? [{ sourceIds: documentIds, ...labels }] : []),
    ...(collections.length > 0 ? [{ collections, ...labels }] : []),
  ];
  if (parts.length > 0) return parts;
  return labels && [labels];
}

function holds(
  { documentIds, collections, documentLabels }: Scoped,
  { id, collection, labels = [] }: Pick<Source, 'id' | 'collection' | 'labels'>,
): boolean {
  const isNamed = documentIds.includes(id) || (collection !== undefined && collections.includes(collection));
  const isAny = documentIds.length === 0 && collections.length === 0;
  return (isNamed || isAny) && documentLabels.every((label) => labels.includes(label));
}
