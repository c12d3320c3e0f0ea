import { DomainError, unavailable } from './domain-error.ts';
import { busy } from './errors.ts';
import { callerSignal, queueLimitMs } from './waiting-caller.ts';

export interface SemaphoreLimits {
  /** How many may work at once. */
  readonly slots: number;
  /** Of the slots, those that only work without an organisation may take; none unless given. */
  readonly keptForSystem?: number;
  /** Slots of one tenant. */
  readonly share: number;
  /** Of one tenant; further ones are refused at once. */
  readonly maxWaiting: number;
  /** Of all tenants together. */
  readonly maxWaitingInAll: number;
  /** Milliseconds that one waits at most; less where its caller waits less, who is told in time. */
  readonly timeoutMs: number;
}

/**
 * Hands out what all share. A tenant (an organisation, or a kind of work without one) never has more
 * than its share, and who waits is let in tenant after tenant, going round: one that wants much waits for itself alone.
 */
export interface FairSemaphore {
  /**
   * A slot, at once where one is free. Rejects with `unavailable` where there is none in time or nobody wants it any more:
   * the caller has gone before anything was changed for it, or this signal is aborted.
   */
  acquire(queue: QueueClass, tenant: string, wanted?: AbortSignal): Tenant | Promise<Tenant>;
  /** Gives the slot back. */
  release(tenant: Tenant): void;
  /** Runs the work in a slot of the tenant. */
  run<T>(queue: QueueClass, tenant: string, work: () => Promise<T>): Promise<T>;
  /** Tenants that work or wait. */
  readonly tenants: number;
  /** Slots that are taken. */
  readonly taken: number;
  /** How many wait for a slot, of all tenants. */
  readonly waiting: number;
}

export type QueueClass = 'tenants' | 'system';

/** Somebody who holds slots or waits for some; forgotten as soon as there is neither. */
export interface Tenant {
  readonly name: string;
  readonly queue: Queue;
  held: number;
  /** In the order of their coming. */
  readonly waiting: Set<() => void>;
}

interface Queue {
  readonly tenants: Map<string, Tenant>;
  /** Those who wait, in the order in which they are next. */
  readonly order: Set<Tenant>;
  /** How many more slots all of this queue may take. */
  open: number;
}

export function fairSemaphore({
  slots,
  keptForSystem = 0,
  share,
  maxWaiting,
  maxWaitingInAll,
  timeoutMs,
}: SemaphoreLimits): FairSemaphore {
  const queue = (open: number): Queue => ({ tenants: new Map(), order: new Set(), open });
  const queues = { tenants: queue(slots - keptForSystem), system: queue(slots) };
  let free = slots;
  let waiting = 0;

  const mayGo = (tenant: Tenant): boolean => free > 0 && tenant.queue.open > 0 && tenant.held < share;

  function go(tenant: Tenant): void {
    tenant.held += 1;
    tenant.queue.open -= 1;
    free -= 1;
  }

  function acquire(queueClass: QueueClass, name: string, wanted?: AbortSignal): Tenant | Promise<Tenant> {
    const { tenants } = queues[queueClass];
    let tenant = tenants.get(name);
    if (!tenant) {
      tenant = { name, queue: queues[queueClass], held: 0, waiting: new Set() };
      tenants.set(name, tenant);
    }
    // Whoever waits elsewhere could not take this slot: it would have been given to them when it became free.
    if (!mayGo(tenant)) return wait(tenant, wanted);
    go(tenant);
    return tenant;
  }

  async function wait(tenant: Tenant, wanted: AbortSignal | undefined): Promise<Tenant> {
    if (tenant.waiting.size >= maxWaiting || waiting >= maxWaitingInAll) {
      tidy(tenant);
      throw tooMany(`${tenant.waiting.size} of ${tenant.name} and ${waiting} in all wait already`);
    }
    const { promise, resolve, reject } = Promise.withResolvers<Tenant>();
    const letIn = (): void => resolve(tenant);
    const refuse = (error: DomainError): void => {
      tenant.waiting.delete(letIn);
      tidy(tenant);
      reject(error);
    };
    const signal = AbortSignal.any([callerSignal(), wanted].filter((one) => one !== undefined));
    const giveUp = (): void => refuse(unavailable(signal.reason));
    const waitMs = Math.min(timeoutMs, queueLimitMs());
    const timer = setTimeout(() => refuse(tooMany(`no slot for ${tenant.name} in ${waitMs} ms`)), waitMs);
    // No process lives on for somebody who waits.
    timer.unref();
    signal.addEventListener('abort', giveUp);
    tenant.waiting.add(letIn);
    waiting += 1;
    tenant.queue.order.add(tenant);
    if (signal.aborted) giveUp();
    try {
      return await promise;
    } finally {
      waiting -= 1;
      clearTimeout(timer);
      signal.removeEventListener('abort', giveUp);
    }
  }

  function release(tenant: Tenant): void {
    tenant.held -= 1;
    tenant.queue.open += 1;
    free += 1;
    for (let next = nextTenant(); next; next = nextTenant()) admit(next);
    tidy(tenant);
  }

  /** Of all queues. What is kept for the system is closed to tenants; what is not, they have first. */
  const nextTenant = (): Tenant | undefined => nextOf(queues.tenants) ?? nextOf(queues.system);

  /** Passes over those who have their share: there are never more of them than slots. */
  function nextOf({ order, open }: Queue): Tenant | undefined {
    if (free === 0 || open === 0) return undefined;
    for (const tenant of order) if (mayGo(tenant)) return tenant;
    return undefined;
  }

  function admit(tenant: Tenant): void {
    const [first] = tenant.waiting;
    if (!first) return;
    tenant.waiting.delete(first);
    // Behind everybody else, if more of it wait.
    tenant.queue.order.delete(tenant);
    if (tenant.waiting.size > 0) tenant.queue.order.add(tenant);
    go(tenant);
    first();
  }

  function tidy(tenant: Tenant): void {
    if (tenant.waiting.size > 0) return;
    tenant.queue.order.delete(tenant);
    if (tenant.held === 0) tenant.queue.tenants.delete(tenant.name);
  }

  async function run<T>(queueClass: QueueClass, name: string, work: () => Promise<T>): Promise<T> {
    const acquired = acquire(queueClass, name);
    const tenant = acquired instanceof Promise ? await acquired : acquired;
    try {
      return await work();
    } finally {
      release(tenant);
    }
  }

  return {
    acquire,
    release,
    run,
    get tenants() {
      return queues.tenants.tenants.size + queues.system.tenants.size;
    },
    get taken() {
      return slots - free;
    },
    get waiting() {
      return waiting;
    },
  };
}

/** The cause is for the log; the caller shall know that it is about how much is asked for at once. */
const tooMany = (cause: string): DomainError => busy({ cause: new Error(cause) });
