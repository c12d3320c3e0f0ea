import { describe, expect, it } from '@jest/globals';
import { fixedClock, type Logger } from '@platform-backend/core';
import { systemActor } from '../../events.ts';
import { noBuyerDetails, type StoredBillingDetails } from '../domain/billing-details.ts';
import { notChecked, type VatRegistration } from '../domain/vat-id.ts';
import { checkVatIdsAgain } from './check-vat-id.ts';
import { invoiceUseCases } from './invoices.ts';

const day = 86_400_000;
const clock = fixedClock('2026-04-01T12:00:00.000Z');

/** Billing details by organisation, in the order in which they are due, and what the register says of each VAT ID. */
function round(
  all: Record<string, Partial<StoredBillingDetails>>,
  says: Record<string, VatRegistration | Error | null>,
) {
  const kept = new Map(
    Object.entries(all).map(([id, more]): [string, StoredBillingDetails] => [
      id,
      {
        ...noBuyerDetails,
        ...notChecked,
        email: null,
        country: 'FR',
        updatedAt: null,
        vatId: id,
        vatIdCountry: 'FR',
        ...more,
      },
    ]),
  );
  const warnings: unknown[] = [];
  const ports = {
    billingDetails: {
      withDueVatId: () => Promise.resolve([...kept.keys()]),
      get: (id: string) => Promise.resolve(kept.get(id)),
      update: (
        { organisationId: id }: { organisationId: string },
        decide: (of: StoredBillingDetails) => { state: StoredBillingDetails },
      ) => {
        const { state } = decide(kept.get(id) as StoredBillingDetails);
        kept.set(id, state);
        return Promise.resolve(state);
      },
    },
    readVatId: (vatId: string) =>
      Promise.resolve({ country: 'FR', number: vatId, isValid: !vatId.startsWith('wrong') }),
    vatRegister: {
      look: (_: string, number: string) => {
        const answer = says[number] ?? null;
        return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
      },
    },
    logger: { warn: ({ event }: { event: string }) => warnings.push(event) } as unknown as Logger,
    clock,
  } as unknown as Parameters<typeof checkVatIdsAgain>[0];
  return { ports, kept, warnings };
}

const registered: VatRegistration = { isRegistered: true, consultation: 'W1' };
const later = (days: number) => new Date(clock.now().getTime() + days * day);

describe('VAT IDs that are looked up again', () => {
  it('do not wait for one that fails each time, which is looked at later', async () => {
    const { ports, kept, warnings } = round(
      { broken: { vatIdStatus: 'PENDING' }, good: { vatIdStatus: 'PENDING' } },
      { broken: new Error('defect'), good: registered },
    );
    await checkVatIdsAgain(ports);
    expect(kept.get('good')).toMatchObject({ vatIdStatus: 'VERIFIED', vatCheckDueAt: later(30) });
    expect(kept.get('broken')).toMatchObject({ vatIdStatus: 'PENDING' });
    expect(kept.get('broken')?.vatCheckDueAt?.getTime()).toBeGreaterThan(clock.now().getTime());
    expect(warnings).toEqual(['vat_id.not_checked']);
  });

  it('are invalid when their check digits are found wrong by now, and nobody else waits', async () => {
    const { ports, kept } = round(
      { wrong: { vatIdStatus: 'VALID' }, good: { vatIdStatus: 'VALID' } },
      { good: registered },
    );
    await checkVatIdsAgain(ports);
    expect(kept.get('wrong')).toMatchObject({ vatIdStatus: 'INVALID' });
    expect(kept.get('good')).toMatchObject({ vatIdStatus: 'VERIFIED' });
  });

  it('stay verified while the register cannot say, and are not any more when it says so', async () => {
    const { ports, kept, warnings } = round(
      { silent: { vatIdStatus: 'VERIFIED', vatConsultation: 'W0' }, gone: { vatIdStatus: 'VERIFIED' } },
      { gone: { isRegistered: false, consultation: null } },
    );
    await checkVatIdsAgain(ports);
    expect(kept.get('silent')).toMatchObject({ vatIdStatus: 'VERIFIED', vatConsultation: 'W0' });
    expect(kept.get('silent')?.vatCheckDueAt?.getTime()).toBeLessThan(later(1).getTime());
    expect(kept.get('gone')).toMatchObject({ vatIdStatus: 'INVALID' });
    expect(warnings).toEqual(['vat_id.no_longer_registered']);
  });
});

describe('billing details that are set while the register cannot say', () => {
  const set = async (vatId: string, more: Partial<StoredBillingDetails>) => {
    const { ports, kept } = round({ known: { vatIdStatus: 'VERIFIED', vatConsultation: 'W0', ...more } }, {});
    const invoices = invoiceUseCases(ports as unknown as Parameters<typeof invoiceUseCases>[0]);
    const wanted = { ...noBuyerDetails, vatId, country: 'FR', email: 'bills@acme.example' };
    await invoices.setBillingDetails(systemActor('known', 'request-1'), wanted);
    return kept.get('known');
  };

  it('leave a VAT ID verified that was, and have it asked about soon', async () => {
    const verified = { vatIdStatus: 'VERIFIED', vatConsultation: 'W0', email: 'bills@acme.example' };
    const changed = await set('known', {});
    expect(changed).toMatchObject(verified);
    expect(changed?.vatCheckDueAt?.getTime()).toBeLessThan(later(1).getTime());
    expect(await set('known', { email: 'bills@acme.example' })).toMatchObject(verified);
  });

  it('take it from no other one', async () => {
    expect(await set('other', {})).toMatchObject({ vatIdStatus: 'PENDING', vatConsultation: null });
    expect(await set('known', { vatIdCountry: 'DE' })).toMatchObject({ vatIdStatus: 'PENDING' });
    expect(await set('known', { vatIdStatus: 'INVALID' })).toMatchObject({ vatIdStatus: 'PENDING' });
  });
});
