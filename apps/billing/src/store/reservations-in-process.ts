/**
 * The reservation of credits as benchmarks use it, with no service around it: the store itself, and the statement it
 * runs with the values for it.
 */
export { billingItself } from '../domain/acting.ts';
export type { NewReservation } from '../domain/credits/reservation.ts';
export { creditAccountsStore } from './credit-accounts-store.ts';
export { reserveStatement, reserveValues } from './credit-statements.ts';
