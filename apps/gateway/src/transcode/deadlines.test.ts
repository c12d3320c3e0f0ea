import { describe, expect, it } from '@jest/globals';
import { loadPlatformContract } from '@platform-backend/contracts';
import { deadlineOf } from './deadlines.ts';

describe('the deadline of an operation', () => {
  const deadlineMsOf = deadlineOf({ deadlineMs: 10_000, readDeadlineMs: 2_000 });
  const { operations } = loadPlatformContract();
  const of = (method: string) => {
    const operation = operations.find((one) => one.method === method);
    if (!operation) throw new Error(`no operation ${method}`);
    return deadlineMsOf(operation);
  };

  it('is short for what takes milliseconds, and longer for changes and for what the contract says', () => {
    expect(['GetClientGroup', 'ListMembers', 'GetDataset'].map(of)).toEqual([2_000, 2_000, 2_000]);
    expect(['UpdateClientGroup', 'Search', 'GetInvoicePdf', 'QueryMeter'].map(of)).toEqual(Array(4).fill(10_000));
    expect(of('GetReportPdf')).toBe(20_000);
    // They ask a payment provider or a kernel server, or read a whole notebook.
    const slow = ['ListPaymentMethods', 'ListKernelSpecs', 'GetKernelSpec', 'GetNotebook'];
    expect(slow.map(of)).toEqual(Array(4).fill(10_000));
  });

  it('is never longer for reading than for all else', () => {
    expect(deadlineOf({ deadlineMs: 700, readDeadlineMs: 2_000 })({ http: { verb: 'GET' } })).toBe(700);
  });
});
