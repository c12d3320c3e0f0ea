/** Nothing was asked: services may not call this address. The message is for whoever has named it. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
}

/** There is more of the answer than whoever asked reads. */
export class ResponseTooLarge extends Error {
  override readonly name = 'ResponseTooLarge';
  constructor(maxBytes: number) {
    super(`The answer has more than ${String(maxBytes)} bytes`);
  }
}
