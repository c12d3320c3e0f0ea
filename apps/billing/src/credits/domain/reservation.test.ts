import { describe, expect, it } from '@jest/globals';
import { noon } from '../test/examples.ts';
import { releasedAlready, repeatedReservation, settledAlready, type CreditReservation } from './reservation.ts';

const open: CreditReservation = {
  id: 'r',
  amount: 10n,
  purpose: 'run',
  creditClass: 'AI',
  clientGroupId: null,
  apiKeyId: null,
  service: 'pipelines',
  expiresAt: noon,
  status: 'OPEN',
  settled: 0n,
  createdAt: noon,
};
const settled: CreditReservation = { ...open, status: 'SETTLED', settled: 4n };
const released: CreditReservation = { ...open, status: 'RELEASED' };
const code = (call: () => unknown): unknown => {
  try {
    call();
  } catch (error) {
    return (error as { code: string }).code;
  }
  return 'allowed';
};

describe('repeating a reservation', () => {
  it('answers the first while it is open, and refuses another amount or a finished one', () => {
    expect(repeatedReservation(open, open)).toBe(open);
    expect(code(() => repeatedReservation(open, { ...open, amount: 9n }))).toBe('reservation_differs');
    expect(code(() => repeatedReservation(settled, open))).toBe('reservation_finished');
  });
});

describe('finishing a reservation that is not open', () => {
  it('is safe when it says the same again', () => {
    expect(settledAlready(settled, 4n)).toBe(settled);
    expect(releasedAlready(released)).toBe(released);
  });

  it('is refused when it says something else', () => {
    expect(code(() => settledAlready(settled, 5n))).toBe('settlement_differs');
    expect(code(() => settledAlready(open, 11n))).toBe('settlement_too_large');
    expect(code(() => settledAlready(released, 4n))).toBe('reservation_released');
    expect(code(() => settledAlready(null, 4n))).toBe('reservation_not_found');
    expect(code(() => releasedAlready(settled))).toBe('reservation_settled');
    expect(code(() => releasedAlready(null))).toBe('reservation_not_found');
  });
});
