/** Which part of a list is wanted. */
export interface PageRequest {
  /** 1 to 200. */
  readonly limit: number;
  /** From the page before; empty for the first page. */
  readonly cursor: string;
  /** Counting costs a query of its own, so it is done only when asked for. */
  readonly includeTotal: boolean;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Empty on the last page. */
  readonly nextCursor: string;
  readonly total?: number;
}
