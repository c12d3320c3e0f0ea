import type { Clock, Logger } from '@platform/core';
import type { Conventions, ConventionToIndex } from '../domain/conventions/conventions.ts';
import type { Passage, Passages } from '../domain/search/passage.ts';

/** Cuts a text into passages that can be found and quoted by themselves. */
export type CutPassages = (text: string) => Iterable<Passage>;

export interface IndexConventionPorts {
  readonly conventions: Conventions;
  readonly passages: Passages;
  readonly cutPassages: CutPassages;
  readonly clock: Clock;
}

/** What a convention is left alone for, once somebody has begun with it. */
const LEASE_MS = 30_000;
/** How many are done before others have their turn. */
const ROUND = 100;

/** Has the search know what a convention says since its latest change. */
export async function indexChanged(
  ports: IndexConventionPorts,
  { organisationId, id }: { readonly organisationId: string; readonly id: string },
  signal: AbortSignal,
): Promise<void> {
  const taken = await ports.conventions.takeToIndex(organisationId, id, ...leased(ports.clock));
  if (taken) await indexTaken(ports, taken, signal);
}

/** Does what those who changed conventions could not do, as they were killed or a part of this service was away. */
export async function indexDueConventions(ports: IndexConventionPorts, logger: Pick<Logger, 'warn'>): Promise<void> {
  for (let round = 0; round < ROUND; round += 1) {
    const taken = await ports.conventions.takeDue(...leased(ports.clock));
    if (!taken) return;
    try {
      await indexTaken(ports, taken);
    } catch (error) {
      logger.warn({ err: error, conventionId: taken.conventionId }, 'a convention could not be indexed, trying again');
      return;
    }
  }
}

function leased(clock: Clock): [at: Date, until: Date] {
  const at = clock.now();
  return [at, new Date(at.getTime() + LEASE_MS)];
}

/** One at a time for each convention, so that no earlier text takes the place of a later one. May be repeated. */
async function indexTaken(
  { conventions, passages, cutPassages, clock }: IndexConventionPorts,
  taken: ConventionToIndex,
  signal?: AbortSignal,
): Promise<void> {
  const { organisationId, conventionId } = taken;
  try {
    const convention = await conventions.find(organisationId, conventionId);
    if (convention) {
      const { id, title, content, createdAt } = convention;
      const source = { kind: 'CONVENTION', id, title, createdAt } as const;
      await passages.replace(organisationId, source, [...cutPassages(content)], { signal });
    } else await passages.remove(organisationId, 'CONVENTION', [conventionId]);
  } catch (error) {
    await conventions.giveBack(taken);
    throw error;
  }
  if (await conventions.indexed(taken)) return;
  await conventions.giveBack(taken);
  const again = await conventions.takeToIndex(organisationId, conventionId, ...leased(clock));
  if (again) await indexTaken({ conventions, passages, cutPassages, clock }, again, signal);
}
