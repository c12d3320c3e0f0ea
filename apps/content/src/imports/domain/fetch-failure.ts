/** Nothing came of an address. The message is for whoever has named it. */
export class FetchFailure extends Error {
  override readonly name = 'FetchFailure';
  readonly code: string;
  /** It may be otherwise in a while. */
  readonly canRetry: boolean;
  constructor(
    code: string,
    message: string,
    { canRetry = false, cause }: { readonly canRetry?: boolean; readonly cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.code = code;
    this.canRetry = canRetry;
  }
}
