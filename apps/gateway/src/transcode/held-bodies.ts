/**
 * How many bytes of bodies the gateway holds at this moment, over all requests: each alone may be within its limit,
 * and hundreds of uploads at once would still be more than the process has memory.
 */
export interface HeldBodies {
  /** Takes room for so many bytes more; false when there is none. */
  take(bytes: number): boolean;
  giveBack(bytes: number): void;
}

export function heldBodies(mostBytes: number): HeldBodies {
  let held = 0;
  return {
    take(bytes) {
      if (held + bytes > mostBytes) return false;
      held += bytes;
      return true;
    },
    giveBack(bytes) {
      held -= bytes;
    },
  };
}
