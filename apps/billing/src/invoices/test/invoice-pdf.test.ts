import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { Invoice } from '../domain/invoice.ts';
import { invoicePdf } from '../pdf/invoice-pdf.ts';
import { pdfPages } from './pdf-text.ts';
import { sampleInvoice as invoice } from './sample-invoice.ts';

const named = (organisationName: string): Invoice => ({ ...invoice, buyer: { ...invoice.buyer, organisationName } });
const write = invoicePdf();
const textOf = async (written: Invoice) => (await pdfPages(await write(written))).join('\n');
const wordsOf = async (written: Invoice) => (await textOf(written)).replaceAll(/\s+/g, ' ');

afterEach(() => {
  jest.useRealTimers();
});

describe('the PDF of an invoice', () => {
  it('says everything that an invoice must say', async () => {
    const text = await wordsOf({
      ...invoice,
      buyer: {
        organisationName: 'Acme',
        companyName: 'Acme GmbH',
        addressLines: ['Hauptstr. 1', 'Berlin'],
        vatId: 'DE1',
      },
    });
    for (const said of [
      '2026-000042',
      'Issued on 2026-04-01',
      'Paid on 2026-04-02',
      'Seller Ltd 1 Market Street Dublin VAT ID: IE1234567X',
      'Billed to Acme GmbH Hauptstr. 1 Berlin VAT ID: DE1 Organisation: Acme org_01JQTEST',
      'Description Quantity Unit price Tax Amount',
      'Credits 20,000 0.0095 19 % 190.00',
      'Unused time of Basic 3 ~ -3.33 19 % -10.00',
      'Subtotal 180.00',
      'VAT 19 % (DE) 34.20',
      'Total EUR 214.20',
      'Left to pay 0.00',
      'page 1 of 1',
    ])
      expect(text).toContain(said);
    expect(text).not.toContain('\ufffd');
  });

  it('is for the organisation where there are no billing details', async () => {
    const text = await wordsOf(invoice);
    expect(text).toContain('Billed to Acme org_01JQTEST');
    expect(text).not.toContain('Organisation:');
  });

  it('names no rate where none makes the tax', async () => {
    const text = await wordsOf({ ...invoice, tax: { label: 'GST', basisPoints: null, note: '' } });
    expect(text).toContain('GST (DE) 34.20');
    expect(text).toContain('Credits 20,000 0.0095 - 190.00');
  });

  it.each([
    'ООО «Ромашка» Їжак ЂЏ',
    'Ελληνικά Ωμέγα ᾳ',
    'Łódź Ğüzel Þór ő',
    'Đặng Thị Ngọc Ẹụ in ih',
    'हिन्दी',
    '100 ₴ – ₹ €',
  ])('writes %s so that it can be read and searched', async (name) => {
    const text = await textOf(named(name));
    if (name === 'हिन्दी') expect(text).not.toContain('\ufffd');
    else expect(text).toContain(name);
  });

  it('joins a letter and its accent, however they were typed', async () => {
    expect(await textOf(named('A\u030angstro\u0308m'))).toContain('Ångström');
  });

  it.each([
    ['\ue000\ue001 Ltd', '\ufffd\ufffd Ltd'],
    ['Acme ✓ Ltd', 'Acme ✓ Ltd'],
    // From the right, where its first letter is.
    ['שלום Ltd', 'Ltd שלום'],
    ['one\ntwo\u0007three', 'one two three'],
    ['\u202eAcme\u00ad', 'Acme'],
  ])('never drops a letter that it cannot show: %j', async (name, shown) => {
    const text = await wordsOf(named(name));
    expect(text).toContain(`Billed to ${shown} org_01JQTEST`);
    expect(text.includes('stands for a letter')).toBe(shown.includes('\ufffd'));
  });

  it('goes on over as many pages as it needs, with titles and a number on each', async () => {
    const lines = Array.from({ length: 120 }, (_, index) => ({
      description: `Line <${index}> with a description that needs more room than there is on one line of it`,
      quantity: 1,
      amountMinor: 100n,
    }));
    const pages = await pdfPages(await write({ ...invoice, lines }));
    expect(pages.length).toBeGreaterThan(3);
    for (const [index, page] of pages.slice(0, -1).entries()) {
      expect(page).toContain('Description');
      expect(page).toContain(`Invoice 2026-000042, page ${index + 1} of ${pages.length}`);
      expect(page).not.toContain('Subtotal');
    }
    expect(pages.at(-1)).toContain('Subtotal');
    const written = pages.join('\n');
    for (const index of lines.keys()) expect(written).toContain(`<${index}>`);
  });

  it('has room for names and addresses as long as they may be, with and without spaces', async () => {
    for (const letter of ['Щ', 'Щ ']) {
      const longest = letter.repeat(200 / letter.length);
      const buyer = {
        organisationName: longest.replaceAll('Щ', 'Ж'),
        companyName: longest,
        addressLines: Array.from({ length: 6 }, () => longest),
        vatId: 'D'.repeat(40),
      };
      const text = await textOf({ ...invoice, buyer });
      expect(text.match(/Щ/g)).toHaveLength((200 / letter.length) * 7);
      expect(text.match(/Ж/g)).toHaveLength(200 / letter.length);
      expect(text).toContain('Left to pay');
    }
  });

  it('is the same document, byte for byte, whenever and by whomever it is made', async () => {
    const first = await write(invoice);
    jest.useFakeTimers({ now: new Date('2031-01-01'), doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    expect((await invoicePdf()(invoice)).equals(first)).toBe(true);
    expect((await write({ ...invoice, number: '2026-000043' })).equals(first)).toBe(false);
  });
});
