import { beforeEach, describe, expect, it } from '@jest/globals';
import { callerSignal, unavailable, withCaller } from '@platform-backend/core';
import type { Invoice } from '../domain/invoice.ts';
import { getInvoicePdf } from './get-invoice-pdf.ts';

const invoice = {
  id: 'i1',
  organisationId: 'org_1',
  buyer: { organisationName: 'Acme' },
  state: { status: 'PAID' },
} as Invoice;
const pdf = Buffer.from('%PDF-');

let kept: Map<string, Buffer>;
let made: {
  readonly signal: AbortSignal | undefined;
  answer: (content: Buffer) => void;
  fail: (error: Error) => void;
}[];
let get: ReturnType<typeof getInvoicePdf>;
beforeEach(() => {
  kept = new Map();
  made = [];
  get = getInvoicePdf({
    getInvoice: () => Promise.resolve(invoice),
    invoiceDocuments: {
      get: (_: string, id: string) => Promise.resolve(kept.get(id)),
      keep: (_: string, id: string, content: Buffer) => Promise.resolve(void kept.set(id, content)),
    },
    invoiceDocument: () =>
      new Promise((answer, fail) => {
        made.push({ signal: callerSignal(), answer, fail });
      }),
  });
});

const ask = () => get('org_1', 'r', 'i1');
const settled = (): Promise<void> => new Promise(setImmediate);

describe('the PDF of an invoice', () => {
  it('is made once for all who ask at the same time, and never again', async () => {
    const answers = Array.from({ length: 50 }, ask);
    await settled();
    expect(made).toHaveLength(1);
    made[0]?.answer(pdf);
    expect(new Set(await Promise.all(answers))).toEqual(new Set([pdf]));
    expect(await ask()).toBe(pdf);
    expect(made).toHaveLength(1);
  });

  it('is made for the others although who asked first went away', async () => {
    const first = new AbortController();
    const answers = [withCaller(first, ask), ask()];
    await settled();
    first.abort();
    expect(made.map(({ signal }) => signal)).toEqual([undefined]);
    made[0]?.answer(pdf);
    expect(await Promise.all(answers)).toEqual([pdf, pdf]);
  });

  it('is tried again after it could not be made', async () => {
    const refused = [ask(), ask()].map((answer) => expect(answer).rejects.toMatchObject({ kind: 'unavailable' }));
    await settled();
    made[0]?.fail(unavailable(new Error('too many')));
    await Promise.all(refused);
    const next = ask();
    await settled();
    made[1]?.answer(pdf);
    expect(await next).toBe(pdf);
  });
});
