/** Where one page ends and the next begins: the last row's place in the order (created_at, id). */
export interface PagePosition {
  readonly createdAt: Date;
  readonly id: string;
}

/** Which part of a list is wanted. */
export interface PageRequest {
  /** 1 to 200. */
  readonly limit: number;
  /** The position after which the page starts; absent for the first page. */
  readonly after?: PagePosition;
  /** Counting costs a query of its own, so it is done only when asked for. */
  readonly includeTotal: boolean;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Absent on the last page. */
  readonly next?: PagePosition;
  readonly total?: number;
}
