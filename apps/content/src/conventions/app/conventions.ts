import { newId, type ActorContext, type Page } from '@platform-backend/core';
import type { AdmitAccess } from '../../access/app/admit-access.ts';
import { madeBy, type AccessInput } from '../../access/domain/access.ts';
import type { PassageStore } from '../../passages/domain/passage-store.ts';
import type { Hit, Search, SearchQuery } from '../../passages/domain/search.ts';
import type { ConventionVersion } from '../domain/convention-version.ts';
import {
  changeConvention,
  changeConventionAccess,
  createConvention,
  deleteConvention,
  type ChangeConvention,
  type Convention,
} from '../domain/convention.ts';
import type { ConventionHistory, ConventionList } from '../domain/conventions.ts';
import { conventionNotFound } from '../domain/errors.ts';
import { indexChanged, type IndexConventionPorts } from './index-conventions.ts';

export interface ConventionPorts extends IndexConventionPorts {
  readonly admitAccess: AdmitAccess;
  /** Does work for everybody: what is indexed is what there is, also where whoever changes it may open it no more. */
  readonly forEverybody: <T>(work: () => T) => T;
  readonly passageStore: PassageStore;
  readonly search: Search;
}

export type ConventionUseCases = ReturnType<typeof conventionUseCases>;

/** A convention with the vector that stands for it. */
export interface ConventionWithEmbedding extends Convention {
  readonly embedding: readonly number[];
}

export interface ConventionHit {
  readonly convention: Convention;
  readonly hit: Hit;
}

/** As long as whoever changes a convention waits until it can be found; after that it is up to the repeated work. */
const TIMEOUT_MS = 3_000;
/** A convention of several passages is found by each of them. */
const PASSAGES_EACH = 4;

export function conventionUseCases(ports: ConventionPorts) {
  const { conventions, admitAccess, forEverybody, passageStore, search, clock, logger } = ports;

  const indexAfter = () => new Date(clock.now().getTime() + 2 * TIMEOUT_MS);

  /** Whoever has changed a convention finds it from now on, in any usual case. */
  const indexNow = async (organisationId: string, id: string): Promise<void> => {
    try {
      await forEverybody(() => indexChanged(ports, { organisationId, id }, AbortSignal.timeout(TIMEOUT_MS)));
    } catch (error) {
      logger.warn(
        { event: 'convention_indexing.failed', err: error, conventionId: id },
        'a convention could not be indexed now, trying again',
      );
    }
  };

  const embedded = async (organisationId: string, convention: Convention): Promise<ConventionWithEmbedding> => {
    const source = await passageStore.find(organisationId, 'CONVENTION', convention.id);
    const passages = source ? await passageStore.passages(organisationId, [source.generation]) : [];
    return { ...convention, embedding: meanOf(passages.flatMap(({ vector }) => (vector ? [vector] : []))) };
  };

  return {
    async createConvention(
      by: ActorContext,
      {
        access: given,
        title,
        content,
      }: Pick<Convention, 'title' | 'content'> & { readonly access?: AccessInput | undefined },
    ) {
      const access = given && (await admitAccess(by, given, { loc: ['body', 'access'] }));
      const [id, at] = [newId(), clock.now()];
      const made = { ...madeBy(by.actor), ...(access && { access }) };
      const created = createConvention({ id, title, content, ...made, createdAt: at, updatedAt: at });
      const convention = await conventions.update(by, id, () => created, indexAfter());
      await indexNow(by.organisationId, id);
      return embedded(by.organisationId, convention);
    },

    listConventions: ({ organisationId }: ActorContext, wanted: ConventionList): Promise<Page<Convention>> =>
      conventions.list(organisationId, wanted),

    async getConvention({ organisationId }: ActorContext, id: string): Promise<ConventionWithEmbedding> {
      const convention = await conventions.find(organisationId, id);
      if (!convention) throw conventionNotFound();
      return embedded(organisationId, convention);
    },

    /** Changes the fields given. */
    async updateConvention(by: ActorContext, id: string, wanted: ChangeConvention): Promise<ConventionWithEmbedding> {
      const change = (convention: Convention | undefined) => changeConvention(convention, wanted, clock.now());
      const convention = await conventions.update(by, id, change, indexAfter());
      await indexNow(by.organisationId, id);
      return embedded(by.organisationId, convention);
    },

    /** Says who may open it. INVALID: there are no such groups or members. */
    async setConventionAccess(by: ActorContext, id: string, wanted: AccessInput): Promise<Convention> {
      const present = await conventions.find(by.organisationId, id);
      if (!present) throw conventionNotFound();
      const access = await admitAccess(by, wanted, { before: present.access });
      const change = (found: Convention | undefined) => changeConventionAccess(found, access, clock.now());
      const convention = await conventions.update(by, id, change, indexAfter());
      await indexNow(by.organisationId, id);
      return convention;
    },

    async deleteConvention(by: ActorContext, id: string): Promise<Convention> {
      const remove = (convention: Convention | undefined) => deleteConvention(convention, clock.now());
      const convention = await conventions.update(by, id, remove, indexAfter());
      await indexNow(by.organisationId, id);
      return convention;
    },

    async listHistory({ organisationId }: ActorContext, wanted: ConventionHistory): Promise<Page<ConventionVersion>> {
      if (!(await conventions.find(organisationId, wanted.conventionId))) throw conventionNotFound();
      return conventions.history(organisationId, wanted);
    },

    /** Each convention once, by the best of its passages. */
    async searchConventions(
      { organisationId }: ActorContext,
      { limit, ...wanted }: Pick<SearchQuery, 'text' | 'mode' | 'limit'>,
    ): Promise<{ readonly hits: readonly ConventionHit[]; readonly isComplete: boolean }> {
      const query: SearchQuery = { ...wanted, kinds: ['CONVENTION'], limit: limit * PASSAGES_EACH };
      const { hits, isComplete } = await search.search(organisationId, query);
      const best = new Map(hits.toReversed().map((hit) => [hit.id, hit]));
      const found = await conventions.findAll(organisationId, [...best.keys()]);
      const chosen = found
        .flatMap((convention) => {
          const hit = best.get(convention.id);
          return hit ? [{ convention, hit }] : [];
        })
        .sort((one, other) => other.hit.score - one.hit.score)
        .slice(0, limit);
      return { hits: chosen, isComplete };
    },
  };
}

/** Of unit length again. */
function meanOf(vectors: readonly Float32Array[]): number[] {
  const [first] = vectors;
  if (!first || vectors.length === 1) return [...(first ?? [])];
  const sums = Array.from(first, (_, at) => vectors.reduce((sum, vector) => sum + (vector[at] ?? 0), 0));
  const length = Math.hypot(...sums) || 1;
  return sums.map((sum) => sum / length);
}
