import { expiringCache, type Clock, type Logger } from '@platform-backend/core';
import { fetchJson } from './fetch-json.ts';
import { readKeySet, type KeySet, type PublishedKey } from './published-keys.ts';
import type { TokenHeader } from './token-shape.ts';

export interface IssuerKeyOptions {
  issuer: string;
  /** Where the keys are; discovered from the issuer when absent. */
  jwksUrl?: string | undefined;
  clock: Clock;
  logger?: Logger | undefined;
  /** Known keys are fetched anew after this long, and nobody waits for it; after twice as long whoever comes does. */
  refreshAfterMs: number;
  /** A key id that the issuer did not have is not asked for again in this time. */
  cooldownMs: number;
  fetchTimeoutMs: number;
  /** Called after a fetch that changed the keys. */
  onChange: () => void;
}

export interface IssuerKeys {
  /**
   * The keys that may have signed a token with this header; empty when the issuer has none.
   *
   * @throws IssuerUnreachable when that cannot be known now.
   */
  keysFor(header: TokenHeader): Promise<readonly PublishedKey[]>;
}

/** The issuer's keys cannot be had, so nobody can say whether a token is good. */
export class IssuerUnreachable extends Error {
  override readonly name = 'IssuerUnreachable';
  readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number, cause: unknown) {
    super('The keys of the issuer cannot be fetched.', { cause });
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;
/** Whoever invents key ids has the issuer asked no more often than this. */
const LOOK_INTERVAL_MS = 1_000;
const MAX_ABSENT_KEYS = 10_000;

/**
 * The keys of one issuer. They are fetched on first use, again in the background when they grow old,
 * and when a token names a key id that is neither among them nor known to be absent: at once, or a second after the last
 * time. Until then such a token may be a good one as well as a lie, and its bearer is asked for patience. When the issuer
 * fails, the keys already known keep working, and it is left alone for a pause that doubles from 1 s to 30 s.
 */
export function issuerKeys(options: IssuerKeyOptions): IssuerKeys {
  const { clock, logger, refreshAfterMs, cooldownMs } = options;
  let known: (KeySet & { fetchedAt: number }) | undefined;
  let failure: { cause: unknown; pauseMs: number; retryAt: number } | undefined;
  let fetching: Promise<void> | undefined;
  /** What the issuer did not have, a short while ago. */
  const absent = expiringCache<true>({ maxEntries: MAX_ABSENT_KEYS, clock });

  const now = (): number => clock.now().getTime();
  const rememberAbsent = (header: KeyName): void => absent.set(absentName(header), true, now() + cooldownMs);

  const fetchOnce = async (): Promise<void> => {
    try {
      const fetched = await fetchKeySet(options);
      const changed = known !== undefined && known.fingerprint !== fetched.fingerprint;
      const withdrawn = known?.keys.filter((key) => matching(fetched, key).length === 0) ?? [];
      for (const key of withdrawn) rememberAbsent(key);
      known = { ...fetched, fetchedAt: now() };
      if (failure) logger?.info({ issuer: options.issuer }, 'the issuer is reachable again');
      failure = undefined;
      if (changed) options.onChange();
    } catch (cause) {
      const pauseMs = Math.min(failure ? failure.pauseMs * 2 : FIRST_PAUSE_MS, MAX_PAUSE_MS);
      failure = { cause, pauseMs, retryAt: now() + pauseMs };
      logger?.warn(
        { event: 'issuer.unreachable', err: cause, issuer: options.issuer, pauseMs },
        'the keys of the issuer cannot be fetched',
      );
    }
  };

  /** Never rejects; callers look at `known` and `failure` afterwards. All who need keys share one fetch. */
  const fetchKeys = (): Promise<void> =>
    (fetching ??= fetchOnce().finally(() => {
      fetching = undefined;
    }));

  const mayFetch = (): boolean => failure === undefined || now() >= failure.retryAt;

  const unreachable = ({ cause, retryAt }: { cause: unknown; retryAt: number }): IssuerUnreachable =>
    new IssuerUnreachable(Math.max(1, Math.ceil((retryAt - now()) / 1000)), cause);

  const lookFor = async (header: TokenHeader): Promise<readonly PublishedKey[]> => {
    if (known && (isNone(known, header) || absent.get(absentName(header)))) return [];
    // A fetch that has begun already may have missed a key that was published since.
    const isUnderWay = fetching !== undefined;
    const isDue = failure ? mayFetch() : now() >= (known?.fetchedAt ?? -Infinity) + LOOK_INTERVAL_MS;
    if (isUnderWay || isDue) await fetchKeys();
    const found = known ? matching(known, header) : [];
    if (found.length > 0) return found;
    if (failure) throw unreachable(failure);
    if (isUnderWay || !isDue) throw new IssuerUnreachable(1, new Error('The issuer is asked again within a second.'));
    rememberAbsent(header);
    return [];
  };

  return {
    async keysFor(header) {
      if (!known) return await lookFor(header);
      const age = now() - known.fetchedAt;
      const fetched = age >= refreshAfterMs && mayFetch() ? fetchKeys() : undefined;
      if (age >= 2 * refreshAfterMs) await fetched;
      const found = matching(known, header);
      return found.length > 0 ? found : await lookFor(header);
    },
  };
}

interface KeyName {
  readonly alg: string;
  readonly kid?: string | undefined;
}

const absentName = ({ alg, kid }: KeyName): string => `${alg} ${kid ?? ''}`;

/** A token without a key id names no key that could come, and neither does one that names a key of another kind. */
const isNone = ({ keys }: KeySet, { kid }: KeyName): boolean =>
  kid === undefined || keys.some((key) => key.kid === kid);

/** Without a key id only a single key of the right kind can be meant. */
function matching({ keys }: KeySet, { alg, kid }: KeyName): readonly PublishedKey[] {
  const fitting = keys.filter((key) => key.alg === alg);
  if (kid !== undefined) return fitting.filter((key) => key.kid === kid);
  return fitting.length === 1 ? fitting : [];
}

async function fetchKeySet({ issuer, jwksUrl, fetchTimeoutMs }: IssuerKeyOptions): Promise<KeySet> {
  return readKeySet(await fetchJson(jwksUrl ?? (await discoverKeys(issuer, fetchTimeoutMs)), fetchTimeoutMs));
}

/** OpenID Connect Discovery 1.0. */
async function discoverKeys(issuer: string, timeoutMs: number): Promise<string> {
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const { issuer: named, jwks_uri: jwksUrl } = await fetchJson(address, timeoutMs);
  if (named !== issuer) throw new Error(`${address} speaks for another issuer than ${issuer}.`);
  const url = typeof jwksUrl === 'string' ? URL.parse(jwksUrl) : null;
  // Plain HTTP only where the issuer itself is reached that way, as on a developer's machine.
  if (!url || !(url.protocol === 'https:' || url.protocol === new URL(issuer).protocol)) {
    throw new Error(`${address} names no usable jwks_uri.`);
  }
  return url.href;
}
