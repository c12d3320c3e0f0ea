import { describe, expect, it } from '@jest/globals';
import { sellerOf } from './seller.ts';

describe('the seller', () => {
  it('is a marked example, as a whole, until it is configured', () => {
    const { name, vatId } = sellerOf(undefined, undefined, undefined);
    expect([name, vatId]).toEqual(['Platform (example)', 'XX000000000 (example)']);
    expect(sellerOf('Acme', undefined, undefined)).toEqual({ name: 'Acme', addressLines: [], vatId: '' });
  });

  it('has an address of as many lines as there are between semicolons', () => {
    expect(sellerOf('Acme', ' 1 Street ;; Dublin;', 'IE1')).toEqual({
      name: 'Acme',
      addressLines: ['1 Street', 'Dublin'],
      vatId: 'IE1',
    });
  });

  it('has no address or VAT id without a name', () => {
    expect(() => sellerOf(undefined, 'Dublin', undefined)).toThrow('BILLING_SELLER must be set');
    expect(() => sellerOf(undefined, undefined, 'IE1')).toThrow('BILLING_SELLER must be set');
  });
});
