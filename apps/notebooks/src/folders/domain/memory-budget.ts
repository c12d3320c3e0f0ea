/** Bytes that all organisations have together for what is not kept yet. */
export interface MemoryBudget {
  /** Whether they are the organisation's now, until it gives them back. */
  readonly take: (organisationId: string, bytes: number) => boolean;
  readonly giveBack: (organisationId: string, bytes: number) => void;
}

/** One organisation never has more than it leaves free, so that others find room whatever a few of them do. */
export function memoryBudget(bytes: number): MemoryBudget {
  const taken = new Map<string, number>();
  let free = bytes;
  return {
    take(organisationId, wanted) {
      const own = (taken.get(organisationId) ?? 0) + wanted;
      if (own > free - wanted) return false;
      taken.set(organisationId, own);
      free -= wanted;
      return true;
    },
    giveBack(organisationId, given) {
      const own = (taken.get(organisationId) ?? 0) - given;
      free += given;
      if (own > 0) taken.set(organisationId, own);
      else taken.delete(organisationId);
    },
  };
}
