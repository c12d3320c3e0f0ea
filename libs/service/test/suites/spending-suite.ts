import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  caller,
  callerOf,
  knownOperations,
  outcomeOf,
  type Ids,
  type RunningServiceUnderTest,
  type ServiceUnderTest,
} from './service-under-test.ts';

interface Spending {
  /** Takes all credits from an organisation. */
  readonly useUp: (organisationId: string) => void;
  /** Operations whose credits are asked for once they have been answered, and why. */
  readonly later: Readonly<Record<string, string>>;
}

/** What the contract says to spend credits, and nothing else, is refused where there are none. */
export function spendingSuite<Things extends Ids>(tested: ServiceUnderTest<Things>, { useUp, later }: Spending): void {
  const known = knownOperations(tested);

  describe('an organisation without credits', () => {
    let running: RunningServiceUnderTest;
    beforeAll(async () => {
      running = await tested.start();
    });
    afterAll(() => running.stop());

    it('is refused just those operations that spend some', async () => {
      const organisation = await tested.seed(running, 'poor');
      useUp(organisation.organisationId);
      const call = caller(running);
      const spends = known.filter(({ operation }) => operation.access.spends !== undefined);
      const refused: string[] = [];
      // First what spends, as the others change what it is about.
      for (const { name, operation, rule } of [...spends, ...known.filter((one) => !spends.includes(one))]) {
        const answer = call(operation, rule[2]?.(organisation.ids) ?? {}, callerOf(rule, organisation));
        if ((await outcomeOf(answer)).kind === 'payment_required') refused.push(name);
      }
      expect(refused).toEqual(spends.map(({ name }) => name).filter((name) => !(name in later)));
      expect(Object.keys(later).filter((name) => !spends.some((one) => one.name === name))).toEqual([]);
    });
  });
}
