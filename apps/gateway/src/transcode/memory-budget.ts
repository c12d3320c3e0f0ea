/** Whose something is. Both shares are counted, for one caller may have many addresses and one address many callers. */
export interface Holder {
  /** The credential; for a caller without one its network, and there the organisation of its ticket. */
  readonly caller: string;
  readonly network: string;
  /** In which the credential acts; undefined where it acts in none. */
  readonly organisation?: string | undefined;
}

export interface MemoryBudgetLimits {
  /** Of everybody together. */
  readonly total: number;
  readonly caller: number;
  readonly network: number;
  /** Of all credentials of an organisation together. */
  readonly organisation: number;
}

/**
 * How much of something the gateway holds at this moment, over all requests, as the bytes of bodies: each request alone
 * may be within its limit, and hundreds at once would still be more than the process can take. Whoever holds on to what
 * he has fills a share, and the rest stays for the others.
 */
export interface MemoryBudget {
  /** Takes room for so much more; where there is none it says which limit is reached, and takes nothing. */
  take(holder: Holder, amount: number): keyof MemoryBudgetLimits | undefined;
  giveBack(holder: Holder, amount: number): void;
}

export function memoryBudget(limits: MemoryBudgetLimits): MemoryBudget {
  let held = 0;
  const callers = new Shares(limits.caller);
  const networks = new Shares(limits.network);
  const organisations = new Shares(limits.organisation);
  return {
    take({ caller, network, organisation }, amount) {
      if (!callers.hasRoom(caller, amount)) return 'caller';
      if (!networks.hasRoom(network, amount)) return 'network';
      if (organisation !== undefined && !organisations.hasRoom(organisation, amount)) return 'organisation';
      if (held + amount > limits.total) return 'total';
      callers.add(caller, amount);
      networks.add(network, amount);
      if (organisation !== undefined) organisations.add(organisation, amount);
      held += amount;
      return undefined;
    },
    giveBack({ caller, network, organisation }, amount) {
      callers.add(caller, -amount);
      networks.add(network, -amount);
      if (organisation !== undefined) organisations.add(organisation, -amount);
      held -= amount;
    },
  };
}

/** What each holds of something. Who holds nothing is not remembered, so there are never more than holders. */
class Shares {
  readonly #max: number;
  readonly #held = new Map<string, number>();

  constructor(max: number) {
    this.#max = max;
  }

  hasRoom(name: string, amount: number): boolean {
    return (this.#held.get(name) ?? 0) + amount <= this.#max;
  }

  add(name: string, amount: number): void {
    const held = (this.#held.get(name) ?? 0) + amount;
    if (held === 0) this.#held.delete(name);
    else this.#held.set(name, held);
  }
}
