import { WrongUsage } from '@platform-backend/command-line';
import type { Clock } from '@platform-backend/core';
import {
  onlyId,
  withoutWords,
  wordsCommand,
  type OperatorGroup,
  type OperatorOptions,
  type OperatorParts,
} from '../../operator-arguments.ts';
import type { Payments } from '../../payments/domain/payments.ts';
import { giveUpPayment } from '../../payments/operate/payment-commands.ts';
import type { OpenChanges } from '../domain/open-changes.ts';
import { abandonByHand, type SubscriptionChange } from '../domain/subscription-change.ts';

export interface ChangeCommandParts extends OperatorParts {
  readonly changes: OpenChanges;
  readonly payments: Payments;
  readonly clock: Clock;
}

/** `npm run -s billing -- changes list|abandon`: changes of subscriptions that are not over. */
export const changeCommands: OperatorGroup<ChangeCommandParts> = {
  usage: `npm run -s billing -- changes list
npm run -s billing -- changes abandon ID`,
  help: `  changes list      changes of subscriptions that are not over, the longest waiting first
  changes abandon   its payment is given up at the processor, unless it turns out to be paid; nothing changes then`,
  command: wordsCommand<ChangeCommandParts, OperatorOptions>(
    'changes',
    {},
    {
      list: withoutWords(async ({ changes, write }) => {
        for (const change of await changes.list()) write(changeLine(change));
      }),
      abandon: async ({ changes, payments, clock, write }, { words }) => {
        const id = onlyId(words);
        const change = (await changes.list()).find((open) => open.id === id);
        if (!change) throw new WrongUsage(`There is no change ${id} that is not over.`);
        const payment = await payments.latest(change.organisationId, change.id);
        if (payment) {
          await giveUpPayment(payments, payment, clock.now());
          write(changeLine(change));
          return;
        }
        const abandoned = await changes.update(change, (known) => abandonByHand(known, clock.now()));
        if (!abandoned)
          throw new WrongUsage('Its payment is over: it is being told to identity, and goes on by itself.');
        write(changeLine(abandoned));
      },
    },
  ),
};

const changeLine = ({
  id,
  organisationId,
  kind,
  state,
  totalMinor,
  currency,
  startedAt,
  leaseUntil,
}: SubscriptionChange) => ({
  id,
  organisationId,
  kind,
  state,
  totalMinor: totalMinor.toString(),
  currency,
  startedAt,
  nextLookAt: leaseUntil,
});
