/** The reservation of credits as benchmarks run it, with no service around it: the store's statement and the values for it. */
export { billingItself } from '../domain/acting.ts';
export { reserveStatement, reserveValues } from './credit-statements.ts';
