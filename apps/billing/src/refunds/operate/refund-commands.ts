import { WrongUsage } from '@platform-backend/command-line';
import { newId, type Clock } from '@platform-backend/core';
import { systemActor } from '../../events.ts';
import {
  required,
  textOptions,
  withoutWords,
  wordsCommand,
  type OperatorGroup,
  type OperatorParts,
} from '../../operator-arguments.ts';
import { newRefund, type Refund } from '../domain/refund.ts';
import type { Refunds } from '../domain/refunds.ts';

export interface RefundCommandParts extends OperatorParts {
  readonly refunds: Refunds;
  readonly clock: Clock;
}

const options = textOptions('organisation', 'invoice', 'amount', 'memo');

/** `npm run -s billing -- refunds create|list`: money that an operator gives back. Billing carries it out. */
export const refundCommands: OperatorGroup<RefundCommandParts> = {
  usage: `npm run -s billing -- refunds create --organisation ID --invoice ID --memo TEXT [--amount MINOR]
npm run -s billing -- refunds list --organisation ID`,
  help: `  refunds create    gives back what was paid with an invoice, also what is used: all of it, or so many minor units, of
                    which nothing was given back yet; TEXT says why, and stands in the audit log. What was bought stays
  refunds list      of an organisation, the newest first`,
  command: wordsCommand<RefundCommandParts, typeof options>('refunds', options, {
    create: withoutWords(async ({ refunds, clock, write }, { organisation, invoice, memo, amount }) => {
      const at = clock.now();
      const by = systemActor(required('--organisation', organisation), newId());
      const request = {
        ...{ id: newId(), organisationId: by.organisationId, reason: 'GOODWILL' as const },
        ...{ memo: required('--memo', memo), amountMinor: amount === undefined ? null : minorUnits(amount) },
        ...{ requestedBy: by.actor, requestId: by.requestId },
      };
      const invoiceId = required('--invoice', invoice);
      write(refundLine(await refunds.begin(by, invoiceId, 'not_asked', at, (of) => newRefund(of, request, at, at))));
    }),
    list: withoutWords(async ({ refunds, write }, { organisation }) => {
      const organisationId = required('--organisation', organisation);
      const { items } = await refunds.list(organisationId, null, { limit: 100, cursor: '', includeTotal: false });
      for (const refund of items) write(refundLine(refund));
    }),
  }),
};

function minorUnits(text: string): bigint {
  if (/^[1-9]\d{0,17}$/.test(text)) return BigInt(text);
  throw new WrongUsage(`--amount is a number of minor units, and not "${text}".`);
}

const refundLine = ({ amountMinor, taxMinor, creditsMicros, balanceMinor, ...refund }: Refund) => ({
  ...refund,
  amountMinor: amountMinor.toString(),
  taxMinor: taxMinor.toString(),
  creditsMicros: creditsMicros.toString(),
  balanceMinor: balanceMinor.toString(),
});
