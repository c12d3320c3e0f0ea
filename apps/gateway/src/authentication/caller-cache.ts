import type { Caller } from '@platform-backend/auth';
import { DomainError } from '@platform-backend/core';

/** A caller that identity vouched for, with what is needed to act for it. */
export interface ResolvedCaller {
  readonly caller: Caller;
  /** The signed statement about the caller that services verify; good for longer than this is remembered. */
  readonly assertion: string;
  /** When the credential ends by itself, in milliseconds since 1970. */
  readonly expiresAt: number;
}

export interface CallerCache {
  /**
   * The caller behind a key: remembered, or resolved now. A remembered one is given at once, without
   * a promise. Requests that come while a caller is being resolved share that one look-up. Failures
   * are not remembered, and neither is a caller without an organisation: the next thing such a user
   * does is to join or found one, and then must not be told for another second that there is none.
   */
  get(key: string, resolve: () => Promise<ResolvedCaller>): ResolvedCaller | Promise<ResolvedCaller>;
  /** Forgets every caller of an organisation, at once. */
  dropOrganisation(organisationId: string): void;
  /** Forgets a user in every organisation, with the keys that act for them, at once. */
  dropUser(userId: string): void;
  /** Forgets a key, at once. */
  dropApiKey(apiKeyId: string): void;
  clear(): void;
  readonly size: number;
}

export interface CallerCacheOptions {
  /**
   * No caller is given out longer than this after its look-up BEGAN, in milliseconds. Together with
   * the time a request takes to get through, this bounds how long a revoked credential works.
   */
  maxAgeMs: number;
  /** From this age a caller in use is looked up again in the background, so that nobody waits for it. */
  refreshAfterMs: number;
  maxEntries: number;
  /** Milliseconds that only go forward. */
  monotonic?: () => number;
  /** Milliseconds since 1970. */
  now?: () => number;
}

interface Entry {
  readonly resolved: ResolvedCaller;
  readonly organisationId: string;
  readonly startedAt: number;
}

/** A look-up under way, and for whom something was dropped since it began: whose it is shows only its answer. */
interface LookUp {
  readonly done: Promise<ResolvedCaller>;
  readonly dropped: Set<string>;
}

const EVERYBODY = 'everybody';
const ofOrganisationId = (id: string): string => `organisation/${id}`;
const ofUserId = (id: string): string => `user/${id}`;
const ofApiKeyId = (id: string): string => `key/${id}`;

/** Whether what was dropped may have changed the answer. Whoever had no organisation may have got one. */
function isConcerned({ caller }: ResolvedCaller, dropped: ReadonlySet<string>): boolean {
  if (dropped.size === 0) return false;
  const { organisationId, userId, apiKeyId } = caller;
  if (organisationId === undefined || dropped.has(EVERYBODY) || dropped.has(ofOrganisationId(organisationId)))
    return true;
  if (userId !== undefined && dropped.has(ofUserId(userId))) return true;
  return apiKeyId !== undefined && dropped.has(ofApiKeyId(apiKeyId));
}

/** Which entries belong to an organisation, to a user, or to an API key. */
function keysByOwner() {
  const keysOf = new Map<string, Set<string>>();
  return {
    add: (owner: string, key: string): void => void keysOf.set(owner, (keysOf.get(owner) ?? new Set()).add(key)),
    remove(owner: string, key: string): void {
      const keys = keysOf.get(owner);
      keys?.delete(key);
      if (keys?.size === 0) keysOf.delete(owner);
    },
    of: (owner: string): readonly string[] => [...(keysOf.get(owner) ?? [])],
    clear: (): void => keysOf.clear(),
  };
}

export function callerCache({
  maxAgeMs,
  refreshAfterMs,
  maxEntries,
  monotonic = () => performance.now(),
  now = Date.now,
}: CallerCacheOptions): CallerCache {
  // A Map keeps the order of insertion and every look-up makes a new entry, so the oldest is first.
  const entries = new Map<string, Entry>();
  const lookUps = new Map<string, LookUp>();
  const ofOrganisation = keysByOwner();
  const ofUser = keysByOwner();
  const ofApiKey = keysByOwner();
  const remove = (key: string): void => {
    const entry = entries.get(key);
    if (!entry) return;
    entries.delete(key);
    ofOrganisation.remove(entry.organisationId, key);
    const { userId, apiKeyId } = entry.resolved.caller;
    if (userId !== undefined) ofUser.remove(userId, key);
    if (apiKeyId !== undefined) ofApiKey.remove(apiKeyId, key);
  };

  let nextSweep = Number.NEGATIVE_INFINITY;
  /** Callers who went away give their room back, once in `maxAgeMs`. */
  const sweep = (): void => {
    const time = monotonic();
    if (time < nextSweep) return;
    nextSweep = time + maxAgeMs;
    for (const [key, { startedAt }] of entries) if (time - startedAt >= maxAgeMs) remove(key);
  };

  const remember = (key: string, resolved: ResolvedCaller, startedAt: number): void => {
    sweep();
    remove(key);
    const { organisationId, userId, apiKeyId } = resolved.caller;
    if (organisationId === undefined) return;
    if (entries.size >= maxEntries) {
      const [oldest] = entries.keys();
      if (oldest !== undefined) remove(oldest);
    }
    entries.set(key, { resolved, organisationId, startedAt });
    ofOrganisation.add(organisationId, key);
    if (userId !== undefined) ofUser.add(userId, key);
    if (apiKeyId !== undefined) ofApiKey.add(apiKeyId, key);
  };

  /** A look-up begun before cannot bring an answer back that this concerns; it is nobody else's business. */
  const drop = (owner: string, keys: readonly string[]): void => {
    for (const { dropped } of lookUps.values()) dropped.add(owner);
    for (const key of keys) remove(key);
  };

  const lookUp = (key: string, resolve: () => Promise<ResolvedCaller>): Promise<ResolvedCaller> => {
    const running = lookUps.get(key);
    if (running) return running.dropped.size === 0 ? running.done : unlessConcerned(running, key, resolve);
    const startedAt = monotonic();
    const dropped = new Set<string>();
    const started = resolve().then(
      (resolved) => {
        if (!isConcerned(resolved, dropped)) remember(key, resolved, startedAt);
        return resolved;
      },
      (error: unknown) => {
        // Refused: what was true a moment ago is no longer vouched for. Any other failure says nothing
        // about the caller, who may go on until the look-up before this one is too old.
        if (isRefusal(error)) remove(key);
        throw error;
      },
    );
    const done = started.finally(() => {
      lookUps.delete(key);
    });
    lookUps.set(key, { done, dropped });
    return done;
  };

  /** The answer of a look-up that began before something was dropped, for a request that came after that; another one where it is concerned. */
  const unlessConcerned = async (
    { done, dropped }: LookUp,
    key: string,
    resolve: () => Promise<ResolvedCaller>,
  ): Promise<ResolvedCaller> => {
    const answer = await done.catch((error: unknown) => {
      // Nobody knows whom it was about.
      if (isRefusal(error)) return undefined;
      throw error;
    });
    return answer && !isConcerned(answer, dropped) ? answer : lookUp(key, resolve);
  };

  return {
    get(key, resolve) {
      const entry = entries.get(key);
      if (entry) {
        const age = monotonic() - entry.startedAt;
        if (age < maxAgeMs && entry.resolved.expiresAt > now()) {
          // Whoever waits for the next answer sees a failure; this request has its answer.
          if (age >= refreshAfterMs) lookUp(key, resolve).catch(() => undefined);
          return entry.resolved;
        }
        remove(key);
      }
      return lookUp(key, resolve);
    },
    dropOrganisation: (organisationId) => drop(ofOrganisationId(organisationId), ofOrganisation.of(organisationId)),
    dropUser: (userId) => drop(ofUserId(userId), ofUser.of(userId)),
    dropApiKey: (apiKeyId) => drop(ofApiKeyId(apiKeyId), ofApiKey.of(apiKeyId)),
    clear() {
      drop(EVERYBODY, []);
      entries.clear();
      ofOrganisation.clear();
      ofUser.clear();
      ofApiKey.clear();
    },
    get size() {
      return entries.size;
    },
  };
}

const isRefusal = (error: unknown): boolean =>
  error instanceof DomainError && (error.kind === 'unauthenticated' || error.kind === 'forbidden');
