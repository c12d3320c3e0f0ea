export interface CallSemaphoreOptions {
  /** Calls of one organisation that a service has in hand at once, while others call it as well. */
  readonly maxCalls: number;
  /**
   * Milliseconds. A call that has lasted for so long waits for something itself, as the words of a model, and no longer stands between
   * others and the service: it counts no more.
   */
  readonly holdMs: number;
  /** Milliseconds. So long after the last call of somebody else a credential has a service to itself, and waits for nothing. */
  readonly aloneAfterMs: number;
  /** Milliseconds that only go forward. */
  readonly monotonic?: () => number;
}

export interface CallOwner {
  /** An organisation, or a person without one. */
  readonly organisation: string;
  readonly credential: string;
}

/** What a call holds, or waits for. */
export interface CallSlot {
  /** To be called once, when the call has ended, or when it is given up. */
  end(): void;
}

/**
 * A fair semaphore for the calls to one service. A service works through what it has in hand in the order in which it came, so whoever sends it much at
 * once would have everybody else wait. Each organisation waits here behind itself alone, and inside of it its credentials take turns.
 */
export interface CallSemaphore {
  /** Calls `begin` with the slot, at once or when there is one. */
  take(owner: CallOwner, begin: (slot: CallSlot) => void): CallSlot;
  /** How many wait. */
  readonly waiting: number;
}

interface Organisation {
  readonly name: string;
  /** Calls in hand by the time of their beginning, the oldest first. */
  readonly inHand: Map<WaitingCall, number>;
  /** In the order in which credentials are next. */
  readonly waiting: Map<string, Set<WaitingCall>>;
  timer: NodeJS.Timeout | undefined;
  isProceeding: boolean;
}

interface WaitingCall extends CallSlot {
  readonly begin: (slot: CallSlot) => void;
}

export function callSemaphore({
  maxCalls,
  holdMs,
  aloneAfterMs,
  monotonic = () => performance.now(),
}: CallSemaphoreOptions): CallSemaphore {
  const organisations = new Map<string, Organisation>();
  let waiting = 0;
  let lastCredential: string | undefined;
  let sharedUntil = -Infinity;

  /** Whether nobody else has called lately. */
  const isAlone = (credential: string, now: number): boolean => {
    if (credential !== lastCredential) {
      if (lastCredential !== undefined) sharedUntil = now + aloneAfterMs;
      lastCredential = credential;
    }
    return now >= sharedUntil;
  };

  const organisationOf = (name: string): Organisation => {
    let organisation = organisations.get(name);
    if (!organisation) {
      organisation = { name, inHand: new Map(), waiting: new Map(), timer: undefined, isProceeding: false };
      organisations.set(name, organisation);
    }
    return organisation;
  };

  /** Those that have lasted long count no more; when the next one does not. */
  const forgetOld = ({ inHand }: Organisation, now: number): number => {
    for (const [slot, begunAt] of inHand) {
      if (begunAt + holdMs > now) return begunAt + holdMs;
      inHand.delete(slot);
    }
    return Infinity;
  };

  const begin = (organisation: Organisation, slot: WaitingCall, now: number): void => {
    organisation.inHand.set(slot, now);
    slot.begin(slot);
  };

  const proceed = (organisation: Organisation): void => {
    // A call that ends as it begins is seen by the loop that has begun it: a thousand of them are no thousand calls deep.
    if (organisation.isProceeding) return;
    organisation.isProceeding = true;
    try {
      letIn(organisation);
    } finally {
      organisation.isProceeding = false;
    }
  };

  /** Lets in whoever may, going round the credentials, and sees to it that the others are thought of again. */
  const letIn = (organisation: Organisation): void => {
    const now = monotonic();
    const nextAt = forgetOld(organisation, now);
    while (organisation.inHand.size < maxCalls) {
      const [next] = organisation.waiting;
      if (!next) break;
      const [credential, calls] = next;
      const [slot] = calls;
      organisation.waiting.delete(credential);
      if (!slot) continue;
      calls.delete(slot);
      waiting -= 1;
      // Behind the others, if more of it wait.
      if (calls.size > 0) organisation.waiting.set(credential, calls);
      begin(organisation, slot, now);
    }
    clearTimeout(organisation.timer);
    organisation.timer = undefined;
    if (organisation.waiting.size > 0) {
      const wait = Math.max(Math.ceil(Math.min(nextAt - now, holdMs)), 1);
      organisation.timer = setTimeout(() => proceed(organisation), wait);
    } else if (organisation.inHand.size === 0 && organisations.get(organisation.name) === organisation)
      organisations.delete(organisation.name);
  };

  return {
    take({ organisation: name, credential }, beginCall) {
      const now = monotonic();
      const organisation = organisationOf(name);
      const slot: WaitingCall = {
        begin: beginCall,
        end() {
          const calls = organisation.waiting.get(credential);
          if (calls?.delete(slot)) {
            waiting -= 1;
            if (calls.size === 0) organisation.waiting.delete(credential);
          } else organisation.inHand.delete(slot);
          proceed(organisation);
        },
      };
      if (isAlone(credential, now)) {
        begin(organisation, slot, now);
        return slot;
      }
      if (organisation.inHand.size >= maxCalls) forgetOld(organisation, now);
      if (organisation.waiting.size === 0 && organisation.inHand.size < maxCalls) {
        begin(organisation, slot, now);
        return slot;
      }
      const calls = organisation.waiting.get(credential) ?? new Set();
      calls.add(slot);
      organisation.waiting.set(credential, calls);
      waiting += 1;
      if (!organisation.timer) proceed(organisation);
      return slot;
    },
    get waiting() {
      return waiting;
    },
  };
}
