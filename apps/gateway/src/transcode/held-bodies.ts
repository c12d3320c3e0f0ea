/** Whose a body is. Both shares are counted, for one caller may have many addresses and one address many callers. */
export interface BodyHolder {
  /** The credential; for a caller without one its network. */
  readonly caller: string;
  readonly network: string;
}

export interface HeldLimits {
  /** Of all bodies together. */
  readonly totalBytes: number;
  readonly callerBytes: number;
  readonly networkBytes: number;
}

/**
 * How many bytes of bodies the gateway holds at this moment, over all requests: each alone may be within its limit,
 * and hundreds of uploads at once would still be more than the process has memory. Whoever lets bodies trickle in
 * fills a share, and the rest stays for the others.
 */
export interface HeldBodies {
  /** Takes room for so many bytes more; where there is none it says which limit is reached, and takes nothing. */
  take(holder: BodyHolder, bytes: number): keyof HeldLimits | undefined;
  giveBack(holder: BodyHolder, bytes: number): void;
}

export function heldBodies({ totalBytes, callerBytes, networkBytes }: HeldLimits): HeldBodies {
  let held = 0;
  const callers = new Shares(callerBytes);
  const networks = new Shares(networkBytes);
  return {
    take({ caller, network }, bytes) {
      if (!callers.hasRoom(caller, bytes)) return 'callerBytes';
      if (!networks.hasRoom(network, bytes)) return 'networkBytes';
      if (held + bytes > totalBytes) return 'totalBytes';
      callers.add(caller, bytes);
      networks.add(network, bytes);
      held += bytes;
      return undefined;
    },
    giveBack({ caller, network }, bytes) {
      callers.add(caller, -bytes);
      networks.add(network, -bytes);
      held -= bytes;
    },
  };
}

/** What each holds of something. Who holds nothing is not remembered, so there are never more than bodies. */
class Shares {
  readonly #most: number;
  readonly #held = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  hasRoom(name: string, bytes: number): boolean {
    return (this.#held.get(name) ?? 0) + bytes <= this.#most;
  }

  add(name: string, bytes: number): void {
    const held = (this.#held.get(name) ?? 0) + bytes;
    if (held === 0) this.#held.delete(name);
    else this.#held.set(name, held);
  }
}
