import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { creditLedger, type CreditLedger } from '@platform-backend/contract-billing/client/testing';
import { member, newOrganisation, publishedEvents, refusalOf } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import { keys, startTestPipelines, type TestPipelines } from '../../../test/test-pipelines.ts';

const MICROS = 700;

describe('queries and dry runs', () => {
  let billing: CreditLedger;
  let running: TestPipelines;
  beforeAll(async () => {
    billing = await creditLedger(keys);
    running = await startTestPipelines({
      environment: { BILLING_ADDRESS: billing.address, PIPELINES_MICROS_PER_STEP_SECOND: String(MICROS) },
    });
  });
  afterAll(async () => {
    await running.stop();
    await billing.close();
  });

  const config = { query: 'SELECT 42 AS answer', jobType: 'INGEST' as const, outputDatasets: ['made'] };
  const work = {
    dataset_query: (by: ReturnType<typeof member>) => running.datasets.queryDatasets({ query: config.query }, by),
    dry_run: (by: ReturnType<typeof member>) => running.pipelines.trySteps({ steps: [{ name: 'a', config }] }, by),
  };

  it.each(['dataset_query', 'dry_run'] as const)(
    'begin only where there are credits, and cost none: %s',
    async (purpose) => {
      const organisationId = newOrganisation();
      const by = member(organisationId);
      await work[purpose](by);
      const [reservation] = [...billing.reserved.values()].filter((one) => one.purpose === purpose);
      expect(reservation).toMatchObject({ amountMicros: String(MICROS), creditClass: 'INFRASTRUCTURE' });
      await waitFor(() => billing.released.has(reservation?.reservationId ?? ''), { what: 'the release' });
      billing.useUp(organisationId);
      expect(await refusalOf(work[purpose](by))).toMatchObject({ kind: 'payment_required' });
      const types = (await publishedEvents(running.database)).map(({ type }) => type);
      expect(types).not.toContain('platform.v1.pipelines.debit.created');
    },
  );
});
