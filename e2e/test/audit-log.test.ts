import { describe, expect, it } from '@jest/globals';
import { waitFor } from '@platform-backend/testing';
import { setUpCard } from '../src/cards.ts';
import { expectOk, newOrganisation, newPerson, type Person } from '../src/people.ts';
import { startRun } from '../src/pipeline-run.ts';
import { sharedPlatform } from '../src/platform.ts';

const platform = sharedPlatform();

interface AuditEntry {
  readonly actor_name: string;
  readonly action: string;
  readonly before: Record<string, unknown> | null;
  readonly after: Record<string, unknown> | null;
}

/** The entries of an action, as soon as there is one. */
const entriesOf = (person: Person, action: string) =>
  waitFor(
    async () => {
      const entries = expectOk(await person.call<AuditEntry[]>('GET', `/audit-log/?action=${action}`));
      return entries.length > 0 ? entries : undefined;
    },
    { what: `an entry of ${action}` },
  );

describe('the audit log', () => {
  it('has what was changed in other services, for that organisation alone', async () => {
    const [ada, eve] = [await newPerson(platform, 'Ada'), await newPerson(platform, 'Eve')];
    await newOrganisation(ada);
    await newOrganisation(eve);
    await setUpCard(ada, 'pm_card_visa');
    const body = { seat_count: 3, subscription_tier: 'TEAM' };
    expectOk(await ada.call('POST', '/organisations/subscription/', { body }));
    expect(await entriesOf(ada, 'subscription.changed')).toMatchObject([
      { actor_name: 'Ada', before: null, after: { tier: 'TEAM', seat_count: 3 } },
    ]);
    expect(await entriesOf(ada, 'payment_method.attached')).toMatchObject([{ after: { kind: 'card' } }]);
    expect(await entriesOf(ada, 'payment_method.setup_started')).toMatchObject([{ actor_name: 'Ada', before: null }]);
    const config = { query: 'SELECT 1 AS one', output_datasets: ['ones'], job_type: 'INGEST' };
    const run = await startRun(ada, [{ name: 'one', config }]);
    expect(await entriesOf(ada, 'run.started')).toMatchObject([
      { actor_name: 'Ada', target_id: run.path.split('/').at(-2), before: null, after: { trigger: 'API' } },
    ]);
    const convention = { title: 'Dates', content: 'Write dates as 2026-11-22.' };
    expectOk(await ada.call('POST', '/conventions/', { body: convention }));
    expect(await entriesOf(ada, 'convention.created')).toMatchObject([{ actor_name: 'Ada', before: null }]);
    for (const action of ['subscription.changed', 'run.started', 'convention.created'])
      expect((await eve.call('GET', `/audit-log/?action=${action}`)).body).toEqual([]);
  });
});
