import type { CreditAccount, CreditHoldings } from '../domain/credit-account.ts';
import type { CreditGrant } from '../domain/credit-grant.ts';

/** Examples for tests of this folder. */
export const noon = new Date('2026-03-01T12:00:00.000Z');
export const at = (day: number): Date => new Date(Date.UTC(2026, 2, day));

export const grantOf = (remaining: bigint, more: Partial<CreditGrant> = {}): CreditGrant => ({
  id: more.id ?? `grant-${remaining}`,
  source: 'test',
  kind: 'ADJUSTMENT',
  amount: remaining,
  remaining,
  priority: 100,
  expiresAt: null,
  createdAt: noon,
  ...more,
});

export const holdingsOf = (grants: readonly CreditGrant[], more: Partial<CreditAccount> = {}): CreditHoldings => {
  const left = grants.reduce((sum, { remaining }) => sum + remaining, 0n);
  const { reserved = 0n, undrawn = 0n } = more;
  return {
    opened: true,
    account: {
      available: left - reserved - undrawn,
      reserved,
      undrawn,
      nextExpiryAt: null,
      expiryHeld: false,
      exhausted: false,
      ...more,
    },
    grants,
    transactions: [],
  };
};
