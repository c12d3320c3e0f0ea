/** Reserves credits in one variant whenever its parent tells it to. */
import { serveLoads, type Load } from '../caller-process.ts';
import type { Variant } from '../compare-variants.ts';
import { reserveIn, type VariantParts } from './variants.ts';

export interface ReserveLoad extends Load {
  readonly organisations: readonly string[];
}

serveLoads(({ variant, ...parts }: VariantParts & { readonly variant: Variant }) => {
  const reserve = reserveIn(variant, parts);
  return ({ organisations }: ReserveLoad) => {
    let next = 0;
    return () => reserve(organisations[(next += 1) % organisations.length] ?? '');
  };
});
