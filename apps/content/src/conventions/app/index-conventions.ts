import type { Clock, Logger } from '@platform-backend/core';
import type { SplitPassages, Passages } from '../../passages/domain/passage.ts';
import type { Conventions, ConventionToIndex } from '../domain/conventions.ts';
import { sourceOf } from '../domain/source.ts';

export interface IndexConventionPorts {
  readonly conventions: Conventions;
  readonly passages: Passages;
  readonly splitPassages: SplitPassages;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
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
  if (!taken) return;
  try {
    await indexTaken(ports, taken, signal);
  } catch (error) {
    await ports.conventions.giveBack(taken);
    throw error;
  }
}

/** Does what those who changed conventions could not do, as they were killed or a part of this service was away. */
export async function indexDueConventions(ports: IndexConventionPorts, stopping: AbortSignal): Promise<number> {
  const { conventions, clock, logger } = ports;
  let found = 0;
  for (; found < ROUND && !stopping.aborted; found += 1) {
    const taken = await conventions.takeDue(...leased(clock));
    if (!taken) break;
    try {
      await indexTaken(ports, taken);
    } catch (error) {
      // It is due again when its lease ends; the others do not wait for it.
      logger.warn(
        { event: 'convention_indexing.failed', err: error, conventionId: taken.conventionId },
        'a convention could not be indexed, trying again',
      );
    }
  }
  return found;
}

function leased(clock: Clock): [at: Date, until: Date] {
  const at = clock.now();
  return [at, new Date(at.getTime() + LEASE_MS)];
}

/** One at a time for each convention, so that no earlier text takes the place of a later one. May be repeated. */
async function indexTaken(ports: IndexConventionPorts, taken: ConventionToIndex, signal?: AbortSignal): Promise<void> {
  const { conventions, passages, splitPassages, clock } = ports;
  const { organisationId, conventionId } = taken;
  const convention = await conventions.find(organisationId, conventionId);
  let isReplaced = true;
  if (convention) {
    isReplaced = await passages.replace(organisationId, sourceOf(convention), await splitPassages(convention.content), {
      signal,
      present: async () => {
        const present = await conventions.find(organisationId, conventionId);
        // Whoever goes on after their lease puts nothing in the place of what somebody else has indexed since.
        return present?.content === convention.content ? sourceOf(present) : undefined;
      },
    });
  } else await passages.remove(organisationId, 'CONVENTION', [conventionId]);
  // Where somebody else has begun after us, who may have had an earlier text, nobody knows which one is found.
  if (isReplaced && (await conventions.indexed(taken))) return;
  await conventions.giveBack(taken);
  const again = await conventions.takeToIndex(organisationId, conventionId, ...leased(clock));
  if (again) await indexTaken(ports, again, signal);
}
