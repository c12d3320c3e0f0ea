/** One line of a bill, before tax. */
export interface BillLine {
  readonly description: string;
  readonly quantity: number;
  /** Minor units; negative where something is given back. */
  readonly amountMinor: bigint;
}

/** What a change costs, before tax, and what is left over for the next one. */
export interface SubscriptionBill {
  /** They make `amountMinor` exactly. */
  readonly lines: readonly BillLine[];
  /** Never negative: what would have to be paid back is kept as credit. */
  readonly amountMinor: bigint;
  readonly creditMinor: bigint;
}

/** The bill of these lines, of which credit from earlier changes pays as much as it can. */
export function billOf(lines: readonly BillLine[], creditBefore: bigint): SubscriptionBill {
  const due = lines.reduce((sum, { amountMinor }) => sum + amountMinor, -creditBefore);
  const forward: BillLine[] = [];
  if (creditBefore > 0n && lines.length > 0) {
    forward.push({ description: 'Credit from earlier changes', quantity: 1, amountMinor: -creditBefore });
  }
  if (due < 0n && lines.length > 0) {
    forward.push({ description: 'Kept as credit for the next bill', quantity: 1, amountMinor: -due });
  }
  return {
    lines: [...lines, ...forward].filter(({ amountMinor }) => amountMinor !== 0n),
    amountMinor: due > 0n ? due : 0n,
    creditMinor: due < 0n ? -due : 0n,
  };
}

/** With nothing to pay, since it is less than can be paid. */
export const waived = ({ lines, amountMinor, creditMinor }: SubscriptionBill): SubscriptionBill => ({
  lines: [...lines, { description: 'Less than can be paid', quantity: 1, amountMinor: -amountMinor }],
  amountMinor: 0n,
  creditMinor,
});

/** Nothing to pay; the credit stays as it is. */
export const nothingToPay = (creditBefore: bigint): SubscriptionBill => ({
  lines: [],
  amountMinor: 0n,
  creditMinor: creditBefore,
});
