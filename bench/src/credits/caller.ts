/** A process that reserves credits in one variant whenever its parent tells it to: nothing that is measured shares it. */
import { reserveIn, type Reserve, type Variant, type VariantParts } from './variants.ts';

export interface CallerOptions extends VariantParts {
  readonly variant: Variant;
}

/** What the parent asks for. */
export interface Load {
  readonly organisations: readonly string[];
  readonly seconds: number;
  /** Reservations in flight. */
  readonly connections: number;
}

/** What came of it. */
export type Outcome = { readonly reserved: number; readonly seconds: number } | { readonly failure: string };

process.once('message', (options: CallerOptions) => {
  const reserve = reserveIn(options.variant, options);
  process.on('message', (load: Load) => {
    reserveFor(reserve, load).then(answer, (error: unknown) => answer({ failure: String(error) }));
  });
});
process.once('disconnect', () => process.exit(0));

const answer = (outcome: Outcome): void => void process.send?.(outcome);

async function reserveFor(reserve: Reserve, { organisations, seconds, connections }: Load): Promise<Outcome> {
  const startedAt = performance.now();
  const end = startedAt + seconds * 1000;
  let reserved = 0;
  let next = 0;
  const oneAfterTheOther = async (): Promise<void> => {
    while (performance.now() < end) {
      await reserve(organisations[(next += 1) % organisations.length] ?? '');
      reserved += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, oneAfterTheOther));
  return { reserved, seconds: (performance.now() - startedAt) / 1000 };
}
