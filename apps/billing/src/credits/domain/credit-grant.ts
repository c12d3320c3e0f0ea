export type CreditGrantKind = 'WELCOME' | 'PLAN' | 'PURCHASE' | 'ADJUSTMENT' | 'PROMOTIONAL';

/** Credits an organisation has received, and what is left of them. */
export interface CreditGrant {
  readonly id: string;
  /** What it is for: `welcome`, `purchase:<id>`. Nothing is granted twice for the same source. */
  readonly source: string;
  readonly kind: CreditGrantKind;
  readonly amount: bigint;
  readonly remaining: bigint;
  /** Lower is spent first. */
  readonly priority: number;
  readonly expiresAt: Date | null;
  readonly createdAt: Date;
}

/** The order in which grants are spent: by priority, then what expires first, then the oldest. */
export const spendingOrder = (one: CreditGrant, other: CreditGrant): number =>
  one.priority - other.priority ||
  endOf(one) - endOf(other) ||
  one.createdAt.getTime() - other.createdAt.getTime() ||
  (one.id < other.id ? -1 : 1);

/** Takes an amount from grants in spending order: all of them where it is more than there is. */
export function drawDown(grants: readonly CreditGrant[], amount: bigint): CreditGrant[] {
  let left = amount;
  return grants.toSorted(spendingOrder).map((grant) => {
    const taken = smaller(grant.remaining, left);
    left -= taken;
    return taken === 0n ? grant : { ...grant, remaining: grant.remaining - taken };
  });
}

const endOf = ({ expiresAt }: CreditGrant): number => expiresAt?.getTime() ?? Number.MAX_SAFE_INTEGER;

export const larger = (one: bigint, other: bigint): bigint => (one > other ? one : other);

export const smaller = (one: bigint, other: bigint): bigint => (one < other ? one : other);
