import { withLimits, withoutLimits } from '@platform-backend/mongo';
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Opening, PresentReader, Reader } from '../domain/opening.ts';
import { limitsOf } from './limits-of.ts';

type FindOpening = (reader: Reader) => Promise<Opening | undefined>;

/** For how long what a reader may open is believed within one call, in milliseconds; the next call asks anew. */
const BELIEVED_MS = 1_000;

/** All that the present work asks the database for is what its reader may open, whoever asks. */
export function presentReader(find: FindOpening, nowMs: () => number = () => performance.now()): PresentReader {
  const openings = new AsyncLocalStorage<() => Promise<Opening | undefined>>();

  /** Found out with its first use. */
  const remembered = (reader: Reader) => {
    let known: { readonly opening: Promise<Opening | undefined>; readonly until: number } | undefined;
    return (): Promise<Opening | undefined> => {
      if (known && known.until > nowMs()) return known.opening;
      // Of what is restricted itself: finding it out waits for nothing that waits for it.
      const opening = withoutLimits(() => find(reader));
      const found = { opening, until: nowMs() + BELIEVED_MS };
      known = found;
      opening.catch(() => {
        if (known === found) known = undefined;
      });
      return opening;
    };
  };

  return {
    within(reader, work) {
      const opening = reader ? remembered(reader) : () => Promise.resolve(undefined);
      const limits = async (organisationId: string) => {
        const found = await opening();
        if (found && reader?.organisationId !== organisationId) throw new Error('work in another organisation');
        return found && limitsOf(organisationId, found);
      };
      return openings.run(opening, () => withLimits(limits, work));
    },

    opening: async () => openings.getStore()?.(),
  };
}
