import type { Actor } from '@platform-backend/core';
import { column } from '@platform-backend/postgres';
import type { BillLine } from '../../subscriptions/domain/subscription-bill.ts';

type ActorJson = Omit<Actor, 'userId' | 'level'>;

/** An actor, so that their work can be finished in the same name. What they may do is not kept. */
export const actorColumn = (name: string) =>
  column<Actor>(name, {
    read: (kept: ActorJson) => ({
      ...kept,
      userId: kept.type === 'user' ? kept.id : (kept.onBehalfOf?.id ?? null),
      level: null,
    }),
    write: ({ userId: _userId, level: _level, ...kept }) => JSON.stringify(kept satisfies ActorJson),
  });

/** A line of a bill or an invoice in JSON, where bigints are text. */
export interface LineJson {
  description: string;
  quantity: number;
  amount_minor: string;
}

export const linesOfJson = (lines: readonly LineJson[]): readonly BillLine[] =>
  lines.map(({ amount_minor: amount, ...line }) => ({ ...line, amountMinor: BigInt(amount) }));

export const jsonOfLines = (lines: readonly BillLine[]): LineJson[] =>
  lines.map(({ amountMinor, ...line }) => ({ ...line, amount_minor: amountMinor.toString() }));
