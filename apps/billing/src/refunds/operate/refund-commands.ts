import { command, WrongUsage, type Command } from '@platform-backend/command-line';
import { newId, type Clock } from '@platform-backend/core';
import { systemActor } from '../../events.ts';
import type { OperatorGroup, OperatorParts } from '../../operator-arguments.ts';
import { newRefund, type Refund } from '../domain/refund.ts';
import type { Refunds } from '../domain/refunds.ts';

export interface RefundCommandParts extends OperatorParts {
  readonly refunds: Refunds;
  readonly clock: Clock;
}

const refundUsage = `npm run -s billing -- refunds create --organisation ID --invoice ID --memo TEXT [--amount MINOR]
npm run -s billing -- refunds list --organisation ID`;

const refundHelp = `  refunds create    gives back what was paid with an invoice, also what is used: all of it, or so many minor units, of
                    which nothing was given back yet; TEXT says why, and stands in the audit log. What was bought stays
  refunds list      of an organisation, the newest first`;

/** `npm run -s billing -- refunds create`: money that an operator gives back. Billing carries it out. */
const refundsCommand = (usage: string, open: () => Promise<RefundCommandParts & AsyncDisposable>): Command =>
  command({
    name: 'npm run billing -- refunds',
    usage,
    options: {
      organisation: { type: 'string' },
      invoice: { type: 'string' },
      amount: { type: 'string' },
      memo: { type: 'string' },
    },
    words: true,
    run: async ({ values, positionals: [word = '', ...more] }) => {
      if (more.length > 0) throw new WrongUsage(`"${more.join(' ')}" is too much.`);
      const { organisation = '', invoice = '', amount, memo = '' } = values;
      if (organisation === '') throw new WrongUsage('Say of which one, by --organisation.');
      if (word !== 'create' && word !== 'list') throw new WrongUsage('Say what to do: create, list.');
      if (word === 'create' && (invoice === '' || memo === '')) throw new WrongUsage('Say --invoice and --memo.');
      if (amount !== undefined && !/^[1-9]\d{0,17}$/.test(amount)) {
        throw new WrongUsage(`--amount is a number of minor units, and not "${amount}".`);
      }
      await using parts = await open();
      if (word === 'create') await create(parts, { organisation, invoice, memo, amount });
      else await list(parts, organisation);
    },
  });

async function create(
  { refunds, clock, write }: RefundCommandParts,
  asked: {
    readonly organisation: string;
    readonly invoice: string;
    readonly memo: string;
    readonly amount?: string | undefined;
  },
): Promise<void> {
  const at = clock.now();
  const by = systemActor(asked.organisation, newId());
  const request = {
    ...{ id: newId(), organisationId: asked.organisation, reason: 'GOODWILL' as const, memo: asked.memo },
    ...{ amountMinor: asked.amount === undefined ? null : BigInt(asked.amount) },
    ...{ requestedBy: by.actor, requestId: by.requestId },
  } as const;
  write(refundLine(await refunds.begin(by, asked.invoice, 'not_asked', at, (of) => newRefund(of, request, at, at))));
}

async function list({ refunds, write }: RefundCommandParts, organisation: string): Promise<void> {
  const { items } = await refunds.list(organisation, null, { limit: 100, cursor: '', includeTotal: false });
  for (const refund of items) write(refundLine(refund));
}

const refundLine = ({ amountMinor, taxMinor, creditsMicros, balanceMinor, ...refund }: Refund) => ({
  ...refund,
  amountMinor: amountMinor.toString(),
  taxMinor: taxMinor.toString(),
  creditsMicros: creditsMicros.toString(),
  balanceMinor: balanceMinor.toString(),
});

/** `npm run -s billing -- refunds`: what an operator does about refunds. */
export const refundCommands: OperatorGroup<RefundCommandParts> = {
  usage: refundUsage,
  help: refundHelp,
  command: refundsCommand,
};
