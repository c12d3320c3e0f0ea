import { afterAll, describe, expect, it } from '@jest/globals';
import { processEnvironment } from '@platform-backend/testing';
import { execFileSync } from 'node:child_process';
import { invoicePdfThread } from '../pdf/invoice-pdf-thread.ts';
import { invoicePdf } from '../pdf/invoice-pdf.ts';
import { sampleInvoice } from './sample-invoice.ts';

const thread = invoicePdfThread();
afterAll(() => thread.close());

describe('the thread that makes PDFs of invoices', () => {
  it('makes the same document as its caller would, byte for byte', async () => {
    const written = await thread.document(sampleInvoice);
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

  it('says so when a document cannot be made, and makes the next one', async () => {
    const unreadable = { ...sampleInvoice, createdAt: new Date(Number.NaN) };
    await expect(thread.document(unreadable)).rejects.toThrow(/Invalid time value/);
    expect((await thread.document(sampleInvoice)).subarray(0, 5).toString()).toBe('%PDF-');
  });
});
