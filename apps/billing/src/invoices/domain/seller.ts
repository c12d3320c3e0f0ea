/** Who issues invoices. */
export interface Seller {
  readonly name: string;
  readonly addressLines: readonly string[];
  /** Empty: none. */
  readonly vatId: string;
}

/** What stands on invoices until somebody says who the seller is; nobody can take it for a real one. */
const exampleSeller: Seller = {
  name: 'Platform (example)',
  addressLines: ['1 Example Street', '12345 Example City'],
  vatId: 'XX000000000 (example)',
};

/**
 * The seller as it is configured, the lines of its address parted by semicolons. Without a name it is the example as a
 * whole, so that a real seller never has an example's address. Throws when there is an address or a VAT id alone.
 */
export function sellerOf(name: string | undefined, address: string | undefined, vatId: string | undefined): Seller {
  if (name === undefined) {
    if (address === undefined && vatId === undefined) return exampleSeller;
    throw new Error('BILLING_SELLER must be set where BILLING_SELLER_ADDRESS or BILLING_SELLER_VAT_ID is');
  }
  const lines = (address ?? '').split(';').map((line) => line.trim());
  return { name, addressLines: lines.filter((line) => line !== ''), vatId: vatId ?? '' };
}
