import { afterEach, describe, expect, it } from '@jest/globals';
import { DomainError } from '@platform-backend/core';
import { processEnvironment } from '@platform-backend/testing';
import { execFileSync } from 'node:child_process';
import { invoicePdfThread, type InvoicePdfThread } from '../pdf/invoice-pdf-thread.ts';
import { invoicePdf } from '../pdf/invoice-pdf.ts';
import { sampleInvoice } from './sample-invoice.ts';

let opened: InvoicePdfThread[] = [];
const open = (options: Parameters<typeof invoicePdfThread>[0] = {}) => {
  const thread = invoicePdfThread({ timeoutMs: 120_000, ...options });
  opened.push(thread);
  return thread;
};
const outcomeOf = async (work: Promise<Buffer>) => {
  try {
    return (await work).subarray(0, 5).toString();
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return error.kind;
  }
};

afterEach(async () => {
  for (const thread of opened) await thread.close();
  opened = [];
});

describe('the thread that makes PDFs of invoices', () => {
  it('makes the same document as its caller would, byte for byte', async () => {
    const written = await open().document(sampleInvoice);
    expect(Buffer.isBuffer(written)).toBe(true);
    expect(written.equals(await invoicePdf()(sampleInvoice))).toBe(true);
  });

  it('leaves nothing of the work to its caller, who has not even loaded what does it', () => {
    const script = `
      import { createRequire } from 'node:module';
      import { invoicePdfThread } from '../pdf/invoice-pdf-thread.ts';
      import { sampleInvoice } from './sample-invoice.ts';
      const thread = invoicePdfThread();
      const pdf = await thread.document(sampleInvoice);
      await thread.close();
      const loaded = Object.keys(createRequire(import.meta.url).cache).filter((path) => path.includes('/pdfkit/'));
      console.log(pdf.subarray(0, 5).toString(), loaded.length);`;
    const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
      cwd: import.meta.dirname,
      env: processEnvironment(),
      encoding: 'utf8',
    });
    expect(printed).toBe('%PDF- 0\n');
  });

  it('lets its caller do other work before any of many is made', async () => {
    const { document } = open();
    const events: string[] = [];
    const written = Array.from({ length: 10 }, async () => {
      await document(sampleInvoice);
      events.push('PDF');
    });
    for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
    events.push('other work');
    await Promise.all(written);
    expect(events).toEqual(['other work', ...Array.from({ length: 10 }, () => 'PDF')]);
  });

  it('refuses what is more than may wait, and takes more once there is room again', async () => {
    const { document } = open({ mayWait: 3 });
    const outcomes = await Promise.all(Array.from({ length: 6 }, () => outcomeOf(document(sampleInvoice))));
    expect(outcomes).toEqual(['%PDF-', '%PDF-', '%PDF-', '%PDF-', 'unavailable', 'unavailable']);
    expect(await outcomeOf(document(sampleInvoice))).toBe('%PDF-');
  });

  it('takes the organisations in turn, and lets none have more than its share of the queue', async () => {
    const { document } = open({ mayWaitOfOne: 3 });
    const order: string[] = [];
    const ask = (organisationId: string) =>
      outcomeOf(document({ ...sampleInvoice, organisationId })).then((outcome) =>
        order.push(`${organisationId} ${outcome}`),
      );
    await Promise.all(['greedy', 'greedy', 'greedy', 'greedy', 'greedy', 'modest'].map(ask));
    expect(order).toEqual([
      'greedy unavailable',
      'greedy %PDF-',
      'greedy %PDF-',
      'modest %PDF-',
      'greedy %PDF-',
      'greedy %PDF-',
    ]);
  });

  it('refuses who waited for too long', async () => {
    const { document } = open({ timeoutMs: 1 });
    const outcomes = await Promise.all([outcomeOf(document(sampleInvoice)), outcomeOf(document(sampleInvoice))]);
    expect(outcomes).toEqual(['%PDF-', 'unavailable']);
  });

  it('refuses who still waits when it is closed, and everybody afterwards', async () => {
    const { document, close } = open();
    const waiting = [outcomeOf(document(sampleInvoice)), outcomeOf(document(sampleInvoice))];
    await close();
    expect(await Promise.all(waiting)).toEqual(['unavailable', 'unavailable']);
    expect(await outcomeOf(document(sampleInvoice))).toBe('unavailable');
  });

  it('says so when a document cannot be made, and makes the next one', async () => {
    const { document } = open();
    const unreadable = { ...sampleInvoice, createdAt: new Date(Number.NaN) };
    await expect(document(unreadable)).rejects.toThrow(/Invalid time value/);
    expect(await outcomeOf(document(sampleInvoice))).toBe('%PDF-');
  });
});
